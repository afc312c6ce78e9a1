// Package pgvalue writes and reads values as PostgreSQL does: its text and binary
// forms, by type, out of and into columns.
//
//	AppendText   value ─► what the output function prints (DateStyle ISO, IntervalStyle postgres)
//	AppendValue  text ─► value: what the input function takes, modifier applied
//	AppendBinary value ─► what the send function sends
//	ParseBinary  bytes ─► value: what the receive function takes
//	RowDecoder   a tuple of the log ─► one row, canonical text read the short way
//	CheckUTF8    text that a client sent; AppendJSONString: s in quotes, escaped
//
// Faults are *Error (package datum's): SQLSTATE, message, detail, hint.
//
// Invariants:
//   - bytes and errors are PostgreSQL's, faults with its SQLSTATE and words;
//   - what AppendText prints AppendValue reads, to the same value; so with the binary forms;
//   - reading appends one value to the column, or none and gives an error; it never panics;
//   - a value of the canonical text is read without allocating.
//
// Ranges, network addresses and bit strings are checked and brought to canonical text too;
// geometric and text search types, xml, and types that are not built in stay the text
// they came as.
package pgvalue
