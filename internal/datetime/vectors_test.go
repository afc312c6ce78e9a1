package datetime

import (
	"testing"

	"github.com/weirstream/weir/internal/datum"
)

// Clocks that go forward skip times, those that go back show some twice.
func TestLocalTimesThatAreNoneOrTwo(t *testing.T) {
	for _, c := range []struct{ zone, local, instant string }{
		{"Europe/Berlin", "2024-03-31 01:59:59", "2024-03-31 00:59:59"},
		{"Europe/Berlin", "2024-03-31 02:00:00", "2024-03-31 01:00:00"},
		{"Europe/Berlin", "2024-03-31 02:30:00", "2024-03-31 01:30:00"},
		{"Europe/Berlin", "2024-03-31 03:00:00", "2024-03-31 01:00:00"},
		{"Europe/Berlin", "2024-10-27 01:59:59", "2024-10-26 23:59:59"},
		{"Europe/Berlin", "2024-10-27 02:00:00", "2024-10-27 01:00:00"},
		{"Europe/Berlin", "2024-10-27 02:59:59", "2024-10-27 01:59:59"},
		{"Europe/Berlin", "2024-10-27 03:00:00", "2024-10-27 02:00:00"},
		{"America/New_York", "2024-03-10 02:30:00", "2024-03-10 07:30:00"},
		{"America/New_York", "2024-11-03 01:30:00", "2024-11-03 06:30:00"},
		{"Australia/Lord_Howe", "2024-04-07 01:45:00", "2024-04-06 15:15:00"},
		{"Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00"},
	} {
		zone, err := LoadZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FromLocal(ts(c.local), zone)
		if s := string(datum.AppendTimestamp(nil, got)); err != nil || s != c.instant {
			t.Errorf("%s in %s is %s, %v; want %s", c.local, c.zone, s, err, c.instant)
		}
		answer := ask(t, "UTC", "SELECT ($1::timestamp AT TIME ZONE $2)::timestamp::text", c.local, c.zone)
		if answer[0] != c.instant {
			t.Errorf("%s in %s is %s to the server, not %s", c.local, c.zone, answer[0], c.instant)
		}
	}
}

func TestISOWeekAtTheEdges(t *testing.T) {
	for _, c := range [][5]int{{2024, 12, 30, 2025, 1}, {2024, 12, 29, 2024, 52}, {2021, 1, 3, 2020, 53}, {2021, 1, 4, 2021, 1}, {2016, 1, 1, 2015, 53}, {2020, 12, 31, 2020, 53}} {
		if y, w := ISOWeek(c[0], c[1], c[2]); y != c[3] || w != c[4] {
			t.Errorf("%d-%d-%d is in week %d of %d, want %d of %d", c[0], c[1], c[2], w, y, c[4], c[3])
		}
	}
}

func TestRoundMicros(t *testing.T) {
	for _, c := range []struct {
		in   int64
		prec int32
		want int64
	}{{1_500_000, 0, 2_000_000}, {-1_500_000, 0, -2_000_000}, {-1_499_999, 0, -1_000_000}, {1234567, 3, 1235000}, {-5, 5, -10}, {-4, 5, 0}, {123, 6, 123}, {123, -1, 123}} {
		if got := RoundMicros(c.in, c.prec); got != c.want {
			t.Errorf("%d to %d digits = %d, want %d", c.in, c.prec, got, c.want)
		}
	}
	if _, err := MakeTime(24, 0, 1); err == nil {
		t.Error("24:00:01 is taken for a time")
	}
}
