package datum

// CompositeIter walks the fields of a composite value such as (1,"a ""b""",).
//
//	for it := datum.Composite(b, scratch); it.Next(); { use(it.Null, it.Value) }
//
// A composite with one field that is NULL reads like one without fields: ().
// Next gives one NULL field; the type knows better.
type CompositeIter struct {
	Null    bool
	Value   []byte // until the following Next: borrowed from the text, or from Scratch
	Scratch []byte
	whole   []byte
	rest    []byte
	started bool
	err     error
}

// Composite starts a walk. scratch, which may be nil, is used for unescaping.
func Composite(b, scratch []byte) CompositeIter {
	it := CompositeIter{Scratch: scratch, whole: b}
	if len(b) < 2 || b[0] != '(' || b[len(b)-1] != ')' {
		it.err = bad("composite", b)
		return it
	}
	it.rest = b[1:]
	return it
}

// Err tells whether the walk stopped at malformed text.
func (it *CompositeIter) Err() error { return it.err }

// Next moves to the next field; false at the end or at malformed text (see Err).
func (it *CompositeIter) Next() bool {
	if it.err != nil || it.started && len(it.rest) == 0 {
		return false
	}
	it.started = true
	v, scratch, n, ok := scanField(it.rest, it.Scratch[:0], ",)")
	it.Scratch = scratch
	last := ok && it.rest[n] == ')'
	if !ok || last && n+1 != len(it.rest) {
		it.err = bad("composite", it.whole)
		return false
	}
	it.Null, it.Value = n == 0, v
	it.rest = it.rest[n+1:]
	return true
}

// scanField reads one field of a composite or one bound of a range, up to one of
// the two bytes of ends. Quotes are doubled or escaped by a backslash inside quotes. A
// field that needs no unescaping is borrowed; n is 0 only when the field is empty
// and unquoted, which means NULL or unbounded.
func scanField(b, scratch []byte, ends string) (v, grown []byte, n int, ok bool) {
	for n < len(b) {
		c := b[n]
		if c == ends[0] || c == ends[1] {
			return b[:n], scratch, n, true
		}
		if c == '"' || c == '\\' {
			break
		}
		n++
	}
	base := len(scratch)
	scratch = append(scratch, b[:n]...)
	quoted := false
	for ; n < len(b); n++ {
		switch c := b[n]; {
		case c == '\\':
			if n++; n == len(b) {
				return nil, scratch, 0, false
			}
			scratch = append(scratch, b[n])
		case c == '"' && quoted && n+1 < len(b) && b[n+1] == '"':
			n++
			scratch = append(scratch, '"')
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ends[0] || c == ends[1]):
			return scratch[base:], scratch, n, true
		default:
			scratch = append(scratch, c)
		}
	}
	return nil, scratch, 0, false
}
