package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

func declareArrayText(r *Registry) {
	r.fn("array_to_string(anyarray,text) text", arrayKernel(0, arrayToString), stable)
	r.fn("array_to_string(anyarray,text,text) text", arrayKernel(0, arrayToString), lax, stable)
	split := perRow(func(r *Row) error {
		parts := splitText(r)
		if parts == nil {
			r.SetNull()
			return nil
		}
		r.setArray(list(datum.OIDText, parts))
		return nil
	})
	r.fn("string_to_array(text,text) text[]", split, lax)
	r.fn("string_to_array(text,text,text) text[]", split, lax)
	table := func(*site) func(r *Row) error {
		return func(r *Row) error {
			if parts := splitText(r); parts != nil {
				r.out.AppendAll(parts)
			}
			return nil
		}
	}
	r.set("string_to_table(text,text) text", table, lax)
	r.set("string_to_table(text,text,text) text", table, lax)
}

// arrayToString joins the elements; NULLs are left out, or written as argument 2.
func arrayToString(r *Row, elem uint32) error {
	if r.Null(0) || r.Null(1) {
		r.SetNull()
		return nil
	}
	a, err := r.array(0, elem)
	if err != nil {
		return err
	}
	dst, first, o := r.data(), true, r.Env().options(true)
	forNull := r.Len() == 3 && !r.Null(2)
	for i := range a.elems.N {
		if a.elems.Null(i) && !forNull {
			continue
		}
		if !first {
			dst = append(dst, r.Bytes(1)...)
		}
		first = false
		if a.elems.Null(i) {
			dst = append(dst, r.Bytes(2)...)
		} else {
			dst = a.appendElemText(dst, i, o)
		}
	}
	r.set(dst)
	return nil
}

// splitText is argument 0 cut at argument 1 (NULL: into characters; empty: not at all), where a part equal to
// argument 2 is NULL; nil for a NULL.
func splitText(r *Row) *zset.Vec {
	if r.Null(0) {
		return nil
	}
	s, out := r.Bytes(0), zset.NewVec(zset.Bytes, 4)
	put := func(part []byte) {
		if r.Len() == 3 && !r.Null(2) && bytes.Equal(part, r.Bytes(2)) {
			out.AppendNull()
		} else {
			out.AppendBytes(part)
		}
	}
	switch {
	case len(s) == 0:
	case r.Null(1):
		for len(s) > 0 {
			_, w := utf8.DecodeRune(s)
			put(s[:w])
			s = s[w:]
		}
	case len(r.Bytes(1)) == 0:
		put(s)
	default:
		for sep := r.Bytes(1); ; {
			at := cut(s, sep)
			if at < 0 {
				put(s)
				break
			}
			put(s[:at])
			s = s[at+len(sep):]
		}
	}
	return out
}
