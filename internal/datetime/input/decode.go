package input

import (
	"strings"
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// mask is a set of fields.
type mask uint16

const (
	mYear mask = 1 << iota
	mMonth
	mDay
	mHour
	mMinute
	mSecond
	mZone
	mMoving // the zone's abbreviation is of daylight saving time, or has meant several offsets
	mDST
	mDayOfYear
	mAMPM
	mEra
	mWeekday
	mDate  = mYear | mMonth | mDay
	mClock = mHour | mMinute | mSecond
)

// Context is what a value may refer to.
type Context struct {
	Zone *time.Location  // of values without a zone; not nil
	Now  datum.Timestamp // the current time; 0: now, today and their like are refused
}

// decoder gathers the fields of a value.
type decoder struct {
	ctx      *Context
	timeOnly bool // a value of type time
	f        datetime.Fields
	yday     int
	have     mask
	label    int  // what the word before says of the next number
	pm, am   bool // AM or PM was there
	bc       bool
	twoDigit bool // of the year
	julian   bool
	textMon  bool
	moment   int // epoch, late, early
	east     int // offset of the zone, when hasEast
	hasEast  bool
	zone     *time.Location
	abbrev   string // that named zone
	unknown  string // a zone's name that is none
}

// run takes all tokens in.
func (d *decoder) run(tokens []token) problem {
	for i, t := range tokens {
		var got mask
		var p problem
		switch t.kind {
		case kDate:
			got, p = d.date(tokens, i)
		case kTime:
			got, p = d.time(t.text)
		case kZone:
			got = mZone
			d.east, p = offset(t.text)
			d.hasEast = true
		case kNumber:
			got, p = d.number(tokens, i)
		default:
			var skip bool
			if got, skip, p = d.word(tokens, i); skip {
				continue
			}
		}
		if p != fine {
			return p
		}
		if got&d.have != 0 {
			return badFormat
		}
		d.have |= got
	}
	return fine
}

func (d *decoder) time(text string) (mask, problem) {
	if d.label != 0 && d.label != timeLabel {
		return 0, badFormat
	}
	d.label = 0
	p := d.clock(text)
	if p == fine && !d.timeOnly && d.clockOverflows() {
		p = overflow
	}
	return mClock, p
}

// clock reads HH:MM[:SS[.ffffff]] or MM:SS.ffffff.
func (d *decoder) clock(text string) problem {
	c, p := readClock(text)
	if p != fine {
		return p
	}
	if c.hour > 1<<31-1 {
		return overflow
	}
	d.f.Hour, d.f.Minute, d.f.Second, d.f.Micro = int(c.hour), c.minute, c.second, c.micro
	return fine
}

// clockFields is a time whose hours have no limit.
type clockFields struct {
	hour                  int64
	minute, second, micro int
}

func readClock(s string) (c clockFields, p problem) {
	hour, n, ok := leadingInt64(s)
	if !ok {
		return c, overflow
	}
	if n == len(s) || s[n] != ':' {
		return c, badFormat
	}
	s = s[n+1:]
	if c.minute, n, ok = leadingInt(s); !ok {
		return c, overflow
	}
	c.hour, s = hour, s[n:]
	var micro int64
	switch {
	case s == "":
	case s[0] == '.':
		micro, p = fractionMicros(s)
		c.second, c.minute, c.hour = c.minute, int(min(c.hour, 60)), 0
	case s[0] == ':':
		if c.second, n, ok = leadingInt(s[1:]); !ok {
			return c, overflow
		}
		if s = s[1+n:]; s != "" && s[0] == '.' {
			micro, p = fractionMicros(s)
		} else if s != "" {
			return c, badFormat
		}
	default:
		return c, badFormat
	}
	c.micro = int(micro)
	if p == fine && (c.hour < 0 || c.minute < 0 || c.minute > 59 || c.second < 0 || c.second > 60) {
		p = overflow
	}
	return c, p
}

func (d *decoder) clockOverflows() bool {
	f := &d.f
	return f.Hour < 0 || f.Hour > 24 || f.Minute < 0 || f.Minute > 59 || f.Second < 0 || f.Second > 60 ||
		int64(f.Hour)*datum.Hour+int64(f.Minute)*datum.Minute+int64(f.Second)*datum.Second+int64(f.Micro) > datum.Day
}

// date reads a token that looks like a date: it may be a zone's name, or a time run
// together with an offset.
func (d *decoder) date(tokens []token, i int) (mask, problem) {
	text := tokens[i].text
	if d.label == julianLabel {
		return d.julianZone(text)
	}
	isDate := d.label == 0 && d.have&(mMonth|mDay) != mMonth|mDay
	if d.timeOnly {
		last := tokens[len(tokens)-1].kind
		isDate = i == 0 && len(tokens) >= 2 && (last == kDate || tokens[1].kind == kTime)
	}
	if isDate {
		return d.wholeDate(text)
	}
	if !isDigit(text[0]) && (d.label == 0 || d.timeOnly) {
		return mZone, d.namedZone(text)
	}
	if d.label != 0 && d.label != timeLabel || d.have&mClock == mClock {
		return 0, badFormat
	}
	d.label = 0
	dash := strings.IndexByte(text, '-')
	if dash < 0 {
		return 0, badFormat
	}
	var p problem
	if d.east, p = offset(text[dash:]); p != fine {
		return 0, p
	}
	d.hasEast = true
	have := d.have
	if d.timeOnly {
		have |= mDate
	}
	got, p := d.runTogether(text[:dash], have)
	return got | mZone, p
}

// julianZone is a Julian day with an offset: J2451187-08.
func (d *decoder) julianZone(text string) (got mask, p problem) {
	day, n, ok := leadingInt(text)
	if !ok || day < 0 {
		return 0, overflow
	}
	d.setJulian(day)
	d.label = 0
	d.east, p = offset(text[n:])
	d.hasEast = true
	return mDate | mClock | mZone, p
}

func (d *decoder) setJulian(day int) {
	d.f.Year, d.f.Month, d.f.Day = datetime.Civil(day)
	d.julian = true
}

func (d *decoder) namedZone(name string) problem {
	zone, err := datetime.LookupZone(name)
	if err != nil {
		d.unknown = name
		return badFormat
	}
	d.zone = zone
	return fine
}

// wholeDate reads three parts with punctuation between: 2024-1-5, 5/jan/2024.
func (d *decoder) wholeDate(text string) (got mask, p problem) {
	var parts []string
	for rest := text; rest != ""; {
		for rest != "" && !isDigit(rest[0]) && !isAlpha(rest[0]) {
			rest = rest[1:]
		}
		if rest == "" {
			return 0, badFormat
		}
		same := isDigit
		if isAlpha(rest[0]) {
			same = isAlpha
		}
		n := 0
		for n < len(rest) && same(rest[n]) {
			n++
		}
		parts = append(parts, rest[:n])
		rest = rest[min(n+1, len(rest)):]
	}
	have, textMonth := d.have, false
	add := func(m mask) problem {
		if have&m != 0 {
			return badFormat
		}
		have |= m
		got |= m
		return fine
	}
	for _, part := range parts {
		if !isAlpha(part[0]) {
			continue
		}
		w := words[cut(part)]
		if w.class == ignoredWord {
			continue
		}
		if w.class != monthWord || add(mMonth) != fine {
			return 0, badFormat
		}
		d.f.Month, textMonth = w.value, true
	}
	for _, part := range parts {
		if isAlpha(part[0]) {
			continue
		}
		m, p := d.field(part, have, textMonth)
		if p == fine {
			p = add(m)
		}
		if p != fine {
			return 0, p
		}
	}
	if have&^(mDayOfYear|mZone) != mDate {
		return 0, badFormat
	}
	return got, fine
}
