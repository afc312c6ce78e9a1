package datetime

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/datum"
)

func drawTimestamp(t *rapid.T) datum.Timestamp {
	return rapid.OneOf(rapid.Custom(func(t *rapid.T) datum.Timestamp {
		return datum.Timestamp(rapid.Int64Range(int64(MinTimestamp), int64(EndTimestamp)-1).Draw(t, "any"))
	}), rapid.Custom(func(t *rapid.T) datum.Timestamp {
		return datum.Timestamp(rapid.Int64Range(-60*366*datum.Day, 60*366*datum.Day).Draw(t, "near"))
	})).Draw(t, "timestamp")
}

// Taking a timestamp apart and putting it together again changes nothing; the calendar is
// the one of package time.
func TestSplitAndJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := drawTimestamp(t)
		f := Split(ts)
		back, ok := f.Join()
		if !ok || back != ts {
			t.Fatalf("%d is %+v, which is %d", ts, f, back)
		}
		u, _ := ts.UnixMicros()
		g := time.UnixMicro(u).UTC()
		if ts < 1<<62 && (g.Year() != f.Year || int(g.Month()) != f.Month || g.Day() != f.Day || g.Hour() != f.Hour || g.Nanosecond() != f.Micro*1000) {
			t.Fatalf("%d is %+v, package time has %v", ts, f, g)
		}
		if y, w := ISOWeek(f.Year, f.Month, f.Day); ts < 1<<62 {
			if wantY, wantW := g.ISOWeek(); y != wantY || w != wantW {
				t.Fatalf("%v is in week %d of %d, want %d of %d", g, w, y, wantW, wantY)
			}
		}
	})
}

// A local time that exists once leads to the instant and back.
func TestLocalTimeAndBack(t *testing.T) {
	zones := []string{"America/New_York", "Europe/London", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "UTC", "Africa/Casablanca"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := LoadZone(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		ts := datum.Timestamp(rapid.Int64Range(-60*366*datum.Day, 60*366*datum.Day).Draw(t, "instant"))
		local, err := ToLocal(ts, zone)
		if err != nil {
			t.Fatal(err)
		}
		back, err := FromLocal(local, zone)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ToLocal(back, zone); err != nil || again != local {
			t.Fatalf("%d is %d in %v, which comes from %d, which is %d", ts, local, zone, back, again)
		}
		if back < ts {
			t.Fatalf("%d is %d in %v: of two instants it comes from the first, %d", ts, local, zone, back)
		}
	})
}

// Truncating is idempotent, never later, and coarser units give earlier times.
func TestTruncGoesBack(t *testing.T) {
	names := []string{"millisecond", "second", "minute", "hour", "day", "month", "quarter", "year", "decade"}
	rapid.Check(t, func(t *rapid.T) {
		ts := datum.Timestamp(rapid.Int64Range(-100*366*datum.Day, 100*366*datum.Day).Draw(t, "timestamp"))
		before := ts
		for _, name := range names {
			f := FieldOf(name)
			got, err := f.Trunc(ts)
			again, err2 := f.Trunc(got)
			if err != nil || err2 != nil || again != got || got > before {
				t.Fatalf("%s of %d = %d, again %d; %v, %v; the finer unit gave %d", name, ts, got, again, err, err2, before)
			}
			before = got
		}
	})
}

func TestZoneNames(t *testing.T) {
	for name, want := range map[string]string{
		"america/new_york": "America/New_York", "EUROPE/BERLIN": "Europe/Berlin", "utc": "UTC", "etc/gmt+5": "Etc/GMT+5", "america/port_of_spain": "America/Port_of_Spain",
		"antarctica/mcmurdo": "Antarctica/McMurdo", "america/port-au-prince": "America/Port-au-Prince", "us/eastern": "US/Eastern", "nz": "NZ", "gmt": "GMT", "est5edt": "EST5EDT",
	} {
		if zone, err := LoadZone(name); err != nil || zone.String() != want {
			t.Errorf("%s = %v, %v; want %s", name, zone, err, want)
		}
	}
	for _, name := range []string{"", "Local", "../etc/passwd", "/etc/passwd", "Nowhere", "UTC+", "+25:61", "a\x00b"} {
		if zone, err := LookupZone(name); err == nil {
			t.Errorf("%q = %v", name, zone)
		}
	}
	for name, east := range map[string]int{"EST": -5 * 3600, "cest": 7200, "UTC+3": -3 * 3600, "<+05>-05": 5 * 3600, "-3:30": 3*3600 + 1800, "zulu": 0} {
		zone, err := LookupZone(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := Offset(zone, 0); got != east {
			t.Errorf("%s is %d east, want %d", name, got, east)
		}
	}
	if zone, err := LoadZone("-3.5"); err != nil || zone.String() != "<-03:30>+03:30" {
		t.Errorf("-3.5 = %v, %v", zone, err)
	}
}

func TestHotFunctionsDoNotAllocate(t *testing.T) {
	zone, err := LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	month, hour, year := FieldOf("month"), FieldOf("hour"), ExtractFieldOf("year")
	v := datum.Interval{Months: 1, Days: 2, Micros: 3}
	buf := make([]byte, 0, 64)
	for name, f := range map[string]func(){
		"add":    func() { _, _ = AddInterval(12345678901234, v) },
		"add tz": func() { _, _ = AddIntervalTZ(12345678901234, v, zone) },
		"trunc":  func() { _, _ = month.TruncTZ(12345678901234, zone); _, _ = hour.Trunc(12345678901234) },
		"part":   func() { _, _ = year.Of(12345678901234) },
		"text":   func() { AppendTimestampTZ(buf, 12345678901234, zone) },
		"local":  func() { _, _ = FromLocal(12345678901234, zone) },
	} {
		if n := testing.AllocsPerRun(100, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
