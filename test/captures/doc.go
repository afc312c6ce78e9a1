// Package captures tests tables that follow those of a PostgreSQL, through SQL as users
// write it: CREATE SOURCE, CREATE TABLE … FROM, joins of such tables, weir_wait.
//
//	PostgreSQL ──► weir serve ──► SELECT, views
//	     └───────── the same SELECT ────┘  compared
//
// What it asserts: the snapshot and what follows are the upstream's rows; a restart reads
// nothing anew; the source's log is kept for the database's epochs and no longer; DROP leaves
// nothing behind, here and upstream; a change of shape upstream harms only what uses it.
package captures
