// Package session is the meaning of SQL over one connection: statements, transactions,
// settings, prepared statements and cursors. Package pgwire calls it; it calls a Database.
//
//	pgwire ─► Script, Prepare ─► sql/parser ─► plan (names, types) ─► task
//	          Bind ─► portal ─► Next ─► task.run ─┬─► Database.Query    rows of one epoch
//	                                              ├─► Txn.Lock, Apply   a change, all of it
//	                                              ├─► Create, Drop, …   names
//	                                              └─► settings, cursors, lists
//	          Sync ─► Txn.Commit ─► Ts, which later reads wait for
//
// Invariants:
//   - between two Syncs, or BEGIN and COMMIT, all that was written is one transaction; an error undoes it;
//   - a statement sees everything that its session has written before;
//   - a failed explicit transaction runs nothing but its end (25P02);
//   - a definition is no part of a transaction: one that has written rows refuses it, one that has not warns;
//   - settings change with the transaction they were set in, or not at all;
//   - secrets are in no answer.
//
// It does not speak the protocol (pgwire) nor keep data (database).
package session
