// Package feed runs changefeeds: the shell around package owner's machine. A
// feed reads its source's channel from its pin, decides by package backfill
// which changes count while tables are being snapshot, and delivers the rest to
// a Sink in batches of whole transactions.
//
//	wal.Reader ─► filter, backfill ─► batch ─► Sink.Write … Commit(position)
//	     ▲            reader                        │ writer
//	     │ pin ◄── checkpoint saved ◄── owner ◄── progress, errors
//
// A reader decodes ahead of the writer into a fixed number of batches that go
// round; the writer merges batches into a target transaction until it is large
// enough or nothing more is there. What a restart needs beside a position (the
// snapshots under way, the shapes delivered) is a mark; it travels with the
// batches, so that checkpoint and mark are saved together. At a sink that is
// Pipelined the writer goes on while up to two commits are under way.
//
// Invariants:
//   - the target's position wins over what we saved; one below the log's start,
//     and a position that the target has lost, is a TargetBehind error;
//   - a Commit never splits an upstream transaction, except snapshot chunks
//     before consistent_from;
//   - a saved mark belongs to the saved checkpoint: reading on from there makes
//     the same decisions again, and what the target has already is not delivered;
//   - a row is preceded by the shape it is in, whenever that differs from the
//     shape delivered before;
//   - what is reported, and so the checkpoint and the pin, is what the target has
//     confirmed: of commits under way nothing is, nor what lies behind them;
//   - memory is bounded by the batches, whatever the size of a transaction;
//   - the failure of one feed touches nothing but its own sink and pin.
//
// It does not know any target (adapter/…) nor decide states (package owner).
package feed
