package expr

import (
	"math"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// declareCasts is pg_cast for the types that are computed with. The bytes of a smaller integer are
// those of a larger one: such casts have no kernel.
func declareCasts(r *Registry) {
	declareIntCasts(r)
	declareFloatCasts(r)
	declareStringCasts(r)
}

func declareIntCasts(r *Registry) {
	for ai, a := range intTypes {
		for bi, b := range intTypes {
			switch {
			case ai < bi:
				r.cast(Implicit, r.fn(b.name+"("+a.name+") "+b.name, nil))
			case ai > bi:
				overflow := b.errRange()
				r.cast(Assignment, r.fn(b.name+"("+a.name+") "+b.name, int1(func(x int64) (int64, error) {
					if x < b.lo || x > b.hi {
						return 0, overflow
					}
					return x, nil
				})))
			}
		}
		r.cast(Implicit, r.fn("numeric("+a.name+") numeric", always(intsToNumerics)))
		r.cast(Assignment, r.fn(a.name+"(numeric) "+a.name, perRow(func(r *Row) error {
			v, err := numeric.ToInt64(r.Num(0), a.lo, a.hi, a.long)
			r.SetInt(v)
			return err
		})))
	}
	r.cast(Explicit, r.fn("int4(bool) int4", nil))
	r.cast(Explicit, r.fn("bool(int4) bool", int1(func(x int64) (int64, error) { return bit(x != 0), nil })))
	errOID := rowFail(sql.NumericOutOfRange, "OID out of range")
	r.cast(Implicit, r.fn("oid(int8) oid", int1(func(x int64) (int64, error) {
		if x < 0 || x > math.MaxUint32 {
			return 0, errOID
		}
		return x, nil
	})))
	unsigned := int1(func(x int64) (int64, error) { return int64(uint32(x)), nil })
	signed := int1(func(x int64) (int64, error) { return int64(int32(x)), nil })
	for _, t := range []string{"int2", "int4"} {
		f, _ := parseSignature("oid(" + t + ") oid")
		f.Strict, f.build = true, unsigned
		r.cast(Implicit, f)
	}
	f, _ := parseSignature("int4(oid) int4")
	f.Strict, f.build = true, signed
	r.cast(Assignment, f)
	r.cast(Assignment, r.fn("int8(oid) int8", nil))
}

func intsToNumerics(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
	out := ev.column(zset.Numeric, n)
	mask := argumentOf(args[0], n).mask
	for i := range out.Nums {
		out.Nums[i] = numeric.FromInt64(args[0].Ints[i&mask])
	}
	return out
}

func intsToFloats(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
	out := ev.column(zset.Float, n)
	mask := argumentOf(args[0], n).mask
	for i := range out.Floats {
		out.Floats[i] = float64(args[0].Ints[i&mask])
	}
	return out
}

func declareFloatCasts(r *Registry) {
	for _, t := range intTypes {
		toFloat4 := perRow(func(r *Row) error {
			r.SetFloat(float64(float32(r.Int(0))))
			return nil
		})
		r.cast(Implicit, r.fn("float8("+t.name+") float8", always(intsToFloats)))
		r.cast(Implicit, r.fn("float4("+t.name+") float4", toFloat4))
		overflow := t.errRange()
		toInt := perRow(func(r *Row) error {
			f := math.RoundToEven(r.Float(0))
			if !(f >= float64(t.lo) && f < -float64(t.lo)) {
				return overflow
			}
			r.SetInt(int64(f))
			return nil
		})
		r.cast(Assignment, r.fn(t.name+"(float8) "+t.name, toInt))
		r.cast(Assignment, r.fn(t.name+"(float4) "+t.name, toInt))
	}
	r.cast(Implicit, r.fn("float8(float4) float8", nil))
	r.cast(Assignment, r.fn("float4(float8) float4", perRow(func(r *Row) error {
		f, err := toFloat4(r.Float(0))
		r.SetFloat(f)
		return err
	})))
	r.cast(Assignment, r.fn("numeric(float8) numeric", perRow(func(r *Row) error {
		n, arena := numeric.FromFloat64(r.data(), r.Float(0))
		return r.setNum(n, arena, nil)
	})))
	r.cast(Assignment, r.fn("numeric(float4) numeric", perRow(func(r *Row) error {
		n, arena := numeric.FromFloat32(r.data(), float32(r.Float(0)))
		return r.setNum(n, arena, nil)
	})))
	r.cast(Implicit, r.fn("float8(numeric) float8", perRow(func(r *Row) error {
		f, ok := numeric.ToFloat64(r.Num(0))
		r.SetFloat(f)
		return numRange(ok, r.Num(0), "double precision")
	})))
	r.cast(Implicit, r.fn("float4(numeric) float4", perRow(func(r *Row) error {
		f, ok := numeric.ToFloat64(r.Num(0))
		if ok {
			var err error
			f, err = toFloat4(f)
			ok = err == nil
		}
		r.SetFloat(f)
		return numRange(ok, r.Num(0), "real")
	})))
}

func numRange(ok bool, v numeric.Val, typ string) error {
	if ok {
		return nil
	}
	return rowFail(sql.NumericOutOfRange, "\"%s\" is out of range for type %s", numeric.AppendText(nil, v), typ)
}

var (
	errFloatOverflow  = rowFail(sql.NumericOutOfRange, "value out of range: overflow")
	errFloatUnderflow = rowFail(sql.NumericOutOfRange, "value out of range: underflow")
)

// toFloat4 rounds to a real.
func toFloat4(f float64) (float64, error) {
	r := float64(float32(f))
	switch {
	case math.IsInf(r, 0) && !math.IsInf(f, 0):
		return 0, errFloatOverflow
	case r == 0 && f != 0:
		return 0, errFloatUnderflow
	}
	return r, nil
}

// declareStringCasts: text, varchar, bpchar and name are one another's; bpchar loses its padding.
func declareStringCasts(r *Registry) {
	r.binaryCast(Implicit, datum.OIDText, datum.OIDVarchar)
	r.binaryCast(Implicit, datum.OIDVarchar, datum.OIDText)
	r.binaryCast(Implicit, datum.OIDText, datum.OIDBpchar)
	r.binaryCast(Implicit, datum.OIDVarchar, datum.OIDBpchar)
	trimmed := slicing(func(r *Row, s []byte) (int, int, error) { return 0, trimmedLen(s), nil })
	toText := r.fn("text(bpchar) text", trimmed)
	r.cast(Implicit, toText)
	toVarchar := *toText
	toVarchar.Result = datum.OIDVarchar
	r.cast(Implicit, &toVarchar)
	r.cast(Implicit, r.fn("text(name) text", nil))
	r.cast(Assignment, r.fn("varchar(name) varchar", nil))
	r.cast(Assignment, r.fn("bpchar(name) bpchar", nil))
	toName := parseText(datum.Ref(datum.OIDName))
	for _, t := range []string{"text", "varchar"} {
		r.cast(Implicit, r.fn("name("+t+") name", always(toName)))
	}
	r.cast(Implicit, r.fn("name(bpchar) name", func(s *site) kernel {
		trim := trimmed(s)
		return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
			return toName(ev, n, []*zset.Vec{trim(ev, n, args, skip)}, skip)
		}
	}))
	declareCharCasts(r)
	boolText := perRow(func(r *Row) error {
		r.SetString(map[bool]string{true: "true", false: "false"}[r.Bool(0)])
		return nil
	})
	r.cast(Assignment, r.fn("text(bool) text", boolText))
	for _, oid := range []uint32{datum.OIDVarchar, datum.OIDBpchar} {
		r.cast(Assignment, &Func{Name: "text", Args: []uint32{datum.OIDBool}, Result: oid, Strict: true, build: boolText})
	}
}

// declareCharCasts has those of "char", the catalog's type of one octet.
func declareCharCasts(r *Registry) {
	first := slicing(func(_ *Row, s []byte) (int, int, error) { return 0, min(len(s), 1), nil })
	r.cast(Implicit, r.fn("text(char) text", nil))
	for _, oid := range []uint32{datum.OIDVarchar, datum.OIDBpchar} {
		r.cast(Assignment, &Func{Name: "text", Args: []uint32{datum.OIDChar}, Result: oid, Strict: true})
	}
	toChar := r.fn("char(text) char", first)
	r.cast(Assignment, toChar)
	for _, oid := range []uint32{datum.OIDVarchar, datum.OIDBpchar} {
		r.cast(Assignment, &Func{Name: "char", Args: []uint32{oid}, Result: datum.OIDChar, Strict: true, build: first})
	}
	r.cast(Explicit, r.fn("int4(char) int4", perRow(func(r *Row) error {
		r.SetInt(0)
		if s := r.Bytes(0); len(s) > 0 {
			r.SetInt(int64(int8(s[0])))
		}
		return nil
	})))
}

// trimmedLen is the length without blanks at the end.
func trimmedLen(s []byte) int {
	n := len(s)
	for n > 0 && s[n-1] == ' ' {
		n--
	}
	return n
}
