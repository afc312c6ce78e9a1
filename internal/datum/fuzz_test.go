package datum

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// What is read prints as itself, when it is in the form PostgreSQL prints; and
// nothing makes a parser panic.
func FuzzTime(f *testing.F) {
	for _, s := range []string{
		"2024-02-29", "0044-03-15 BC", "infinity", "12:34:56.789", "24:00:00", "12:00:00-15:59:59", "2024-02-29 12:34:56.1",
		"4714-11-24 00:00:00+00 BC", "1 year 2 mons -3 days +04:05:06.78", "-178956970 years -8 mons", "1 day 25:00:00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := ParseDate(b); err == nil {
			again(t, b, v, ParseDate, AppendDate)
		}
		if v, err := ParseTime(b); err == nil {
			again(t, b, v, ParseTime, AppendTime)
		}
		if v, err := ParseTimeTZ(b); err == nil {
			again(t, b, v, ParseTimeTZ, AppendTimeTZ)
		}
		if v, err := ParseTimestamp(b); err == nil {
			again(t, b, v, ParseTimestamp, AppendTimestamp)
		}
		if v, err := ParseTimestampTZ(b); err == nil {
			again(t, b, v, ParseTimestampTZ, AppendTimestampTZ)
		}
		if v, err := ParseInterval(b); err == nil {
			again(t, b, v, ParseInterval, AppendInterval)
		}
	})
}

func again[V comparable](t *testing.T, b []byte, v V, parse func([]byte) (V, error), print func([]byte, V) []byte) {
	t.Helper()
	text := print(nil, v)
	if w, err := parse(text); err != nil || w != v {
		t.Fatalf("%q reads as %v, prints as %q, and that reads as %v, %v", b, v, text, w, err)
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-12.50", "NaN", "-Infinity", "99999999999999999999.9999999999", "1e+300", "$1,234.56", "t"} {
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, b []byte, scale int) {
		ParseBool(b)
		ParseInt16(b)
		ParseInt32(b)
		ParseInt64(b)
		ParseOID(b)
		ParseFloat32(b)
		ParseFloat64(b)
		ParseMoney(b)
		var d apd.Decimal
		n, err := ScanNumeric(b)
		if err2 := ParseNumeric(b, &d); (err == nil) != (err2 == nil) {
			t.Fatalf("%q: ScanNumeric %v, ParseNumeric %v", b, err, err2)
		}
		if err != nil || n.Form != Finite {
			return
		}
		got, ok := n.AppendUnscaled(nil, len(n.Frac)+max(scale, 0)%40)
		if !ok || (fromTwos(got).Sign() < 0) != (n.Negative && d.Sign() != 0) {
			t.Fatalf("%q: unscaled %x, %v", b, got, ok)
		}
		n.AppendUnscaled(nil, scale%2000)
	})
}

func FuzzNested(f *testing.F) {
	for _, s := range []string{
		`{1,NULL,"a\"b"}`, "[2:3][0:0]={{1},{2}}", `(1,"a ""b""",)`, `["2019-03-31 15:30:00",infinity)`, "{[1,2),(5,)}",
		`"a"=>"1", "b"=>NULL`, "((1,2),(3,4))", "<(1,2),3>", "{1,2,3}", `\xdeadbeef`, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "1010",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, delim := range []byte{',', ';'} {
			if a, err := ParseArray(b, delim); err == nil {
				checkArray(t, b, a)
			}
		}
		for it := Composite(b, nil); it.Next(); {
		}
		ParseRange(b, nil)
		for it := Multirange(b); it.Next(); {
			ParseRange(it.Text, nil)
		}
		for it := Hstore(b, nil); it.Next(); {
		}
		ParsePoint(b)
		ParseBox(b)
		ParseLseg(b)
		ParsePath(nil, b)
		ParsePolygon(nil, b)
		ParseCircle(b)
		ParseLine(b)
		AppendBits(nil, b)
		if oct, err := AppendBytea(nil, b); err == nil && len(oct) != (len(b)-2)/2 {
			t.Fatalf("%q: %x", b, oct)
		}
		if id, err := ParseUUID(b); err == nil && !bytes.Equal(AppendUUID(nil, id), bytes.ToLower(b)) {
			t.Fatalf("%q: %x", b, id)
		}
	})
}

// The walk gives as many elements as the dimensions say.
func checkArray(t *testing.T, b []byte, a Array) {
	t.Helper()
	n, product := 0, 1
	for it := a.Iter(nil); it.Next(); {
		n++
	}
	for _, d := range a.Dims[:a.NDim] {
		product *= int(d.Len)
	}
	if a.NDim == 0 {
		product = 0
	}
	if n != a.Len || n != product {
		t.Fatalf("%q: walked %d elements, counted %d, dimensions say %d", b, n, a.Len, product)
	}
}
