package datum

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"
)

func TestIntegersStopAtTheirBounds(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
		bits int // the narrowest type that takes it; 0 for none
	}{
		{"0", 0, 16}, {"-0", 0, 16}, {"+7", 7, 16},
		{"32767", 32767, 16}, {"-32768", -32768, 16}, {"32768", 32768, 32}, {"-32769", -32769, 32},
		{"2147483647", math.MaxInt32, 32}, {"-2147483648", math.MinInt32, 32}, {"2147483648", 1 << 31, 64},
		{"9223372036854775807", math.MaxInt64, 64}, {"-9223372036854775808", math.MinInt64, 64},
		{"9223372036854775808", 0, 0}, {"-9223372036854775809", 0, 0}, {"18446744073709551616", 0, 0},
		{"99999999999999999999999", 0, 0}, {"", 0, 0}, {"-", 0, 0}, {"1a", 0, 0}, {" 1", 0, 0}, {"--1", 0, 0},
	} {
		v16, err16 := ParseInt16([]byte(c.in))
		v32, err32 := ParseInt32([]byte(c.in))
		v64, err64 := ParseInt64([]byte(c.in))
		if (err16 == nil) != (c.bits == 16) || err16 == nil && int64(v16) != c.want {
			t.Errorf("ParseInt16(%q) = %d, %v", c.in, v16, err16)
		}
		if (err32 == nil) != (c.bits == 16 || c.bits == 32) || err32 == nil && int64(v32) != c.want {
			t.Errorf("ParseInt32(%q) = %d, %v", c.in, v32, err32)
		}
		if (err64 == nil) != (c.bits != 0) || err64 == nil && v64 != c.want {
			t.Errorf("ParseInt64(%q) = %d, %v", c.in, v64, err64)
		}
	}
}

func TestErrorsQuoteTheValueShortened(t *testing.T) {
	_, err := ParseDate([]byte("2024-02-30"))
	if err == nil || err.Error() != `datum: "2024-02-30" is not a value of type date` {
		t.Errorf("got %v", err)
	}
	_, err = ParseDate([]byte("x" + strings.Repeat("é", 500)))
	var pe *ParseError
	if !errors.As(err, &pe) || len(pe.Value) > 100 || !strings.HasSuffix(pe.Value, "… (1001 bytes)") || !utf8.ValidString(pe.Value) {
		t.Errorf("got %v", err)
	}
}

func TestFloatsAcceptOnlyWhatPostgreSQLPrints(t *testing.T) {
	for in, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1.5": 1.5, "1e+300": 1e300, "5e-324": 5e-324,
		"1.7976931348623157e+308": math.MaxFloat64, "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if v, err := ParseFloat64([]byte(in)); err != nil || v != want || math.Signbit(v) != math.Signbit(want) {
			t.Errorf("ParseFloat64(%q) = %v, %v", in, v, err)
		}
	}
	if v, err := ParseFloat64([]byte("NaN")); err != nil || !math.IsNaN(v) {
		t.Errorf("NaN = %v, %v", v, err)
	}
	for _, in := range []string{"", "inf", "nan", "0x1p4", "1_000", "1e999", "1,5"} {
		if v, err := ParseFloat64([]byte(in)); err == nil {
			t.Errorf("ParseFloat64(%q) = %v, want an error", in, v)
		}
	}
	if v, err := ParseFloat32([]byte("3.4028235e+38")); err != nil || v != math.MaxFloat32 {
		t.Errorf("largest real = %v, %v", v, err)
	}
}

func TestNumericKeepsScaleAndTellsSpecialValues(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"1.50", "1.50"}, {"-0.00", "-0.00"}, {".5", "0.5"}, {"5.", "5"},
		{"123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"},
		{"NaN", "NaN"}, {"Infinity", "Infinity"}, {"-Infinity", "-Infinity"},
	} {
		var d apd.Decimal
		if err := ParseNumeric([]byte(c.in), &d); err != nil || d.Text('f') != c.want {
			t.Errorf("ParseNumeric(%q) = %s, %v; want %s", c.in, d.Text('f'), err, c.want)
		}
	}
	for _, in := range []string{"", ".", "-", "1e5", "1.2.3", "NAN", "+-1", "1-", "Infinit"} {
		if err := ParseNumeric([]byte(in), new(apd.Decimal)); err == nil {
			t.Errorf("ParseNumeric(%q) wants an error", in)
		}
	}
}

func TestDatesOverTheWholeRange(t *testing.T) {
	for _, c := range []struct {
		in   string
		unix int64
	}{
		{"1970-01-01", 0}, {"2000-01-01", 10957}, {"2024-02-29", 19782}, {"0001-01-01", -719162},
		{"9999-12-31", 2932896}, {"0001-12-31 BC", -719163}, {"4714-11-24 BC", -2440588}, {"5874897-12-31", 2145042905},
	} {
		d, err := ParseDate([]byte(c.in))
		if err != nil || d.UnixDays() != c.unix {
			t.Errorf("ParseDate(%q) = %d, %v; want %d", c.in, d.UnixDays(), err, c.unix)
		}
		if got := string(AppendDate(nil, d)); got != c.in {
			t.Errorf("AppendDate(%q) = %q", c.in, got)
		}
	}
	for _, in := range []string{
		"", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-1-01", "0000-01-01",
		"24-01-01", "2024-01-01 ", "2024-01-01 AD", "99999999-01-01", "2024/01/01", "Infinity",
	} {
		if d, err := ParseDate([]byte(in)); err == nil {
			t.Errorf("ParseDate(%q) = %d, want an error", in, d)
		}
	}
}

func TestTimestampsOverTheWholeRange(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Timestamp
	}{
		{"2000-01-01 00:00:00", 0}, {"1999-12-31 23:59:59.999999", -1},
		{"294276-12-31 23:59:59.999999", 9223371331199999999},
		{"4714-11-24 00:00:00 BC", -211813488000000000},
		{"infinity", TimestampInfinity}, {"-infinity", TimestampNegativeInfinity},
	} {
		if v, err := ParseTimestamp([]byte(c.in)); err != nil || v != c.want {
			t.Errorf("ParseTimestamp(%q) = %d, %v; want %d", c.in, v, err, c.want)
		}
		if got := string(AppendTimestamp(nil, c.want)); got != c.in {
			t.Errorf("AppendTimestamp(%d) = %q, want %q", c.want, got, c.in)
		}
	}
	last, _ := ParseTimestamp([]byte("294276-12-31 23:59:59.999999"))
	if _, ok := last.UnixMicros(); ok {
		t.Error("the latest timestamp does not fit 64 bits of microseconds since 1970")
	}
	for _, in := range []string{
		"", "2024-01-01", "2024-01-01T00:00:00", "2024-01-01 24:00:01", "2024-01-01 00:60:00", "2024-01-01 00:00:00.",
		"2024-01-01 00:00:00.1234567", "2024-01-01 00:00:00+00", "300000-01-01 00:00:00", "9999999-01-01 00:00:00",
	} {
		if v, err := ParseTimestamp([]byte(in)); err == nil {
			t.Errorf("ParseTimestamp(%q) = %d, want an error", in, v)
		}
	}
}

func TestZonesShiftToUTC(t *testing.T) {
	utc, _ := ParseTimestampTZ([]byte("2016-11-04 11:51:30.123456+00"))
	for _, in := range []string{"2016-11-04 13:51:30.123456+02", "2016-11-04 06:21:30.123456-05:30", "2016-11-04 11:51:35.123456+00:00:05"} {
		if v, err := ParseTimestampTZ([]byte(in)); err != nil || v != utc {
			t.Errorf("ParseTimestampTZ(%q) = %d, %v; want %d", in, v, err, utc)
		}
	}
	for _, in := range []string{"2016-11-04 13:51:30", "2016-11-04 13:51:30Z", "2016-11-04 13:51:30+2", "2016-11-04 13:51:30+02:60"} {
		if v, err := ParseTimestampTZ([]byte(in)); err == nil {
			t.Errorf("ParseTimestampTZ(%q) = %d, want an error", in, v)
		}
	}
	for _, in := range []string{"00:00:00+00", "24:00:00-15:59", "12:34:56.789012+05:30:15"} {
		v, err := ParseTimeTZ([]byte(in))
		if got := string(AppendTimeTZ(nil, v)); err != nil || got != in {
			t.Errorf("ParseTimeTZ(%q) prints as %q, %v", in, got, err)
		}
	}
}

func TestIntervals(t *testing.T) {
	for in, want := range map[string]Interval{
		"00:00:00":                           {},
		"1 year 2 mons 3 days 04:05:06.78":   {14, 3, 14706780000},
		"-1 years -2 mons +3 days -04:05:06": {-14, 3, -14706000000},
		"1 mon":                              {1, 0, 0},
		"-1 days +00:00:01":                  {0, -1, 1000000},
		"1 day -00:00:01":                    {0, 1, -1000000},
		"2562047788:00:54.775807":            {0, 0, math.MaxInt64},
		"-2562047788:00:54.775808":           {0, 0, math.MinInt64},
		"178956970 years 7 mons":             {math.MaxInt32, 0, 0},
		"-178956970 years -8 mons":           {math.MinInt32, 0, 0},
		"infinity":                           IntervalInfinity,
		"-infinity":                          IntervalNegativeInfinity,
	} {
		v, err := ParseInterval([]byte(in))
		if err != nil || v != want {
			t.Errorf("ParseInterval(%q) = %+v, %v; want %+v", in, v, err, want)
		}
		if got := string(AppendInterval(nil, want)); got != in {
			t.Errorf("AppendInterval(%+v) = %q, want %q", want, got, in)
		}
	}
	for _, in := range []string{
		"", "1", "1 week", "1 day 2", "P1Y", "2562047788:00:54.775808", "1:00", "00:60:00", "178956970 years 8 mons",
		"01:00:00 1 day", "@ 1 day", ":00:00",
	} {
		if v, err := ParseInterval([]byte(in)); err == nil {
			t.Errorf("ParseInterval(%q) = %+v, want an error", in, v)
		}
	}
}

func TestOctets(t *testing.T) {
	if b, err := AppendBytea([]byte("x"), []byte(`\xdeadBEEF`)); err != nil || string(b) != "x\xde\xad\xbe\xef" {
		t.Errorf("got %q, %v", b, err)
	}
	for _, in := range []string{"", `\x0`, `\xzz`, "deadbeef", `\\000`} {
		if b, err := AppendBytea(nil, []byte(in)); err == nil {
			t.Errorf("AppendBytea(%q) = %x, want an error", in, b)
		}
	}
	const id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
	v, err := ParseUUID([]byte(id))
	if err != nil || string(AppendUUID(nil, v)) != id {
		t.Errorf("uuid %x, %v", v, err)
	}
	for _, in := range []string{"", strings.ReplaceAll(id, "-", ""), strings.ReplaceAll(id, "a", "g"), strings.Repeat("-", 36)} {
		if v, err := ParseUUID([]byte(in)); err == nil {
			t.Errorf("ParseUUID(%q) = %x, want an error", in, v)
		}
	}
	if b, n, err := AppendBits(nil, []byte("1011000111")); err != nil || n != 10 || string(b) != "\xb1\xc0" {
		t.Errorf("bits %x, %d, %v", b, n, err)
	}
}

func TestMoney(t *testing.T) {
	for in, want := range map[string]int64{
		"$0.00": 0, "-$1,234.56": -123456, "($0.01)": -1, "$92,233,720,368,547,758.07": math.MaxInt64,
		"-$92,233,720,368,547,758.08": math.MinInt64,
	} {
		if v, err := ParseMoney([]byte(in)); err != nil || v != want {
			t.Errorf("ParseMoney(%q) = %d, %v; want %d", in, v, err, want)
		}
	}
	for _, in := range []string{"", "$", "$1", "$1.5", "$92,233,720,368,547,758.08", "1.00 kr"} {
		if v, err := ParseMoney([]byte(in)); err == nil {
			t.Errorf("ParseMoney(%q) = %d, want an error", in, v)
		}
	}
}
