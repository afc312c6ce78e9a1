package datum

import "bytes"

// MaxDims is the most dimensions a PostgreSQL array has.
const MaxDims = 6

// Dim is one dimension of an array: its first subscript and its length.
type Dim struct{ Lower, Len int32 }

// Array is an array value whose form has been checked; its elements are read
// with Iter, in row-major order. It borrows the text.
type Array struct {
	NDim  int // 0 for an empty array
	Dims  [MaxDims]Dim
	Len   int // elements in all
	body  []byte
	delim byte
}

// ParseArray checks an array value such as {1,NULL,"a b"} or [2:3]={{1,2},{3,4}}
// and gives its dimensions. delim is Delim of the element type.
func ParseArray(b []byte, delim byte) (Array, error) {
	a := Array{body: b, delim: delim}
	lowers := 0
	for len(a.body) > 0 && a.body[0] == '[' {
		if !a.cutBounds(lowers) {
			return Array{}, bad("array", b)
		}
		lowers++
	}
	if lowers > 0 {
		if len(a.body) == 0 || a.body[0] != '=' {
			return Array{}, bad("array", b)
		}
		a.body = a.body[1:]
	}
	s := arrayScan{rest: a.body, delim: delim, ndim: -1}
	if !s.run() || lowers > 0 && lowers != s.ndim {
		return Array{}, bad("array", b)
	}
	a.NDim, a.Len = s.ndim, s.elements
	for i := range a.NDim {
		declared := a.Dims[i]
		a.Dims[i] = Dim{Lower: 1, Len: s.length[i]}
		if lowers > 0 {
			if declared.Len != s.length[i] {
				return Array{}, bad("array", b)
			}
			a.Dims[i].Lower = declared.Lower
		}
	}
	return a, nil
}

// cutBounds takes [lower:upper] off the body, into dimension i.
func (a *Array) cutBounds(i int) bool {
	end := bytes.IndexByte(a.body, ']')
	if end < 0 || i >= MaxDims {
		return false
	}
	inside := a.body[1:end]
	colon := bytes.IndexByte(inside, ':')
	if colon < 0 {
		return false
	}
	lo, err1 := ParseInt32(inside[:colon])
	hi, err2 := ParseInt32(inside[colon+1:])
	n := int64(hi) - int64(lo) + 1
	if err1 != nil || err2 != nil || n < 1 || n > 1<<28 {
		return false
	}
	a.Dims[i] = Dim{Lower: lo, Len: int32(n)}
	a.body = a.body[end+1:]
	return true
}

// arrayScan walks a body once, counting.
type arrayScan struct {
	rest     []byte
	delim    byte
	depth    int
	ndim     int // -1 until the first element, or the first closing brace, tells
	count    [MaxDims]int32
	length   [MaxDims]int32
	elements int
}

// run checks the braces and delimiters and that no sub-array is ragged.
func (s *arrayScan) run() bool {
	if string(s.rest) == "{}" {
		s.ndim = 0
		return true
	}
	wantValue := true // next is a value or '{', not a delimiter or '}'
	for len(s.rest) > 0 {
		c := s.rest[0]
		switch {
		case wantValue && c == '{':
			if s.depth == MaxDims || s.ndim >= 0 && s.depth == s.ndim {
				return false
			}
			s.count[s.depth] = 0
			s.depth++
			s.rest = s.rest[1:]
		case wantValue:
			if !s.element() {
				return false
			}
			wantValue = false
		case c == '}':
			if !s.closeBrace() {
				return false
			}
			if s.depth == 0 {
				return len(s.rest) == 0
			}
		case c == s.delim:
			s.rest = s.rest[1:]
			wantValue = true
		default:
			return false
		}
	}
	return false
}

func (s *arrayScan) element() bool {
	n, _ := elementEnd(s.rest, s.delim)
	if n == 0 || s.depth == 0 || s.ndim >= 0 && s.depth != s.ndim {
		return false
	}
	if s.ndim < 0 {
		s.ndim = s.depth
		for i := range s.ndim {
			s.length[i] = -1
		}
	}
	s.rest = s.rest[n:]
	s.count[s.depth-1]++
	s.elements++
	return true
}

func (s *arrayScan) closeBrace() bool {
	s.depth--
	n := s.count[s.depth]
	if s.length[s.depth] == -1 {
		s.length[s.depth] = n
	}
	if n != s.length[s.depth] {
		return false
	}
	if s.depth > 0 {
		s.count[s.depth-1]++
	}
	s.rest = s.rest[1:]
	return true
}

// elementEnd finds where the element at the start of b ends; 0 when it is none.
// plain tells that its bytes are its value.
func elementEnd(b []byte, delim byte) (n int, plain bool) {
	if b[0] != '"' {
		for n < len(b) && b[n] != delim && b[n] != '}' {
			if c := b[n]; c == '{' || c == '"' || c == '\\' {
				return 0, false
			}
			n++
		}
		if n == len(b) {
			return 0, false
		}
		return n, true
	}
	plain = true
	for n = 1; n < len(b); n++ {
		switch b[n] {
		case '\\':
			n++
			plain = false
		case '"':
			return n + 1, plain
		}
	}
	return 0, false
}

// ArrayIter walks the elements of an Array.
//
//	for it := a.Iter(scratch); it.Next(); { use(it.Null, it.Value) }
type ArrayIter struct {
	Null    bool
	Value   []byte // until the following Next: borrowed from the text, or from Scratch
	Scratch []byte // grown for elements with escapes; take it back to reuse it
	rest    []byte
	delim   byte
}

// Iter starts a walk. scratch, which may be nil, is used for unescaping.
func (a *Array) Iter(scratch []byte) ArrayIter {
	return ArrayIter{Scratch: scratch, rest: a.body, delim: a.delim}
}

// Next moves to the next element; false at the end.
func (it *ArrayIter) Next() bool {
	for len(it.rest) > 0 && (it.rest[0] == '{' || it.rest[0] == '}' || it.rest[0] == it.delim) {
		it.rest = it.rest[1:]
	}
	if len(it.rest) == 0 {
		return false
	}
	n, plain := elementEnd(it.rest, it.delim)
	text := it.rest[:n]
	it.rest = it.rest[n:]
	it.Null = false
	switch {
	case n == 0: // cannot be after ParseArray
		it.rest = nil
		return false
	case text[0] != '"':
		it.Value = text
		if it.Null = isNull(text); it.Null {
			it.Value = nil
		}
	case plain:
		it.Value = text[1 : n-1]
	default:
		it.Scratch = unescape(it.Scratch[:0], text[1:n-1])
		it.Value = it.Scratch
	}
	return true
}

func isNull(b []byte) bool {
	return len(b) == 4 && b[0]|0x20 == 'n' && b[1]|0x20 == 'u' && b[2]|0x20 == 'l' && b[3]|0x20 == 'l'
}

// unescape appends b without its backslashes.
func unescape(dst, b []byte) []byte {
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) {
			i++
		}
		dst = append(dst, b[i])
	}
	return dst
}
