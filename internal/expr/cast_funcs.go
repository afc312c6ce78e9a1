package expr

import (
	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datetime/input"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// relabelFunc changes the type and not a bit. It is never called.
func relabelFunc(from, to uint32) *Func {
	return &Func{Name: "relabel", Args: []uint32{from}, Result: to, Strict: true}
}

// castElements converts an array element by element.
func (r *Registry) castElements(e Expr, to uint32, how How, pos int) (Expr, error) {
	from := e.Type().OID
	one, err := r.convert(&Column{T: datum.Ref(elementOf(from))}, datum.Ref(elementOf(to)), how, pos)
	if err != nil {
		return nil, err
	}
	return &Call{Fn: elementsFunc(from, to, one), Args: []Expr{e}, T: datum.Ref(to), Pos: pos}, nil
}

// modFunc applies a modifier; nil when the type has none.
func modFunc(t datum.TypeRef, how How) *Func {
	var f func(r *Row) error
	switch t.OID {
	case datum.OIDNumeric:
		f = func(r *Row) error { return r.setNum(numeric.FitTypmod(r.data(), r.Num(0), t.Mod)) }
	case datum.OIDVarchar, datum.OIDBpchar:
		return lengthFunc(t, how)
	case datum.OIDTime, datum.OIDTimestamp, datum.OIDTimestampTZ, datum.OIDInterval:
		f = timeModFunc(t)
	default:
		if elem := elementOf(t.OID); elem != 0 {
			one := modFunc(datum.TypeRef{OID: elem, Mod: t.Mod}, how)
			if one == nil {
				return nil
			}
			in := &Column{T: datum.Ref(elem)}
			return elementsFunc(t.OID, t.OID, &Call{Fn: one, Args: []Expr{in}, T: datum.TypeRef{OID: elem, Mod: t.Mod}, Pos: -1})
		}
		return nil
	}
	return &Func{
		Name: "fit " + FormatType(t), Args: []uint32{t.OID}, Result: t.OID, Strict: true,
		build: always(rowKernel(zset.KindOf(t.OID), f)),
	}
}

// lengthFunc applies varchar(n) or char(n): a cast cuts off, an assignment refuses.
func lengthFunc(t datum.TypeRef, how How) *Func {
	name := "fit "
	if how == Explicit {
		name = "cut "
	}
	return &Func{
		Name: name + FormatType(t), Args: []uint32{t.OID}, Result: t.OID, Strict: true,
		build: always(parseWith(t, how == Explicit)),
	}
}

// timeModFunc rounds to a precision; of an interval it also drops the fields that its type has not.
func timeModFunc(t datum.TypeRef) func(r *Row) error {
	switch t.OID {
	case datum.OIDInterval:
		return func(r *Row) error { return r.setSpan(input.FitInterval(r.Interval(0), t.Mod)) }
	case datum.OIDTime:
		return func(r *Row) error {
			r.SetInt(datetime.RoundMicros(r.Int(0), t.Mod))
			return nil
		}
	}
	return func(r *Row) error {
		return setMoment(r, datetime.RoundTimestamp(r.timestamp(0), t.Mod), nil)
	}
}
