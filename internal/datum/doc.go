// Package datum knows what values mean. A value travels in its source's
// canonical text form (PostgreSQL: type output under pinned settings: ISO
// dates in UTC, interval style postgres, extra_float_digits 1, bytea hex), so
// snapshot and stream carry identical bytes for every type, built in or not.
// This package says which type an OID is, and parses text into the typed
// forms that formats and, later, SQL need.
//
//	text ─► ParseX / ScanX ─► bool, int64, Decimal, Timestamp, Interval, …
//	     ─► iterators       ─► elements of arrays, fields, ranges, pairs (again text)
//	     ◄─ AppendX         ◄─ dates, times, intervals, uuids
//
// Invariants:
//   - parsing never panics; a value that is not of its type is an error that
//     quotes it;
//   - what the server prints is read exactly, to the last digit, over the whole
//     range of the type;
//   - parsers borrow; they allocate only for numbers beyond 38 digits, for
//     unescaping into the caller's scratch, and for errors;
//   - nothing here reads a clock, a locale or a time zone setting.
//
// It does not accept other ways to write a value (1e3, 'tomorrow', AM and PM): only
// what a server prints under the pinned settings.
package datum
