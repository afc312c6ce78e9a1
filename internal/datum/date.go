package datum

import "math"

// Date is a day: days since 2000-01-01, PostgreSQL's own epoch, so its whole
// range (4714-11-24 BC to 5874897-12-31) and its arithmetic carry over.
type Date int32

// The two dates that are no days.
const (
	DateInfinity         Date = math.MaxInt32
	DateNegativeInfinity Date = math.MinInt32
)

// epochDays is 2000-01-01 in days since 1970-01-01.
const epochDays = 10957

// UnixDays is d in days since 1970-01-01; meaningless for the infinities.
func (d Date) UnixDays() int64 { return int64(d) + epochDays }

// IsInfinite tells the infinities from days.
func (d Date) IsInfinite() bool { return d == DateInfinity || d == DateNegativeInfinity }

// Civil is d in the proleptic Gregorian calendar, with the year counted
// astronomically: 1 BC is year 0.
func (d Date) Civil() (year, month, day int) { return civil(d.UnixDays()) }

// ParseDate reads 2024-02-29, 0044-03-15 BC, infinity or -infinity.
func ParseDate(b []byte) (Date, error) {
	switch string(b) {
	case "infinity":
		return DateInfinity, nil
	case "-infinity":
		return DateNegativeInfinity, nil
	}
	text, bc := cutBC(b)
	days, n, ok := scanDate(text, bc)
	v := days - epochDays
	if !ok || n != len(text) || v <= math.MinInt32 || v >= math.MaxInt32 {
		return 0, bad("date", b)
	}
	return Date(v), nil
}

// AppendDate appends what PostgreSQL prints with DateStyle ISO.
func AppendDate(dst []byte, d Date) []byte {
	switch d {
	case DateInfinity:
		return append(dst, "infinity"...)
	case DateNegativeInfinity:
		return append(dst, "-infinity"...)
	}
	dst, bc := appendCivil(dst, d.UnixDays())
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// cutBC takes the mark of years before Christ off.
func cutBC(b []byte) ([]byte, bool) {
	if n := len(b) - 3; n > 0 && string(b[n:]) == " BC" {
		return b[:n], true
	}
	return b, false
}

// scanDate reads YYYY-MM-DD at the start of b, with four to seven digits of
// year, and gives days since 1970-01-01 and the bytes it took.
func scanDate(b []byte, bc bool) (days int64, n int, ok bool) {
	for n < len(b) && n < 8 && b[n]-'0' <= 9 {
		n++
	}
	if n < 4 || n > 7 || len(b) < n+6 || b[n] != '-' || b[n+3] != '-' {
		return 0, 0, false
	}
	y, _ := parseShort(b[:n])
	month, ok1 := twoDigits(b[n+1], b[n+2])
	day, ok2 := twoDigits(b[n+4], b[n+5])
	year := int64(y)
	if !ok1 || !ok2 || year == 0 {
		return 0, 0, false
	}
	if bc {
		year = 1 - year
	}
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, 0, false
	}
	return unixDays(year, month, day), n + 6, true
}

func twoDigits(a, b byte) (int64, bool) {
	a, b = a-'0', b-'0'
	return int64(a)*10 + int64(b), a <= 9 && b <= 9
}

func daysIn(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// unixDays counts days from 1970-01-01. The year is taken to begin in March, so
// that the leap day is its last, and cut into eras of 400 years, 146097 days each.
func unixDays(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// civil is the inverse of unixDays.
func civil(days int64) (year, month, day int) {
	days += 719468
	era := floorDiv(days, 146097)
	ofEra := days - era*146097
	y := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*y + y/4 - y/100)
	m := (5*ofYear + 2) / 153
	day = int(ofYear - (153*m+2)/5 + 1)
	y += era * 400
	if m += 3; m > 12 {
		m -= 12
		y++
	}
	return int(y), int(m), day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendCivil appends the day as YYYY-MM-DD and tells whether " BC" belongs after it.
func appendCivil(dst []byte, days int64) (_ []byte, bc bool) {
	year, month, day := civil(days)
	if bc = year <= 0; bc {
		year = 1 - year
	}
	dst = AppendPadded(dst, uint64(year), 4)
	dst = append(dst, '-')
	dst = AppendPadded(dst, uint64(month), 2)
	dst = append(dst, '-')
	return AppendPadded(dst, uint64(day), 2), bc
}

// AppendPadded appends v in decimal with at least width digits.
func AppendPadded(dst []byte, v uint64, width int) []byte {
	var buf [20]byte
	i := len(buf)
	for v > 0 || len(buf)-i < width {
		i--
		buf[i] = byte('0' + v%10)
		v /= 10
	}
	return append(dst, buf[i:]...)
}
