package session

import (
	"strconv"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/sql"
)

// units are those of settings that are times.
var units = []struct {
	name string
	of   time.Duration
}{{"us", time.Microsecond}, {"ms", time.Millisecond}, {"min", time.Minute}, {"s", time.Second}, {"h", time.Hour}, {"d", 24 * time.Hour}}

// duration checks a setting that is a time in milliseconds, or with a unit.
func duration(name, value string) (string, error) {
	d, ok := parseDuration(value)
	if !ok {
		if value == "" || !strings.ContainsRune("+-.0123456789", rune(value[0])) {
			return "", invalidSetting(name, value)
		}
		return "", hinted(fail(sql.InvalidParameter, "invalid value for parameter \"%s\": \"%s\"", name, value),
			"Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".")
	}
	if d < 0 || d > 1<<31*time.Millisecond {
		return "", fail(sql.InvalidParameter, "%d ms is outside the valid range for parameter \"%s\" (0 ms .. 2147483647 ms)", d.Milliseconds(), name)
	}
	return showDuration(d), nil
}

func parseDuration(value string) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	unit := time.Millisecond
	for _, u := range units {
		if n, ok := strings.CutSuffix(value, u.name); ok {
			value, unit = strings.TrimSpace(n), u.of
			break
		}
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || n != n || n > 1e12 || n < -1e12 {
		return 0, false
	}
	return time.Duration(n * float64(unit)).Round(time.Millisecond), true
}

// showDuration writes it with the largest unit that divides it.
func showDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, u := range []struct {
		name string
		of   time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if d%u.of == 0 {
			return strconv.FormatInt(int64(d/u.of), 10) + u.name
		}
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}
