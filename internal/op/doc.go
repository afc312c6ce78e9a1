// Package op has the incremental operators. An operator takes deltas (weighted
// chunks) and gives the delta of its result. It is a plain struct, called by one
// goroutine, with its state in Tables; no clock, I/O or randomness inside.
//
//	Push(port, delta) … Run ─► output deltas      during an epoch, any number of times
//	Flush()           … Run ─► what was held back when the epoch's input is complete
//	Run ─► Miss: some Tables want groups that are not in memory; fetch them, Run again
//
//	at once         Filter, Project, Union, Hop, ProjectSet; Join's pairs; Upsert, by chunk;
//	                Distinct of an input that only grows
//	at Flush, once  Aggregate, Distinct, TopN, MaxOne, Materialize; Join's rows that come out alone
//
// Each works on a chunk at a time: keys of all rows first, hashed and looked up
// together; if groups are missing nothing has been done yet and Run says Miss. Only then the
// rows change their groups. A group's state before the epoch is kept aside when it is first touched, so
// that Flush can give out old and new.
//
// Invariants, for every operator and at every end of an epoch:
//   - integrate(output) = batch(integrate(input)), whatever the order and splitting of deltas;
//   - Run emits at most about its budget of rows, and can go on where it stopped;
//   - equal input gives equal output, chunk by chunk;
//   - a row that fails is left out and reported in Output.Errors with its weight, so
//     that its retraction takes the report back;
//   - no state is left of rows that are taken back (but the row of a global aggregate).
//
// Of values that are equal and written in different ways (1.0 and 1.00) as a group's columns, or as rows of a Distinct,
// the first stands for all. An epoch's changed groups stay in memory until it is sealed.
//
// It does not build graphs (package dataflow) nor read stores (package worker).
package op
