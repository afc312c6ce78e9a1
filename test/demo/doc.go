// Demo is what `make run` runs: a shop whose database feeds another database
// and a directory of files through the real weir binary.
//
//	writer ──► shop (PostgreSQL) ──► weir serve ──► replica (PostgreSQL)
//	                                      ├───────► files  (NDJSON)
//	                                      └───────► views  (SQL), shown live
//
// It starts everything it needs in a temporary directory, prints a status line
// a second, and on Ctrl-C or after RUN_SECONDS stops the writer, waits until all
// is delivered and compares: both databases row by row, the files line by
// line, and each view with its query on the shop. It exits with 0 only if they are
// equal, and leaves nothing behind.
package main
