// Package row has the words for data in motion: a Schema, a Tuple (one row
// image) and a Change (what happened to a row), with their byte encodings.
//
//	Change  ┌────┬───────┬─────────┬───────────────────────────┐
//	        │ op │ table │ version │ old and new Tuple, Schema │
//	        └────┴───────┴─────────┴───────────────────────────┘
//	Tuple   ┌───┬──────────┬──────────┬───┐
//	        │ n │ tag value│ tag value│ … │   tag 0 NULL, 1 Unchanged, len+2
//	        └───┴──────────┴──────────┴───┘
//
// Invariants:
//   - encodings are append-only and self-delimiting; decoding borrows, never
//     copies, never panics, whatever the bytes;
//   - a tuple has exactly the columns of the Schema version it names;
//   - snapshot and stream produce the same bytes for the same value.
//
// It does not interpret values (package datum) or know where changes are
// kept (package wal).
package row
