package datum

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
)

// Every case has the server make random values and print them, beside what it says
// they are: their binary form, or properties it computes.
func TestParsersAgreeWithTheServer(t *testing.T) {
	srv := pgtest.Start(t)
	conn := srv.Conn(t, "postgres")
	ctx := context.Background()
	for _, set := range []string{
		"SET TimeZone = 'UTC'", "SET DateStyle = 'ISO'", "SET IntervalStyle = 'postgres'", "SET lc_monetary = 'C'",
		"SET extra_float_digits = 1", "SELECT setseed(0.42)", "CREATE EXTENSION hstore",
	} {
		if _, err := conn.Exec(ctx, set); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("builtin", func(t *testing.T) { checkCatalog(t, conn) })
	for _, c := range serverCases {
		t.Run(c.name, func(t *testing.T) { checkCase(t, conn, c) })
	}
}

// serverCase: value is an SQL expression of a random value, which may use r1, r2
// and r3, uniform in [0,1), and n, a row number; truth is what the server says of v.
type serverCase struct {
	name, value, truth string
	check              func(text, truth []byte) error
}

func checkCase(t *testing.T, conn *pgx.Conn, c serverCase) {
	sql := fmt.Sprintf(`SELECT v::text, (%s) FROM (SELECT %s AS v FROM
		(SELECT n, random() r1, random() r2, random() r3 FROM generate_series(1, 2000) n OFFSET 0) r OFFSET 0) s`, c.truth, c.value)
	rows, err := conn.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var text string
		var truth []byte
		if err := rows.Scan(&text, &truth); err != nil {
			t.Fatal(err)
		}
		if err := c.check([]byte(text), truth); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if rows.Err() != nil || n != 2000 {
		t.Fatalf("%d rows, %v", n, rows.Err())
	}
}

// sent compares a parsed value with the eight (or four) octets the server sends,
// and the printed form with the text.
func sent[V comparable](parse func([]byte) (V, error), raw func([]byte) V, print func([]byte, V) []byte) func(text, truth []byte) error {
	return func(text, truth []byte) error {
		v, err := parse(text)
		if err != nil {
			return err
		}
		if want := raw(truth); v != want {
			return fmt.Errorf("read as %v, the server has %v", v, want)
		}
		if print != nil && string(print(nil, v)) != string(text) {
			return fmt.Errorf("prints as %s", print(nil, v))
		}
		return nil
	}
}

func rawInt64[V ~int64](b []byte) V { return V(binary.BigEndian.Uint64(b)) }
func rawInt32[V ~int32](b []byte) V { return V(binary.BigEndian.Uint32(b)) }
func rawFloat(b []byte) float64     { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

func rawPoints(b []byte) (p []Point) {
	for ; len(b) >= 16; b = b[16:] {
		p = append(p, Point{rawFloat(b), rawFloat(b[8:])})
	}
	return p
}

const (
	randomStamp = `CASE n %% 50 WHEN 1 THEN '%[1]sinfinity' WHEN 2 THEN '294276-12-31 23:59:59.999999' WHEN 3 THEN '4714-11-24 00:00:00 BC' ELSE
		((timestamp '2000-01-01' + ((r1 * CASE WHEN r3 < 0.5 THEN 9.2e18 ELSE -2.1e17 END * 10 ^ (-14 * r2))::bigint || ' us')::interval)) :: text END`
	randomPoint = `point((r%d - 0.5) * 1e3, CASE n %% 9 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE r3 * 1e-9 END::float8)`
)

var serverCases = []serverCase{
	{"date", `CASE n % 50 WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '5874897-12-31' WHEN 4 THEN '4714-11-24 BC'
		ELSE (date '2000-01-01' + ((r1 - 0.3) * 10 ^ (1 + r2 * 5.4))::int)::text END::date`, "date_send(v)",
		sent(ParseDate, rawInt32[Date], AppendDate)},
	{"time", `CASE n % 50 WHEN 1 THEN '24:00' ELSE (time '00:00' + ((r1 * 10 ^ (r2 * 11))::bigint || ' us')::interval)::text END::time`,
		"time_send(v)", sent(ParseTime, rawInt64[Time], AppendTime)},
	{"timetz", `((time '00:00' + ((r1 * 86400e6)::bigint || ' us')::interval)::text || to_char((r2 - 0.5) * 30, 'S00') || ':' || to_char(r3 * 59, 'FM00'))::timetz`,
		"timetz_send(v)", sent(ParseTimeTZ, func(b []byte) TimeTZ {
			return TimeTZ{rawInt64[Time](b), -rawInt32[int32](b[8:])} // the server counts seconds west
		}, AppendTimeTZ)},
	{"timestamp", fmt.Sprintf("(%s)::timestamp", fmt.Sprintf(randomStamp, "")), "timestamp_send(v)",
		sent(ParseTimestamp, rawInt64[Timestamp], AppendTimestamp)},
	{"timestamptz", fmt.Sprintf("(%s)::timestamptz", fmt.Sprintf(randomStamp, "-")), "timestamptz_send(v)",
		sent(ParseTimestampTZ, rawInt64[Timestamp], AppendTimestampTZ)},
	{"epoch", fmt.Sprintf("(%s)::timestamp", fmt.Sprintf(randomStamp, "-")), "convert_to(((extract(epoch from v) * 1000000))::text, 'UTF8')",
		func(text, truth []byte) error {
			v, err := ParseTimestamp(text)
			if us, ok := v.UnixMicros(); ok && err == nil {
				if got := fmt.Sprintf("%d.000000", us); got != string(truth) {
					return fmt.Errorf("%s, the server says %s", got, truth)
				}
			}
			return err
		}},
	{"interval", `make_interval(months => ((r1 - 0.5) * 10 ^ (1 + r2 * 8))::int, days => ((r3 - 0.5) * 10 ^ (r1 * 9))::int * (n % 2))
		+ ((((r2 - 0.5) * 10 ^ (r3 * 18))::bigint * (n % 3)) || ' us')::interval`, "interval_send(v)",
		sent(ParseInterval, func(b []byte) Interval {
			return Interval{Micros: rawInt64[int64](b), Days: rawInt32[int32](b[8:]), Months: rawInt32[int32](b[12:])}
		}, AppendInterval)},
	{"float8", `CASE n % 50 WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' WHEN 3 THEN '5e-324' ELSE (r1 - 0.5) * 10 ^ ((r2 - 0.5) * 600) END::float8`,
		"float8send(v)", sent(ParseFloat64, rawFloat, nil)},
	{"float4", `((r1 - 0.5) * 10 ^ ((r2 - 0.5) * 70))::float4`, "float4send(v)", sent(ParseFloat32, func(b []byte) float32 {
		return math.Float32frombits(binary.BigEndian.Uint32(b))
	}, nil)},
	{"int8", `((r1 - 0.5) * 1.8e19)::int8`, "int8send(v)", sent(ParseInt64, rawInt64[int64], nil)},
	{"money", `((((r1 - 0.5) * 10 ^ (r2 * 18))::bigint)::numeric / 100)::money`, "cash_send(v)", sent(ParseMoney, rawInt64[int64], nil)},
	{"numeric", `CASE n % 50 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN repeat('9', 900) || '.' || repeat('7', 100)
		ELSE round(((r1 - 0.5)::numeric * 10::numeric ^ (r2 * 60)::int), (r3 * 30)::int)::text END::numeric`,
		`convert_to((json_build_object('scale', coalesce(scale(v), 0), 'value', v::text, 'unscaled', trim_scale(v * 10::numeric ^ coalesce(scale(v), 0))::text))::text, 'UTF8')`, checkNumeric},
	{"bytea", `decode(repeat(md5(r1::text), (r2 * 3)::int), 'hex')`, "v", func(text, truth []byte) error {
		return same(truth)(AppendBytea(nil, text))
	}},
	{"uuid", `gen_random_uuid()`, "uuid_send(v)", func(text, truth []byte) error {
		id, err := ParseUUID(text)
		return same(truth)(id[:], err)
	}},
	{"varbit", `substring((r1 * 1e18)::bigint::bit(64)::varbit FROM 1 FOR 1 + (r2 * 63)::int)`, "varbit_send(v)", func(text, truth []byte) error {
		b, n, err := AppendBits(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text)
		if n != len(text) {
			return fmt.Errorf("%d bits", n)
		}
		return same(truth)(b, err)
	}},
	{"array", `(ARRAY[NULL, md5(r1::text), 'a"b\' || chr(32 + n % 95), '', 'NULL', chr(200 + n)])[1 + n % 6:6]`,
		"convert_to((array_to_json(v))::text, 'UTF8')", checkTextArray},
	{"composite", `ROW(md5(r1::text), NULL, chr(1 + n % 126) || 'x"', '(' || r2 || ',', '')`, "convert_to((row_to_json(v))::text, 'UTF8')", checkComposite},
	{"range", `CASE n % 9 WHEN 1 THEN 'empty' WHEN 2 THEN '(,)' WHEN 3 THEN '[,infinity]' ELSE
		tsrange(timestamp '2000-01-01' + r1 * interval '9000 years', NULL, '[)')::text END::tsrange`,
		`convert_to((json_build_object('empty', isempty(v), 'lower', lower(v)::text, 'upper', upper(v)::text, 'li', lower_inc(v), 'ui', upper_inc(v)))::text, 'UTF8')`, checkRange},
	{"hstore", `hstore(ARRAY['a"' || chr(1 + n % 126), md5(r1::text), 'NULL'], ARRAY['\' || n, NULL, chr(34)])`, "convert_to((hstore_to_json(v))::text, 'UTF8')", checkHstore},
	{"point", fmt.Sprintf(randomPoint, 1), "point_send(v)", func(text, truth []byte) error {
		p, err := ParsePoint(text)
		return samePoints(truth, err, p)
	}},
	{"box", fmt.Sprintf("box("+randomPoint+", point(r1, r2))", 2), "box_send(v)", func(text, truth []byte) error {
		p, err := ParseBox(text)
		return samePoints(truth, err, p[:]...)
	}},
	{"path", `(CASE n % 2 WHEN 1 THEN '[' ELSE '(' END || '(1,2),(' || r1 || ',' || r2 || ')' || CASE n % 2 WHEN 1 THEN ']' ELSE ')' END)::path`,
		"path_send(v)", func(text, truth []byte) error {
			p, closed, err := ParsePath(nil, text)
			if closed != (truth[0] == 1) {
				return fmt.Errorf("closed: %v", closed)
			}
			return samePoints(truth[5:], err, p...)
		}},
	{"polygon", `polygon(3 + n % 9, circle(point(r1, r2), r3))`, "poly_send(v)", func(text, truth []byte) error {
		p, err := ParsePolygon(nil, text)
		return samePoints(truth[4:], err, p...)
	}},
	{"circle", `circle(point(r1, -r2), r3)`, "circle_send(v)", func(text, truth []byte) error {
		c, err := ParseCircle(text)
		return samePoints(append(truth, make([]byte, 8)...), err, c.Center, Point{c.Radius, 0})
	}},
	{"line", `line(point(r1, r2), point(r3, -r1))`, "line_send(v)", func(text, truth []byte) error {
		l, err := ParseLine(text)
		return samePoints(append(truth, make([]byte, 8)...), err, Point{l.A, l.B}, Point{l.C, 0})
	}},
}

func same(want []byte) func([]byte, error) error {
	return func(got []byte, err error) error {
		if err == nil && string(got) != string(want) {
			err = fmt.Errorf("%x, the server has %x", got, want)
		}
		return err
	}
}

func samePoints(truth []byte, err error, got ...Point) error {
	// Printed, so that NaN equals NaN.
	if want := rawPoints(truth); err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
		err = fmt.Errorf("%v, the server has %v", got, want)
	}
	return err
}

func checkNumeric(text, truth []byte) error {
	var want struct {
		Scale           int
		Value, Unscaled string
	}
	var d apd.Decimal
	if err := ParseNumeric(text, &d); err != nil {
		return err
	}
	if err := json.Unmarshal(truth, &want); err != nil {
		return err
	}
	if d.Text('f') != want.Value {
		return fmt.Errorf("reads as %s", d.Text('f'))
	}
	if d.Form != apd.Finite {
		return nil
	}
	n, _ := ScanNumeric(text)
	b, ok := n.AppendUnscaled(nil, want.Scale)
	if len(n.Frac) != want.Scale || !ok || fromTwos(b).String() != want.Unscaled {
		return fmt.Errorf("scale %d unscaled %s, the server says %d, %s", len(n.Frac), fromTwos(b), want.Scale, want.Unscaled)
	}
	return nil
}

func checkTextArray(text, truth []byte) error {
	a, err := ParseArray(text, ',')
	if err != nil {
		return err
	}
	var want []*string
	if err := json.Unmarshal(truth, &want); err != nil {
		return err
	}
	i := 0
	for it := a.Iter(nil); it.Next(); i++ {
		if err := sameText(want[i], it.Null, it.Value); err != nil {
			return err
		}
	}
	if i != len(want) {
		return fmt.Errorf("%d elements, want %d", i, len(want))
	}
	return nil
}

func sameText(want *string, null bool, got []byte) error {
	switch {
	case want == nil && !null:
		return fmt.Errorf("got %q, the server has NULL", got)
	case want != nil && (null || *want != string(got)):
		return fmt.Errorf("got %q (NULL %v), the server has %q", got, null, *want)
	}
	return nil
}

func checkComposite(text, truth []byte) error {
	var want map[string]*string
	if err := json.Unmarshal(truth, &want); err != nil {
		return err
	}
	it, i := Composite(text, nil), 0
	for it.Next() {
		i++
		if err := sameText(want[fmt.Sprintf("f%d", i)], it.Null, it.Value); err != nil {
			return err
		}
	}
	if i != len(want) {
		return fmt.Errorf("%d fields, want %d", i, len(want))
	}
	return it.Err()
}

func checkRange(text, truth []byte) error {
	var want struct {
		Empty, LI, UI bool
		Lower, Upper  *string
	}
	if err := json.Unmarshal(truth, &want); err != nil {
		return err
	}
	r, _, err := ParseRange(text, nil)
	if err != nil {
		return err
	}
	if r.Empty != want.Empty || r.LowerInc != want.LI || r.UpperInc != want.UI {
		return fmt.Errorf("%+v, the server says %s", r, truth)
	}
	if r.Empty {
		return nil
	}
	if err := sameText(want.Lower, r.LowerInf, r.Lower); err != nil {
		return err
	}
	return sameText(want.Upper, r.UpperInf, r.Upper)
}

func checkHstore(text, truth []byte) error {
	var want map[string]*string
	if err := json.Unmarshal(truth, &want); err != nil {
		return err
	}
	it, n := Hstore(text, nil), 0
	for ; it.Next(); n++ {
		w, ok := want[string(it.Key)]
		if !ok {
			return fmt.Errorf("key %q is not there", it.Key)
		}
		if err := sameText(w, it.Null, it.Value); err != nil {
			return err
		}
	}
	if n != len(want) {
		return fmt.Errorf("%d pairs, want %d", n, len(want))
	}
	return it.Err()
}

// checkCatalog compares the table of built-in types with the server's.
func checkCatalog(t *testing.T, conn *pgx.Conn) {
	rows, err := conn.Query(context.Background(), `SELECT oid, typname, typcategory::text, typtype::text, typarray, typelem, typdelim::text,
		coalesce((SELECT rngsubtype FROM pg_range WHERE rngtypid = t.oid), 0), coalesce((SELECT rngtypid FROM pg_range WHERE rngmultitypid = t.oid), 0)
		FROM pg_type t WHERE oid < 10000 AND typtype IN ('b', 'r', 'm')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	kinds := map[string]Kind{"b": KindBase, "r": KindRange, "m": KindMultirange}
	seen := 0
	for rows.Next() {
		var oid, array, elem, sub, rng uint32
		var name, cat, typ, delim string
		if err := rows.Scan(&oid, &name, &cat, &typ, &array, &elem, &delim, &sub, &rng); err != nil {
			t.Fatal(err)
		}
		b, ok := LookupBuiltin(oid)
		if !ok {
			continue // internal types have no columns
		}
		seen++
		kind, of := kinds[typ], sub+rng
		if b.Kind == KindArray {
			kind, of = KindArray, elem
		}
		if b.Name != name || b.Category != cat[0] || b.Kind != kind || b.Array != array || b.Of != of || b.Kind != KindArray && Delim(oid) != delim[0] {
			t.Errorf("%+v, the server has %d %s %s %s array %d elem %d sub %d range %d", b, oid, name, cat, typ, array, elem, sub, rng)
		}
	}
	if rows.Err() != nil || seen < 140 || seen != len(builtinByOID) {
		t.Errorf("%d of %d types compared, %v", seen, len(builtinByOID), rows.Err())
	}
}
