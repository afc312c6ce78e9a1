package expr

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// array is an array value taken apart: its elements as a column.
type array struct {
	elem  uint32
	dims  []datum.Dim
	elems *zset.Vec
}

// canonical is how the text of array elements is written: without a session.
var canonical = pgvalue.Options{Cast: true}

// decodeArray reads an array's text.
func decodeArray(text []byte, elem uint32) (array, error) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return decodeVector(text, elem)
	}
	a, err := datum.ParseArray(text, datum.Delim(elem))
	if err != nil {
		return array{}, rowFail(sql.InvalidText, "malformed array literal: %q", text)
	}
	out := array{elem: elem, dims: slices.Clone(a.Dims[:a.NDim]), elems: zset.NewVec(zset.KindOf(elem), a.Len)}
	for it := a.Iter(nil); it.Next(); {
		if it.Null {
			out.elems.AppendNull()
		} else if err := pgvalue.AppendValue(out.elems, datum.Ref(elem), it.Value, canonical); err != nil {
			return array{}, err
		}
	}
	return out, nil
}

// decodeVector reads int2vector's text and oidvector's: numbers with blanks between them, counted from 0.
func decodeVector(text []byte, elem uint32) (array, error) {
	out := array{elem: elem, elems: zset.NewVec(zset.KindOf(elem), 4)}
	for word := range bytes.FieldsSeq(text) {
		if err := pgvalue.AppendValue(out.elems, datum.Ref(elem), word, canonical); err != nil {
			return array{}, rowFail(sql.InvalidText, "malformed array literal: \"%s\"", text)
		}
	}
	if out.elems.N > 0 {
		out.dims = []datum.Dim{{Lower: 0, Len: int32(out.elems.N)}}
	}
	return out, nil
}

// list is an array of one dimension.
func list(elem uint32, elems *zset.Vec) array {
	a := array{elem: elem, elems: elems}
	if elems.N > 0 {
		a.dims = []datum.Dim{{Lower: 1, Len: int32(elems.N)}}
	}
	return a
}

// append appends the array's text.
func (a *array) append(dst []byte) []byte {
	if len(a.dims) == 0 || a.elems.N == 0 {
		return append(dst, "{}"...)
	}
	if slices.ContainsFunc(a.dims, func(d datum.Dim) bool { return d.Lower != 1 }) {
		for _, d := range a.dims {
			dst = strconv.AppendInt(append(dst, '['), int64(d.Lower), 10)
			dst = strconv.AppendInt(append(dst, ':'), int64(d.Lower)+int64(d.Len)-1, 10)
			dst = append(dst, ']')
		}
		dst = append(dst, '=')
	}
	dst, _ = a.appendDim(dst, 0, 0)
	return dst
}

// appendDim appends the elements from at on that are one item of the dimension before depth.
func (a *array) appendDim(dst []byte, depth, at int) ([]byte, int) {
	dst = append(dst, '{')
	for i := range int(a.dims[depth].Len) {
		if i > 0 {
			dst = append(dst, datum.Delim(a.elem))
		}
		if depth < len(a.dims)-1 {
			dst, at = a.appendDim(dst, depth+1, at)
			continue
		}
		dst = a.appendElem(dst, at)
		at++
	}
	return append(dst, '}'), at
}

func (a *array) appendElem(dst []byte, i int) []byte {
	if a.elems.Null(i) {
		return append(dst, "NULL"...)
	}
	if a.elems.Kind != zset.Bytes && a.elem != datum.OIDTimestamp && a.elem != datum.OIDTimestampTZ && a.elem != datum.OIDInterval && a.elem != datum.OIDDate {
		return pgvalue.AppendText(dst, a.elems, i, datum.Ref(a.elem), canonical)
	}
	return appendQuoted(dst, pgvalue.AppendText(nil, a.elems, i, datum.Ref(a.elem), canonical), datum.Delim(a.elem))
}

// appendQuoted appends an element's text, in quotes where an array needs them.
func appendQuoted(dst, text []byte, delim byte) []byte {
	plain := len(text) > 0 && !bytes.EqualFold(text, []byte("null"))
	for _, c := range text {
		switch c {
		case '"', '\\', '{', '}', delim, ' ', '\t', '\n', '\r', '\v', '\f':
			plain = false
		}
	}
	if plain {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// array is argument k, an array of elem.
func (r *Row) array(k int, elem uint32) (array, error) { return decodeArray(r.Bytes(k), elem) }

// setArray makes an array the result.
func (r *Row) setArray(a array) { r.set(a.append(r.data())) }

// arrayFunc is ARRAY[…]: of values, or of arrays with equal dimensions.
func arrayFunc(item, arr uint32) *Func {
	build := func(r *Row) error { return arrayOfValues(r, item) }
	if item == arr {
		build = func(r *Row) error { return arrayOfArrays(r, elementOf(arr)) }
	}
	return &Func{Name: "array " + typeKey(item), Args: []uint32{item}, Result: arr, Variadic: true, build: perRow(build)}
}

func arrayOfValues(r *Row, elem uint32) error {
	elems := zset.NewVec(zset.KindOf(elem), r.Len())
	for k := range r.args {
		a := &r.args[k]
		elems.AppendFrom(a.v, r.i&a.mask)
	}
	r.setArray(list(elem, elems))
	return nil
}

var errDims = rowFail("2202E", "multidimensional arrays must have array expressions with matching dimensions")

func arrayOfArrays(r *Row, elem uint32) error {
	out := array{elem: elem, elems: zset.NewVec(zset.KindOf(elem), r.Len())}
	for k := range r.args {
		var a array
		if !r.Null(k) {
			var err error
			if a, err = r.array(k, elem); err != nil {
				return err
			}
		}
		switch {
		case k == 0:
			out.dims = append([]datum.Dim{{Lower: 1, Len: int32(r.Len())}}, a.dims...)
			if len(a.dims) == 0 {
				out.dims = nil
			}
		case len(out.dims) == 0 && len(a.dims) > 0, len(out.dims) > 0 && !slices.Equal(out.dims[1:], a.dims):
			return errDims
		}
		if a.elems != nil {
			out.elems.AppendAll(a.elems)
		}
	}
	if len(out.dims) > datum.MaxDims {
		return rowFail(sql.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(out.dims), datum.MaxDims)
	}
	r.setArray(out)
	return nil
}

// elementsFunc applies one, a call over column 0, to every element of an array.
func elementsFunc(from, to uint32, one Expr) *Func {
	name := "each"
	Walk(one, func(e Expr) {
		if c, ok := e.(*Call); ok {
			name += " " + c.Fn.Name
		}
	})
	return &Func{
		Name: name, Args: []uint32{from}, Result: to, Strict: true, Volatility: volatilityOf(one),
		build: func(*site) kernel {
			p := Compile([]Expr{one})
			return rowKernel(zset.Bytes, func(r *Row) error {
				a, err := r.array(0, elementOf(from))
				if err != nil {
					return err
				}
				out, errs := p.Eval(&zset.Chunk{N: a.elems.N, Cols: []*zset.Vec{a.elems}}, r.Env())
				if errs != nil {
					return errs[0].Err
				}
				a.elem, a.elems = elementOf(to), out[0]
				r.setArray(a)
				return nil
			})
		},
	}
}
