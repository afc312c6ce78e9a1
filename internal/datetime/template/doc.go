// Package template formats and reads by PostgreSQL's templates: to_char of timestamps,
// intervals and numbers, to_timestamp, to_date and to_number.
//
//	"FMDay, DD Mon YYYY" ─► Date ─► nodes ─► AppendTimestamp[TZ], AppendInterval, Timestamp, ToDate
//	"FM999,990.00"       ─► Number ─► nodes ─► AppendNumeric, AppendFloat, ToNumber
//
// A template is compiled once and serves any number of rows, from several goroutines.
//
// Invariants:
//   - text, values and faults are PostgreSQL's with lc_time and lc_numeric C;
//   - nothing panics, whatever template and text.
//
// TM (translation) is taken and means nothing more than FM, as in the locale C.
package template
