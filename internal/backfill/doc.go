// Package backfill decides how rows read from a table and changes streamed from
// it become one history for one consumer. It is pure.
//
//	channel:  … txn txn ▼marker(chunk 0) txn txn ▼marker(chunk 1) txn …
//	                    │ chunk rows take effect here
//	keys of a chunk:    dropped before │ after: dropped while visible to the
//	                                   │ chunk's snapshot, delivered otherwise
//
// Invariants:
//   - each transaction's effect on each key reaches the consumer exactly once,
//     in a chunk or as a change;
//   - a marker stands where its snapshot sees every transaction before it;
//   - consistent_from is where the last snapshot settles: where the stream has
//     passed every transaction visible to a chunk. Not at the last chunk's
//     marker: a chunk may see transactions that the stream brings only later,
//     so between the two the consumer is ahead of the stream for some keys.
package backfill
