package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/sql"
)

// Functions whose result is a part of their first argument: they copy nothing.

func declareSlices(r *Registry) {
	for _, name := range []string{"substring", "substr"} {
		r.fn(name+"(text,int4) text", slicing(substring))
		r.fn(name+"(text,int4,int4) text", slicing(substring))
		r.fn(name+"(bytea,int4) bytea", slicing(subOctets))
		r.fn(name+"(bytea,int4,int4) bytea", slicing(subOctets))
	}
	r.fn("left(text,int4) text", slicing(func(r *Row, s []byte) (int, int, error) {
		return 0, charEnd(s, fromEnd(s, r.Int(1))), nil
	}))
	r.fn("right(text,int4) text", slicing(func(r *Row, s []byte) (int, int, error) {
		n := r.Int(1)
		if n < 0 {
			return charEnd(s, int(min(-n, int64(len(s))))), len(s), nil
		}
		return charEnd(s, charCount(s)-int(min(n, int64(len(s))))), len(s), nil
	}))
	trim := func(name string, head, tail bool) {
		r.fn(name+"(text) text", slicing(func(_ *Row, s []byte) (int, int, error) { return trimSet(s, blank, head, tail) }))
		cut := slicing(func(r *Row, s []byte) (int, int, error) { return trimSet(s, r.Bytes(1), head, tail) })
		r.fn(name+"(text,text) text", cut)
		r.fn(name+"(bytea,bytea) bytea", slicing(func(r *Row, s []byte) (int, int, error) {
			return trimOctets(s, r.Bytes(1), head, tail)
		}))
	}
	trim("btrim", true, true)
	trim("ltrim", true, false)
	trim("rtrim", false, true)
	r.fn("split_part(text,text,int4) text", slicing(splitPart))
}

var blank = []byte(" ")

// fromEnd is how many characters left(s, n) keeps: all but the last -n when n is negative.
func fromEnd(s []byte, n int64) int {
	if n < 0 {
		return charCount(s) + int(max(n, -int64(len(s))))
	}
	return int(min(n, int64(len(s))))
}

// window is the part from position from, counted from 1, of length characters, within what there is.
func window(r *Row, size int) (lo, hi int, err error) {
	from := r.Int(1)
	end := int64(size) + 1
	if r.Len() == 3 {
		length := r.Int(2)
		if end = from + length; length < 0 {
			return 0, 0, errNegativeLength
		}
	}
	lo = int(min(max(from-1, 0), int64(size)))
	hi = int(min(max(end-1, 0), int64(size)))
	return lo, max(lo, hi), nil
}

func substring(r *Row, s []byte) (int, int, error) {
	lo, hi, err := window(r, len(s)) // at least as many as there are characters
	if err != nil || isASCII(s) {
		return lo, hi, err
	}
	start := charEnd(s, lo)
	return start, start + charEnd(s[start:], hi-lo), nil
}

func subOctets(r *Row, s []byte) (int, int, error) { return window(r, len(s)) }

// trimSet cuts off characters of a set.
func trimSet(s, set []byte, head, tail bool) (lo, hi int, err error) {
	hi = len(s)
	single := len(set) == 1
	for head && lo < hi {
		_, w := utf8.DecodeRune(s[lo:hi])
		if single && s[lo] != set[0] || !single && !bytes.Contains(set, s[lo:lo+w]) {
			break
		}
		lo += w
	}
	for tail && lo < hi {
		_, w := utf8.DecodeLastRune(s[lo:hi])
		if single && s[hi-1] != set[0] || !single && !bytes.Contains(set, s[hi-w:hi]) {
			break
		}
		hi -= w
	}
	return lo, hi, nil
}

func trimOctets(s, set []byte, head, tail bool) (lo, hi int, err error) {
	for hi = len(s); head && lo < hi && bytes.IndexByte(set, s[lo]) >= 0; {
		lo++
	}
	for tail && lo < hi && bytes.IndexByte(set, s[hi-1]) >= 0 {
		hi--
	}
	return lo, hi, nil
}

var errFieldZero = rowFail(sql.InvalidParameter, "field position must not be zero")

// splitPart is field n of s, counted from 1, or from the end when negative.
func splitPart(r *Row, s []byte) (lo, hi int, err error) {
	sep, n := r.Bytes(1), r.Int(2)
	switch {
	case n == 0:
		return 0, 0, errFieldZero
	case len(s) == 0:
		return 0, 0, nil
	case len(sep) == 0:
		if n == 1 || n == -1 {
			return 0, len(s), nil
		}
		return 0, 0, nil
	case n < 0:
		return splitFromEnd(s, sep, -n)
	}
	for ; ; n-- {
		at := cut(s[lo:], sep)
		if at < 0 {
			if n == 1 {
				return lo, len(s), nil
			}
			return 0, 0, nil
		}
		if n == 1 {
			return lo, lo + at, nil
		}
		lo += at + len(sep)
	}
}

// cut is where sep begins in s; most separators are one octet.
func cut(s, sep []byte) int {
	if len(sep) == 1 {
		return bytes.IndexByte(s, sep[0])
	}
	return bytes.Index(s, sep)
}

// splitFromEnd counts the fields first: where separators overlap, they are found from the left.
func splitFromEnd(s, sep []byte, n int64) (lo, hi int, err error) {
	fields := int64(bytes.Count(s, sep)) + 1
	want := fields - n
	if want < 0 {
		return 0, 0, nil
	}
	for ; want > 0; want-- {
		lo += bytes.Index(s[lo:], sep) + len(sep)
	}
	if at := bytes.Index(s[lo:], sep); at >= 0 {
		return lo, lo + at, nil
	}
	return lo, len(s), nil
}
