package storm

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	token    = regexp.MustCompile(`(?s)'(?:[^']|'')*'|"[^"]*"|\$\$.*?\$\$|[A-Za-z_][A-Za-z_0-9]*|\d+(?:\.\d+)?|::|<=|>=|<>|!=|\|\||->>|->|\s+|.`)
	answer   = regexp.MustCompile(`(?s)\n----.*`)
	fenced   = regexp.MustCompile("(?s)```sql\n(.*?)```")
	comments = regexp.MustCompile(`(?m)--.*$`)
	// endless are statements that wait for what never comes, or leave something that runs on.
	endless = regexp.MustCompile(`(?i)stdin|connector|subscribe|pg_sleep|pg_terminate_backend|database|\bstatement_timeout|\bsystem\b|password|\buser\b`)
)

// corpus are the statements that mutants are made of, as tokens.
func corpus(t *testing.T) (all [][]string) {
	t.Helper()
	files, err := filepath.Glob("../oracle/testdata/*.slt")
	if err != nil || len(files) < 10 {
		t.Fatalf("the oracle's corpus has %d files: %v", len(files), err)
	}
	var texts []string
	for _, name := range files {
		texts = append(texts, records(t, name)...)
	}
	doc, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fenced.FindAllStringSubmatch(string(doc), -1) {
		texts = append(texts, strings.Split(comments.ReplaceAllString(m[1], ""), ";\n")...)
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" && !endless.MatchString(text) {
			all = append(all, token.FindAllString(text, -1))
		}
	}
	return all
}

// records are the statements of a logic script.
func records(t *testing.T, name string) (texts []string) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(raw), "\n\n") {
		block = answer.ReplaceAllString(block, "")
		for {
			line, rest, more := strings.Cut(block, "\n")
			if !more {
				break
			}
			block = rest
			if strings.HasPrefix(line, "statement") || strings.HasPrefix(line, "query") {
				texts = append(texts, block)
				break
			}
		}
	}
	return texts
}

// strange values are put where others were.
var strange = []string{
	"0", "-1", "2147483648", "9223372036854775808", "1e400", "'NaN'", "NULL", "''", "'infinity'::timestamptz", "ARRAY[1,2]", "'{}'::jsonb",
	"(SELECT 1)", "(SELECT 1, 2)", "*", "$1", "'\\x00'", "1 / 0", "interval '1 month'", "x.y.z", "now()", "count(*)", "sum(sum(1))", "DISTINCT",
	"generate_series(1, 3)", "unnest(ARRAY[1, NULL])", "row_number() OVER ()", "CAST('x' AS int)", "'a' COLLATE \"C\"", "((((1))))", "\u00e9", "?",
}

// mutant is a statement of the corpus, changed in a few places.
func mutant(rng *rand.Rand, all [][]string) string {
	s := append([]string(nil), all[rng.IntN(len(all))]...)
	other := all[rng.IntN(len(all))]
	if rng.IntN(3) > 0 { // most stay statements, of another meaning
		for range 1 + rng.IntN(4) {
			i, j := rng.IntN(len(s)), rng.IntN(len(other))
			if class(s[i]) == class(other[j]) && !keyword.MatchString(s[i]) && !keyword.MatchString(other[j]) {
				s[i] = other[j]
			}
			if class(s[i]) == '0' && rng.IntN(2) == 0 {
				s[i] = strange[rng.IntN(len(strange))]
			}
		}
		return dressed(rng, strings.Join(s, ""))
	}
	for range 1 + rng.IntN(3) {
		if len(s) < 2 {
			break
		}
		i, j := rng.IntN(len(s)), rng.IntN(len(s))
		switch rng.IntN(8) {
		case 0:
			s = append(s[:i], s[i+1:]...)
		case 1:
			s[i], s[j] = s[j], s[i]
		case 2:
			s[i] = strange[rng.IntN(len(strange))]
		case 3:
			s[i] = other[rng.IntN(len(other))]
		case 4:
			s[i] = s[j]
		case 5:
			k := rng.IntN(len(other))
			s = append(s[:i:i], other[k:]...)
		case 6:
			s = append(s[:i:i], append([]string{" ", strange[rng.IntN(len(strange))], " "}, s[i:]...)...)
		case 7: // nothing: what is in the corpus, in a place where it was not
		}
	}
	return dressed(rng, strings.Join(s, ""))
}

// keyword are words whose place counts.
var keyword = regexp.MustCompile(`(?i)^(select|from|where|group|by|order|having|as|on|join|left|right|full|inner|outer|cross|union|all|and|or|not|in|is|case|when|then|else|end|with|insert|into|values|limit|offset|create|drop|table|view|materialized|update|set|delete|using|lateral|over|partition|filter)$`)

// class is what a token is put in the place of: a word, a value, a sign.
func class(tok string) byte {
	switch c := tok[0]; {
	case c >= '0' && c <= '9', c == '\'':
		return '0'
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '"':
		return 'a'
	case strings.TrimSpace(tok) == "":
		return ' '
	}
	return '+'
}

// dressed puts a statement into another one now and then.
func dressed(rng *rand.Rand, text string) string {
	switch rng.IntN(12) {
	case 0:
		return "CREATE MATERIALIZED VIEW storm AS " + text
	case 1:
		return "EXPLAIN " + text
	case 2:
		return "SELECT * FROM (" + text + ") AS q (a, b)"
	case 3:
		return "INSERT INTO account " + text
	}
	return text
}
