// Package local is the log's embedded backend: segment files in a directory.
//
//	DIR/LOCK                         one process at a time
//	DIR/<channel>/control            term, ceiling, start: two copies
//	             /seg-<n>.wal        entries, 64 MiB a file, allocated ahead
//	             /parts/<attempt>.part   large transactions
//
//	segment  ┌────────┬───────────────┬────┬──────────┬────┬─ ─ ─┬────────┬─────────┐
//	         │ header │ entry … entry │mark│ entry …  │mark│     │ footer │ trailer │
//	         └────────┴───────────────┴────┴──────────┴────┴─ ─ ─┴────────┴─────────┘
//	                   └ one write, one sync ┘                    when sealed
//
// Appends are buffered under the channel's lock, where they get their Ts. One
// syncer writes all that is buffered, syncs, raises the durable mark and wakes those
// who wait for that group: each waiter wakes once.
//
// Every byte of a file is under a checksum, and every checksum is salted with the
// file's identity and the place in it. What a crash leaves of the last write is any
// subset of its sectors; so the end of a log is judged (judge.go) by what a torn
// write can and cannot have left, and by the marks, which say what was written.
//
// Invariants:
//   - an entry is seen by readers and acknowledged only after a sync of its group;
//   - a torn, cut or extended tail is cut at the first byte that is not whole, and
//     reported in Status().Repaired; other damage is never cut away: it is a
//     LogCorrupt error that names its place, and both sides of it stay readable;
//   - no Ts is issued above the ceiling in the control record, and a new term
//     begins above the ceiling of the one before;
//   - a failed sync ends the writer and is not repeated; a full disk only makes it wait;
//   - the start is raised in the control record before a segment goes, and before the
//     parts of a large transaction go: the entry that names them may stay for a while;
//   - opening reads the footers, and only the last segment whole;
//   - memory is bounded: Options.BufferedBytes a writer, Options.ReadBytes a reader.
//
// Verify, Inspect and ReadHigh work on the files alone, without the lock.
//
// It does not decide how far to truncate (package wal) and knows nothing of what
// entries hold.
package local
