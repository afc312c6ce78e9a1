// Package datetime computes with dates, times, timestamps and intervals as
// PostgreSQL does. The types are package datum's: microseconds and days since
// 2000-01-01.
//
//	calendar    Julian days, civil fields, ranges
//	zone        zones by name, abbreviation and offset; local time and back
//	arithmetic  timestamp ± interval, differences, age, interval × number, justify
//	trunc       date_trunc, date_bin
//	extract     extract, date_part
//	make        make_date, make_timestamp, …
//
// Invariants:
//   - a result is what PostgreSQL gives, or an error with its SQLSTATE and words;
//   - months are added in the calendar and cut to the month's end; with a zone, months
//     and days are added in local time; hours are always exact;
//   - a local time in a gap means the offset before it; one that occurs twice, the second;
//   - nothing here reads a clock; zone data is read when a zone is looked up.
//
// Its packages input and template read free text and templates. It does not print
// canonical text (package datum), but for timestamps in a zone.
package datetime
