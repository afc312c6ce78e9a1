// Package storm sends a running weir statements that nobody would write: those of the oracle's
// corpus and of docs/sql.md with tokens left out, doubled, swapped and replaced, by the simple
// and the extended protocol.
//
//	test/oracle/testdata, docs/sql.md ─► tokens ─► mutants ─► weir serve ─► a result, or an error with SQLSTATE
//
// What it asserts: every statement is answered within a deadline; no answer is an internal error
// (XX000); the server lives, and its memory stays within what its limits add up to.
//
// It does not say whether an answer is right: test/oracle does. WEIR_SOAK=1 sends thousands,
// WEIR_SEED another sequence.
package storm
