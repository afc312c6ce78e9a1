package pgvalue

import (
	"strconv"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// arrayReader reads an array in text, with blanks around everything, quotes and
// backslashes, and bounds before it.
type arrayReader struct {
	text  []byte // whole, for errors
	rest  []byte
	delim byte
	dims  []datum.Dim // with lower bounds when given
	given bool
	count [datum.MaxDims]int32
	// length of each dimension, -1 until a sub-array of it has ended.
	length [datum.MaxDims]int32
	depth  int
	ndim   int // -1 until known
	elems  [][]byte
	nulls  []bool
}

// appendArray appends the array that text means as PostgreSQL prints it, its elements
// read and printed by their type.
func appendArray(dst []byte, elem uint32, mod int32, text []byte, o *Options) ([]byte, error) {
	r := arrayReader{text: text, rest: text, delim: datum.Delim(elem), ndim: -1}
	if err := r.bounds(); err != nil {
		return dst, err
	}
	if err := r.body(); err != nil {
		return dst, err
	}
	if r.skip(); len(r.rest) > 0 {
		return dst, r.malformed("Junk after closing right brace.")
	}
	r.text = text
	if err := r.settle(); err != nil {
		return dst, err
	}
	w := arrayWriter{dst: dst, dims: r.dims, elem: elem}
	w.start()
	one := zset.NewVec(zset.KindOf(elem), 1)
	t := datum.TypeRef{OID: elem, Mod: mod}
	for i, e := range r.elems {
		if r.nulls[i] {
			w.null()
			continue
		}
		one.Reset()
		if err := AppendValue(one, t, e, *o); err != nil {
			return dst, err
		}
		w.value(one)
	}
	return w.finish(), nil
}

func (r *arrayReader) malformed(detail string) error {
	return &Error{Code: datum.CodeInvalidText, Message: "malformed array literal: \"" + string(r.text) + "\"", Detail: detail}
}

func (r *arrayReader) skip() {
	for len(r.rest) > 0 && isSpace(r.rest[0]) {
		r.rest = r.rest[1:]
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// bounds reads [1:2][0:3]= before the braces.
func (r *arrayReader) bounds() error {
	for r.skip(); len(r.rest) > 0 && r.rest[0] == '['; r.skip() {
		if len(r.dims) == datum.MaxDims {
			return fault(datum.CodeProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(r.dims)+1, datum.MaxDims)
		}
		r.rest = r.rest[1:]
		lower, ok := r.bound()
		if !ok {
			return r.malformed("\"[\" must introduce explicitly-specified array dimensions.")
		}
		upper := lower
		if len(r.rest) > 0 && r.rest[0] == ':' {
			r.rest = r.rest[1:]
			if upper, ok = r.bound(); !ok {
				return r.malformed("Missing array dimension value.")
			}
		} else {
			lower = 1
		}
		if len(r.rest) == 0 || r.rest[0] != ']' {
			return r.malformed("Missing \"]\" after array dimensions.")
		}
		r.rest = r.rest[1:]
		if upper < lower {
			return fault(datum.CodeArraySubscript, "upper bound cannot be less than lower bound")
		}
		if upper-lower+1 > maxElements {
			return fault(datum.CodeProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElements)
		}
		r.dims = append(r.dims, datum.Dim{Lower: int32(lower), Len: int32(upper - lower + 1)})
	}
	if len(r.dims) == 0 {
		return nil
	}
	r.given = true
	if len(r.rest) == 0 || r.rest[0] != '=' {
		return r.malformed("Missing \"=\" after array dimensions.")
	}
	r.rest = r.rest[1:]
	return nil
}

func (r *arrayReader) bound() (int64, bool) {
	n := 0
	for n < len(r.rest) && (r.rest[n]-'0' <= 9 || r.rest[n] == '-' || r.rest[n] == '+') {
		n++
	}
	v, err := strconv.ParseInt(string(r.rest[:n]), 10, 32)
	r.rest = r.rest[n:]
	return v, err == nil
}

// body reads the braces and what is in them.
func (r *arrayReader) body() error {
	if r.skip(); len(r.rest) == 0 || r.rest[0] != '{' {
		if r.given {
			return r.malformed("Array contents must start with \"{\".")
		}
		return r.malformed("Array value must start with \"{\" or dimension information.")
	}
	r.text = r.rest // from here on PostgreSQL quotes the braces only
	r.length = [datum.MaxDims]int32{-1, -1, -1, -1, -1, -1}
	afterValue, afterComma := false, false
	for {
		r.skip()
		if len(r.rest) == 0 {
			return r.malformed("Unexpected end of input.")
		}
		switch c := r.rest[0]; {
		case c == '{':
			if afterValue {
				return r.malformed("Unexpected \"{\" character.")
			}
			if err := r.push(); err != nil {
				return err
			}
			afterComma = false
		case c == '}':
			if afterComma || !afterValue && r.depth > 1 {
				return r.malformed("Unexpected \"}\" character.")
			}
			if done, err := r.pop(); done || err != nil {
				return err
			}
			afterValue = true
		case c == r.delim:
			if !afterValue {
				return r.malformed("Unexpected \"" + string(c) + "\" character.")
			}
			r.rest, afterValue, afterComma = r.rest[1:], false, true
		case afterValue:
			return r.malformed("Unexpected array element.")
		default:
			if err := r.element(); err != nil {
				return err
			}
			afterValue, afterComma = true, false
		}
	}
}

func (r *arrayReader) push() error {
	if r.ndim >= 0 && r.depth >= r.ndim {
		return r.ragged()
	}
	if r.depth == datum.MaxDims {
		return fault(datum.CodeProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", r.depth+1, datum.MaxDims)
	}
	r.count[r.depth] = 0
	r.depth++
	r.rest = r.rest[1:]
	return nil
}

func (r *arrayReader) ragged() error {
	return r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
}

// pop closes a brace; done tells that it was the outermost one.
func (r *arrayReader) pop() (done bool, err error) {
	r.rest = r.rest[1:]
	r.depth--
	n := r.count[r.depth]
	if r.ndim < 0 {
		r.ndim = r.depth + 1 // an empty sub-array settles the depth
	}
	if r.length[r.depth] < 0 {
		r.length[r.depth] = n
	}
	if r.length[r.depth] != n {
		return false, r.ragged()
	}
	if r.depth == 0 {
		return true, nil
	}
	r.count[r.depth-1]++
	return false, nil
}

// settle compares the dimensions found with those that were given.
func (r *arrayReader) settle() error {
	found := r.length[:r.ndim]
	if len(r.elems) == 0 {
		found = nil
	}
	if !r.given {
		for _, n := range found {
			r.dims = append(r.dims, datum.Dim{Lower: 1, Len: n})
		}
		return nil
	}
	if len(found) != len(r.dims) {
		return r.malformed("Specified array dimensions do not match array contents.")
	}
	for i, n := range found {
		if n != r.dims[i].Len {
			return r.malformed("Specified array dimensions do not match array contents.")
		}
	}
	return nil
}

// element reads one element: in quotes, or up to a delimiter or brace without the
// blanks at its ends; backslashes escape in both.
func (r *arrayReader) element() error {
	if r.depth == 0 || r.ndim >= 0 && r.depth != r.ndim {
		return r.ragged()
	}
	r.ndim = r.depth
	var value []byte
	var null bool
	var err error
	if r.rest[0] == '"' {
		value, err = r.quotedElement()
	} else {
		value, null, err = r.bareElement()
	}
	if err != nil {
		return err
	}
	r.elems, r.nulls = append(r.elems, value), append(r.nulls, null)
	r.count[r.depth-1]++
	return nil
}

func (r *arrayReader) quotedElement() ([]byte, error) {
	var value []byte
	for i := 1; i < len(r.rest); i++ {
		switch c := r.rest[i]; c {
		case '"':
			r.rest = r.rest[i+1:]
			return value, nil
		case '\\':
			if i++; i == len(r.rest) {
				return nil, r.malformed("Unexpected end of input.")
			}
			value = append(value, r.rest[i])
		default:
			value = append(value, c)
		}
	}
	return nil, r.malformed("Unexpected end of input.")
}

func (r *arrayReader) bareElement() (value []byte, null bool, err error) {
	keep, escaped := 0, false // blanks that were escaped stay
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == r.delim || c == '}':
			r.rest = r.rest[i:]
			for len(value) > keep && isSpace(value[len(value)-1]) {
				value = value[:len(value)-1]
			}
			return value, !escaped && len(value) == 4 && string(lower4(value)) == "null", nil
		case c == '{' || c == '"':
			return nil, false, r.malformed("Unexpected \"" + string(c) + "\" character.")
		case c == '\\':
			if i++; i == len(r.rest) {
				return nil, false, r.malformed("Unexpected end of input.")
			}
			value = append(value, r.rest[i])
			keep, escaped = len(value), true
		default:
			value = append(value, c)
		}
	}
	return nil, false, r.malformed("Unexpected end of input.")
}

func lower4(b []byte) []byte {
	var out [4]byte
	for i := range out {
		out[i] = b[i] | 0x20
	}
	return out[:]
}
