// Package input reads dates, times and intervals in the many ways that PostgreSQL
// takes: '2024-1-5', 'Jan 5 2024 10:00 PM', '20240105T100000Z', 'yesterday',
// '1 day 2 hours ago', 'P1DT2H'. DateStyle is ISO, MDY.
//
//	text ─► split into tokens ─► decode token by token into fields ─► check ─► value
//
//	Date, Time, TimeTZ, Timestamp, TimestampTZ (text, Context)
//	Interval (text, modifier), FitInterval
//
// Invariants:
//   - what PostgreSQL takes means here what it means there; what it refuses is refused with
//     its SQLSTATE and words;
//   - nothing panics, whatever the text;
//   - the clock is what the caller says it is.
//
// The short way for canonical text is package datum's: callers try it first.
package input
