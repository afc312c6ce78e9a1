package numeric

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	// The comparisons with the server, whose names end with it, are left out: they take long.
	for _, m := range []struct{ file, old, new string }{
		{"arith.go", "return a.less(pow10[maxDigits])", "return !a.isZero()"},
		{"arith.go", "case a <= Big:\n\t\treturn Num{Form: b}", "case a < Big:\n\t\treturn Num{Form: b}"},
		{"div.go", "if f1 <= f2 {", "if f1 < f2 {"},
		{"div.go", "if round && r >= y.lo-r {", "if round && r > y.lo-r {"},
		{"div.go", "if round && !r.less(y.sub(r)) {", "if round && y.sub(r).less(r) {"},
		{"wide.go", "if u2 == d1 {", "if false {"},
		{"wide.go", "if !r.double().less(pow10[n]) {", "if pow10[n].less(r.double()) {"},
		{"round.go", "err != nil || int64(v.Sign()) != dir", "err != nil || int64(v.Sign()) == dir"},
		{"big.go", "CmpAbs(b) >= 0", "CmpAbs(b) > 0"},
		{"key.go", "if lo == 0 && !more {", "if lo == 0 {"},
		{"key.go", "if negative {\n\t\tinvert(dst[start:])\n\t}\n\treturn dst\n}\n\nfunc invert", "if negative {\n\t\tinvert(dst[start+1:])\n\t}\n\treturn dst\n}\n\nfunc invert"},
		{"exact.go", "(bits.Len64(uint64(v^v>>63)) + 8) >> 3", "(bits.Len64(uint64(v^v>>63)) + 7) >> 3"},
		{"sum.go", "if s.n|s.n2 != 0 || s.hi != 0 || s.lo != 0 {", "if s.n|s.n2 != 0 {"},
		{"sum.go", "if !t.accumulate(v, w) || t.hi != 0 || t.lo != 0 {", "if !t.accumulate(v, w) {"},
		{"sumwide.go", "x.scales[i].n == 0 {", "false {"},
		{"sumwide.go", "!ok || x.others != [3]int64{}", "!ok"},
		{"col.go", "x.Hi == v>>63 && y.Hi == w>>63", "x.Hi == v>>63"},
		{"transcend.go", "minSignificant-int(weight), v", "minSignificant-int(weight)-1, v"},
		{"power.go", "negative := b.Sign() < 0 && isOdd(e)", "negative := b.Sign() < 0"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^M].*[^r]|Fuzz.*)$")
	}
}
