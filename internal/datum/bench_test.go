package datum

import (
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// Every parser of a common type runs without allocating.
func TestParsersDoNotAllocate(t *testing.T) {
	scratch := make([]byte, 0, 256)
	var d apd.Decimal
	for name, f := range parsers(scratch, &d) {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations a value", name, n)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var d apd.Decimal
	for name, f := range parsers(make([]byte, 0, 256), &d) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

func parsers(scratch []byte, d *apd.Decimal) map[string]func() {
	value := func(s string) []byte { return []byte(s) }
	int8, float8, numeric, wide := value("-1234567890123"), value("3.141592653589793"), value("12345.6789"), value("1234567890123456789012345.678")
	stamp, date, clock, interval := value("2024-02-29 12:34:56.789012+00"), value("2024-02-29"), value("12:34:56.789"), value("1 year 2 mons 3 days 04:05:06.78")
	uuid, bytea, array, row, rng := value("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), value(`\xdeadbeefdeadbeef`), value(`{1,NULL,"a\"b"}`), value(`(1,"a ""b""",)`), value("[1,5)")
	return map[string]func(){
		"int8":        func() { ParseInt64(int8) },
		"float8":      func() { ParseFloat64(float8) },
		"numeric":     func() { ParseNumeric(numeric, d) },
		"unscaled":    func() { n, _ := ScanNumeric(wide); n.AppendUnscaled(scratch, 6) },
		"date":        func() { ParseDate(date) },
		"time":        func() { ParseTime(clock) },
		"timestamptz": func() { ParseTimestampTZ(stamp) },
		"interval":    func() { ParseInterval(interval) },
		"uuid":        func() { ParseUUID(uuid) },
		"bytea":       func() { AppendBytea(scratch, bytea) },
		"array": func() {
			a, _ := ParseArray(array, ',')
			for it := a.Iter(scratch); it.Next(); {
			}
		},
		"composite": func() {
			for it := Composite(row, scratch); it.Next(); {
			}
		},
		"range": func() { ParseRange(rng, scratch) },
	}
}
