// Package datum knows what values mean. A value travels in its source's
// canonical text form (PostgreSQL: type output under pinned settings: ISO
// dates in UTC, interval style postgres, extra_float_digits 1, bytea hex), so
// snapshot and stream carry identical bytes for every type, built in or not.
// This package says which type an OID is, and parses text into the typed
// forms that formats and, later, SQL need.
//
// Invariants:
//   - parsing never panics; a value that is not of its type is an error that
//     quotes it;
//   - nothing here reads a clock, a locale or a time zone setting.
package datum
