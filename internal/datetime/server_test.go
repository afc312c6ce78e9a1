package datetime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

const zoneName = "America/New_York"

func testZone(t testing.TB) *time.Location {
	t.Helper()
	zone, err := LoadZone(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// tryExpr computes an expression of $1, $2, … on the server, or says why not.
const tryExpr = `CREATE OR REPLACE FUNCTION try(e text, a text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; BEGIN FOR i IN 1..array_length(a, 1) LOOP e := replace(e, '$' || i, quote_nullable(a[i])); END LOOP;
EXECUTE 'SELECT (' || e || ')::text' INTO r; RETURN coalesce(r, 'NULL');
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$`

// compare computes expr of every row of arguments here and there. ours gives text, or an error.
func compare(t *testing.T, expr string, rows [][]string, ours func(args []string) (string, error)) {
	t.Helper()
	flat := make([]string, len(rows))
	for i, r := range rows {
		quoted := make([]string, len(r))
		for k, a := range r {
			quoted[k] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a) + `"`
		}
		flat[i] = "{" + strings.Join(quoted, ",") + "}"
	}
	conn := srv.Conn(t, "postgres")
	for _, set := range []string{"SET TimeZone = '" + zoneName + "'", tryExpr} {
		if _, err := conn.Exec(context.Background(), set); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	err := conn.QueryRow(context.Background(), "SELECT array_agg(try($1, a::text[]) ORDER BY n) FROM unnest($2::text[]) WITH ORDINALITY u(a, n)", expr, flat).Scan(&want)
	if err != nil || len(want) != len(rows) {
		t.Fatalf("%s: %d answers, %v", expr, len(want), err)
	}
	wrong := 0
	for i, args := range rows {
		got, err := ours(args)
		if err != nil {
			got = err.(*datum.Error).Code + " " + err.Error()
		}
		if got != want[i] {
			if wrong++; wrong <= 6 {
				t.Errorf("%s of %q = %s; the server has %s", expr, args, got, want[i])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d wrong", expr, wrong, len(rows))
	}
}

// random values as text, canonical.
type random struct{ *rand.Rand }

func (r random) timestamp() string {
	switch r.IntN(20) {
	case 0:
		return []string{"infinity", "-infinity", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999", "0001-01-01 00:00:00", "0001-12-31 23:59:59 BC", "2000-02-29 00:00:00", "2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-03-09 02:30:00", "1970-01-01 00:00:00"}[r.IntN(11)]
	case 1, 2:
		return string(datum.AppendTimestamp(nil, MinTimestamp+datum.Timestamp(r.Int64N(1<<62))*2))
	}
	t := datum.Timestamp(r.Int64N(80*366*datum.Day)) - 40*366*datum.Day
	if r.IntN(2) == 0 {
		t -= t % datum.Minute
	}
	return string(datum.AppendTimestamp(nil, t))
}

// near is a timestamp that is finite and whose differences fit 64 bits.
func (r random) near() string {
	for {
		if s := r.timestamp(); !strings.Contains(s, "infinity") && len(s) < 24+3 && s[4] == '-' && !strings.HasSuffix(s, "BC") {
			return s
		}
	}
}

func (r random) date() string {
	if r.IntN(12) == 0 {
		return []string{"infinity", "-infinity", "4714-11-24 BC", "5874897-12-31", "0001-01-01", "0001-12-31 BC", "294277-01-01"}[r.IntN(7)]
	}
	return string(datum.AppendDate(nil, datum.Date(r.IntN(40000)-20000)))
}

func (r random) interval() string {
	var v datum.Interval
	if r.IntN(2) == 0 {
		v.Months = int32(r.IntN(60) - 30)
	}
	if r.IntN(2) == 0 {
		v.Days = int32(r.IntN(100) - 50)
	}
	if r.IntN(3) > 0 {
		v.Micros = r.Int64N(200*datum.Hour) - 100*datum.Hour
	}
	switch r.IntN(20) {
	case 0:
		v = datum.Interval{Months: int32(r.Uint32()), Days: int32(r.Uint32()), Micros: int64(r.Uint64() >> 2)}
	case 1:
		v.Micros -= v.Micros % datum.Hour
	}
	return string(datum.AppendInterval(nil, v))
}

func (r random) time() string {
	return string(datum.AppendTime(nil, datum.Time(r.Int64N(datum.Day+1))))
}

func (r random) rows(n int, columns ...func() string) [][]string {
	rows := make([][]string, n)
	for i := range rows {
		for _, c := range columns {
			rows[i] = append(rows[i], c())
		}
	}
	return rows
}

func ts(s string) datum.Timestamp { t, err := datum.ParseTimestamp([]byte(s)); must(err); return t }
func day(s string) datum.Date     { d, err := datum.ParseDate([]byte(s)); must(err); return d }
func iv(s string) datum.Interval  { v, err := datum.ParseInterval([]byte(s)); must(err); return v }
func clk(s string) datum.Time     { v, err := datum.ParseTime([]byte(s)); must(err); return v }
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func tsText(t datum.Timestamp, err error) (string, error) {
	return string(datum.AppendTimestamp(nil, t)), err
}
func ivText(v datum.Interval, err error) (string, error) {
	return string(datum.AppendInterval(nil, v)), err
}
func dayText(d datum.Date, err error) (string, error) { return string(datum.AppendDate(nil, d)), err }
func clkText(v datum.Time) (string, error)            { return string(datum.AppendTime(nil, v)), nil }

func TestArithmeticAsTheServer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 1))}
	zone := testZone(t)
	tz := func(v datum.Timestamp, err error) (string, error) {
		return string(AppendTimestampTZ(nil, v, zone)), err
	}
	rows := r.rows(1000, r.timestamp, r.interval)
	compare(t, "$1::timestamp + $2::interval", rows, func(a []string) (string, error) { return tsText(AddInterval(ts(a[0]), iv(a[1]))) })
	compare(t, "$1::timestamp - $2::interval", rows, func(a []string) (string, error) { return tsText(SubInterval(ts(a[0]), iv(a[1]))) })
	compare(t, "($1::timestamp AT TIME ZONE 'UTC') + $2::interval", rows, func(a []string) (string, error) { return tz(AddIntervalTZ(ts(a[0]), iv(a[1]), zone)) })
	compare(t, "($1::timestamp AT TIME ZONE 'UTC') - $2::interval", rows, func(a []string) (string, error) { return tz(SubIntervalTZ(ts(a[0]), iv(a[1]), zone)) })
	// What PostgreSQL 15 makes of differences beyond 64 bits, and of ages of infinities, is
	// no result; ours are errors, as later versions have them.
	near := func() string { return r.near() }
	pairs := r.rows(1000, near, near)
	compare(t, "$1::timestamp - $2::timestamp", pairs, func(a []string) (string, error) { return ivText(SubTimestamps(ts(a[0]), ts(a[1]))) })
	compare(t, "age($1::timestamp, $2::timestamp)", pairs, func(a []string) (string, error) { return ivText(Age(ts(a[0]), ts(a[1]))) })
	compare(t, "age($1::timestamp AT TIME ZONE 'UTC', $2::timestamp AT TIME ZONE 'UTC')", pairs, func(a []string) (string, error) { return ivText(AgeTZ(ts(a[0]), ts(a[1]), zone)) })
	compare(t, "$1::timestamp AT TIME ZONE '"+zoneName+"'", rows, func(a []string) (string, error) { return tz(FromLocal(ts(a[0]), zone)) })
	compare(t, "$1::timestamp AT TIME ZONE 'UTC' AT TIME ZONE '"+zoneName+"'", rows, func(a []string) (string, error) { return tsText(ToLocal(ts(a[0]), zone)) })
	compare(t, "date_bin($2::interval, $1::timestamp, '2001-01-01')", rows, func(a []string) (string, error) { return tsText(Bin(iv(a[1]), ts(a[0]), ts("2001-01-01 00:00:00"))) })
}

func TestDatesAsTheServer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(2, 2))}
	zone := testZone(t)
	number := func() string { return strconv.Itoa(r.IntN(20000) - 10000) }
	rows := r.rows(666, r.date, number)
	num := func(s string) int32 { v, _ := strconv.Atoi(s); return int32(v) }
	compare(t, "$1::date + $2::int", rows, func(a []string) (string, error) { return dayText(AddDays(day(a[0]), num(a[1]))) })
	compare(t, "$1::date - $2::int", rows, func(a []string) (string, error) { return dayText(SubDays(day(a[0]), num(a[1]))) })
	compare(t, "$1::date - $2::date", r.rows(666, r.date, r.date), func(a []string) (string, error) {
		n, err := SubDates(day(a[0]), day(a[1]))
		return fmt.Sprint(n), err
	})
	compare(t, "$1::date + $2::time", r.rows(333, r.date, r.time), func(a []string) (string, error) { return tsText(DateTime(day(a[0]), clk(a[1]))) })
	compare(t, "$1::date::timestamptz", rows, func(a []string) (string, error) {
		v, err := DateToTimestampTZ(day(a[0]), zone)
		return string(AppendTimestampTZ(nil, v, zone)), err
	})
	compare(t, "$1::timestamp::date", r.rows(666, r.timestamp), func(a []string) (string, error) { return dayText(TimestampToDate(ts(a[0])), nil) })
	compare(t, "($1::timestamp AT TIME ZONE 'UTC')::date", r.rows(666, r.timestamp), func(a []string) (string, error) { return dayText(TimestampTZToDate(ts(a[0]), zone), nil) })
	compare(t, "($1::timestamp AT TIME ZONE 'UTC')::time", r.rows(666, r.timestamp), func(a []string) (string, error) {
		v, ok := TimestampTZToTime(ts(a[0]), zone)
		if !ok {
			return "NULL", nil
		}
		return clkText(v)
	})
	times := r.rows(333, r.time, r.interval)
	compare(t, "$1::time + $2::interval", times, func(a []string) (string, error) { return clkText(AddTime(clk(a[0]), iv(a[1]))) })
	compare(t, "$1::time - $2::interval", times, func(a []string) (string, error) { return clkText(SubTime(clk(a[0]), iv(a[1]))) })
	compare(t, "$2::interval::time", times, func(a []string) (string, error) { return clkText(IntervalToTime(iv(a[1]))) })
}

func TestIntervalsAsTheServer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(3, 3))}
	factor := func() string {
		return []string{"0", "1", "-1", "2", "0.5", "1.5", "-0.3333", "1e10", "NaN", "Infinity", "0.1", "7", "1e-7"}[r.IntN(13)]
	}
	num := func(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }
	rows := r.rows(1000, r.interval, factor)
	compare(t, "$1::interval * $2::float8", rows, func(a []string) (string, error) { return ivText(MulInterval(iv(a[0]), num(a[1]))) })
	compare(t, "$1::interval / $2::float8", rows, func(a []string) (string, error) { return ivText(DivInterval(iv(a[0]), num(a[1]))) })
	compare(t, "justify_hours($1::interval)", rows, func(a []string) (string, error) { return ivText(JustifyHours(iv(a[0]))) })
	compare(t, "justify_days($1::interval)", rows, func(a []string) (string, error) { return ivText(JustifyDays(iv(a[0]))) })
	compare(t, "justify_interval($1::interval)", rows, func(a []string) (string, error) { return ivText(JustifyInterval(iv(a[0]))) })
	compare(t, "-$1::interval", rows, func(a []string) (string, error) { return ivText(NegInterval(iv(a[0]))) })
	pairs := r.rows(1000, r.interval, r.interval)
	compare(t, "$1::interval + $2::interval", pairs, func(a []string) (string, error) { return ivText(AddIntervals(iv(a[0]), iv(a[1]))) })
	compare(t, "$1::interval - $2::interval", pairs, func(a []string) (string, error) { return ivText(SubIntervals(iv(a[0]), iv(a[1]))) })
	compare(t, "interval_cmp($1::interval, $2::interval)", pairs, func(a []string) (string, error) { return fmt.Sprint(CompareIntervals(iv(a[0]), iv(a[1]))), nil })
}

var truncUnits = []string{"microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "millennium", "MONTH", "foo", "dow", "ago", "timezone", "mons", "centuries"}

func TestTruncAsTheServer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(4, 4))}
	zone := testZone(t)
	unit := func() string { return truncUnits[r.IntN(len(truncUnits))] }
	rows := r.rows(2000, unit, r.timestamp)
	compare(t, "date_trunc($1, $2::timestamp)", rows, func(a []string) (string, error) { return tsText(FieldOf(a[0]).Trunc(ts(a[1]))) })
	compare(t, "date_trunc($1, $2::timestamp AT TIME ZONE 'UTC')", rows, func(a []string) (string, error) {
		v, err := FieldOf(a[0]).TruncTZ(ts(a[1]), zone)
		return string(AppendTimestampTZ(nil, v, zone)), err
	})
	compare(t, "date_trunc($1, $2::interval)", r.rows(1000, unit, r.interval), func(a []string) (string, error) { return ivText(FieldOf(a[0]).TruncInterval(iv(a[1]))) })
}

var extractUnits15 = append([]string{"epoch", "doy", "isodow", "isoyear", "julian", "timezone_hour", "timezone_minute", "infinity", "now", "jan", "millenniums"}, truncUnits...)

func TestExtractAsTheServer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(5, 5))}
	zone := testZone(t)
	unit := func() string { return extractUnits15[r.IntN(len(extractUnits15))] }
	both := func(cast string, rows [][]string, part func(f Field, text string) (Part, error)) {
		compare(t, "extract_as($1, "+cast+")", rows, func(a []string) (string, error) {
			p, err := part(ExtractFieldOf(a[0]), a[1])
			if p.Null {
				return "NULL", err
			}
			return string(numeric.AppendText(nil, numeric.V(p.Numeric()))), err
		})
		if cast == "$2::date" {
			return // date_part of a date is of its timestamp
		}
		compare(t, "date_part($1, "+cast+")", rows, func(a []string) (string, error) {
			p, err := part(ExtractFieldOf(a[0]), a[1])
			if p.Null {
				return "NULL", err
			}
			return floatText(p.Float()), err
		})
	}
	conn := srv.Conn(t, "postgres")
	for _, typ := range []string{"timestamp", "timestamptz", "date", "time", "interval"} {
		_, err := conn.Exec(context.Background(), fmt.Sprintf("CREATE OR REPLACE FUNCTION extract_as(f text, v %[1]s) RETURNS numeric LANGUAGE internal IMMUTABLE STRICT AS 'extract_%[1]s'", typ))
		if err != nil {
			t.Fatal(err)
		}
	}
	rows := r.rows(2000, unit, r.timestamp)
	both("$2::timestamp", rows, func(f Field, s string) (Part, error) { return f.Of(ts(s)) })
	both("$2::timestamp AT TIME ZONE 'UTC'", rows, func(f Field, s string) (Part, error) { return f.OfTZ(ts(s), zone) })
	both("$2::date", r.rows(1000, unit, r.date), func(f Field, s string) (Part, error) { return f.OfDate(day(s)) })
	both("$2::time", r.rows(1000, unit, r.time), func(f Field, s string) (Part, error) { return f.OfTime(clk(s)) })
	both("$2::interval", r.rows(1000, unit, r.interval), func(f Field, s string) (Part, error) { return f.OfInterval(iv(s)) })
}

// floatText prints as float8out does.
func floatText(f float64) string {
	switch s := strconv.FormatFloat(f, 'g', -1, 64); {
	case strings.HasSuffix(s, "Inf"):
		return strings.TrimPrefix(strings.Replace(s, "Inf", "Infinity", 1), "+")
	case f < 1e15 && f > -1e15:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

func TestMakersAsTheServer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(6, 6))}
	zone := testZone(t)
	upTo := func(lo, hi int) func() string {
		return func() string { return strconv.Itoa(lo + r.IntN(hi-lo)) }
	}
	sec := func() string {
		return []string{"0", "59.5", "60", "60.5", "-1", "12.3456789", "NaN", "Infinity", "1e-7", "30"}[r.IntN(10)]
	}
	num := func(s string) int { v, _ := strconv.Atoi(s); return v }
	flt := func(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }
	compare(t, "make_date($1::int, $2::int, $3::int)", r.rows(666, upTo(-20, 3000), upTo(0, 14), upTo(0, 33)), func(a []string) (string, error) {
		return dayText(MakeDate(num(a[0]), num(a[1]), num(a[2])))
	})
	compare(t, "make_time($1::int, $2::int, $3::float8)", r.rows(333, upTo(-1, 26), upTo(-1, 62), sec), func(a []string) (string, error) {
		v, err := MakeTime(num(a[0]), num(a[1]), flt(a[2]))
		return string(datum.AppendTime(nil, v)), err
	})
	rows := r.rows(666, upTo(-20, 3000), upTo(1, 13), upTo(1, 32), upTo(0, 25), upTo(0, 60), sec)
	compare(t, "make_timestamp($1::int, $2::int, $3::int, $4::int, $5::int, $6::float8)", rows, func(a []string) (string, error) {
		return tsText(MakeTimestamp(num(a[0]), num(a[1]), num(a[2]), num(a[3]), num(a[4]), flt(a[5])))
	})
	compare(t, "make_timestamptz($1::int, $2::int, $3::int, $4::int, $5::int, $6::float8)", rows, func(a []string) (string, error) {
		v, err := MakeTimestampTZ(num(a[0]), num(a[1]), num(a[2]), num(a[3]), num(a[4]), flt(a[5]), zone)
		return string(AppendTimestampTZ(nil, v, zone)), err
	})
	rows = r.rows(333, upTo(-5, 5), upTo(-20, 20), upTo(-5, 5), upTo(-50, 50), upTo(-100, 100), upTo(-100, 100), sec)
	compare(t, "make_interval($1::int, $2::int, $3::int, $4::int, $5::int, $6::int, $7::float8)", rows, func(a []string) (string, error) {
		return ivText(MakeInterval(int32(num(a[0])), int32(num(a[1])), int32(num(a[2])), int32(num(a[3])), int32(num(a[4])), int32(num(a[5])), flt(a[6])))
	})
	unix := func() string {
		return []string{"0", "1.5", "-1.5", "1e9", "1700000000.123456789", "NaN", "Infinity", "-Infinity", "1e13", "-1e13", "-210866803200", "9224318015999", "0.0000005", "0.0000015"}[r.IntN(14)]
	}
	compare(t, "to_timestamp($1::float8)", r.rows(200, unix), func(a []string) (string, error) {
		v, err := FromUnix(flt(a[0]))
		return string(AppendTimestampTZ(nil, v, zone)), err
	})
}
