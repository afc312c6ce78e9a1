package datetime

import "strings"

// Unit is a unit of time, or a field that extract knows.
type Unit uint8

// Units.
const (
	UnknownUnit Unit = iota
	Microsecond
	Millisecond
	Second
	Minute
	Hour
	Day
	Week
	Month
	Quarter
	Year
	Decade
	Century
	Millennium
	Julian
	ISOYear
	DayOfWeek
	ISODayOfWeek
	DayOfYear
	Epoch
	Zone
	ZoneHour
	ZoneMinute
	agoWord      // no unit
	reservedWord // infinity, now, …: words for moments, no fields
)

// Field names a unit as a query wrote it.
type Field struct {
	Unit Unit
	Name string // lower case, for messages
}

// maxToken is how many letters of a word count.
const maxToken = 10

// FieldOf finds the unit that name means for date_trunc; UnknownUnit when none.
func FieldOf(name string) Field {
	name = strings.ToLower(name)
	return Field{units[cutToken(name)], name}
}

// ExtractFieldOf is FieldOf for extract and date_part, which know some more.
func ExtractFieldOf(name string) Field {
	f := FieldOf(name)
	if f.Unit == UnknownUnit {
		f.Unit = extractUnits[cutToken(f.Name)]
	}
	return f
}

func cutToken(s string) string { return s[:min(len(s), maxToken)] }

// units has the spellings of units in intervals; longer ones are cut to ten letters.
var units = map[string]Unit{
	"us": Microsecond, "usec": Microsecond, "usecond": Microsecond, "useconds": Microsecond, "usecs": Microsecond, "microsecon": Microsecond,
	"ms": Millisecond, "msec": Millisecond, "msecond": Millisecond, "mseconds": Millisecond, "msecs": Millisecond, "millisecon": Millisecond,
	"s": Second, "sec": Second, "second": Second, "seconds": Second, "secs": Second,
	"m": Minute, "min": Minute, "mins": Minute, "minute": Minute, "minutes": Minute,
	"h": Hour, "hour": Hour, "hours": Hour, "hr": Hour, "hrs": Hour,
	"d": Day, "day": Day, "days": Day,
	"w": Week, "week": Week, "weeks": Week,
	"mon": Month, "mons": Month, "month": Month, "months": Month,
	"qtr": Quarter, "quarter": Quarter,
	"y": Year, "year": Year, "years": Year, "yr": Year, "yrs": Year,
	"dec": Decade, "decade": Decade, "decades": Decade, "decs": Decade,
	"c": Century, "cent": Century, "century": Century, "centuries": Century,
	"mil": Millennium, "mils": Millennium, "millennia": Millennium, "millennium": Millennium,
	"timezone": Zone, "timezone_h": ZoneHour, "timezone_m": ZoneMinute,
	"ago": agoWord,
}

var extractUnits = map[string]Unit{
	"j": Julian, "jd": Julian, "julian": Julian, "isoyear": ISOYear, "dow": DayOfWeek, "isodow": ISODayOfWeek, "doy": DayOfYear,
	"epoch": Epoch, "mm": Minute,
	"infinity": reservedWord, "-infinity": reservedWord, "now": reservedWord, "today": reservedWord, "tomorrow": reservedWord, "yesterday": reservedWord,
	"allballs": reservedWord,
}
