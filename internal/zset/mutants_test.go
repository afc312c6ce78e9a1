package zset

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"build.go", "if v.Nulls != nil && v.N&63 == 0 {", "if v.Nulls != nil && v.N&63 == 1 {"},
		{"build.go", "v.Nulls[n>>6] &= 1<<(n&63) - 1", "v.Nulls[n>>6] &= 1<<(n&63+1) - 1"},
		{"gather.go", "v.Nulls[i>>6] >> (i & 63) & 1 << (k & 63)", "v.Nulls[i>>6] >> (i & 63) & 1"},
		{"gather.go", "step := min(64-from&63, 64-to&63, n-k)", "step := min(64-from&63, n-k)"},
		{"gather.go", "v.Nums[i], v.Data = numeric.Copy(v.Data, src.Num(i-n))", "_ = i"},
		{"key.go", "math.Float64bits(f + 0)", "math.Float64bits(f)"},
		{"key.go", "case f != f:", "case f > f:"},
		{"key.go", "first = keyNegative - n", "first = keyNegative - 9 + n"},
		{"key.go", "days, micros = days-1, micros+datum.Day", "micros += datum.Day"},
		{"key.go", "dst = append(append(dst, b[:i]...), 0, keyEscape)", "dst = append(append(dst, b[:i]...), 0)"},
		{"exact.go", "first >= exactSmall {\n\t\treturn int64(first - exactSmall - exactSmallest), 1", "first > exactSmall {\n\t\treturn int64(first - exactSmall - exactSmallest), 1"},
		{"consolidate.go", "k.hashes[first] == h && bytes.Equal(k.rows.At(int(first)), k.rows.At(i))", "k.hashes[first] == h && bytes.Equal(k.rows.At(i), nil)"},
		{"consolidate.go", "if w == 0 {", "if w == 1<<40 {"},
		{"chunk.go", "out.W[i] = -c.Weight(i)", "out.W[i] = c.Weight(i)"},
		{"compare.go", "case aNaN:\n\t\treturn 1", "case aNaN:\n\t\treturn -1"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^M].*|Fuzz.*)$")
	}
}
