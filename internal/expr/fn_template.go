package expr

import (
	"github.com/weirstream/weir/internal/datetime/template"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// templated makes a function whose argument 1 is a template: a constant is compiled with the expression, others
// are remembered.
func templated[T any](compile func(text string) (*T, error), f func(r *Row, t *T) error) func(*site) kernel {
	return func(s *site) kernel {
		kind := zset.KindOf(s.result.OID)
		if c := s.constant(1); c != nil {
			if t, err := compile(string(c.Bytes(0))); err == nil {
				return rowKernel(kind, func(r *Row) error { return f(r, t) })
			}
		}
		return rowKernel(kind, func(r *Row) error {
			t, err := kept(r.ev, func() *compiled[T] { return &compiled[T]{} }).get(r.Bytes(1),
				func(key []byte) (*T, error) { return compile(string(key)) })
			if err != nil {
				return err
			}
			return f(r, t)
		})
	}
}

func dateTemplate(text string) (*template.Date, error) { return template.CompileDate(text), nil }

func declareTemplates(r *Registry) {
	moment := func(print func(r *Row, t *template.Date) []byte) func(*site) kernel {
		return templated(dateTemplate, func(r *Row, t *template.Date) error {
			if len(r.Bytes(1)) == 0 || r.timestamp(0).IsInfinite() {
				r.SetNull()
				return nil
			}
			r.set(print(r, t))
			return nil
		})
	}
	r.fn("to_char(timestamp,text) text", moment(func(r *Row, t *template.Date) []byte {
		return t.AppendTimestamp(r.data(), r.timestamp(0))
	}), stable)
	r.fn("to_char(timestamptz,text) text", moment(func(r *Row, t *template.Date) []byte {
		return t.AppendTimestampTZ(r.data(), r.timestamp(0), r.zone())
	}), stable)
	r.fn("to_char(interval,text) text", templated(dateTemplate, func(r *Row, t *template.Date) error {
		if len(r.Bytes(1)) == 0 {
			r.SetNull()
			return nil
		}
		return r.setText(t.AppendInterval(r.data(), r.Interval(0)))
	}), stable)
	r.fn("to_date(text,text) date", templated(dateTemplate, func(r *Row, t *template.Date) error {
		d, err := t.ToDate(string(r.Bytes(0)))
		return setMoment(r, d, err)
	}), stable)
	r.fn("to_timestamp(text,text) timestamptz", templated(dateTemplate, func(r *Row, t *template.Date) error {
		v, err := t.Timestamp(string(r.Bytes(0)), r.zone())
		return setMoment(r, v, err)
	}), stable)
	declareNumberTemplates(r)
}

// setText takes what a function that appends text returns.
func (r *Row) setText(dst []byte, err error) error {
	if err == nil {
		r.set(dst)
	}
	return err
}

func declareNumberTemplates(r *Registry) {
	number := func(print func(r *Row, t *template.Number) ([]byte, error)) func(*site) kernel {
		return templated(template.CompileNumber, func(r *Row, t *template.Number) error {
			if t.Empty() {
				return nil
			}
			return r.setText(print(r, t))
		})
	}
	for _, t := range []string{"int4", "int8"} {
		r.fn("to_char("+t+",text) text", number(func(r *Row, t *template.Number) ([]byte, error) {
			return t.AppendNumeric(r.data(), numeric.V(numeric.FromInt64(r.Int(0))))
		}), stable)
	}
	r.fn("to_char(numeric,text) text", number(func(r *Row, t *template.Number) ([]byte, error) {
		return t.AppendNumeric(r.data(), r.Num(0))
	}), stable)
	r.fn("to_char(float8,text) text", number(func(r *Row, t *template.Number) ([]byte, error) {
		return t.AppendFloat(r.data(), r.Float(0), 15)
	}), stable)
	r.fn("to_char(float4,text) text", number(func(r *Row, t *template.Number) ([]byte, error) {
		return t.AppendFloat(r.data(), r.Float(0), 6)
	}), stable)
	r.fn("to_number(text,text) numeric", templated(template.CompileNumber, func(r *Row, t *template.Number) error {
		if len(r.Bytes(1)) == 0 {
			r.SetNull()
			return nil
		}
		return r.setNum(t.ToNumber(r.data(), string(r.Bytes(0))))
	}), stable)
}
