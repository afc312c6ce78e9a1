package datetime

import (
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// unixSeconds is t in seconds since 1970, rounded down.
func unixSeconds(t datum.Timestamp) int64 {
	s := int64(t) / datum.Second
	if int64(t)%datum.Second < 0 {
		s--
	}
	return s + datum.EpochMicros/datum.Second
}

// Offset is how many seconds zone is east of UTC at t, and what it is called then.
func Offset(zone *time.Location, t datum.Timestamp) (east int, name string) {
	if zone == time.UTC {
		return 0, "UTC"
	}
	name, east = time.Unix(unixSeconds(t), 0).In(zone).Zone()
	return east, name
}

// ToLocal is what clocks in zone show at t (timestamptz AT TIME ZONE zone).
func ToLocal(t datum.Timestamp, zone *time.Location) (datum.Timestamp, error) {
	if t.IsInfinite() || zone == time.UTC {
		return t, nil
	}
	east, _ := Offset(zone, t)
	return shift(t, east)
}

// FromLocal is when clocks in zone show local (timestamp AT TIME ZONE zone). Of a time
// in a gap it takes the offset before, of one that occurs twice the offset after.
func FromLocal(local datum.Timestamp, zone *time.Location) (datum.Timestamp, error) {
	if local.IsInfinite() || zone == time.UTC {
		return local, nil
	}
	return shift(local, -LocalOffset(local, zone))
}

func shift(t datum.Timestamp, seconds int) (datum.Timestamp, error) {
	d := datum.Timestamp(seconds) * datum.Second
	if r := t + d; InRange(r) && (d > 0) == (r > t) || d == 0 {
		return r, nil
	}
	return 0, errTimestampRange
}

// LocalOffset is the offset, in seconds east of UTC, of FromLocal.
func LocalOffset(local datum.Timestamp, zone *time.Location) int {
	if zone == time.UTC {
		return 0
	}
	mine := unixSeconds(local)
	// As in PostgreSQL, the transition that matters is the first one after local less a day.
	eve := time.Unix(mine-86400, 0).In(zone)
	_, before := eve.Zone()
	_, end := eve.ZoneBounds()
	if end.IsZero() {
		return before
	}
	_, after := end.Zone()
	boundary := end.Unix()
	asBefore, asAfter := mine-int64(before), mine-int64(after)
	switch {
	case asBefore < boundary && asAfter < boundary:
		return before
	case asBefore > boundary && asAfter >= boundary:
		return after
	case asBefore > asAfter:
		return before
	}
	return after
}

// AppendTimestampTZ appends t as PostgreSQL prints it with DateStyle ISO and
// TimeZone zone: 2024-02-29 12:34:56.789+05:30.
func AppendTimestampTZ(dst []byte, t datum.Timestamp, zone *time.Location) []byte {
	if t.IsInfinite() || zone == time.UTC {
		return datum.AppendTimestampTZ(dst, t)
	}
	east, _ := Offset(zone, t)
	local := t + datum.Timestamp(east)*datum.Second // within int64: the range of PostgreSQL's is narrower
	start := len(dst)
	dst = datum.AppendTimestamp(dst, local)
	bc := len(dst)-start > 3 && string(dst[len(dst)-3:]) == " BC"
	if bc {
		dst = dst[:len(dst)-3]
	}
	dst = AppendOffset(dst, east)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// AppendOffset appends ±HH[:MM[:SS]].
func AppendOffset(dst []byte, east int) []byte {
	if east < 0 {
		dst, east = append(dst, '-'), -east
	} else {
		dst = append(dst, '+')
	}
	dst = datum.AppendPadded(dst, uint64(east/3600), 2)
	if m, s := east/60%60, east%60; m != 0 || s != 0 {
		dst = datum.AppendPadded(append(dst, ':'), uint64(m), 2)
		if s != 0 {
			dst = datum.AppendPadded(append(dst, ':'), uint64(s), 2)
		}
	}
	return dst
}
