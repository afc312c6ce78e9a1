package expr

import (
	"bytes"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr/jsontext"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// appendJSON appends value i of a column as JSON: numbers and truth values as such, JSON as it is,
// arrays as arrays, times by ISO 8601, all else as the string of its text.
func appendJSON(dst []byte, v *zset.Vec, i int, t datum.TypeRef, o pgvalue.Options) ([]byte, error) {
	if v.Null(i) {
		return append(dst, "null"...), nil
	}
	switch t.OID {
	case datum.OIDBool:
		if v.Bool(i) {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case datum.OIDInt2, datum.OIDInt4, datum.OIDInt8, datum.OIDFloat4, datum.OIDFloat8, datum.OIDNumeric:
		text := pgvalue.AppendText(nil, v, i, t, o)
		if c := text[len(text)-1]; c < '0' || c > '9' { // NaN, Infinity
			return jsontext.AppendQuoted(dst, text), nil
		}
		return append(dst, text...), nil
	case datum.OIDJSON, datum.OIDJSONB:
		return append(dst, v.Bytes(i)...), nil
	case datum.OIDTimestamp, datum.OIDTimestampTZ:
		return jsontext.AppendQuoted(dst, isoTime(pgvalue.AppendText(nil, v, i, t, o))), nil
	}
	if elem := elementOf(t.OID); elem != 0 {
		a, err := decodeArray(v.Bytes(i), elem)
		if err != nil {
			return dst, err
		}
		if len(a.dims) == 0 {
			return append(dst, "[]"...), nil
		}
		dst, _, err = a.appendJSON(dst, 0, 0, o)
		return dst, err
	}
	return jsontext.AppendQuoted(dst, pgvalue.AppendText(nil, v, i, t, o)), nil
}

// isoTime puts a T between day and time, and minutes behind the hours of an offset.
func isoTime(text []byte) []byte {
	at := bytes.IndexByte(text, ' ')
	if at < 0 {
		return text
	}
	text[at] = 'T'
	if sign := bytes.LastIndexAny(text, "+-"); sign > at && len(text) == sign+3 {
		text = append(text, ":00"...)
	}
	return text
}

func (a *array) appendJSON(dst []byte, depth, at int, o pgvalue.Options) (_ []byte, next int, err error) {
	dst = append(dst, '[')
	for i := range int(a.dims[depth].Len) {
		if i > 0 {
			dst = append(dst, ',')
		}
		if depth < len(a.dims)-1 {
			dst, at, err = a.appendJSON(dst, depth+1, at, o)
		} else {
			dst, err = appendJSON(dst, a.elems, at, datum.Ref(a.elem), o)
			at++
		}
		if err != nil {
			return dst, at, err
		}
	}
	return append(dst, ']'), at, nil
}

// appendArgJSON appends argument k as JSON.
func (r *Row) appendArgJSON(dst []byte, k int, t datum.TypeRef) ([]byte, error) {
	a := &r.args[k]
	return appendJSON(dst, a.v, r.i&a.mask, t, r.Env().options(true))
}

// setJSON makes JSON text the result, in jsonb's form when it is of that type.
func (r *Row) setJSON(text []byte, isB bool) error {
	if !isB {
		r.SetBytes(text)
		return nil
	}
	dst, err := canonicalJSONB(r.data(), text)
	if err == nil {
		r.set(dst)
	}
	return err
}

func declareJSONBuild(r *Registry) {
	for _, t := range []string{"json", "jsonb"} {
		isB := t == "jsonb"
		convert := func(s *site) kernel {
			return bytesKernel(func(r *Row) error {
				text, err := r.appendArgJSON(nil, 0, s.args[0])
				if err != nil {
					return err
				}
				return r.setJSON(text, isB)
			})
		}
		r.fn("to_"+t+"(anyelement) "+t, convert, stable)
		if !isB {
			r.fn("array_to_json(anyarray) json", convert, stable)
		}
		object := func(s *site) kernel {
			return bytesKernel(func(r *Row) error { return jsonObject(r, s, t) })
		}
		list := func(s *site) kernel { return bytesKernel(func(r *Row) error { return jsonArray(r, s, isB) }) }
		r.fn(t+"_build_object(variadic any) "+t, object, lax, stable)
		r.fn(t+"_build_object() "+t, object, lax, stable)
		r.fn(t+"_build_array(variadic any) "+t, list, lax, stable)
		r.fn(t+"_build_array() "+t, list, lax, stable)
		r.fn(t+"_object(text[]) "+t, perRow(func(r *Row) error { return objectOfPairs(r, isB) }))
		r.fn(t+"_object(text[],text[]) "+t, perRow(func(r *Row) error { return objectOfLists(r, isB) }))
	}
}

func jsonObject(r *Row, s *site, t string) error {
	if r.Len()%2 != 0 {
		return withHint(rowFail(sql.InvalidParameter, "argument list must have even number of elements"),
			"The arguments of "+t+"_build_object() must consist of alternating keys and values.")
	}
	text := []byte{'{'}
	for k := 0; k < r.Len(); k += 2 {
		if k > 0 {
			text = append(text, ", "...)
		}
		if r.Null(k) {
			return keyNull(k, t)
		}
		text = jsontext.AppendQuoted(text, r.appendArg(nil, k, s.args[k]))
		var err error
		if text, err = r.appendArgJSON(append(text, " : "...), k+1, s.args[k+1]); err != nil {
			return err
		}
	}
	return r.setJSON(append(text, '}'), t == "jsonb")
}

func keyNull(k int, t string) error {
	if t == "jsonb" {
		return rowFail(sql.InvalidParameter, "argument %d: key must not be null", k+1)
	}
	return withHint(rowFail(sql.InvalidParameter, "argument %d cannot be null", k+1), "Object keys should be text.")
}

func jsonArray(r *Row, s *site, isB bool) error {
	text := []byte{'['}
	for k := range r.args {
		if k > 0 {
			text = append(text, ", "...)
		}
		var err error
		if text, err = r.appendArgJSON(text, k, s.args[k]); err != nil {
			return err
		}
	}
	return r.setJSON(append(text, ']'), isB)
}

// objectOfPairs is json_object of {key, value, …} or {{key, value}, …}.
func objectOfPairs(r *Row, isB bool) error {
	a, err := r.array(0, datum.OIDText)
	switch {
	case err != nil:
		return err
	case len(a.dims) > 2:
		return rowFail(sql.ArraySubscript, "wrong number of array subscripts")
	case len(a.dims) == 2 && a.dims[1].Len != 2:
		return rowFail(sql.ArraySubscript, "array must have two columns")
	case a.elems.N%2 != 0:
		return rowFail(sql.ArraySubscript, "array must have even number of elements")
	}
	return r.setPairs(a.elems.N/2, isB, func(i int) (*zset.Vec, int, *zset.Vec, int) { return a.elems, 2 * i, a.elems, 2*i + 1 })
}

func objectOfLists(r *Row, isB bool) error {
	keys, err := r.array(0, datum.OIDText)
	if err != nil {
		return err
	}
	values, err := r.array(1, datum.OIDText)
	switch {
	case err != nil:
		return err
	case len(keys.dims) > 1 || len(values.dims) > 1:
		return rowFail(sql.ArraySubscript, "wrong number of array subscripts")
	case keys.elems.N != values.elems.N:
		return rowFail(sql.ArraySubscript, "mismatched array dimensions")
	}
	return r.setPairs(keys.elems.N, isB, func(i int) (*zset.Vec, int, *zset.Vec, int) { return keys.elems, i, values.elems, i })
}

func (r *Row) setPairs(n int, isB bool, pair func(i int) (keys *zset.Vec, k int, values *zset.Vec, v int)) error {
	text := []byte{'{'}
	for i := range n {
		if i > 0 {
			text = append(text, ", "...)
		}
		keys, k, values, v := pair(i)
		if keys.Null(k) {
			return rowFail(sql.NullNotAllowed, "null value not allowed for object key")
		}
		text = append(jsontext.AppendQuoted(text, keys.Bytes(k)), " : "...)
		if values.Null(v) {
			text = append(text, "null"...)
		} else {
			text = jsontext.AppendQuoted(text, values.Bytes(v))
		}
	}
	return r.setJSON(append(text, '}'), isB)
}
