package template

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/pgtest"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

const zoneName = "America/New_York"

// tryExpr computes an expression of $1 and $2 on the server, or says why not.
const tryExpr = `CREATE OR REPLACE FUNCTION try(e text, a text, b text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; BEGIN EXECUTE 'SELECT (' || replace(replace(e, '$1', quote_literal(a)), '$2', quote_literal(b)) || ')::text' INTO r; RETURN coalesce(r, 'NULL');
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$`

// compare computes expr of every pair here and there.
func compare(t *testing.T, expr string, pairs [][2]string, ours func(a, b string) (string, error)) {
	t.Helper()
	conn := srv.Conn(t, "postgres")
	for _, set := range []string{"SET TimeZone = '" + zoneName + "'", tryExpr} {
		if _, err := conn.Exec(context.Background(), set); err != nil {
			t.Fatal(err)
		}
	}
	as, bs := make([]string, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		as[i], bs[i] = p[0], p[1]
	}
	var want []string
	err := conn.QueryRow(context.Background(), "SELECT array_agg(try($1, a, b) ORDER BY n) FROM unnest($2::text[], $3::text[]) WITH ORDINALITY u(a, b, n)", expr, as, bs).Scan(&want)
	if err != nil || len(want) != len(pairs) {
		t.Fatalf("%s: %d answers, %v", expr, len(want), err)
	}
	wrong := 0
	for i, p := range pairs {
		got, err := ours(p[0], p[1])
		if err != nil {
			got = err.(*datum.Error).Code + " " + err.Error()
		}
		if got != want[i] {
			if wrong++; wrong <= 12 {
				t.Errorf("%s of %q, %q = %q; the server has %q", expr, p[0], p[1], got, want[i])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d wrong", expr, wrong, len(pairs))
	}
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// randomDateTemplate puts keys, modifiers and literals together.
func randomDateTemplate(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(5) {
		b.WriteString(pick(r, []string{"", "", "", "", "FM", "fm", "TM"}))
		b.WriteString(dateKeys[r.IntN(len(dateKeys))].name)
		b.WriteString(pick(r, []string{"", "", "", "", "TH", "th", "SP"}))
		b.WriteString(pick(r, []string{"", " ", "-", "/", ":", ", ", `"at "`, `"a\"b"`, `\"`, "x", "é", `\`}))
	}
	return b.String()
}

func parseTS(s string) datum.Timestamp {
	t, err := datum.ParseTimestamp([]byte(s))
	if err != nil {
		panic(err)
	}
	return t
}

func randomTimestamp(r *rand.Rand) string {
	t := datum.Timestamp(r.Int64N(150*366*datum.Day)) - 75*366*datum.Day
	switch r.IntN(10) {
	case 0:
		t = -datum.Timestamp(r.Int64N(2500 * 366 * datum.Day))
	case 1:
		return pick(r, []string{"0001-01-01 00:00:00", "0001-12-31 12:00:00 BC", "0044-03-15 23:59:59.999999 BC", "2000-12-31 00:00:00", "2001-01-01 12:00:00", "12345-06-07 08:09:10", "1999-01-03 11:00:00", "0600-01-01 00:00:00 BC"})
	}
	return string(datum.AppendTimestamp(nil, t))
}

func TestToCharOfTimestampsAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	zone, err := datetime.LoadZone(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	for i := range dateKeys {
		for _, prefix := range []string{"", "FM"} {
			for _, suffix := range []string{"", "TH"} {
				for range 8 {
					pairs = append(pairs, [2]string{randomTimestamp(r), prefix + dateKeys[i].name + suffix})
				}
			}
		}
	}
	for range 3000 {
		pairs = append(pairs, [2]string{randomTimestamp(r), randomDateTemplate(r)})
	}
	compare(t, "to_char($1::timestamp, $2)", pairs, func(a, b string) (string, error) {
		return string(CompileDate(b).AppendTimestamp(nil, parseTS(a))), nil
	})
	compare(t, "to_char($1::timestamp AT TIME ZONE 'UTC', $2)", pairs, func(a, b string) (string, error) {
		return string(CompileDate(b).AppendTimestampTZ(nil, parseTS(a), zone)), nil
	})
}

func TestToCharOfIntervalsAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var pairs [][2]string
	interval := func() string {
		v := datum.Interval{Months: int32(r.IntN(100) - 30), Days: int32(r.IntN(100) - 30), Micros: r.Int64N(100*datum.Hour) - 30*datum.Hour}
		if r.IntN(4) == 0 {
			v.Months -= v.Months % 12
		}
		return string(datum.AppendInterval(nil, v))
	}
	for i := range dateKeys {
		for range 12 {
			pairs = append(pairs, [2]string{interval(), pick(r, []string{"", "FM"}) + dateKeys[i].name})
		}
	}
	for range 2000 {
		pairs = append(pairs, [2]string{interval(), randomDateTemplate(r)})
	}
	compare(t, "to_char($1::interval, $2)", pairs, func(a, b string) (string, error) {
		v, err := datum.ParseInterval([]byte(a))
		if err != nil {
			t.Fatal(err)
		}
		out, err := CompileDate(b).AppendInterval(nil, v)
		return string(out), err
	})
}

var readTemplates = []string{
	"YYYY-MM-DD", "YYYY-MM-DD HH24:MI:SS", "YYYYMMDD", "DD Mon YYYY", "FMDD FMMonth YYYY", "Day, DD Month YYYY", "YYYY-MM-DD HH12:MI:SS AM", "HH:MI pm", "YY-MM-DD", "Y-MM-DD", "YYY-MM-DD", "Y,YYY-MM-DD",
	"YYYY-DDD", "IYYY-IW-ID", "IYYY-IW", "IYYY-IDDD", "YYYY-WW", "J", "CC YY", "CC", "YYYY BC", "YYYY B.C.", "YYYY-MM-DD HH24:MI:SS.MS", "HH24:MI:SS.US", "SSSS", "HH24:MI:SS.FF3", "FF1", "YYYY-MM-DD TZH:TZM", "YYYY-MM-DDTZH",
	"FXYYYY-MM-DD", "FX YYYY/MM/DD", "YYYY MM DD", "YYYYTHMMDD", "RM YYYY", "MON-DD-YYYY", "Dy DD", "Q YYYY", "YYYY-MM-W", "YYYY TZ", "OF", "YYYY IW", `"year "YYYY`, "MM/DD/YYYY", "DDMMYYYY", "HH24MISS", "YYYYxMMxDD", "FMYYYY-FMMM-FMDD", "D", "YYYY-MM-DD YYYY", "HH12", "MI", "dd.mm.yyyy hh24:mi", "month dd, yyyy",
}

func randomDateText(r *rand.Rand, template string, zone *time.Location) string {
	t := parseTS(randomTimestamp(r))
	s := CompileDate(strings.NewReplacer("TZ", "", "OF", "").Replace(template)).AppendTimestampTZ(nil, t, zone)
	if strings.Contains(template, "TZH") {
		s = CompileDate(template).AppendTimestampTZ(nil, t, zone)
	}
	text := string(s)
	for range r.IntN(3) {
		i := r.IntN(len(text) + 1)
		for i < len(text) && !utf8.RuneStart(text[i]) {
			i++
		}
		switch r.IntN(4) {
		case 0:
			text = text[:i] + pick(r, []string{" ", "-", "  ", "/", "1", "x", ".", "+"}) + text[i:]
		case 1:
			text = text[:i]
		case 2:
			if i < len(text) && text[i] < 0x80 {
				text = text[:i] + text[i+1:]
			}
		}
	}
	return text
}

func TestReadingDatesAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	zone, err := datetime.LoadZone(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	for _, template := range readTemplates {
		for range 60 {
			pairs = append(pairs, [2]string{randomDateText(r, template, zone), template})
		}
	}
	for range 1500 {
		template := randomDateTemplate(r)
		pairs = append(pairs, [2]string{randomDateText(r, template, zone), template})
	}
	compare(t, "to_timestamp($1, $2)", pairs, func(a, b string) (string, error) {
		v, err := CompileDate(b).Timestamp(a, zone)
		return string(datetime.AppendTimestampTZ(nil, v, zone)), err
	})
	compare(t, "to_date($1, $2)", pairs, func(a, b string) (string, error) {
		v, err := CompileDate(b).ToDate(a)
		return string(datum.AppendDate(nil, v)), err
	})
}

var numberTemplates = []string{
	"9", "99", "999", "9.9", "99.99", "0", "00", "000.00", "FM999", "FM999.99", "FM990.00", "FM999,990.00", "999,999", "9,999,999.99", "S999", "999S", "S9.9", "9.9S", "SG999", "999SG", "MI999", "999MI", "9.99MI", "PL999", "999PL", "999PR", "9.9PR", "FM9.9PR",
	"999TH", "999th", "9.9th", "RN", "rn", "FMRN", "99V99", "9V9", "FM99V9", "L999", "9G999D99", "FM9G990D0", "B99", "B9.9", "EEEE", "9.99EEEE", "9EEEE", "9.9999EEEE", "0999", "0999.9", "9990", "990.9", ".9", "FM.99", "FM0.99", "FM9", "FM0", "999 999", `"n="999`, `FM"n="999`, "99x99", "FM9999999999999999.9999999999",
	"0.999", "FM0.000", "S0", "PR9", "SS9", "9.9.9", "9V9.9", "EEEE9", "9EEEEFM", "S9MI", "9S9", "", "x", "FM", "99999999999999999999.9", "SG9.9", "PL9.99", "SGPL9", "FMS999", "FMPL9", "FM9MI", "C9", "SP9", "9SP", "9,9", ",9", "FM,9", "D9", "G9",
}

func randomNumberTemplate(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(7) {
		b.WriteString(pick(r, []string{"9", "9", "9", "0", "0", ",", ".", "FM", "S", "MI", "PL", "SG", "PR", "TH", "V", "B", "L", "G", "D", "RN", "EEEE", " ", "x"}))
	}
	return b.String()
}

var numbers = []string{"0", "1", "-1", "0.1", "-0.1", "0.5", "12.345", "-12.345", "123", "-123", "1234567.891", "0.00", "99.99", "99.995", "-0.004", "1e20", "4000", "3999", "1999", "11", "12", "13", "21", "22", "23", "111", "NaN", "Infinity", "-Infinity", "0.00001234", "123456789012345678", "1.10", "-5"}

func TestToCharOfNumbersAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var pairs [][2]string
	for _, template := range numberTemplates {
		for _, v := range numbers {
			pairs = append(pairs, [2]string{v, template})
		}
	}
	for range 5000 {
		pairs = append(pairs, [2]string{pick(r, numbers), randomNumberTemplate(r)})
	}
	compare(t, "to_char($1::numeric, $2)", pairs, func(a, b string) (string, error) {
		n, err := CompileNumber(b)
		if err != nil {
			return "", err
		}
		v, arena, err := numeric.FromText(nil, []byte(a))
		if err != nil {
			return "", err
		}
		out, err := n.AppendNumeric(nil, numeric.Val{Num: v, Arena: arena})
		return string(out), err
	})
	compare(t, "to_char($1::float8, $2)", pairs, func(a, b string) (string, error) {
		n, err := CompileNumber(b)
		if err != nil {
			return "", err
		}
		f, _ := strconv.ParseFloat(a, 64)
		out, err := n.AppendFloat(nil, f, 15)
		return string(out), err
	})
}

func TestReadingNumbersAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var pairs [][2]string
	templates := append([]string{"999,999.99", "S999.9", "999.9S", "999PR", "L999", "9G999D9", "FM999.99", "99V99", "MI99", "99MI"}, numberTemplates...)
	for range 4000 {
		template := pick(r, templates)
		text := pick(r, numbers)
		if n, err := CompileNumber(template); err == nil && r.IntN(3) > 0 {
			v, arena, _ := numeric.FromText(nil, []byte(text))
			if out, err := n.AppendNumeric(nil, numeric.Val{Num: v, Arena: arena}); err == nil {
				text = string(out)
			}
		}
		if i := r.IntN(len(text) + 1); r.IntN(4) == 0 {
			text = text[:i] + pick(r, []string{" ", "-", "+", ",", ".", "x", "7", "<"}) + text[i:]
		}
		pairs = append(pairs, [2]string{text, template})
	}
	compare(t, "to_number($1, $2)", pairs, func(a, b string) (string, error) {
		n, err := CompileNumber(b)
		if err != nil {
			return "", err
		}
		if n.Empty() {
			return "NULL", nil
		}
		v, arena, err := n.ToNumber(nil, a)
		return string(numeric.AppendText(nil, numeric.Val{Num: v, Arena: arena})), err
	})
}
