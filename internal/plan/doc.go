// Package plan turns a parsed query into a tree of relational operators over
// typed columns: names resolved, types checked, subqueries decorrelated. The same
// tree is a SELECT, run once over a snapshot, or a view, maintained.
//
//	sql.Select ─► bind (names, types) ─► decorrelate ─► rewrite ─► Node tree
//
// Every Node has columns by position; expressions in a Node are over the columns of
// its input (of a join: left's, then right's).
//
// Invariants:
//   - a plan over a catalog value is a function of it and the text: no map order;
//   - every column has a type that a value can have: unknown is gone;
//   - a Node that is used twice (a CTE, a decorrelated domain) is the same pointer;
//   - errors are PostgreSQL's: SQLSTATE, position, hint.
//
// It does not read data nor know shards (package dataflow).
package plan
