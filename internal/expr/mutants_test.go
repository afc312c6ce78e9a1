package expr_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	const scalars, columns, parts = "^TestScalars", "^TestColumns", "^(TestParts|TestFilters)"
	for _, m := range []struct{ file, old, new, run string }{
		// a value is PostgreSQL's
		{"candidate.go", "return declared == t || isPreferred(declared) && categoryOf(declared) == categoryOf(t)", "return declared == t", scalars},
		{"candidate.go", "case categories[i] == 0, cat != categories[i] && cat == 'S':", "case categories[i] == 0:", scalars},
		{"polymorph.go", "&& !r.coercible(t, best, Implicit)", "", scalars},
		{"fn_int.go", "return bad >> 63\n}\n\nfunc subInts", "return 0\n}\n\nfunc subInts", scalars},
		{"fn_compare.go", "return cmp.Compare(bit(a != a), bit(b != b))", "return 0", scalars},
		// an error belongs to a row; a branch that is not taken raises nothing
		{"evaluation.go", "ev.scopes[i] = union(skip, ev.failed)", "ev.scopes[i] = skip", parts},
		{"compile_lazy.go", "current, since = c.enter(current, test, since...), nil", "current, since = c.enter(current, test, since[len(since)-1:]...), nil", columns},
		{"step.go", "case unlessFalse:\n\t\t\tout[i] = ^t &^ null", "case unlessFalse:\n\t\t\tout[i] = ^t", columns},
		{"program.go", "none := complement(nil, c.N)", "none := make([]uint64, words(c.N))", columns},
		// parts of a chunk give what the whole gives
		{"evaluation.go", "v.N, v.Nulls, v.Data = n, nil, nil", "v.N, v.Data = n, nil", parts},
		{"bits.go", "out[i] = w | b[i]", "out[i] = w", parts},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, m.run)
	}
}
