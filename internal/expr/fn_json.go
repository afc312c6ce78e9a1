package expr

import (
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr/jsontext"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Types json and jsonb hold checked text; functions find their way in it and copy nothing.

// finder gives a part of a JSON value; nil: NULL.
type finder func(r *Row, v []byte) ([]byte, error)

// jsonSlice makes a function whose result is a part of its argument.
func jsonSlice(find finder) func(*site) kernel {
	return slicingOrNull(func(r *Row, v []byte) (int, int, error) {
		part, err := find(r, v)
		if err != nil || part == nil {
			return -1, -1, err
		}
		lo := cap(v) - cap(part) // both end with the column's data
		return lo, lo + len(part), nil
	})
}

// jsonText makes a function whose result is the text of a part: what a string says, NULL for null.
func jsonText(find finder) func(*site) kernel {
	return perRow(func(r *Row) error {
		part, err := find(r, r.Bytes(0))
		if err != nil {
			return err
		}
		return r.setJSONText(part)
	})
}

func (r *Row) setJSONText(part []byte) error {
	if part == nil || jsontext.Kind(part) == jsontext.Null {
		r.SetNull()
		return nil
	}
	dst, err := appendJSONText(r.data(), part)
	if err == nil {
		r.set(dst)
	}
	return err
}

// appendJSONText appends a value as ->> gives it.
func appendJSONText(dst, part []byte) ([]byte, error) {
	if jsontext.Kind(part) != jsontext.String {
		return append(dst, part...), nil
	}
	dst, err := jsontext.Unquote(dst, part)
	if err != nil {
		e := rowFail("22P05", "%s", err)
		e.Detail = `\u0000 cannot be converted to text.`
		return nil, e
	}
	return dst, nil
}

func found(part []byte, ok bool) ([]byte, error) {
	if !ok {
		return nil, nil
	}
	return part, nil
}

func field(r *Row, v []byte) ([]byte, error)   { return found(jsontext.Field(v, r.Bytes(1))) }
func element(r *Row, v []byte) ([]byte, error) { return found(jsontext.Element(v, int(r.Int(1)))) }

// elementB takes a scalar of jsonb for the one element of an array, as PostgreSQL keeps it.
func elementB(r *Row, v []byte) ([]byte, error) {
	if i := r.Int(1); (i == 0 || i == -1) && jsontext.IsScalar(v) {
		return v, nil
	}
	return element(r, v)
}

// follow goes along a path of argument 1, an array of text.
func follow(r *Row, v []byte) ([]byte, error) {
	steps, err := elementsOf(r, datum.OIDText)
	if err != nil {
		return nil, err
	}
	v = jsontext.Trim(v)
	for i := range steps.N {
		part, ok := jsontext.At(v, steps.Bytes(i))
		if steps.Null(i) || !ok {
			return nil, nil
		}
		v = part
	}
	return v, nil
}

// followArgs goes along the arguments behind the first.
func followArgs(r *Row, v []byte) ([]byte, error) {
	v = jsontext.Trim(v)
	for k := 1; k < r.Len(); k++ {
		part, ok := jsontext.At(v, r.Bytes(k))
		if r.Null(k) || !ok {
			return nil, nil
		}
		v = part
	}
	return v, nil
}

func declareJSON(r *Registry) {
	for _, t := range []string{"json", "jsonb"} {
		element := element
		if t == "jsonb" {
			element = elementB
		}
		r.op("->", t+"_object_field("+t+",text) "+t, jsonSlice(field))
		r.op("->>", t+"_object_field_text("+t+",text) text", jsonText(field))
		r.op("->", t+"_array_element("+t+",int4) "+t, jsonSlice(element))
		r.op("->>", t+"_array_element_text("+t+",int4) text", jsonText(element))
		path := r.fn(t+"_extract_path("+t+",variadic text) "+t, jsonSlice(followArgs))
		text := r.fn(t+"_extract_path_text("+t+",variadic text) text", jsonText(followArgs))
		path.array, text.array = jsonSlice(follow), jsonText(follow)
		add(r.ops, "#>", path.overArray())
		add(r.ops, "#>>", text.overArray())
		r.fn(t+"_typeof("+t+") text", perRow(typeOf))
		r.fn(t+"_array_length("+t+") int4", perRow(jsonLength))
		r.fn(t+"_strip_nulls("+t+") "+t, text1(func(dst, v []byte) []byte { return jsontext.StripNulls(dst, v, t == "json") }))
	}
	r.fn("jsonb_pretty(jsonb) text", text1(func(dst, v []byte) []byte { return jsontext.Pretty(dst, v, 0) }))
	for _, c := range comparisons {
		r.op(c.symbol, "jsonb"+c.long+"(jsonb,jsonb) bool", perRow(func(r *Row) error {
			r.SetBool(c.cmp.holds(jsontext.Compare(r.Bytes(0), r.Bytes(1))))
			return nil
		}))
	}
	declareJSONTests(r)
	declareJSONEdits(r)
	declareJSONCasts(r)
	declareJSONSets(r)
	declareJSONBuild(r)
}

func typeOf(r *Row) error {
	r.SetString(map[byte]string{
		jsontext.Object: "object", jsontext.Array: "array", jsontext.String: "string",
		jsontext.Number: "number", jsontext.Boolean: "boolean", jsontext.Null: "null",
	}[jsontext.Kind(r.Bytes(0))])
	return nil
}

func jsonLength(r *Row) error {
	switch v := r.Bytes(0); {
	case jsontext.Kind(v) == jsontext.Array:
		r.SetInt(int64(jsontext.Len(v)))
	case jsontext.Kind(v) == jsontext.Object:
		return rowFail(sql.InvalidParameter, "cannot get array length of a non-array")
	default:
		return rowFail(sql.InvalidParameter, "cannot get array length of a scalar")
	}
	return nil
}

func declareJSONTests(r *Registry) {
	test := func(f func(a, b []byte) bool) func(*site) kernel {
		return perRow(func(r *Row) error {
			r.SetBool(f(r.Bytes(0), r.Bytes(1)))
			return nil
		})
	}
	r.op("@>", "jsonb_contains(jsonb,jsonb) bool", test(jsontext.Contains))
	r.op("<@", "jsonb_contained(jsonb,jsonb) bool", test(func(a, b []byte) bool { return jsontext.Contains(b, a) }))
	r.op("?", "jsonb_exists(jsonb,text) bool", test(jsontext.Exists))
	keys := func(all bool) func(*site) kernel {
		return perRow(func(r *Row) error {
			keys, err := elementsOf(r, datum.OIDText)
			if err != nil {
				return err
			}
			r.SetBool(all)
			for i := range keys.N {
				if !keys.Null(i) && jsontext.Exists(r.Bytes(0), keys.Bytes(i)) != all {
					r.SetBool(!all)
				}
			}
			return nil
		})
	}
	r.op("?|", "jsonb_exists_any(jsonb,text[]) bool", keys(false))
	r.op("?&", "jsonb_exists_all(jsonb,text[]) bool", keys(true))
}

func declareJSONCasts(r *Registry) {
	r.casts[castKey{datum.OIDJSONB, datum.OIDJSON}] = castRule{Assignment, nil}
	r.casts[castKey{datum.OIDJSON, datum.OIDJSONB}] = castRule{Assignment, &Func{
		Name: "jsonb", Args: []uint32{datum.OIDJSON}, Result: datum.OIDJSONB, Strict: true,
		build: always(parseText(datum.Ref(datum.OIDJSONB))),
	}}
	r.cast(Explicit, r.fn("bool(jsonb) bool", perRow(func(r *Row) error {
		v := jsontext.Trim(r.Bytes(0))
		r.SetBool(v[0] == 't')
		return jsonKind(v, jsontext.Boolean, "boolean")
	})))
	number := func(r *Row, typ string) (numeric.Val, error) {
		v := jsontext.Trim(r.Bytes(0))
		if err := jsonKind(v, jsontext.Number, typ); err != nil {
			return numeric.Val{}, err
		}
		n, arena, err := numeric.FromText(nil, v)
		return numeric.Val{Num: n, Arena: arena}, err
	}
	r.cast(Explicit, r.fn("numeric(jsonb) numeric", perRow(func(r *Row) error {
		n, err := number(r, "numeric")
		r.SetNum(n)
		return err
	})))
	for _, t := range intTypes {
		r.cast(Explicit, r.fn(t.name+"(jsonb) "+t.name, perRow(func(r *Row) error {
			n, err := number(r, t.long)
			if err != nil {
				return err
			}
			v, err := numeric.ToInt64(n, t.lo, t.hi, t.long)
			r.SetInt(v)
			return err
		})))
	}
	for _, t := range []string{"float4", "float8"} {
		oid, _ := lookupType(t)
		r.cast(Explicit, r.fn(t+"(jsonb) "+t, perRow(func(r *Row) error {
			n, err := number(r, nameOf(oid))
			if err != nil {
				return err
			}
			f, ok := numeric.ToFloat64(n)
			if ok && oid == datum.OIDFloat4 {
				f, err = toFloat4(f)
			}
			r.SetFloat(f)
			return numRange(ok && err == nil, n, nameOf(oid))
		})))
	}
}

// jsonKind refuses to cast a value of another kind.
func jsonKind(v []byte, want byte, typ string) error {
	kind := jsontext.Kind(v)
	if kind == want {
		return nil
	}
	name := map[byte]string{
		jsontext.Object: "object", jsontext.Array: "array", jsontext.String: "string",
		jsontext.Number: "numeric", jsontext.Boolean: "boolean", jsontext.Null: "null",
	}[kind]
	return rowFail(sql.InvalidParameter, "cannot cast jsonb %s to type %s", name, typ)
}

// canonicalJSONB brings JSON text into jsonb's form.
func canonicalJSONB(dst, text []byte) ([]byte, error) {
	v := &zset.Vec{Kind: zset.Bytes}
	if err := pgvalue.AppendValue(v, datum.Ref(datum.OIDJSONB), text, canonical); err != nil {
		return dst, err
	}
	return append(dst, v.Bytes(0)...), nil
}
