package bench

import (
	"slices"
	"syscall"
	"time"
)

// usage is what the process has used so far.
type usage struct {
	cpu time.Duration // user and system
	rss int64         // bytes, the highest ever
}

func used() (usage, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return usage{}, err
	}
	return usage{time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Maxrss << 10}, nil
}

// percentile is the value that a part of all are not above, in milliseconds; 0 of none.
func percentile(all []time.Duration, part float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	at := min(int(part*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[at].Microseconds()) / 1000
}
