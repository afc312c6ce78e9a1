// Package database is one running database: its catalog, the jobs that keep its
// tables and views, the writer of its own tables, and what readers ask of it.
//
//	session ─► Create, Drop ─► coordinator (a barrier) ─► Commit: epoch, jobs and names in one
//	        │                                              metastore transaction ─► catalog value
//	        ├► Begin, Apply, Commit ─► lock · overlay · key check ─► log channel of the database ─► worker
//	        ├► Query ─► pin of a committed epoch (and the overlay, for DML) ─► operators in memory
//	        └► Flush, WaitFor, Subscribe, status
//
//	a table in a transaction:  committed epoch  +  overlay (in the log, not committed)  +  own writes
//
// Invariants:
//   - names change with the epoch that their job's state changes with, or not at all;
//   - a statement sees one epoch over all relations, at least that of its session's last write;
//   - writers of a table are serial: who changes it has locked it, and sees every write before;
//   - a transaction is one log entry: durable and whole when Commit returns, or absent;
//   - no two rows of a table have equal keys.
//
// It does not parse or plan (packages sql, plan, session), nor run operators over
// time (package worker).
package database
