package input

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"decode.go", "c.second, c.minute, c.hour = c.minute, int(min(c.hour, 60)), 0", "c.second = 0"},
		{"decode.go", "if have&^(mDayOfYear|mZone) != mDate {", "if have&mDate != mDate {"},
		{"fields.go", "if n == 6 {\n\t\t\td.twoDigit = true\n\t\t}", ""},
		{"fields.go", "if d.have&(mMonth|mHour) == mMonth|mHour {", "if false {"},
		{"parse.go", "case d.pm && d.f.Hour != 12:", "case d.pm:"},
		{"parse.go", "case d.twoDigit && f.Year < 70:", "case d.twoDigit && f.Year < 69:"},
		{"parse.go", "f.Year = 1 - f.Year", "f.Year = -f.Year"},
		{"number.go", "case rest == \"\" && len(s) > 3:", "case rest == \"\" && len(s) > 5:"},
		{"token.go", "if s.at() == delim && s.rest != \"\" {", "if s.rest != \"\" {"},
		{"interval.go", "case frac < -0.5:\n\t\tmicros--", "case frac < -0.5:"},
		{"interval.go", "s.months = s.add32(s.months, int64(math.RoundToEven(frac*float64(scale)*12)), 1)", "s.addFracDays(frac, scale*360)"},
		{"interval.go", "case u == datetime.Hour:\n\t\t*unit = datetime.Day", "case false:"},
		{"iso8601.go", "width(start) == 8 && !any", "width(start) == 8 && false"},
		{"intervalmod.go", "v.Months -= v.Months % 12", "_ = v"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^M].*|TestMoments.*|Fuzz.*)$")
	}
}
