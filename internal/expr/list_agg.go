package expr

import (
	"encoding/binary"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// ListOrder is an item of ORDER BY in array_agg or string_agg.
type ListOrder struct {
	X                Expr
	Desc, NullsFirst bool
}

// IsList tells aggregates whose argument is an item made by ListItem: AggArray and AggString.
func (a *Aggregate) IsList() bool { return a.Kind == AggArray || a.Kind == AggString }

// ListItem makes of the arguments of array_agg(x) or string_agg(x, delimiter) the one that the aggregate
// is kept over: octets whose order is the order of the list. Without an order it is that of the values.
//
//	keys of the order, key of x │ what the list shows │ of string_agg: octets of the delimiter (4) │ octets of the middle (4)
//
// It is NULL for what is left out of the list. It sets the aggregate's Arg.
func (r *Registry) ListItem(a *Aggregate, args []Expr, order []ListOrder) (Expr, error) {
	name := strings.Builder{}
	name.WriteString(a.Name + " item")
	var how []zset.Order
	var operands []Expr
	for _, o := range order {
		x, err := r.Decided(o.X, posOf(o.X))
		if err != nil {
			return nil, err
		}
		operands, how = append(operands, x), append(how, zset.Order{Desc: o.Desc, NullsFirst: o.NullsFirst})
		name.WriteString(map[bool]string{true: " desc", false: " asc"}[o.Desc] + map[bool]string{true: " nulls first"}[o.NullsFirst])
	}
	operands = append(operands, args...)
	types := make([]uint32, len(operands))
	for i, x := range operands {
		types[i] = x.Type().OID
	}
	item := arrayItem
	if a.Kind == AggString {
		item = stringItem
	}
	fn := &Func{Name: name.String(), Args: types, Result: datum.OIDBytea, build: func(*site) kernel {
		return rowKernel(zset.Bytes, func(row *Row) error { return item(row, how, len(order), types) })
	}}
	a.Arg = datum.Ref(datum.OIDBytea)
	return &Call{Fn: fn, Args: operands, T: a.Arg, Pos: -1}, nil
}

// keys begins an item with its place in the order: the first n arguments, then x behind them.
func (r *Row) keys(how []zset.Order, n int) []byte {
	dst := r.data()
	for k := range n + 1 {
		var o zset.Order
		if k < n {
			o = how[k]
		}
		a := &r.args[k]
		dst = zset.AppendKey(dst, a.v, r.i&a.mask, o)
	}
	return dst
}

func arrayItem(r *Row, how []zset.Order, n int, types []uint32) error {
	dst := r.keys(how, n)
	at, elem := len(dst), types[n]
	a := &r.args[n]
	switch {
	case elementOf(elem) != 0 && !a.v.Null(r.i&a.mask):
		dst = append(dst, a.v.Bytes(r.i&a.mask)...) // an array in an array is written as it is
	default:
		one := array{elem: elem, elems: a.v}
		dst = one.appendElem(dst, r.i&a.mask)
	}
	r.set(binary.LittleEndian.AppendUint32(dst, uint32(len(dst)-at)))
	return nil
}

func stringItem(r *Row, how []zset.Order, n int, _ []uint32) error {
	if r.Null(n) {
		r.SetNull()
		return nil
	}
	dst := r.keys(how, n)
	at := len(dst)
	var delim []byte
	if !r.Null(n + 1) {
		delim = r.Bytes(n + 1)
	}
	dst = append(append(dst, delim...), r.Bytes(n)...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(delim)))
	r.set(binary.LittleEndian.AppendUint32(dst, uint32(len(dst)-4-at)))
	return nil
}

// AppendItem adds an item to the text of a list, which has begun unless first.
func (a *Aggregate) AppendItem(dst, item []byte, first bool) []byte {
	end := len(item) - 4
	n := int(binary.LittleEndian.Uint32(item[end:]))
	if a.Kind == AggString {
		end -= 4
		shown := item[end-n : end]
		if first {
			shown = shown[binary.LittleEndian.Uint32(item[end:]):]
		}
		return append(dst, shown...)
	}
	if first {
		dst = append(dst, '{')
	} else {
		elem := elementOf(a.Result.OID)
		dst = append(dst, datum.Delim(elem))
	}
	return append(dst, item[end-n:end]...)
}

// EndList ends the text of a list that has items.
func (a *Aggregate) EndList(dst []byte) []byte {
	if a.Kind == AggArray {
		return append(dst, '}')
	}
	return dst
}

// ArrayAggregate is the array of a query's column, and its item. The array of no rows is NULL.
func (r *Registry) ArrayAggregate(x Expr, order []ListOrder, pos int) (*Aggregate, Expr, error) {
	of := x.Type().OID
	result := arrayOf(of)
	if elementOf(of) != 0 {
		result = of
	}
	if result == 0 {
		return nil, nil, fail(sql.UndefinedObject, pos, "could not find array type for data type %s", nameOf(of))
	}
	a := &Aggregate{Name: "array_agg", Kind: AggArray, Result: datum.Ref(result)}
	item, err := r.ListItem(a, []Expr{x}, order)
	return a, item, err
}
