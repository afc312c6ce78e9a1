package pgvalue

import (
	"bytes"
	"math"
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// bound is one end of a range. Its value is value i of the column of bounds.
type bound struct {
	i         int // -1: the range has no end there
	inclusive bool
}

// span is a range taken apart.
type span struct {
	empty        bool
	lower, upper bound
}

// ranges reads ranges of one type; their bounds are in values.
type ranges struct {
	elem   datum.TypeRef
	opts   Options
	values *zset.Vec
	text   []byte // whole, for errors
}

func newRanges(elem uint32, text []byte, o *Options) *ranges {
	return &ranges{elem: datum.Ref(elem), opts: *o, values: zset.NewVec(zset.KindOf(elem), 2), text: text}
}

func (r *ranges) malformed(detail string) error {
	return &Error{Code: datum.CodeInvalidText, Message: "malformed range literal: \"" + string(r.text) + "\"", Detail: detail}
}

// appendRange appends the range that text means as PostgreSQL prints it.
func appendRange(dst []byte, elem uint32, text []byte, o *Options) ([]byte, error) {
	r := newRanges(elem, text, o)
	s, rest, err := r.read(text)
	if err != nil {
		return dst, err
	}
	if len(bytes.TrimLeft(rest, " \t\n\r\v\f")) > 0 {
		if s.empty && s.lower == (bound{}) {
			return dst, r.malformed("Junk after \"empty\" key word.")
		}
		return dst, r.malformed("Junk after right parenthesis or bracket.")
	}
	return r.append(dst, s, &Options{}), nil
}

// read reads the range at the start of b.
func (r *ranges) read(b []byte) (s span, rest []byte, err error) {
	b = bytes.TrimLeft(b, " \t\n\r\v\f")
	if len(b) >= 5 && bytes.EqualFold(b[:5], []byte("empty")) {
		return span{empty: true}, b[5:], nil
	}
	if len(b) == 0 || b[0] != '[' && b[0] != '(' {
		return s, nil, r.malformed("Missing left parenthesis or bracket.")
	}
	s.lower.inclusive = b[0] == '['
	if s.lower.i, b, err = r.bound(b[1:]); err != nil {
		return s, nil, err
	}
	if len(b) == 0 || b[0] != ',' {
		return s, nil, r.malformed("Missing comma after lower bound.")
	}
	if s.upper.i, b, err = r.bound(b[1:]); err != nil {
		return s, nil, err
	}
	if len(b) == 0 || b[0] != ']' && b[0] != ')' {
		return s, nil, r.malformed("Too many commas.")
	}
	s.upper.inclusive = b[0] == ']'
	s, err = r.canonical(s)
	return s, b[1:], err
}

// bound reads a bound up to the comma or bracket that ends it; nothing is no bound.
func (r *ranges) bound(b []byte) (i int, rest []byte, err error) {
	var value []byte
	quoted, any := false, false
	for n := 0; ; n++ {
		if n == len(b) {
			return 0, nil, r.malformed("Unexpected end of input.")
		}
		switch c := b[n]; {
		case !quoted && (c == ',' || c == ')' || c == ']' || c == '(' || c == '['):
			if !any {
				return -1, b[n:], nil
			}
			i = r.values.N
			return i, b[n:], AppendValue(r.values, r.elem, value, r.opts)
		case c == '\\':
			if n++; n == len(b) {
				return 0, nil, r.malformed("Unexpected end of input.")
			}
			value = append(value, b[n])
		case c == '"' && quoted && n+1 < len(b) && b[n+1] == '"':
			value = append(value, '"')
			n++
		case c == '"':
			quoted = !quoted
		default:
			value = append(value, c)
		}
		any = true
	}
}

// canonical brings ranges of integers and dates to the form [,) and finds empty ones.
func (r *ranges) canonical(s span) (span, error) {
	s.lower.inclusive = s.lower.inclusive && s.lower.i >= 0
	s.upper.inclusive = s.upper.inclusive && s.upper.i >= 0
	if s.lower.i >= 0 && s.upper.i >= 0 {
		c := zset.Compare(r.values, s.lower.i, r.values, s.upper.i)
		if c > 0 {
			return s, &Error{Code: "22000", Message: "range lower bound must be less than or equal to range upper bound"}
		}
		if c == 0 && !(s.lower.inclusive && s.upper.inclusive) {
			return span{empty: true, lower: bound{i: -1}}, nil
		}
	}
	top, name := int64(0), ""
	switch r.elem.OID {
	case datum.OIDInt4:
		top, name = math.MaxInt32, "integer out of range"
	case datum.OIDInt8:
		top, name = math.MaxInt64, "bigint out of range"
	case datum.OIDDate:
		top, name = math.MaxInt32, "date out of range"
	default:
		return s, nil
	}
	for _, b := range []struct {
		*bound
		shift bool
	}{{&s.lower, !s.lower.inclusive}, {&s.upper, s.upper.inclusive}} {
		if b.i < 0 || !b.shift || r.elem.OID == datum.OIDDate && datum.Date(r.values.Ints[b.i]).IsInfinite() {
			continue
		}
		if r.values.Ints[b.i] == top {
			return s, &Error{Code: datum.CodeOutOfRange, Message: name}
		}
		r.values.Ints[b.i]++
		b.inclusive = !b.inclusive
	}
	if s.lower.i >= 0 && s.upper.i >= 0 && r.values.Ints[s.lower.i] == r.values.Ints[s.upper.i] && !(s.lower.inclusive && s.upper.inclusive) {
		return span{empty: true, lower: bound{i: -1}}, nil
	}
	return s, nil
}

// append prints a range.
func (r *ranges) append(dst []byte, s span, o *Options) []byte {
	if s.empty {
		return append(dst, "empty"...)
	}
	open, closing := byte('('), byte(')')
	if s.lower.inclusive {
		open = '['
	}
	if s.upper.inclusive {
		closing = ']'
	}
	dst = append(dst, open)
	dst = r.appendBound(dst, s.lower.i, o)
	dst = append(dst, ',')
	dst = r.appendBound(dst, s.upper.i, o)
	return append(dst, closing)
}

func (r *ranges) appendBound(dst []byte, i int, o *Options) []byte {
	if i < 0 {
		return dst
	}
	text := AppendText(nil, r.values, i, r.elem, Options{Zone: o.Zone})
	if len(text) > 0 && bytes.IndexAny(text, "\"\\()[], \t\n\r\v\f") < 0 {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// appendMultirange appends the multirange that text means: its ranges in order, without
// empty ones, those that touch as one.
func appendMultirange(dst []byte, elem uint32, text []byte, o *Options) ([]byte, error) {
	return readMultirange(dst, newRanges(elem, text, o), &Options{})
}

// reprintMultirange prints one that is kept in UTC in the session's zone.
func reprintMultirange(dst, text []byte, o *Options) ([]byte, error) {
	return readMultirange(dst, newRanges(datum.OIDTimestampTZ, text, &Options{}), o)
}

// readMultirange reads with r and prints with o.
func readMultirange(dst []byte, r *ranges, o *Options) ([]byte, error) {
	text := r.text
	malformed := func(detail string) error {
		return &Error{Code: datum.CodeInvalidText, Message: "malformed multirange literal: \"" + string(text) + "\"", Detail: detail}
	}
	b := trimSpace(text)
	if len(b) == 0 || b[0] != '{' {
		return dst, malformed("Missing left brace.")
	}
	var found []span
	for b = b[1:]; ; {
		b = bytes.TrimLeft(b, " \t\n\r\v\f")
		if len(b) > 0 && b[0] == '}' && len(found) == 0 {
			break
		}
		if len(b) > 0 && b[0] == '}' {
			return dst, malformed("Expected range start.")
		}
		r.text = b
		s, rest, err := r.read(b)
		if err != nil {
			return dst, err
		}
		found = append(found, s)
		b = bytes.TrimLeft(rest, " \t\n\r\v\f")
		if len(b) == 0 || b[0] != ',' {
			break
		}
		b = b[1:]
	}
	if len(b) == 0 || b[0] != '}' {
		return dst, malformed("Expected comma or end of multirange.")
	}
	if len(b) > 1 {
		return dst, malformed("Junk after closing right brace.")
	}
	return r.appendAll(dst, found, o), nil
}

func (r *ranges) appendAll(dst []byte, found []span, o *Options) []byte {
	found = slices.DeleteFunc(found, func(s span) bool { return s.empty })
	slices.SortStableFunc(found, func(a, b span) int { return r.compareLower(a.lower, b.lower) })
	dst = append(dst, '{')
	for i := 0; i < len(found); i++ {
		s := found[i]
		for i+1 < len(found) && r.touches(s.upper, found[i+1].lower) {
			i++
			if r.compareUpper(s.upper, found[i].upper) < 0 {
				s.upper = found[i].upper
			}
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = r.append(dst, s, o)
	}
	return append(dst, '}')
}

func (r *ranges) compareLower(a, b bound) int {
	switch {
	case a.i < 0 && b.i < 0:
		return 0
	case a.i < 0:
		return -1
	case b.i < 0:
		return 1
	}
	if c := zset.Compare(r.values, a.i, r.values, b.i); c != 0 {
		return c
	}
	return rankOf(!a.inclusive) - rankOf(!b.inclusive)
}

func (r *ranges) compareUpper(a, b bound) int {
	switch {
	case a.i < 0 && b.i < 0:
		return 0
	case a.i < 0:
		return 1
	case b.i < 0:
		return -1
	}
	if c := zset.Compare(r.values, a.i, r.values, b.i); c != 0 {
		return c
	}
	return rankOf(a.inclusive) - rankOf(b.inclusive)
}

func rankOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// touches tells whether a range that ends at upper leaves no gap before lower.
func (r *ranges) touches(upper, lower bound) bool {
	if upper.i < 0 || lower.i < 0 {
		return true
	}
	c := zset.Compare(r.values, upper.i, r.values, lower.i)
	return c > 0 || c == 0 && (upper.inclusive || lower.inclusive)
}
