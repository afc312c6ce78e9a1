package expr

import (
	"strconv"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

func declareConcat(r *Registry) {
	join := perRow(func(r *Row) error {
		r.set(append(append(r.data(), r.Bytes(0)...), r.Bytes(1)...))
		return nil
	})
	r.op("||", "textcat(text,text) text", join)
	r.op("||", "byteacat(bytea,bytea) bytea", join)
	r.op("||", "textanycat(text,anynonarray) text", joined, stable)
	r.op("||", "anytextcat(anynonarray,text) text", joined, stable)
	r.fn("concat(variadic any) text", concatenation, stable, lax)
	r.fn("concat_ws(text,variadic any) text", concatWith, stable, lax)
}

// appendArg appends the text of argument k, which is not NULL.
func (r *Row) appendArg(dst []byte, k int, t datum.TypeRef) []byte {
	a := &r.args[k]
	if a.v.Kind == zset.Bytes && t.OID != datum.OIDBytea && t.OID != datum.OIDUUID {
		return append(dst, a.v.Bytes(r.i&a.mask)...)
	}
	return pgvalue.AppendText(dst, a.v, r.i&a.mask, t, r.Env().options(true))
}

// joined is text || any: its value is cast to text, which writes true where concat writes t.
func joined(s *site) kernel {
	return bytesKernel(func(r *Row) error {
		dst := r.data()
		for k, t := range s.args {
			if t.OID == datum.OIDBool {
				dst = strconv.AppendBool(dst, r.Bool(k))
			} else {
				dst = r.appendArg(dst, k, t)
			}
		}
		r.set(dst)
		return nil
	})
}

// concatenation joins the texts of its arguments; NULLs count for nothing.
func concatenation(s *site) kernel {
	return bytesKernel(func(r *Row) error {
		dst := r.data()
		for k := range r.args {
			if !r.Null(k) {
				dst = r.appendArg(dst, k, s.args[k])
			}
		}
		r.set(dst)
		return nil
	})
}

// concatWith puts its first argument between the others.
func concatWith(s *site) kernel {
	return bytesKernel(func(r *Row) error {
		if r.Null(0) {
			r.SetNull()
			return nil
		}
		dst, first := r.data(), true
		for k := 1; k < r.Len(); k++ {
			if r.Null(k) {
				continue
			}
			if !first {
				dst = append(dst, r.Bytes(0)...)
			}
			dst, first = r.appendArg(dst, k, s.args[k]), false
		}
		r.set(dst)
		return nil
	})
}
