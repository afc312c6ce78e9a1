package expr

import (
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// shift is AT TIME ZONE.
type shift func(t datum.Timestamp, zone *time.Location) (datum.Timestamp, error)

func declareZones(r *Registry) {
	for _, at := range []struct {
		from, to string
		shift    shift
	}{{"timestamp", "timestamptz", datetime.FromLocal}, {"timestamptz", "timestamp", datetime.ToLocal}} {
		types := "," + at.from + ") " + at.to
		r.fn("timezone(text"+types, func(s *site) kernel {
			zone := func(r *Row) (*time.Location, error) { return datetime.LookupZone(string(r.Bytes(0))) }
			if c := s.constant(0); c != nil {
				z, err := datetime.LookupZone(string(c.Bytes(0)))
				zone = func(*Row) (*time.Location, error) { return z, err }
			}
			return zoneKernel(zone, at.shift)
		})
		r.fn("timezone(interval"+types, always(zoneKernel(func(r *Row) (*time.Location, error) {
			return datetime.ZoneOfInterval(r.Interval(0))
		}, at.shift)))
	}
}

func zoneKernel(zone func(r *Row) (*time.Location, error), shift shift) kernel {
	return rowKernel(zset.Int, func(r *Row) error {
		if t := r.timestamp(1); t.IsInfinite() {
			return setMoment(r, t, nil)
		}
		z, err := zone(r)
		if err != nil {
			return err
		}
		t, err := shift(r.timestamp(1), z)
		return setMoment(r, t, err)
	})
}

func declareMakers(r *Registry) {
	r.fn("make_date(int4,int4,int4) date", perRow(func(r *Row) error {
		d, err := datetime.MakeDate(int(r.Int(0)), int(r.Int(1)), int(r.Int(2)))
		return setMoment(r, d, err)
	}))
	r.fn("make_time(int4,int4,float8) time", perRow(func(r *Row) error {
		t, err := datetime.MakeTime(int(r.Int(0)), int(r.Int(1)), r.Float(2))
		return setMoment(r, t, err)
	}))
	const parts = "(int4,int4,int4,int4,int4,float8"
	r.fn("make_timestamp"+parts+") timestamp", perRow(func(r *Row) error {
		t, err := datetime.MakeTimestamp(int(r.Int(0)), int(r.Int(1)), int(r.Int(2)), int(r.Int(3)), int(r.Int(4)), r.Float(5))
		return setMoment(r, t, err)
	}))
	inZone := func(r *Row, zone *time.Location) error {
		t, err := datetime.MakeTimestampTZ(int(r.Int(0)), int(r.Int(1)), int(r.Int(2)), int(r.Int(3)), int(r.Int(4)), r.Float(5), zone)
		return setMoment(r, t, err)
	}
	r.fn("make_timestamptz"+parts+") timestamptz", perRow(func(r *Row) error { return inZone(r, r.zone()) }), stable)
	r.fn("make_timestamptz"+parts+",text) timestamptz", perRow(func(r *Row) error {
		zone, err := datetime.LookupZone(string(r.Bytes(6)))
		if err != nil {
			return err
		}
		return inZone(r, zone)
	}), stable)
	r.fn("make_interval(int4,int4,int4,int4,int4,int4,float8) interval", perRow(func(r *Row) error {
		at := func(k int) int32 { return int32(r.Int(k)) }
		return r.setSpan(datetime.MakeInterval(at(0), at(1), at(2), at(3), at(4), at(5), r.Float(6)))
	}))
	r.fn("to_timestamp(float8) timestamptz", perRow(func(r *Row) error {
		t, err := datetime.FromUnix(r.Float(0))
		return setMoment(r, t, err)
	}))
	declareTimeSeries(r)
	declareOverlaps(r)
}

func declareTimeSeries(r *Registry) {
	r.set("generate_series(timestamp,timestamp,interval) timestamp", timeSeries(func(r *Row, t datum.Timestamp) (datum.Timestamp, error) {
		return datetime.AddInterval(t, r.Interval(2))
	}))
	r.set("generate_series(timestamptz,timestamptz,interval) timestamptz", timeSeries(func(r *Row, t datum.Timestamp) (datum.Timestamp, error) {
		return datetime.AddIntervalTZ(t, r.Interval(2), r.zone())
	}), stable)
}

func timeSeries(next func(r *Row, t datum.Timestamp) (datum.Timestamp, error)) func(*site) func(r *Row) error {
	return func(*site) func(r *Row) error {
		return func(r *Row) error {
			t, end := r.timestamp(0), r.timestamp(1)
			sign := datetime.CompareIntervals(r.Interval(2), datum.Interval{})
			if sign == 0 {
				return errStepZero
			}
			start := r.out.N
			for sign > 0 && t <= end || sign < 0 && t >= end {
				r.out.AppendInt(int64(t))
				var err error
				if t, err = next(r, t); err != nil {
					return err
				}
				if r.out.N-start > maxHeld {
					return errTooMuchHeld
				}
			}
			return nil
		}
	}
}

// declareOverlaps has (a, b) OVERLAPS (c, d), where b and d are ends or lengths.
func declareOverlaps(r *Registry) {
	type adder func(r *Row, t int64, k int) (int64, error)
	for _, of := range []struct {
		typ string
		add adder
		vol Volatility
	}{
		{"timestamp", func(r *Row, t int64, k int) (int64, error) {
			v, err := datetime.AddInterval(datum.Timestamp(t), r.Interval(k))
			return int64(v), err
		}, Immutable},
		{"timestamptz", func(r *Row, t int64, k int) (int64, error) {
			v, err := datetime.AddIntervalTZ(datum.Timestamp(t), r.Interval(k), r.zone())
			return int64(v), err
		}, Stable},
		{"time", func(r *Row, t int64, k int) (int64, error) {
			return int64(datetime.AddTime(datum.Time(t), r.Interval(k))), nil
		}, Immutable},
	} {
		for form := range 4 {
			ends := [2]string{of.typ, of.typ}
			for i := range ends {
				if form>>i&1 != 0 {
					ends[i] = "interval"
				}
			}
			f := r.fn("overlaps("+of.typ+","+ends[0]+","+of.typ+","+ends[1]+") bool", perRow(func(r *Row) error {
				return overlaps(r, func(start, k int) (int64, bool, error) {
					plain := form>>(start/2)&1 == 0
					switch {
					case r.Null(k) || !plain && r.Null(start):
						return 0, false, nil
					case plain:
						return r.Int(k), true, nil
					}
					v, err := of.add(r, r.Int(start), k)
					return v, true, err
				})
			}), lax)
			if form != 0 {
				f.Volatility = of.vol
			}
		}
	}
}

// overlaps compares two spans. Each is given in either order; a NULL end leaves the other as all there is of it.
func overlaps(r *Row, end func(start, k int) (v int64, ok bool, err error)) error {
	var lo, hi [2]int64
	var open [2]bool
	for i := range 2 {
		e, ok, err := end(2*i, 2*i+1)
		switch {
		case err != nil:
			return err
		case r.Null(2*i) && !ok:
			r.SetNull()
			return nil
		case r.Null(2 * i):
			lo[i], open[i] = e, true
		case !ok:
			lo[i], open[i] = r.Int(2*i), true
		default:
			lo[i], hi[i] = min(r.Int(2*i), e), max(r.Int(2*i), e)
		}
	}
	first, second := 0, 1
	if lo[0] > lo[1] {
		first, second = 1, 0
	}
	switch inside := lo[second] < hi[first] || lo[0] == lo[1]; {
	case open[first], open[second] && (!inside || lo[0] == lo[1]):
		r.SetNull()
	default:
		r.SetBool(inside)
	}
	return nil
}
