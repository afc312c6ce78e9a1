package input

import (
	"math"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// number reads a token of digits, maybe with a point.
func (d *decoder) number(tokens []token, i int) (mask, problem) {
	text := tokens[i].text
	if d.label != 0 {
		return d.labelled(text)
	}
	point := strings.IndexByte(text, '.')
	if d.timeOnly {
		switch {
		case point >= 0 && i == 0 && len(tokens) >= 2 && tokens[len(tokens)-1].kind == kDate:
			return d.wholeDate(text)
		case point > 2, point < 0 && len(text) > 4:
			return d.runTogether(text, d.have|mDate)
		case point >= 0:
			return 0, badFormat
		}
		return d.field(text, d.have|mDate, false)
	}
	switch {
	case point >= 0 && d.have&mDate == 0:
		return d.wholeDate(text)
	case point > 2, len(text) >= 6 && (d.have&mDate == 0 || d.have&mClock == 0):
		return d.runTogether(text, d.have)
	}
	return d.field(text, d.have, d.textMon)
}

// labelled reads a number that the word before named.
func (d *decoder) labelled(text string) (got mask, p problem) {
	v, n, ok := leadingInt(text)
	if !ok {
		return 0, overflow
	}
	rest := text[n:]
	if rest != "" && rest[0] != '.' {
		return 0, badFormat
	}
	switch d.label {
	case julianLabel:
		if v < 0 {
			return 0, overflow
		}
		d.setJulian(v)
		got = mDate
		if rest != "" {
			f, p := fraction(rest)
			if p != fine {
				return 0, p
			}
			d.setClock(int64(f * datum.Day))
			got |= mClock
		}
	case timeLabel:
		if got, p = d.runTogether(text, d.have|mDate); p == fine && got != mClock {
			p = badFormat
		}
	case secondLabel:
		d.f.Second, got = v, mSecond
		if rest != "" {
			var micro int64
			micro, p = fractionMicros(rest)
			d.f.Micro = int(micro)
		}
	default:
		got, p = d.labelledWhole(v)
	}
	d.label = 0
	return got, p
}

// labelledWhole is a number of years, months, … after its letter.
func (d *decoder) labelledWhole(v int) (mask, problem) {
	f := &d.f
	switch d.label {
	case yearLabel:
		f.Year = v
		return mYear, fine
	case monthLabel:
		if d.have&(mMonth|mHour) == mMonth|mHour {
			f.Minute = v // the second m is minutes
			return mMinute, fine
		}
		f.Month = v
		return mMonth, fine
	case dayLabel:
		f.Day = v
		return mDay, fine
	case hourLabel:
		f.Hour = v
		return mHour, fine
	case minuteLabel:
		f.Minute = v
		return mMinute, fine
	}
	return 0, badFormat
}

func (d *decoder) setClock(micros int64) {
	d.f.Hour, d.f.Minute = int(micros/datum.Hour), int(micros/datum.Minute%60)
	d.f.Second, d.f.Micro = int(micros/datum.Second%60), int(micros%datum.Second)
}

// runTogether reads YYYYMMDD or YYMMDD while there is no date, then HHMMSS[.ffffff] or HHMM.
func (d *decoder) runTogether(text string, have mask) (mask, problem) {
	if point := strings.IndexByte(text, '.'); point >= 0 {
		f, err := strconv.ParseFloat("0"+text[point:], 64)
		if err != nil {
			return 0, badFormat
		}
		d.f.Micro = int(math.RoundToEven(f * datum.Second))
		text = text[:point]
	} else if n := len(text); have&mDate != mDate && n >= 6 {
		d.f.Day, d.f.Month, d.f.Year = atoi(text[n-2:]), atoi(text[n-4:n-2]), atoi(text[:n-4])
		if n == 6 {
			d.twoDigit = true
		}
		return mDate, fine
	}
	if have&mClock == mClock {
		return 0, badFormat
	}
	switch len(text) {
	case 6:
		d.f.Hour, d.f.Minute, d.f.Second = atoi(text[:2]), atoi(text[2:4]), atoi(text[4:])
		return mClock, fine
	case 4:
		d.f.Hour, d.f.Minute, d.f.Second = atoi(text[:2]), atoi(text[2:]), 0
		return mClock, fine
	}
	return 0, badFormat
}

// atoi reads digits; of too many it gives what is out of any range.
func atoi(s string) int {
	v, err := strconv.Atoi(s)
	if err != nil || v > math.MaxInt32 {
		return math.MaxInt32
	}
	return v
}

// field reads one number, whose place among the others says what it is.
func (d *decoder) field(text string, have mask, textMonth bool) (got mask, p problem) {
	v, n, ok := leadingInt(text)
	switch {
	case !ok:
		return 0, overflow
	case n == 0:
		return 0, badFormat
	case n < len(text) && text[n] == '.' && n > 2:
		return d.runTogether(text, have|mDate)
	case n < len(text) && text[n] == '.':
		micro, p := fractionMicros(text[n:])
		if p != fine {
			return 0, p
		}
		d.f.Micro = int(micro)
	case n < len(text):
		return 0, badFormat
	}
	if len(text) == 3 && have&mDate == mYear && v >= 1 && v <= 366 {
		d.yday = v
		return mDayOfYear | mMonth | mDay, fine
	}
	switch have & mDate {
	case 0:
		got = mMonth
		if len(text) >= 3 {
			got = mYear
		}
	case mYear, mDay:
		got = mMonth
	case mMonth:
		got = mDay
		if textMonth && len(text) >= 3 {
			got = mYear
		}
	case mYear | mMonth:
		got = mDay
	case mMonth | mDay:
		got = mYear
	case mDate:
		return d.runTogether(text, have)
	default:
		return 0, badFormat
	}
	switch got {
	case mYear:
		d.f.Year, d.twoDigit = v, len(text) <= 2
	case mMonth:
		d.f.Month = v
	case mDay:
		d.f.Day = v
	}
	return got, fine
}

// word takes a word in. skip says that it means nothing.
func (d *decoder) word(tokens []token, i int) (got mask, skip bool, p problem) {
	text := tokens[i].text
	if zone, ok := datetime.Abbreviation(cut(text)); ok && tokens[i].kind == kWord {
		d.zone, d.abbrev = zone, cut(text)
		if !datetime.IsStandard(d.abbrev) {
			return mZone | mMoving, false, fine
		}
		return mZone, false, fine
	}
	w := words[cut(text)]
	switch w.class {
	case ignoredWord:
		return 0, true, fine
	case reservedWord:
		got, p = d.reserved(w.value)
	case monthWord:
		if d.timeOnly {
			return 0, false, badFormat
		}
		got = d.monthName(w.value)
	case weekdayWord:
		got = mWeekday
		if d.timeOnly {
			p = badFormat
		}
	case ampmWord:
		d.pm, d.am, got = w.value == 1, w.value == 0, mAMPM
	case eraWord:
		d.bc, got = w.value == 1, mEra
	case dstWord:
		d.east += 3600
		got = mDST
	case labelWord:
		d.label = w.value
	case timeWord:
		p = d.timeFollows(tokens, i)
	default:
		got, p = mZone, d.namedZone(text)
		d.unknown = ""
	}
	return got, false, p
}

func (d *decoder) timeFollows(tokens []token, i int) problem {
	if !d.timeOnly && d.have&mDate != mDate || i+1 == len(tokens) {
		return badFormat
	}
	switch tokens[i+1].kind {
	case kNumber, kTime, kDate:
		d.label = timeLabel
		return fine
	}
	return badFormat
}

// monthName sets the month. A number that was taken for the month was the day.
func (d *decoder) monthName(month int) mask {
	got := mMonth
	if d.have&mMonth != 0 && !d.textMon && d.have&mDay == 0 && d.f.Month >= 1 && d.f.Month <= 31 {
		d.f.Day = d.f.Month
		got = mDay
	}
	d.textMon, d.f.Month = true, month
	return got
}

// reserved takes now, today, epoch, infinity and their like in.
func (d *decoder) reserved(moment int) (mask, problem) {
	switch moment {
	case zulu:
		d.setClock(0)
		d.east, d.hasEast = 0, true
		return mClock | mZone, fine
	case epoch, late, early:
		if d.timeOnly {
			return 0, badFormat
		}
		d.moment = moment
		return mDate | mClock | mZone, fine
	}
	if d.ctx.Now == 0 {
		return 0, badFormat
	}
	local, err := datetime.ToLocal(d.ctx.Now, d.ctx.Zone)
	if err != nil {
		return 0, overflow
	}
	f := datetime.Split(local)
	if moment == now {
		d.f = f
		east, _ := datetime.Offset(d.ctx.Zone, d.ctx.Now)
		d.east, d.hasEast = east, true
		if d.timeOnly {
			return mClock, fine
		}
		return mDate | mClock | mZone, fine
	}
	if d.timeOnly {
		return 0, badFormat
	}
	day := datetime.JulianDay(f.Year, f.Month, f.Day)
	switch moment {
	case yesterday:
		day--
	case tomorrow:
		day++
	}
	d.f.Year, d.f.Month, d.f.Day = datetime.Civil(day)
	d.julian = true // the year is as it should be
	return mDate, fine
}
