package template

// id is what a field of a date template stands for.
type id uint8

const (
	eraField id = iota
	ampmField
	centuryField
	dayNameField
	dayOfYearField
	dayField
	dayShortField
	weekdayField
	fractionField
	exactField
	hour24Field
	hour12Field
	isoDayOfYearField
	isoWeekdayField
	isoWeekNoField
	isoYearField
	julianField
	minuteField
	monthField
	monthNameField
	monthShortField
	millisecondField
	offsetField
	quarterField
	romanField
	secondOfDayField
	secondField
	zoneHourField
	zoneMinuteField
	zoneNameField
	microsecondField
	weekField
	weekOfMonthField
	yearCommaField
	yearField
)

// dateKeys are the fields of dates and times. A key that begins like another comes after it if shorter.
var dateKeys = []key{
	{"A.D.", eraField, false, anyMode, false},
	{"A.M.", ampmField, false, anyMode, false},
	{"AD", eraField, false, anyMode, false},
	{"AM", ampmField, false, anyMode, false},
	{"B.C.", eraField, false, anyMode, false},
	{"BC", eraField, false, anyMode, false},
	{"CC", centuryField, true, anyMode, false},
	{"DAY", dayNameField, false, anyMode, false},
	{"DDD", dayOfYearField, true, gregorian, false},
	{"DD", dayField, true, gregorian, false},
	{"DY", dayShortField, false, anyMode, false},
	{"Day", dayNameField, false, anyMode, false},
	{"Dy", dayShortField, false, anyMode, false},
	{"D", weekdayField, true, gregorian, false},
	{"FF1", fractionField, true, anyMode, false},
	{"FF2", fractionField, true, anyMode, false},
	{"FF3", fractionField, true, anyMode, false},
	{"FF4", fractionField, true, anyMode, false},
	{"FF5", fractionField, true, anyMode, false},
	{"FF6", fractionField, true, anyMode, false},
	{"FX", exactField, false, anyMode, false},
	{"HH24", hour24Field, true, anyMode, false},
	{"HH12", hour12Field, true, anyMode, false},
	{"HH", hour12Field, true, anyMode, false},
	{"IDDD", isoDayOfYearField, true, isoWeek, false},
	{"ID", isoWeekdayField, true, isoWeek, false},
	{"IW", isoWeekNoField, true, isoWeek, false},
	{"IYYY", isoYearField, true, isoWeek, false},
	{"IYY", isoYearField, true, isoWeek, false},
	{"IY", isoYearField, true, isoWeek, false},
	{"I", isoYearField, true, isoWeek, false},
	{"J", julianField, true, anyMode, false},
	{"MI", minuteField, true, anyMode, false},
	{"MM", monthField, true, gregorian, false},
	{"MONTH", monthNameField, false, gregorian, false},
	{"MON", monthShortField, false, gregorian, false},
	{"MS", millisecondField, true, anyMode, false},
	{"Month", monthNameField, false, gregorian, false},
	{"Mon", monthShortField, false, gregorian, false},
	{"OF", offsetField, false, anyMode, false},
	{"P.M.", ampmField, false, anyMode, false},
	{"PM", ampmField, false, anyMode, false},
	{"Q", quarterField, true, anyMode, false},
	{"RM", romanField, false, gregorian, false},
	{"SSSSS", secondOfDayField, true, anyMode, false},
	{"SSSS", secondOfDayField, true, anyMode, false},
	{"SS", secondField, true, anyMode, false},
	{"TZH", zoneHourField, false, anyMode, false},
	{"TZM", zoneMinuteField, true, anyMode, false},
	{"TZ", zoneNameField, false, anyMode, false},
	{"US", microsecondField, true, anyMode, false},
	{"WW", weekField, true, gregorian, false},
	{"W", weekOfMonthField, true, gregorian, false},
	{"Y,YYY", yearCommaField, true, gregorian, false},
	{"YYYY", yearField, true, gregorian, false},
	{"YYY", yearField, true, gregorian, false},
	{"YY", yearField, true, gregorian, false},
	{"Y", yearField, true, gregorian, false},
	{"a.d.", eraField, false, anyMode, true},
	{"a.m.", ampmField, false, anyMode, true},
	{"ad", eraField, false, anyMode, true},
	{"am", ampmField, false, anyMode, true},
	{"b.c.", eraField, false, anyMode, true},
	{"bc", eraField, false, anyMode, true},
	{"cc", centuryField, true, anyMode, true},
	{"day", dayNameField, false, anyMode, true},
	{"ddd", dayOfYearField, true, gregorian, true},
	{"dd", dayField, true, gregorian, true},
	{"dy", dayShortField, false, anyMode, true},
	{"d", weekdayField, true, gregorian, true},
	{"ff1", fractionField, true, anyMode, true},
	{"ff2", fractionField, true, anyMode, true},
	{"ff3", fractionField, true, anyMode, true},
	{"ff4", fractionField, true, anyMode, true},
	{"ff5", fractionField, true, anyMode, true},
	{"ff6", fractionField, true, anyMode, true},
	{"fx", exactField, false, anyMode, true},
	{"hh24", hour24Field, true, anyMode, true},
	{"hh12", hour12Field, true, anyMode, true},
	{"hh", hour12Field, true, anyMode, true},
	{"iddd", isoDayOfYearField, true, isoWeek, true},
	{"id", isoWeekdayField, true, isoWeek, true},
	{"iw", isoWeekNoField, true, isoWeek, true},
	{"iyyy", isoYearField, true, isoWeek, true},
	{"iyy", isoYearField, true, isoWeek, true},
	{"iy", isoYearField, true, isoWeek, true},
	{"i", isoYearField, true, isoWeek, true},
	{"j", julianField, true, anyMode, true},
	{"mi", minuteField, true, anyMode, true},
	{"mm", monthField, true, gregorian, true},
	{"month", monthNameField, false, gregorian, true},
	{"mon", monthShortField, false, gregorian, true},
	{"ms", millisecondField, true, anyMode, true},
	{"of", offsetField, false, anyMode, true},
	{"p.m.", ampmField, false, anyMode, true},
	{"pm", ampmField, false, anyMode, true},
	{"q", quarterField, true, anyMode, true},
	{"rm", romanField, false, gregorian, true},
	{"sssss", secondOfDayField, true, anyMode, true},
	{"ssss", secondOfDayField, true, anyMode, true},
	{"ss", secondField, true, anyMode, true},
	{"tzh", zoneHourField, false, anyMode, true},
	{"tzm", zoneMinuteField, true, anyMode, true},
	{"tz", zoneNameField, false, anyMode, true},
	{"us", microsecondField, true, anyMode, true},
	{"ww", weekField, true, gregorian, true},
	{"w", weekOfMonthField, true, gregorian, true},
	{"y,yyy", yearCommaField, true, gregorian, true},
	{"yyyy", yearField, true, gregorian, true},
	{"yyy", yearField, true, gregorian, true},
	{"yy", yearField, true, gregorian, true},
	{"y", yearField, true, gregorian, true},
}
