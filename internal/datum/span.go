package datum

// Range is a range value taken apart. Its bounds borrow from the text, or from the
// scratch given to ParseRange.
type Range struct {
	Empty              bool
	LowerInc, UpperInc bool
	LowerInf, UpperInf bool // no bound on that side
	Lower, Upper       []byte
}

// ParseRange reads a range value such as [1,5) or empty. scratch, which may be
// nil, is appended to for unescaping and comes back.
func ParseRange(b, scratch []byte) (r Range, grown []byte, err error) {
	if string(b) == "empty" {
		return Range{Empty: true}, scratch, nil
	}
	if len(b) < 3 || b[0] != '[' && b[0] != '(' {
		return Range{}, scratch, bad("range", b)
	}
	lower, grown, n, ok := scanField(b[1:], scratch, ",,")
	if !ok {
		return Range{}, scratch, bad("range", b)
	}
	rest := b[1+n+1:]
	upper, grown, m, ok := scanField(rest, grown, ")]")
	if !ok || m+1 != len(rest) {
		return Range{}, scratch, bad("range", b)
	}
	return Range{
		LowerInc: b[0] == '[', UpperInc: rest[m] == ']',
		LowerInf: n == 0, UpperInf: m == 0,
		Lower: lower, Upper: upper,
	}, grown, nil
}

// MultirangeIter walks the ranges of a multirange value such as {[1,2),[5,9)}.
//
//	for it := datum.Multirange(b); it.Next(); { datum.ParseRange(it.Text, scratch) }
type MultirangeIter struct {
	Text  []byte // of the range; borrowed
	whole []byte
	rest  []byte
	err   error
}

// Multirange starts a walk.
func Multirange(b []byte) MultirangeIter {
	it := MultirangeIter{whole: b}
	if len(b) < 2 || b[0] != '{' || b[len(b)-1] != '}' {
		it.err = bad("multirange", b)
		return it
	}
	it.rest = b[1 : len(b)-1]
	return it
}

// Err tells whether the walk stopped at malformed text.
func (it *MultirangeIter) Err() error { return it.err }

// Next moves to the next range; false at the end or at malformed text (see Err).
func (it *MultirangeIter) Next() bool {
	if it.err != nil || len(it.rest) == 0 {
		return false
	}
	n := rangeEnd(it.rest)
	more := n < len(it.rest)
	if n == 0 || more && (it.rest[n] != ',' || n+1 == len(it.rest)) {
		it.err = bad("multirange", it.whole)
		return false
	}
	it.Text = it.rest[:n]
	it.rest = it.rest[n:]
	if more {
		it.rest = it.rest[1:]
	}
	return true
}

// rangeEnd finds the end of the range at the start of b, minding quotes; 0 when there is none.
func rangeEnd(b []byte) int {
	quoted := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ')' || c == ']'):
			return i + 1
		}
	}
	return 0
}
