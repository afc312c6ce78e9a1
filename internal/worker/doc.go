// Package worker runs dataflow graphs: it reads their inputs up to each barrier's
// cut, drives their shards, one goroutine each, seals what changed, and applies it
// when the epoch is committed.
//
//	inputs (log channels, streams) ─► steps ─┐             ┌─► Seal (fsync) ─► Report{Collected}
//	                                         ▼             │
//	queue of graphs ─► turn <= 10 ms: rounds of all shards ┴─ end of epoch: flush by stages,
//	                    run · swap · fetch misses                copy changes
//	Commit(epoch) ─► state.Apply ─► view.Publish
//
// A job over relations that hold rows is created in a graph of its own, which follows
// the main graph's committed epochs, and joins it when it stands where that stands:
//
//	main graph   ──e1───────e2───────e3──────────e4 (Merge)──►
//	                 ╰─ changelog, snapshot ─────╮  ▲
//	creating graph     (e1, e2] ── (e2, e3] ─────╯──╯
//	                   in each: changes behind the cursor, then the next piece, in key order
//
// Calls: Open a graph at its committed epoch; Inject barriers, each answered by one
// Report of Collected; Commit what was collected; Drop the graph. Anything that
// stops a graph is one Report of Failed: Drop it and Open it again. A job that
// fails alone is listed in Collected.
//
// Invariants:
//   - an epoch has exactly the entries of each channel after the last cut and up to
//     its own, whole transactions, and of a stream the rows between two positions;
//   - the cut of a channel is the barrier's Ts, or a later one that Collected tells
//     and Open is given again: entries just read ahead of the barrier are kept;
//   - the input and the computing of the next epoch go on while one is sealed; at most
//     two sealed epochs wait for their commit;
//   - when the end of an epoch would take long, a barrier is asked for, and until it comes
//     input waits;
//   - memory of clean state is given back at epoch ends, when every seal is applied;
//   - graphs take turns; one that waits for its input, store or commit delays no other;
//   - at every epoch of a creating graph its job is the query over the groups up to the
//     cursor, and over the streams up to its position, as of that epoch;
//   - the main graph waits for no creating graph: what one has not followed is in the store,
//     sealed with the main graph's epochs, so a restart loses nothing of it;
//   - a job that joins gets every row of the epoch, once, those that had passed too;
//   - after Drop has returned nothing of the graph runs, and nothing is reported of it.
//
// It does not decide about epochs (package barrier) nor commit them (the caller).
package worker
