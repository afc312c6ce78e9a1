// Package algebra has a query between its text and its plan: relational operators over
// columns that have numbers instead of positions. A column keeps its number on its
// way up, so operators move without renumbering, and an operator that mentions a
// number its inputs do not have is correlated: that number comes from outside.
//
//	bound query ─► Push ─► Unnest ─► Push ─► Order ─► Prune ─► (package plan: positions)
//	               filters  no more   again   joins     columns
//	               go down  correlated        by size   nobody reads
//
// A scalar is an expr.Expr whose Column.Index is a Col.
//
// Invariants:
//   - a Col is made by one operator of the tree and by no other;
//   - a rewritten tree has the columns, and the rows, of the one it was;
//   - after Unnest nothing is correlated;
//   - trees are values: a rewrite makes new operators and shares the rest.
//
// It does not resolve names or types (package plan) nor evaluate.
package algebra
