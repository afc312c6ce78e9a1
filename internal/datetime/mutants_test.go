package datetime

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"zone.go", "case asBefore > asAfter:", "case asBefore < asAfter:"},
		{"zone.go", "time.Unix(mine-86400, 0)", "time.Unix(mine, 0)"},
		{"arithmetic.go", "f.Day = min(f.Day, DaysIn(f.Year, f.Month))", "f.Day = min(f.Day, 28)"},
		{"arithmetic.go", "micros += datum.Day\n\t\tdays--", "micros += datum.Day"},
		{"arithmetic.go", "length := DaysIn(y.Year, y.Month)", "length := DaysIn(x.Year, x.Month)"},
		{"arithmetic.go", "if !DateInRange(r) {", "if false {"},
		{"interval.go", "day += int64(monthDays)", "day += int64(monthDays + 0.5)"},
		{"interval.go", "case days > 0 && v.Micros < 0:", "case days >= 0 && v.Micros < 0:"},
		{"trunc.go", "if r < 0 {\n\t\tr += unit", "if r < 0 {\n\t\tr += 0"},
		{"trunc.go", "if f.Unit >= Day {", "if f.Unit > Millennium {"},
		{"trunc.go", "return (y+n-1)/n*n - (n - 1)", "return y / n * n"},
		{"extract.go", "if j < first {", "if false {"},
		{"extract.go", "if next := isoWeekOne(year + 1); j >= next {", "if next := isoWeekOne(year + 1); false {"},
		{"cast.go", "return -((-micros + unit/2) / unit * unit)", "return (micros + unit/2) / unit * unit"},
		{"makers.go", "return t, t <= datum.Day", "return t, true"},
		{"zonename.go", "west, ok := posixOffset(rest)", "west, ok := posixOffset(rest)\n\twest = -west"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^M].*)$")
	}
}
