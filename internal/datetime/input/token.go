package input

// kind is what a token looks like.
type kind uint8

const (
	kNumber kind = iota
	kDate        // digits or words joined by -, / or .
	kTime        // digits and colons
	kZone        // a sign and digits
	kWord
	kSpecial // a sign and a word
)

type token struct {
	text string // lower case
	kind kind
}

// maxTokens bounds a value, as PostgreSQL does.
const maxTokens = 25

func isDigit(c byte) bool { return c-'0' <= 9 }
func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && !isAlpha(c)
}

// splitter cuts text into tokens.
type splitter struct {
	rest string
	cur  []byte
}

// at is the next character, 0 at the end.
func (s *splitter) at() byte {
	if s.rest == "" {
		return 0
	}
	return s.rest[0]
}

func (s *splitter) take() {
	c := s.rest[0]
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	s.cur = append(s.cur, c)
	s.rest = s.rest[1:]
}

func (s *splitter) takeWhile(ok func(c byte) bool) {
	for s.rest != "" && ok(s.rest[0]) {
		s.take()
	}
}

// split cuts text into tokens; false when it has a character, or more tokens, than
// can be.
func split(text string) (tokens []token, ok bool) {
	s := splitter{rest: text}
	for s.rest != "" {
		c := s.at()
		if isSpace(c) {
			s.rest = s.rest[1:]
			continue
		}
		if len(tokens) == maxTokens {
			return nil, false
		}
		s.cur = s.cur[:0]
		var k kind
		switch {
		case isDigit(c):
			k = s.number()
		case c == '.':
			s.take()
			s.takeWhile(isDigit)
			k = kNumber
		case isAlpha(c):
			k = s.word()
		case c == '+' || c == '-':
			if k, ok = s.signed(); !ok {
				return nil, false
			}
		case isPunct(c):
			s.rest = s.rest[1:]
			continue
		default:
			return nil, false
		}
		tokens = append(tokens, token{string(s.cur), k})
	}
	return tokens, true
}

// number is a token that begins with a digit: a number, time or date.
func (s *splitter) number() kind {
	s.takeWhile(isDigit)
	switch delim := s.at(); delim {
	case ':':
		s.takeWhile(func(c byte) bool { return isDigit(c) || c == ':' || c == '.' })
		return kTime
	case '-', '/', '.':
		s.take()
		if !isDigit(s.at()) {
			s.takeWhile(func(c byte) bool { return isDigit(c) || isAlpha(c) || c == delim })
			return kDate
		}
		s.takeWhile(isDigit)
		if s.at() == delim && s.rest != "" {
			s.takeWhile(func(c byte) bool { return isDigit(c) || c == delim })
			return kDate
		}
		if delim == '.' {
			return kNumber
		}
		return kDate
	}
	return kNumber
}

// word is a token that begins with a letter: a word, a date, or a zone's name.
func (s *splitter) word() kind {
	s.takeWhile(isAlpha)
	joined := false
	switch c := s.at(); {
	case c == '-' || c == '/' || c == '.':
		joined = true
	case c == '+' || isDigit(c):
		_, known := words[cut(string(s.cur))]
		joined = !known
	}
	if !joined || s.rest == "" {
		return kWord
	}
	s.take()
	s.takeWhile(func(c byte) bool {
		return c == '+' || c == '-' || c == '/' || c == '_' || c == '.' || c == ':' || isDigit(c) || isAlpha(c)
	})
	return kDate
}

// signed is a token that begins with a sign.
func (s *splitter) signed() (kind, bool) {
	s.take()
	for s.rest != "" && isSpace(s.rest[0]) {
		s.rest = s.rest[1:]
	}
	switch c := s.at(); {
	case isDigit(c):
		s.takeWhile(func(c byte) bool { return isDigit(c) || c == ':' || c == '.' || c == '-' })
		return kZone, true
	case isAlpha(c):
		s.takeWhile(isAlpha)
		return kSpecial, true
	}
	return 0, false
}

// maxWord is how many letters of a word count.
const maxWord = 10

func cut(s string) string { return s[:min(len(s), maxWord)] }

// class is what a word stands for.
type class uint8

const (
	unknownWord class = iota
	ignoredWord
	reservedWord // now, today, epoch, infinity, …: value is a moment
	monthWord
	weekdayWord
	ampmWord  // value 1: pm
	eraWord   // value 1: BC
	dstWord   // daylight saving, of the zone before
	labelWord // j, y, …: says what the following number is
	timeWord  // t: a time follows
)

// moment is a reserved word.
const (
	now = iota + 1
	today
	yesterday
	tomorrow
	zulu // allballs
	epoch
	late  // infinity
	early // -infinity
)

// labels, as values of labelWord.
const (
	timeLabel = iota + 1
	julianLabel
	yearLabel
	monthLabel
	dayLabel
	hourLabel
	minuteLabel
	secondLabel
	otherLabel
)

type meaning struct {
	class class
	value int
}

// words are those that stand for something in a date or time, zones left out.
var words = map[string]meaning{
	"-infinity": {reservedWord, early}, "infinity": {reservedWord, late}, "epoch": {reservedWord, epoch}, "now": {reservedWord, now},
	"today": {reservedWord, today}, "yesterday": {reservedWord, yesterday}, "tomorrow": {reservedWord, tomorrow}, "allballs": {reservedWord, zulu},
	"at": {ignoredWord, 0}, "on": {ignoredWord, 0}, "am": {ampmWord, 0}, "pm": {ampmWord, 1}, "ad": {eraWord, 0}, "bc": {eraWord, 1},
	"dst": {dstWord, 0}, "t": {timeWord, 0},
	"j": {labelWord, julianLabel}, "jd": {labelWord, julianLabel}, "julian": {labelWord, julianLabel},
	"d": {labelWord, dayLabel}, "dow": {labelWord, otherLabel}, "doy": {labelWord, otherLabel}, "h": {labelWord, hourLabel},
	"isodow": {labelWord, otherLabel}, "isoyear": {labelWord, otherLabel}, "m": {labelWord, monthLabel}, "mm": {labelWord, minuteLabel},
	"s": {labelWord, secondLabel}, "y": {labelWord, yearLabel},
	"jan": {monthWord, 1}, "january": {monthWord, 1}, "feb": {monthWord, 2}, "february": {monthWord, 2}, "mar": {monthWord, 3}, "march": {monthWord, 3},
	"apr": {monthWord, 4}, "april": {monthWord, 4}, "may": {monthWord, 5}, "jun": {monthWord, 6}, "june": {monthWord, 6}, "jul": {monthWord, 7},
	"july": {monthWord, 7}, "aug": {monthWord, 8}, "august": {monthWord, 8}, "sep": {monthWord, 9}, "sept": {monthWord, 9}, "september": {monthWord, 9},
	"oct": {monthWord, 10}, "october": {monthWord, 10}, "nov": {monthWord, 11}, "november": {monthWord, 11}, "dec": {monthWord, 12}, "december": {monthWord, 12},
	"sun": {weekdayWord, 0}, "sunday": {weekdayWord, 0}, "mon": {weekdayWord, 1}, "monday": {weekdayWord, 1}, "tue": {weekdayWord, 2},
	"tues": {weekdayWord, 2}, "tuesday": {weekdayWord, 2}, "wed": {weekdayWord, 3}, "weds": {weekdayWord, 3}, "wednesday": {weekdayWord, 3},
	"thu": {weekdayWord, 4}, "thur": {weekdayWord, 4}, "thurs": {weekdayWord, 4}, "thursday": {weekdayWord, 4}, "fri": {weekdayWord, 5},
	"friday": {weekdayWord, 5}, "sat": {weekdayWord, 6}, "saturday": {weekdayWord, 6},
}
