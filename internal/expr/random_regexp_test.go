package expr_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/sql"
)

// regexpOf draws a pattern over a small alphabet.
func regexpOf(rng *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "c", ".", "[ab]", "[^a]", `\d`, `\w`, "1", "-", "^", "$", `\y`}
	var out strings.Builder
	for range 1 + rng.IntN(4) {
		atom := atoms[rng.IntN(len(atoms))]
		if depth > 0 && rng.IntN(4) == 0 {
			open := "("
			if rng.IntN(3) == 0 {
				open = "(?:"
			}
			atom = open + regexpOf(rng, depth-1) + ")"
		}
		out.WriteString(atom)
		if atom != "^" && atom != "$" && atom != `\y` && rng.IntN(3) == 0 {
			out.WriteString([]string{"*", "+", "?", "{2}", "{1,2}", "{2,}", "*?", "+?", "??", "{1,2}?"}[rng.IntN(10)])
		}
	}
	if depth > 0 && rng.IntN(5) == 0 {
		return out.String() + "|" + regexpOf(rng, depth-1)
	}
	return out.String()
}

// TestRandomPatternsAgreeWithTheServer matches, replaces and splits by patterns drawn at random. Groups are compared for patterns without
// alternatives: which alternative a group takes may differ.
func TestRandomPatternsAgreeWithTheServer(t *testing.T) {
	conn, reg := connect(t, pgtest.Start(t)), expr.Builtins()
	rng := rand.New(rand.NewPCG(3, 5))
	texts := []string{"", "a", "abc", "aabbcc", "a1-b2", "cab-bac", "abab ab", "1111", "ab\nab", "c-a", "bbba1"}
	for range 300 {
		pattern := regexpOf(rng, 2)
		text := texts[rng.IntN(len(texts))]
		forms := []string{"%s ~ %s", "substring(%s from '(?:' || %s || ')')", "regexp_replace(%s, %s, '<\\&>', 'g')", "regexp_split_to_array(%s, %s)", "regexp_count(%s, %s)"}
		if !strings.Contains(pattern, "|") {
			forms = append(forms, "regexp_match(%s, %s)")
		}
		for _, form := range forms {
			line := fmt.Sprintf(form, "E"+sql.QuoteString(strings.ReplaceAll(text, "\n", `\n`)), sql.QuoteString(pattern))
			want, got := theirs(conn, line), ours(t, reg, line)
			if got.String() != want.String() {
				t.Errorf("%s\n   got %s\n  want %s", line, got, want)
			}
		}
	}
}
