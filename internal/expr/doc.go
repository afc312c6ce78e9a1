// Package expr has typed expressions: how names of functions and operators resolve
// to one of PostgreSQL's, and how they are computed, a column at a time.
//
//	names, types ─► ResolveCall, ResolveOperator, Cast ─► Expr (typed tree)
//	Compile(exprs) ─► Program ─► Eval(chunk) ─► columns, errors by row
//
// One evaluator serves SELECT and views.
//
// Invariants:
//   - a value is what PostgreSQL gives: NULLs, scales, rounding, errors with its SQLSTATEs;
//   - an error belongs to a row: the other rows of the chunk have their values;
//   - a branch that is not taken (CASE, COALESCE, AND, OR) raises nothing;
//   - evaluating does not allocate per row, unless values are built; nothing panics.
//
// It does not know relations (package plan) nor state (package op).
package expr
