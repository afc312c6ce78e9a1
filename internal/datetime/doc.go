// Package datetime computes with dates, times, timestamps and intervals as
// PostgreSQL does. The types are package datum's: microseconds and days since
// 2000-01-01.
//
//	AddInterval[TZ], SubInterval[TZ]      timestamp ± interval
//	SubTimestamps, Age[TZ]                differences
//	AddDays, SubDays, SubDates            dates
//	AddTime, SubTime, DateTime[TZ]        times of day
//	AddIntervals, MulInterval, Justify…   intervals; CompareIntervals
//	FieldOf(name).Trunc[TZ], TruncInterval              date_trunc; Bin: date_bin
//	ExtractFieldOf(name).Of, OfTZ, OfDate, OfTime, OfInterval  extract (Numeric), date_part (Float)
//	MakeDate, MakeTimestamp[TZ], MakeInterval, FromUnix        make_…, to_timestamp
//	DateToTimestamp[TZ], TimestampToDate, TimestampTZToTime, … casts
//	LookupZone (AT TIME ZONE), LoadZone (SET TimeZone), ToLocal, FromLocal, Offset
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
