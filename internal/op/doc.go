// Package op has the incremental operators. An operator takes deltas (weighted
// chunks) and gives the delta of its result. It is a plain struct, called by one
// goroutine, with its state in Tables; no clock, I/O or randomness inside.
//
//	Push(port, delta) … Run ─► output deltas      during an epoch, any number of times
//	Flush()           … Run ─► what was held back when the epoch's input is complete
//	Run ─► Miss: some Tables want groups that are not in memory; fetch them, Run again
//
// Invariants, for every operator and at every end of an epoch:
//   - integrate(output) = batch(integrate(input)), whatever the order and splitting of deltas;
//   - Run emits at most about its budget of rows, and can go on where it stopped;
//   - equal input gives equal output, chunk by chunk;
//   - a row that fails is left out and reported in Output.Errors with its weight, so
//     that its retraction takes the report back.
//
// It does not build graphs (package dataflow) nor read stores (package worker).
package op
