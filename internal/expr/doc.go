// Package expr has typed expressions: how names of functions and operators resolve
// to one of PostgreSQL's, and how they are computed, a column at a time.
//
//	sql.Expr ─► Registry.Bind(scope) ─► Expr (typed tree) ─► Compile ─► Program ─► Eval(chunk) ─► columns, errors by row
//
// A Registry is made by Builtins and extended by With, which takes functions from outside (the session's
// catalog functions); it is a value that never changes. Its methods resolve:
//
//	Bind             a whole expression; columns, subqueries, aggregates are asked of a Scope
//	ResolveCall, ResolveOperator, ResolveAggregate, ResolveSet
//	And, Or, Not, Case, Coalesce, In, AnyAll, …  what SQL has a syntax of its own for
//	Cast, Assign, CommonType, Boolean            conversions
//
// A Program is compiled once and run by several goroutines. CompileFilter makes the form that gives
// the rows for which a condition is true.
//
// One evaluator serves SELECT and views.
//
// Invariants:
//   - a value is what PostgreSQL gives: NULLs, scales, rounding, errors with its SQLSTATEs;
//   - an error belongs to a row: the other rows of the chunk have their values;
//   - a branch that is not taken (CASE, COALESCE, AND, OR) raises nothing;
//   - evaluating does not allocate per row, unless values are built; nothing panics.
//
// It does not know relations (package plan) nor state (package op). An aggregate with FILTER computes its argument
// for rows that the filter drops, unless the argument is wrapped in a CASE.
package expr
