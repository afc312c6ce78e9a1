package expr

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr/jsontext"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// Values of most types are ordered, and told apart, by their keys (zset.AppendKey). Arrays and
// jsonb are not: their text says nothing of their order, and equal ones may be written
// differently. What needs their order computes an order key, octets that have it:
//
//	array   { 1 key of element | 2 for NULL }…  0  dimensions, then length and lower bound of each
//	jsonb   rank of the kind, then its own: see jsonKey

// Orders tells whether values of a type have an order.
func (r *Registry) Orders(oid uint32) bool {
	if oid == OIDUnknown {
		return true
	}
	for _, f := range r.ops["<"] {
		if f.Args[0] == oid && f.Args[1] == oid {
			return true
		}
	}
	elem := elementOf(oid)
	return elem != 0 && r.Orders(elem) || oid == datum.OIDVarchar
}

// NeedsOrderKey tells the types whose keys are not in their order.
func NeedsOrderKey(oid uint32) bool { return oid == datum.OIDJSONB || elementOf(oid) != 0 }

// OrderKey is what x is sorted by: x itself, or its order key.
func (r *Registry) OrderKey(x Expr) Expr {
	if !NeedsOrderKey(x.Type().OID) {
		return x
	}
	return r.keyed("order key", []Expr{x}, func(row *Row, types []uint32) []byte {
		return appendOrderKey(row.data(), types[0], row.args[0].v, row.i&row.args[0].mask)
	}, true)
}

// RowKey is one value for a row of values: equal for equal rows, never NULL.
func (r *Registry) RowKey(xs []Expr) Expr {
	return r.keyed("row key", xs, func(row *Row, types []uint32) []byte {
		dst := row.data()
		for k := range row.args {
			v, i := row.args[k].v, row.i&row.args[k].mask
			if v.Null(i) {
				dst = append(dst, 2)
			} else {
				dst = appendOrderKey(append(dst, 1), types[k], v, i)
			}
		}
		return dst
	}, false)
}

// OrderPair is x behind its order key, so that the smallest pair has the smallest x. OrderValue takes it out again.
//
//	order key │ x │ octets of x (4)
func (r *Registry) OrderPair(x Expr) Expr {
	return r.keyed("order pair", []Expr{x}, func(row *Row, types []uint32) []byte {
		v, i := row.args[0].v, row.i&row.args[0].mask
		dst := appendOrderKey(row.data(), types[0], v, i)
		dst = append(dst, v.Bytes(i)...)
		return binary.BigEndian.AppendUint32(dst, uint32(len(v.Bytes(i))))
	}, true)
}

// OrderValue takes a value of a type out of an order pair.
func (r *Registry) OrderValue(pair Expr, t datum.TypeRef) Expr {
	fn := &Func{Name: "order value " + nameOf(t.OID), Args: []uint32{datum.OIDBytea}, Result: t.OID, Strict: true, build: perRow(func(row *Row) error {
		b := row.Bytes(0)
		if len(b) >= 4 {
			n := int(binary.BigEndian.Uint32(b[len(b)-4:]))
			b = b[:len(b)-4]
			b = b[max(len(b)-n, 0):]
		}
		row.SetString(string(b))
		return nil
	})}
	return &Call{Fn: fn, Args: []Expr{pair}, T: t, Pos: -1}
}

// keyed is a call of a function that appends octets made of its arguments.
func (r *Registry) keyed(name string, xs []Expr, key func(row *Row, types []uint32) []byte, strict bool) Expr {
	types := make([]uint32, len(xs))
	names := []string{name}
	for i, x := range xs {
		types[i] = x.Type().OID
		names = append(names, nameOf(types[i]))
	}
	fn := &Func{Name: strings.Join(names, " "), Args: types, Result: datum.OIDBytea, Strict: strict, build: func(*site) kernel {
		return rowKernel(zset.Bytes, func(row *Row) error {
			row.set(key(row, types))
			return nil
		})
	}}
	return &Call{Fn: fn, Args: xs, T: datum.Ref(datum.OIDBytea), Pos: -1}
}

// appendOrderKey appends the order key of a value that is not NULL.
func appendOrderKey(dst []byte, oid uint32, v *zset.Vec, i int) []byte {
	switch {
	case oid == datum.OIDJSONB:
		return jsonKey(dst, v.Bytes(i))
	case oid == datum.OIDBpchar:
		trimmed := zset.NewVec(zset.Bytes, 1)
		trimmed.AppendBytes(bytes.TrimRight(v.Bytes(i), " "))
		return zset.AppendKey(dst, trimmed, 0, zset.Order{})
	case elementOf(oid) != 0:
		if a, err := decodeArray(v.Bytes(i), elementOf(oid)); err == nil {
			return arrayKey(dst, &a)
		}
	}
	return zset.AppendKey(dst, v, i, zset.Order{})
}

func arrayKey(dst []byte, a *array) []byte {
	for i := range a.elems.N {
		if a.elems.Null(i) {
			dst = append(dst, 2)
		} else {
			dst = appendOrderKey(append(dst, 1), a.elem, a.elems, i)
		}
	}
	dst = append(dst, 0, byte(len(a.dims)))
	for _, d := range a.dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Len))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Lower)^1<<31)
	}
	return dst
}

// jsonKey is in the order of jsontext.Compare.
//
//	0 empty array   1 null   2 string 0   3 number   4 false or true   5 array: length, elements   6 object: length, pairs
func jsonKey(dst, v []byte) []byte {
	v = jsontext.Trim(v)
	switch kind := jsontext.Kind(v); kind {
	case jsontext.Null:
		return append(dst, 1)
	case jsontext.String:
		return stringKey(append(dst, 2), v)
	case jsontext.Number:
		n, arena, _ := numeric.FromText(nil, v)
		return numeric.AppendKey(append(dst, 3), numeric.Val{Num: n, Arena: arena})
	case jsontext.Boolean:
		return append(dst, 4, v[0])
	default:
		n := jsontext.Len(v)
		if kind == jsontext.Array && n == 0 {
			return append(dst, 0)
		}
		rank := byte(5)
		if kind == jsontext.Object {
			rank = 6
		}
		dst = binary.BigEndian.AppendUint32(append(dst, rank), uint32(n))
		for it := jsontext.Members(v); it.Next(); {
			if kind == jsontext.Object {
				dst = stringKey(dst, it.Key)
			}
			dst = jsonKey(dst, it.Value)
		}
		return dst
	}
}

// stringKey is a string of jsonb, which has no zero in it, ended by one.
func stringKey(dst, quoted []byte) []byte {
	dst, _ = jsontext.Unquote(dst, quoted)
	return append(dst, 0)
}
