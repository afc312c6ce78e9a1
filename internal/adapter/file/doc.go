// Package file delivers a changefeed into files: a feed.Sink whose lines a reader
// sees exactly once and in order, whatever crashed.
//
//	<dir>/<changefeed>/incarnation-<n>/lane-<n>/
//	    manifest.ndjson                       which bytes of which files count
//	    00453476982784000000-end-t7.ndjson    data: named by the position it begins
//	    …                                     after, and the term of its owner
//	    lock                                  held for the moment of a commit
//
//	Write ─► lines, appended to the data file
//	Commit ─► fdatasync data ─► record {file, bytes, lines, crc, position} ─► fdatasync
//	          manifest ─► '\n'
//
// The manifest is a log of records, one a line, each with a checksum. The commit
// point is the record's fdatasync. The newline after it is written only then, and
// readers take only records that have one: what they see cannot be lost by a power
// cut. When a data file is full the manifest is rewritten, one record a file, and
// replaced atomically.
//
// Data holds one JSON object a line: Debezium's events of all tables, in commit
// order, and between them lines {"resolved":"<ts>","ts_ms":…}, which say that all
// changes up to that Ts stand above.
//
// Invariants:
//   - a byte of a data file counts when the newest record of that file covers it,
//     and then it never changes;
//   - a data file is written by one owner: after every Open a new one is begun, so
//     an owner of an older term, still alive, cannot touch what counts;
//   - a record is appended only to the manifest as its owner left it (compare and
//     set, under the lock): an owner of an older term gets TargetFenced;
//   - positions in the manifest only grow; restarting from the newest neither
//     repeats nor skips a line.
//
// Readers that ignore the manifest see whole lines, but may see some twice. Files
// that have been consumed may be deleted, but for the manifest. It does not expire
// files, compress them, or write one file a table.
package file
