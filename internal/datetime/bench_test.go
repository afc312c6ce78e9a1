package datetime

import (
	"testing"

	"github.com/weirstream/weir/internal/datum"
)

func BenchmarkHot(b *testing.B) {
	zone, err := LoadZone("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	month, hour, hourOf := FieldOf("month"), FieldOf("hour"), ExtractFieldOf("hour")
	v := datum.Interval{Months: 1, Days: 2, Micros: 3}
	buf := make([]byte, 0, 64)
	const t datum.Timestamp = 760_000_000_123_456
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"trunc hour", func() { _, _ = hour.Trunc(t) }},
		{"trunc month", func() { _, _ = month.Trunc(t) }},
		{"trunc month tz", func() { _, _ = month.TruncTZ(t, zone) }},
		{"extract hour", func() { _, _ = hourOf.Of(t) }},
		{"add micros", func() { _, _ = AddInterval(t, datum.Interval{Micros: 5}) }},
		{"add month", func() { _, _ = AddInterval(t, v) }},
		{"add month tz", func() { _, _ = AddIntervalTZ(t, v, zone) }},
		{"print tz", func() { AppendTimestampTZ(buf, t, zone) }},
		{"bin", func() { _, _ = Bin(datum.Interval{Micros: 10 * datum.Second}, t, 0) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
}
