// Package sql has the syntax tree of the statements that Weir understands. Package
// sql/parser makes it: PostgreSQL's grammar for queries, our own for what
// PostgreSQL has no words for (sources, materialized views' options, changefeeds,
// SUBSCRIBE, FLUSH).
//
//	text ─► parser ─► Statement ─► plan (names, types) ─► …
//
// Invariants:
//   - a node keeps where it began in the text, in bytes, so that errors can point at it;
//   - Deparse of a tree parses to the same tree.
//
// It does not resolve names or types (package plan).
package sql
