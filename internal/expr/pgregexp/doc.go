// Package pgregexp runs PostgreSQL's advanced regular expressions on Go's regexp, in linear time.
//
//	pattern ─► parse ─► tree ─► Go pattern(s) ─► Regexp: Match, Find, All
//	                     │
//	                     └─► a literal that every match contains: looked for first
//
// A match is PostgreSQL's: leftmost, and then longest or, when the first quantifier is a
// non-greedy one, shortest. Where greedy and non-greedy quantifiers are mixed, the bounds of
// the match are found first and its groups within them.
//
// Invariants:
//   - a pattern means what it means in PostgreSQL, or is refused: back references and lookaround
//     with ErrUnsupported, faults with PostgreSQL's words;
//   - Compile and matching never panic; a Regexp may be used by several goroutines.
//
// What differs: which alternative of several with the same overall match a group takes, and classes
// and folding know Unicode where PostgreSQL's collation C knows ASCII.
package pgregexp
