package expr

import (
	"strings"

	"errors"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr/jsontext"
	"github.com/weirstream/weir/internal/sql"
)

// editError gives a fault of editing its SQLSTATE.
func editError(err error) error {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*jsontext.PathError](err); ok {
		return rowFail(sql.InvalidText, "path element at position %d is not an integer: \"%s\"", p.Position, p.Step)
	}
	if n, ok := errors.AsType[*jsontext.NullStepError](err); ok {
		return rowFail(sql.NullNotAllowed, "%s", n)
	}
	e := rowFail(sql.InvalidParameter, "%s", err)
	if errors.Is(err, jsontext.ErrReplace) {
		e.Hint = "Try using the function jsonb_set to replace key value."
	}
	return e
}

func (r *Row) setEdited(dst []byte, err error) error {
	if err != nil {
		return editError(err)
	}
	r.set(dst)
	return nil
}

func declareJSONEdits(r *Registry) {
	r.op("||", "jsonb_concat(jsonb,jsonb) jsonb", perRow(func(r *Row) error {
		r.set(jsontext.Concat(r.data(), r.Bytes(0), r.Bytes(1)))
		return nil
	}))
	r.op("-", "jsonb_delete(jsonb,text) jsonb", perRow(func(r *Row) error {
		return r.setEdited(jsontext.Delete(r.data(), r.Bytes(0), r.Bytes(1)))
	}))
	r.op("-", "jsonb_delete(jsonb,int4) jsonb", perRow(func(r *Row) error {
		return r.setEdited(jsontext.DeleteAt(r.data(), r.Bytes(0), int(r.Int(1))))
	}))
	several := r.fn("jsonb_delete(jsonb,variadic text) jsonb", perRow(func(r *Row) error {
		v := r.Bytes(0)
		if jsontext.IsScalar(v) {
			return editError(jsontext.ErrDeleteScalar)
		}
		for k := 1; k < r.Len(); k++ {
			if !r.Null(k) {
				v, _ = jsontext.Delete(nil, v, r.Bytes(k)) // it is no scalar
			}
		}
		r.set(append(r.data(), v...))
		return nil
	}))
	several.array = perRow(deleteKeys)
	add(r.ops, "-", several.overArray())
	r.op("#-", "jsonb_delete_path(jsonb,text[]) jsonb", edit(func(*Row) jsontext.Edit { return jsontext.Edit{} }))
	r.fn("jsonb_set(jsonb,text[],jsonb,bool) jsonb", edit(func(r *Row) jsontext.Edit {
		return jsontext.Edit{Value: r.Bytes(2), Create: r.Bool(3)}
	}))
	r.fn("jsonb_insert(jsonb,text[],jsonb,bool) jsonb", edit(func(r *Row) jsontext.Edit {
		return jsontext.Edit{Value: r.Bytes(2), Insert: true, After: r.Bool(3)}
	}))
}

func deleteKeys(r *Row) error {
	keys, err := elementsOf(r, datum.OIDText)
	if err != nil {
		return err
	}
	v := r.Bytes(0)
	if jsontext.IsScalar(v) {
		return editError(jsontext.ErrDeleteScalar)
	}
	for i := range keys.N {
		if keys.Null(i) {
			continue
		}
		if v, err = jsontext.Delete(nil, v, keys.Bytes(i)); err != nil {
			return editError(err)
		}
	}
	r.set(append(r.data(), v...))
	return nil
}

func edit(how func(r *Row) jsontext.Edit) func(*site) kernel {
	return perRow(func(r *Row) error {
		steps, err := r.array(1, datum.OIDText)
		if err != nil {
			return err
		}
		if len(steps.dims) > 1 {
			return rowFail(sql.ArraySubscript, "wrong number of array subscripts")
		}
		path := make([][]byte, steps.elems.N)
		for i := range path {
			if !steps.elems.Null(i) {
				path[i] = steps.elems.Bytes(i)
			}
		}
		e := how(r)
		return r.setEdited(e.Apply(r.data(), r.Bytes(0), path))
	})
}

func declareJSONSets(r *Registry) {
	for _, t := range []string{"json", "jsonb"} {
		elements := func(text bool) func(*site) func(r *Row) error {
			return func(*site) func(r *Row) error {
				name := t + "_array_elements"
				if text {
					name += "_text"
				}
				return func(r *Row) error { return jsonElements(r, name, t == "jsonb", text) }
			}
		}
		r.set(t+"_array_elements("+t+") "+t, elements(false))
		r.set(t+"_array_elements_text("+t+") text", elements(true))
		r.set(t+"_object_keys("+t+") text", func(*site) func(r *Row) error {
			return func(r *Row) error { return jsonKeys(r, t+"_object_keys") }
		})
		for suffix, value := range map[string]string{"_each": t, "_each_text": "text"} {
			name := t + suffix
			r.set(name+"("+t+") text", func(*site) func(r *Row) error { return func(r *Row) error { return jsonPairs(r, name, jsonKeys) } })
			r.set(columnSet(name, "value")+"("+t+") "+value, func(*site) func(r *Row) error {
				return func(r *Row) error { return jsonPairs(r, name, jsonValues(value == "text")) }
			})
		}
	}
}

// jsonPairs gives a side of the pairs of an object.
func jsonPairs(r *Row, name string, side func(r *Row, name string) error) error {
	if kind := jsontext.Kind(r.Bytes(0)); kind != jsontext.Object {
		if kind == jsontext.Array && strings.HasPrefix(name, "json_") {
			return rowFail(sql.InvalidParameter, "cannot deconstruct an array as an object")
		}
		if strings.HasPrefix(name, "json_") {
			return rowFail(sql.InvalidParameter, "cannot deconstruct a scalar")
		}
		return rowFail(sql.InvalidParameter, "cannot call %s on a non-object", name)
	}
	return side(r, name)
}

func jsonValues(text bool) func(r *Row, name string) error {
	return func(r *Row, _ string) error {
		for it := jsontext.Members(r.Bytes(0)); it.Next(); {
			if err := r.appendMember(it.Value, text); err != nil {
				return err
			}
		}
		return nil
	}
}

// appendMember appends a row of a part of a document, as it is or as text.
func (r *Row) appendMember(v []byte, text bool) error {
	switch {
	case !text:
		r.out.AppendBytes(v)
	case jsontext.Kind(v) == jsontext.Null:
		r.out.AppendNull()
	default:
		off := len(r.out.Data)
		dst, err := appendJSONText(r.out.Data, v)
		if err != nil {
			return err
		}
		r.out.Data = dst
		r.out.AppendTail(off)
	}
	return nil
}

func jsonElements(r *Row, name string, isB, text bool) error {
	v := r.Bytes(0)
	switch kind := jsontext.Kind(v); {
	case kind == jsontext.Array:
	case kind == jsontext.Object && isB:
		return rowFail(sql.InvalidParameter, "cannot extract elements from an object")
	case isB:
		return rowFail(sql.InvalidParameter, "cannot extract elements from a scalar")
	case kind == jsontext.Object:
		return rowFail(sql.InvalidParameter, "cannot call %s on a non-array", name)
	default:
		return rowFail(sql.InvalidParameter, "cannot call %s on a scalar", name)
	}
	for it := jsontext.Members(v); it.Next(); {
		if err := r.appendMember(it.Value, text); err != nil {
			return err
		}
	}
	return nil
}

func jsonKeys(r *Row, name string) error {
	v := r.Bytes(0)
	if kind := jsontext.Kind(v); kind != jsontext.Object {
		what := "a scalar"
		if kind == jsontext.Array {
			what = "an array"
		}
		return rowFail(sql.InvalidParameter, "cannot call %s on %s", name, what)
	}
	for it := jsontext.Members(v); it.Next(); {
		off := len(r.out.Data)
		dst, err := appendJSONText(r.out.Data, it.Key)
		if err != nil {
			return err
		}
		r.out.Data = dst
		r.out.AppendTail(off)
	}
	return nil
}
