// Package feed runs changefeeds: the shell around package owner's machine. A
// feed reads its source's channel from its pin, decides by package backfill
// which changes count while tables are being snapshot, and delivers the rest to
// a Sink in batches of whole transactions.
//
//	wal.Reader ─► filter, backfill ─► batch ─► Sink.Write … Commit(position)
//	     ▲                                            │
//	     │ pin ◄── checkpoint saved ◄── owner ◄── progress, errors
//
// Invariants:
//   - the target's position wins over what we saved; one below the log's start
//     is a TargetBehind error;
//   - a Commit never splits an upstream transaction, except snapshot chunks
//     before consistent_from;
//   - the failure of one feed touches nothing but its own sink and pin.
//
// It does not know any target (adapter/…) nor decide states (package owner).
package feed
