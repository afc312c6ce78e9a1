package input

import (
	"math"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// Any text is a value or a fault, and a value's canonical text means the same value.
func FuzzInput(f *testing.F) {
	for _, s := range moments {
		f.Add(s)
	}
	for _, s := range spans {
		f.Add(s)
	}
	ctx := Context{Zone: time.UTC, Now: 760_000_000_000_000}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := Date([]byte(s), ctx); err == nil {
			if back, err := Date(datum.AppendDate(nil, d), ctx); err != nil || back != d {
				t.Errorf("%q is the date %d, which is read back as %d, %v", s, d, back, err)
			}
		}
		if v, err := TimestampTZ([]byte(s), ctx); err == nil {
			if back, err := TimestampTZ(datum.AppendTimestampTZ(nil, v), ctx); err != nil || back != v {
				t.Errorf("%q is %d, which is read back as %d, %v", s, v, back, err)
			}
		}
		if v, err := Time([]byte(s), ctx); err == nil {
			if back, err := Time(datum.AppendTime(nil, v), ctx); err != nil || back != v {
				t.Errorf("%q is the time %d, which is read back as %d, %v", s, v, back, err)
			}
		}
		_, _ = TimeTZ([]byte(s), ctx)
		if v, err := Interval([]byte(s), -1); err == nil {
			// The server does not read the least time either, as it prints it.
			if back, err := Interval(datum.AppendInterval(nil, v), -1); v.Micros != math.MinInt64 && (err != nil || back != v) {
				t.Errorf("%q is the interval %v, which is read back as %v, %v", s, v, back, err)
			}
		}
	})
}

func TestNow(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	ctx := Context{Zone: zone, Now: 760_000_000_123_456} // 2024-01-31 07:06:40.123456+00
	for text, want := range map[string]string{"now": "2024-01-31 07:06:40.123456+00", "today": "2024-01-31 05:00:00+00", "tomorrow": "2024-02-01 05:00:00+00",
		"yesterday 10:00": "2024-01-30 15:00:00+00", "today allballs": "2024-01-31 00:00:00+00"} {
		got, err := TimestampTZ([]byte(text), ctx)
		if s := string(datum.AppendTimestampTZ(nil, got)); err != nil || s != want {
			t.Errorf("%s is %s, %v; want %s", text, s, err, want)
		}
	}
	if _, err := TimestampTZ([]byte("now"), Context{Zone: zone}); err == nil {
		t.Error("now is taken where there is none")
	}
}
