// Package reconcile is what consumers of a source's channel share when they merge its
// snapshots with its stream: the port of a running source, the verdict on each change of a
// table under snapshot, and the rows of a chunk. Changefeeds (package feed) and captured
// tables (package worker) are such consumers.
//
//	changes of a run of transactions ─► Finder: keys ─Locate─► slots ─► backfill.Decider ─► Verdict
//	marker ─► Source.Outcome ─► Rows of the chunk, from the side channel
//
// Invariants:
//   - one question to the source for each table of a run, not one for each change;
//   - a verdict is about the state in which Prepare was asked: what changes the state
//     (a marker, a truncate, a table that is new) is decided about alone.
//
// It decides nothing itself (package backfill).
package reconcile
