package expr

import (
	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// fieldOf makes what gives the unit that argument 0 names: for a constant it is looked up once.
func fieldOf(s *site, lookup func(string) datetime.Field) func(r *Row) datetime.Field {
	if c := s.constant(0); c != nil {
		f := lookup(string(c.Bytes(0)))
		return func(*Row) datetime.Field { return f }
	}
	return func(r *Row) datetime.Field { return lookup(string(r.Bytes(0))) }
}

// part is extract or date_part of argument 1.
type part func(f datetime.Field, r *Row) (datetime.Part, error)

func declareExtract(r *Registry) {
	for _, from := range []struct {
		typ  string
		part part
	}{
		{"timestamp", func(f datetime.Field, r *Row) (datetime.Part, error) { return f.Of(r.timestamp(1)) }},
		{"timestamptz", func(f datetime.Field, r *Row) (datetime.Part, error) { return f.OfTZ(r.timestamp(1), r.zone()) }},
		{"date", func(f datetime.Field, r *Row) (datetime.Part, error) { return f.OfDate(r.date(1)) }},
		{"time", func(f datetime.Field, r *Row) (datetime.Part, error) { return f.OfTime(r.time(1)) }},
		{"interval", func(f datetime.Field, r *Row) (datetime.Part, error) { return f.OfInterval(r.Interval(1)) }},
	} {
		part, ofTimestamp := from.part, from.part
		if from.typ == "date" {
			ofTimestamp = func(f datetime.Field, r *Row) (datetime.Part, error) {
				t, err := datetime.DateToTimestamp(r.date(1))
				if err != nil {
					return datetime.Part{}, err
				}
				return f.Of(t)
			}
		}
		numeric := r.fn("extract(text,"+from.typ+") numeric", partKernel(zset.Numeric, part))
		float := r.fn("date_part(text,"+from.typ+") float8", partKernel(zset.Float, ofTimestamp))
		if from.typ == "timestamptz" {
			numeric.Volatility, float.Volatility = Stable, Stable
		}
	}
}

func partKernel(kind zset.Kind, of part) func(*site) kernel {
	return func(s *site) kernel {
		field := fieldOf(s, datetime.ExtractFieldOf)
		return rowKernel(kind, func(r *Row) error {
			p, err := of(field(r), r)
			switch {
			case err != nil:
				return err
			case p.Null:
				r.SetNull()
			case kind == zset.Numeric:
				r.out.Nums[r.i] = p.Numeric()
			default:
				r.SetFloat(p.Float())
			}
			return nil
		})
	}
}

// truncKernel makes date_trunc.
func truncKernel(kind zset.Kind, trunc func(f datetime.Field, r *Row) error) func(*site) kernel {
	return func(s *site) kernel {
		field := fieldOf(s, datetime.FieldOf)
		return rowKernel(kind, func(r *Row) error { return trunc(field(r), r) })
	}
}

func declareTimeFunctions(r *Registry) {
	r.fn("date_trunc(text,timestamp) timestamp", truncKernel(zset.Int, func(f datetime.Field, r *Row) error {
		t, err := f.Trunc(r.timestamp(1))
		return setMoment(r, t, err)
	}))
	r.fn("date_trunc(text,timestamptz) timestamptz", truncKernel(zset.Int, func(f datetime.Field, r *Row) error {
		t, err := f.TruncTZ(r.timestamp(1), r.zone())
		return setMoment(r, t, err)
	}), stable)
	r.fn("date_trunc(text,timestamptz,text) timestamptz", truncKernel(zset.Int, func(f datetime.Field, r *Row) error {
		if t := r.timestamp(1); t.IsInfinite() {
			return setMoment(r, t, nil)
		}
		zone, err := datetime.LookupZone(string(r.Bytes(2)))
		if err != nil {
			return err
		}
		t, err := f.TruncTZ(r.timestamp(1), zone)
		return setMoment(r, t, err)
	}), stable)
	r.fn("date_trunc(text,interval) interval", truncKernel(zset.Interval, func(f datetime.Field, r *Row) error {
		return r.setSpan(f.TruncInterval(r.Interval(1)))
	}))
	for _, t := range []string{"timestamp", "timestamptz"} {
		r.fn("date_bin(interval,"+t+","+t+") "+t, perRow(func(r *Row) error {
			v, err := datetime.Bin(r.Interval(0), r.timestamp(1), r.timestamp(2))
			return setMoment(r, v, err)
		}))
		r.fn("isfinite("+t+") bool", perRow(func(r *Row) error {
			r.SetBool(!r.timestamp(0).IsInfinite())
			return nil
		}))
	}
	r.fn("isfinite(date) bool", perRow(func(r *Row) error {
		r.SetBool(!r.date(0).IsInfinite())
		return nil
	}))
	r.fn("isfinite(interval) bool", perRow(func(r *Row) error {
		r.SetBool(true)
		return nil
	}))
	declareAge(r)
}

func declareAge(r *Registry) {
	r.fn("age(timestamp,timestamp) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.Age(r.timestamp(0), r.timestamp(1)))
	}))
	r.fn("age(timestamptz,timestamptz) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.AgeTZ(r.timestamp(0), r.timestamp(1), r.zone()))
	}))
	// Of one moment it is the age at the start of today.
	today := func(r *Row) datum.Timestamp {
		t, _ := datetime.DateToTimestamp(datetime.TimestampTZToDate(r.Env().Now, r.zone())) // now is in range
		return t
	}
	r.fn("age(timestamp) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.Age(today(r), r.timestamp(0)))
	}), changing)
	r.fn("age(timestamptz) interval", perRow(func(r *Row) error {
		local, err := datetime.ToLocal(r.timestamp(0), r.zone())
		if err != nil {
			return err
		}
		return r.setSpan(datetime.Age(today(r), local))
	}), changing)
}
