package like

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A pattern matches what the regular expression of its meaning matches.
func TestMatchesAsTheRegularExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ä", "%", "_", `\%`, `\_`, "A"}), 0, 8).Draw(t, "pattern"), "")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ä", "%", "_", "A", "B"}), 0, 10).Draw(t, "text"), "")
		fold := rapid.Bool().Draw(t, "fold")
		p, err := Compile([]byte(pattern), fold)
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(meaning(pattern, fold)).MatchString(text)
		if got := p.Match([]byte(text)); got != want {
			t.Fatalf("%q LIKE %q: %t, want %t", text, pattern, got, want)
		}
	})
}

func meaning(pattern string, fold bool) string {
	var out strings.Builder
	if fold {
		out.WriteString("(?i)")
	}
	out.WriteString(`(?s)\A`)
	escaped := false
	for _, c := range pattern {
		switch {
		case escaped || c != '%' && c != '_' && c != '\\':
			out.WriteString(regexp.QuoteMeta(string(c)))
			escaped = false
		case c == '\\':
			escaped = true
		case c == '%':
			out.WriteString(".*")
		default:
			out.WriteString(".")
		}
	}
	return out.String() + `\z`
}

func TestEscapeAtTheEnd(t *testing.T) {
	if _, err := Compile([]byte(`a\`), false); err != ErrEscape {
		t.Fatal(err)
	}
}
