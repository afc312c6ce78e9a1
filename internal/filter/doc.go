// Package filter decides which tables a source or a changefeed takes, by the
// rules a user writes after --tables.
//
//	'public.*,!public.secret' ──Parse──► Filter ──Match(namespace, name)──► bool
//
// A rule is [!] namespace . name. Each of the two is a glob (* any run, ? any
// one character, \x the character x itself), an exact name in double quotes, or
// a regular expression between slashes, which matches anywhere unless it has
// anchors. A regular expression alone is put to the whole "namespace.name". A
// rule with ! takes tables out.
//
// Invariants:
//   - the last rule that matches decides; a table no rule matches is out;
//   - no rules, or none but negations, begin with every table;
//   - system schemas and our own bookkeeping schema never match;
//   - matching is case sensitive, and linear in the name for each star;
//   - String parses back to a filter that decides the same.
package filter
