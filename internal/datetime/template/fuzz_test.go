package template

import (
	"testing"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// Any template and any text: a value or a fault.
func FuzzTemplates(f *testing.F) {
	for _, s := range readTemplates {
		f.Add(s, "2024-01-31 12:34:56.789 AM +05:30", int64(760_000_000_123_456))
	}
	for _, s := range numberTemplates {
		f.Add(s, "-12,345.67", int64(-1234567))
	}
	f.Fuzz(func(t *testing.T, template, text string, v int64) {
		d := CompileDate(template)
		if ts := datum.Timestamp(v); !ts.IsInfinite() && v>>62 == v>>63 {
			d.AppendTimestamp(nil, ts)
			d.AppendTimestampTZ(nil, ts, time.UTC)
		}
		_, _ = d.AppendInterval(nil, datum.Interval{Months: int32(v), Days: int32(v >> 20), Micros: v})
		_, _ = d.Timestamp(text, time.UTC)
		_, _ = d.ToDate(text)
		n, err := CompileNumber(template)
		if err != nil || len(template) > 200 {
			return
		}
		_, _ = n.AppendNumeric(nil, numeric.V(numeric.Scaled(v, int16(uint8(v))%30)))
		_, _ = n.AppendFloat(nil, float64(v)/1000, 15)
		_, _, _ = n.ToNumber(nil, text)
	})
}
