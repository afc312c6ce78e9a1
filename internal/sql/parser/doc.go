// Package parser turns text into statements of package sql. Queries, DML and what
// else PostgreSQL has a syntax for are read by PostgreSQL's own grammar; a layer over
// its tokens reads the statements and clauses that are ours.
//
//	text ─► tokens ─► one statement at a time
//	                   ├─ ours: CREATE SOURCE, SUBSCRIBE, FLUSH, SHOW TABLES, … ─► own.go
//	                   │        their queries, columns and expressions ─┐
//	                   └─ PostgreSQL's ─────────────────────────────────┴─► grammar ─► convert ─► sql.Statement
//
// A clause of ours inside a statement of PostgreSQL's (WITH of a table, EMIT ON WINDOW
// CLOSE) is read and then blanked out, so that every byte keeps its place and
// positions need no translation.
//
// Invariants:
//   - positions are byte offsets in the whole text that Parse was given;
//   - a construct that sql has no node for is an *sql.Error 0A000 that names it and points at it;
//   - text of any kind gives statements or an *sql.Error, never a panic: what would
//     overflow the grammar's C stack is refused before (54001).
//
// This is the only package that knows the grammar's library. It does not resolve
// names or types.
package parser
