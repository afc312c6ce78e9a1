package expr

import (
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// zone is the session's zone; UTC when there is none.
func (e *Env) zone() *time.Location {
	if e == nil || e.Zone == nil {
		return time.UTC
	}
	return e.Zone
}

// Shorthands for the arguments and results of functions of time.
func (r *Row) date(k int) datum.Date           { return datum.Date(r.Int(k)) }
func (r *Row) time(k int) datum.Time           { return datum.Time(r.Int(k)) }
func (r *Row) timestamp(k int) datum.Timestamp { return datum.Timestamp(r.Int(k)) }
func (r *Row) zone() *time.Location            { return r.ev.env.zone() }

// setMoment takes what a function of package datetime returns.
func setMoment[T ~int32 | ~int64](r *Row, v T, err error) error {
	r.SetInt(int64(v))
	return err
}

func (r *Row) setSpan(v datum.Interval, err error) error {
	r.SetInterval(v)
	return err
}

// declareTimes has + and - of dates, times and intervals.
func declareTimes(r *Registry) {
	declareDates(r)
	declareTimestamps(r)
	declareTimesOfDay(r)
	declareIntervals(r)
	declareTimeCasts(r)
	declareTimeComparisons(r)
	declareTimeFunctions(r)
	declareExtract(r)
	declareZones(r)
	declareMakers(r)
}

func declareDates(r *Registry) {
	plus := func(date, days int) func(*site) kernel {
		return perRow(func(r *Row) error {
			d, err := datetime.AddDays(r.date(date), int32(r.Int(days)))
			return setMoment(r, d, err)
		})
	}
	r.op("+", "date_pli(date,int4) date", plus(0, 1))
	r.op("+", "integer_pl_date(int4,date) date", plus(1, 0))
	r.op("-", "date_mii(date,int4) date", perRow(func(r *Row) error {
		d, err := datetime.SubDays(r.date(0), int32(r.Int(1)))
		return setMoment(r, d, err)
	}))
	r.op("-", "date_mi(date,date) int4", perRow(func(r *Row) error {
		n, err := datetime.SubDates(r.date(0), r.date(1))
		return setMoment(r, n, err)
	}))
	moved := func(date, span int, move func(datum.Timestamp, datum.Interval) (datum.Timestamp, error)) func(*site) kernel {
		return perRow(func(r *Row) error {
			t, err := datetime.DateToTimestamp(r.date(date))
			if err == nil {
				t, err = move(t, r.Interval(span))
			}
			return setMoment(r, t, err)
		})
	}
	r.op("+", "date_pl_interval(date,interval) timestamp", moved(0, 1, datetime.AddInterval))
	r.op("+", "interval_pl_date(interval,date) timestamp", moved(1, 0, datetime.AddInterval))
	r.op("-", "date_mi_interval(date,interval) timestamp", moved(0, 1, datetime.SubInterval))
	at := func(date, clock int) func(*site) kernel {
		return perRow(func(r *Row) error {
			t, err := datetime.DateTime(r.date(date), r.time(clock))
			return setMoment(r, t, err)
		})
	}
	r.op("+", "datetime_pl(date,time) timestamp", at(0, 1))
	r.op("+", "timedate_pl(time,date) timestamp", at(1, 0))
	r.fn("timestamp(date,time) timestamp", at(0, 1))
	r.fn("timestamptz(date,time) timestamptz", perRow(func(r *Row) error {
		t, err := datetime.DateTimeTZ(r.date(0), r.time(1), r.zone())
		return setMoment(r, t, err)
	}), stable)
}

func declareTimestamps(r *Registry) {
	moved := func(t, span int, move func(datum.Timestamp, datum.Interval) (datum.Timestamp, error)) func(*site) kernel {
		return perRow(func(r *Row) error {
			v, err := move(r.timestamp(t), r.Interval(span))
			return setMoment(r, v, err)
		})
	}
	movedTZ := func(t, span int, move func(datum.Timestamp, datum.Interval, *time.Location) (datum.Timestamp, error)) func(*site) kernel {
		return perRow(func(r *Row) error {
			v, err := move(r.timestamp(t), r.Interval(span), r.zone())
			return setMoment(r, v, err)
		})
	}
	r.op("+", "timestamp_pl_interval(timestamp,interval) timestamp", movedBy(1, moved(0, 1, datetime.AddInterval)))
	r.op("+", "interval_pl_timestamp(interval,timestamp) timestamp", moved(1, 0, datetime.AddInterval))
	r.op("-", "timestamp_mi_interval(timestamp,interval) timestamp", movedBy(-1, moved(0, 1, datetime.SubInterval)))
	r.op("+", "timestamptz_pl_interval(timestamptz,interval) timestamptz", movedTZ(0, 1, datetime.AddIntervalTZ), stable)
	r.op("+", "interval_pl_timestamptz(interval,timestamptz) timestamptz", movedTZ(1, 0, datetime.AddIntervalTZ), stable)
	r.op("-", "timestamptz_mi_interval(timestamptz,interval) timestamptz", movedTZ(0, 1, datetime.SubIntervalTZ), stable)
	between := perRow(func(r *Row) error { return r.setSpan(datetime.SubTimestamps(r.timestamp(0), r.timestamp(1))) })
	r.op("-", "timestamp_mi(timestamp,timestamp) interval", between)
	r.op("-", "timestamptz_mi(timestamptz,timestamptz) interval", between)
}

// movedBy moves timestamps by an interval that is constant and has no months: a plain sum, unless one is near the end of time.
func movedBy(sign int64, otherwise func(*site) kernel) func(*site) kernel {
	return func(s *site) kernel {
		each, by := otherwise(s), s.constant(1)
		if by == nil || by.Intervals[0].Months != 0 {
			return each
		}
		v := by.Intervals[0]
		micros := sign * (v.Micros + int64(v.Days)*datum.Day)
		if limit := int64(100_000 * 366 * datum.Day); v.Micros > limit || v.Micros < -limit || micros > limit || micros < -limit {
			return each
		}
		return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
			out, src := ev.column(zset.Int, n), args[0].Ints
			for i := range out.Ints {
				t := src[i] + micros
				if !datetime.InRange(datum.Timestamp(src[i])) || !datetime.InRange(datum.Timestamp(t)) {
					return each(ev, n, args, skip)
				}
				out.Ints[i] = t
			}
			return out
		}
	}
}

func declareTimesOfDay(r *Registry) {
	r.op("-", "time_mi_time(time,time) interval", perRow(func(r *Row) error {
		r.SetInterval(datum.Interval{Micros: r.Int(0) - r.Int(1)})
		return nil
	}))
	plus := func(t, span int) func(*site) kernel {
		return perRow(func(r *Row) error { return setMoment(r, datetime.AddTime(r.time(t), r.Interval(span)), nil) })
	}
	r.op("+", "time_pl_interval(time,interval) time", plus(0, 1))
	r.op("+", "interval_pl_time(interval,time) time", plus(1, 0))
	r.op("-", "time_mi_interval(time,interval) time", perRow(func(r *Row) error {
		return setMoment(r, datetime.SubTime(r.time(0), r.Interval(1)), nil)
	}))
}

func declareIntervals(r *Registry) {
	r.op("+", "interval_pl(interval,interval) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.AddIntervals(r.Interval(0), r.Interval(1)))
	}))
	r.op("-", "interval_mi(interval,interval) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.SubIntervals(r.Interval(0), r.Interval(1)))
	}))
	r.op("-", "interval_um(interval) interval", perRow(func(r *Row) error { return r.setSpan(datetime.NegInterval(r.Interval(0))) }))
	r.op("*", "interval_mul(interval,float8) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.MulInterval(r.Interval(0), r.Float(1)))
	}))
	r.op("*", "mul_d_interval(float8,interval) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.MulInterval(r.Interval(1), r.Float(0)))
	}))
	r.op("/", "interval_div(interval,float8) interval", perRow(func(r *Row) error {
		return r.setSpan(datetime.DivInterval(r.Interval(0), r.Float(1)))
	}))
	justify := func(name string, f func(datum.Interval) (datum.Interval, error)) {
		r.fn(name+"(interval) interval", perRow(func(r *Row) error { return r.setSpan(f(r.Interval(0))) }))
	}
	justify("justify_hours", datetime.JustifyHours)
	justify("justify_days", datetime.JustifyDays)
	justify("justify_interval", datetime.JustifyInterval)
}

func declareTimeCasts(r *Registry) {
	toTimestamp := func(f func(r *Row) (datum.Timestamp, error)) func(*site) kernel {
		return perRow(func(r *Row) error {
			t, err := f(r)
			return setMoment(r, t, err)
		})
	}
	toTime := func(f func(r *Row) (datum.Time, bool)) func(*site) kernel {
		return perRow(func(r *Row) error {
			t, ok := f(r)
			if !ok {
				r.SetNull()
			}
			return setMoment(r, t, nil)
		})
	}
	r.cast(Implicit, r.fn("timestamp(date) timestamp", toTimestamp(func(r *Row) (datum.Timestamp, error) {
		return datetime.DateToTimestamp(r.date(0))
	})))
	r.cast(Implicit, r.fn("timestamptz(date) timestamptz", toTimestamp(func(r *Row) (datum.Timestamp, error) {
		return datetime.DateToTimestampTZ(r.date(0), r.zone())
	}), stable))
	r.cast(Implicit, r.fn("timestamptz(timestamp) timestamptz", toTimestamp(func(r *Row) (datum.Timestamp, error) {
		return datetime.FromLocal(r.timestamp(0), r.zone())
	}), stable))
	r.cast(Assignment, r.fn("timestamp(timestamptz) timestamp", toTimestamp(func(r *Row) (datum.Timestamp, error) {
		return datetime.ToLocal(r.timestamp(0), r.zone())
	}), stable))
	r.cast(Assignment, r.fn("date(timestamp) date", perRow(func(r *Row) error {
		return setMoment(r, datetime.TimestampToDate(r.timestamp(0)), nil)
	})))
	r.cast(Assignment, r.fn("date(timestamptz) date", perRow(func(r *Row) error {
		return setMoment(r, datetime.TimestampTZToDate(r.timestamp(0), r.zone()), nil)
	}), stable))
	r.cast(Assignment, r.fn("time(timestamp) time", toTime(func(r *Row) (datum.Time, bool) {
		return datetime.TimestampToTime(r.timestamp(0))
	})))
	r.cast(Assignment, r.fn("time(timestamptz) time", toTime(func(r *Row) (datum.Time, bool) {
		return datetime.TimestampTZToTime(r.timestamp(0), r.zone())
	}), stable))
	r.cast(Assignment, r.fn("time(interval) time", perRow(func(r *Row) error {
		return setMoment(r, datetime.IntervalToTime(r.Interval(0)), nil)
	})))
	r.cast(Implicit, r.fn("interval(time) interval", perRow(func(r *Row) error {
		r.SetInterval(datetime.TimeToInterval(r.time(0)))
		return nil
	})))
}

// instants turns a column of a type into timestamps that compare with those of another; nil: they do already.
type instants func(v int64, zone *time.Location) int64

// dateInstant is midnight; a day beyond the timestamps is beyond them all, but for infinity.
func dateInstant(v int64, _ *time.Location) int64 {
	d := datum.Date(v)
	switch {
	case d == datum.DateInfinity:
		return int64(datum.TimestampInfinity)
	case d == datum.DateNegativeInfinity:
		return int64(datum.TimestampNegativeInfinity)
	case v >= int64(datetime.EndTimestamp)/datum.Day:
		return int64(datum.TimestampInfinity) - 1
	}
	return v * datum.Day
}

// localInstant is when clocks in zone show v.
func localInstant(v int64, zone *time.Location) int64 {
	t, err := datetime.FromLocal(datum.Timestamp(v), zone)
	if err != nil { // beyond the range on either side
		if v > 0 {
			return int64(datum.TimestampInfinity) - 1
		}
		return int64(datum.TimestampNegativeInfinity) + 1
	}
	return int64(t)
}

func localDateInstant(v int64, zone *time.Location) int64 {
	return localInstant(dateInstant(v, zone), zone)
}

func compareInstants(rel relation, left, right instants) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		a, b := ev.instants(args[0], left), ev.instants(args[1], right)
		ma, mb := strides(args[0], args[1], n)
		compareOrdered(rel, out.Ints, a, b, ma, mb)
		return out
	})
}

func (ev *evaluation) instants(v *zset.Vec, f instants) []int64 {
	if f == nil {
		return v.Ints
	}
	out, zone := ev.column(zset.Int, v.N).Ints, ev.env.zone()
	for i, x := range v.Ints {
		out[i] = f(x, zone)
	}
	return out
}

func declareTimeComparisons(r *Registry) {
	for _, c := range comparisons {
		for _, pair := range []struct {
			a, b        string
			left, right instants
		}{
			{"date", "timestamp", dateInstant, nil}, {"timestamp", "date", nil, dateInstant},
			{"date", "timestamptz", localDateInstant, nil}, {"timestamptz", "date", nil, localDateInstant},
			{"timestamp", "timestamptz", localInstant, nil}, {"timestamptz", "timestamp", nil, localInstant},
		} {
			f := r.op(c.symbol, pair.a+c.long+"_"+pair.b+"("+pair.a+","+pair.b+") bool", compareInstants(c.cmp, pair.left, pair.right))
			if pair.a == "timestamptz" || pair.b == "timestamptz" {
				f.Volatility = Stable
			}
		}
	}
}
