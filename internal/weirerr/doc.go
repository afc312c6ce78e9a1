// Package weirerr has the one error type that reaches users, and the one table
// of codes that says how the system reacts to each.
//
//	cause ──► weirerr.New(code, "message").With("table", t).Hint("do …").Wrap(err)
//	                     │
//	                     └─ Code ─► Flags: retryable? fail at once? is the log gone?
//
// Invariants:
//   - an error names the thing it is about (source, table, key, column,
//     position) in fields and says what to do in its hint;
//   - reactions are decided by flags, never by matching message text;
//   - no secret is in a message, field or hint.
package weirerr
