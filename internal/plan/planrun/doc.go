// Package planrun computes a plan over rows in memory, a Node at a time, the plain
// way: maps from keys to rows, sorted slices, whole relations. It is slow and keeps to the
// letter of package plan; tests hold the engine and the planner against it.
//
//	plan.Query + tables ─► Run ─► rows
//
// Invariants:
//   - a relation is a chunk without weights: a row that is there twice is there twice;
//   - the first error of an expression is the error of the query.
//
// It is for tests: nothing in it is fast or bounded.
package planrun
