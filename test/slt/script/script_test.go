package script_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/test/slt/script"
)

func TestAllRecordsAreRead(t *testing.T) {
	t.Parallel()
	s, err := script.Parse("x.slt", `# about it
statement ok
CREATE TABLE t (
    a int)

skipif weir
onlyif postgresql
statement error division by (zero|nothing)
SELECT 1/0

statement count 3
DELETE FROM t

hash-threshold 8

query IT rowsort name
SELECT a,
  b FROM t
----
1	x y
2	(empty)

query error
SELECT

onlyif weir
halt
query R
SELECT 1.5`)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Records
	if len(r) != 7 {
		t.Fatalf("%d records", len(r))
	}
	if got := r[0].Statement; got.SQL != "CREATE TABLE t (\n    a int)" || got.Fail != nil || got.Count != -1 || r[0].Line != 2 {
		t.Errorf("%+v at %d", got, r[0].Line)
	}
	if got := r[1]; got.Statement.Fail.Pattern != "division by (zero|nothing)" || got.Runs("weir") || !got.Runs("postgresql") || got.Runs("sqlite") {
		t.Errorf("%+v", got)
	}
	if r[2].Statement.Count != 3 {
		t.Errorf("%+v", r[2].Statement)
	}
	q := r[3].Query
	if q.Types != "IT" || q.Order != script.RowSort || q.Label != "name" || q.Threshold != 8 ||
		q.SQL != "SELECT a,\n  b FROM t" || !slices.Equal(q.Want, []string{"1\tx y", "2\t(empty)"}) {
		t.Errorf("%+v", q)
	}
	if r[4].Query.Fail == nil || !r[5].Halt || r[5].Runs("postgresql") {
		t.Errorf("%+v %+v", r[4], r[5])
	}
}

func TestBadScriptsAreRefused(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		"statment ok\nSELECT 1":          "unknown record",
		"statement\nSELECT 1":            "needs ok",
		"statement maybe\nSELECT 1":      "maybe",
		"statement count x\nSELECT 1":    "invalid syntax",
		"statement ok\n\n":               "without SQL",
		"statement ok\nSELECT 1\n----\n": "expects no rows",
		"query\nSELECT 1":                "letter a column",
		"query X\nSELECT 1":              "I, R or T",
		"query I rowsort l more\nSELECT": "unexpected",
		"query error x\nSELECT\n----\n1": "expects no rows",
		"hash-threshold x":               "no number",
		"include absent.slt":             "no such file",
		"onlyif weir\n":                  "about no record",
		"skipif\nhalt":                   "label",
	} {
		if _, err := script.Parse("x.slt", text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %q", text, err, reason)
		}
	}
}

func TestIncludedRecordsComeInTheirPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.slt":     "statement ok\nA\n\nonlyif weir\ninclude sub/b.slt\n\nquery T\nC\n",
		"sub/b.slt": "skipif old\nquery I\nB\n----\n1\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := script.Load(filepath.Join(dir, "a.slt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Records) != 3 || s.Records[1].SQL() != "B" || !s.Records[1].Runs("weir") || s.Records[1].Runs("old") || s.Records[1].Runs("postgresql") {
		t.Fatalf("%+v", s.Records)
	}
	results := map[*script.Query]script.Rows{}
	for _, r := range s.Records[1:] {
		results[r.Query] = script.Rows{{{Text: "9"}}}
	}
	if got, want := s.Rewrite(results), "statement ok\nA\n\nonlyif weir\ninclude sub/b.slt\n\nquery T\nC\n----\n9\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Results match in each order, as rows, as values and as a hash.
func TestResultsMatchInEveryForm(t *testing.T) {
	t.Parallel()
	rows := script.Rows{{{Text: "b"}, {Null: true}}, {{Text: "a"}, {Text: ""}}}
	for _, c := range []struct {
		order script.Order
		want  string
		same  bool
	}{
		{script.NoSort, "b\tNULL|a\t(empty)", true},
		{script.NoSort, "a\t(empty)|b\tNULL", false},
		{script.RowSort, "a\t(empty)|b\tNULL", true},
		{script.ValueSort, "(empty)\tNULL|a\tb", true},
		{script.NoSort, "b|NULL|a|(empty)", true},
		{script.NoSort, "b|NULL|a", false},
		{script.ValueSort, "(empty)|NULL|a|b", true},
		{script.NoSort, "4 values hashing to a9aedab62a8e4c2b6c2a8fbd8eb6e1f1", false},
	} {
		if got := rows.Matches(strings.Split(c.want, "|"), c.order); got != c.same {
			t.Errorf("%d %q: %v", c.order, c.want, got)
		}
	}
	hashed := rows.Lines(script.NoSort, 3)
	if len(hashed) != 1 || !rows.Matches(hashed, script.NoSort) || rows.Matches(hashed, script.RowSort) {
		t.Errorf("%q", hashed)
	}
	// printf '1\n1\n' | md5sum
	if got := (script.Rows{{{Text: "1"}}, {{Text: "1"}}}).Lines(script.NoSort, 1); got[0] != "2 values hashing to f2160c8ffedf48068f2e1137e0a3a7e7" {
		t.Errorf("%q", got)
	}
}

// Rewriting a script with what it expects changes nothing; with other results, a
// second rewriting changes nothing more.
func TestRewritingIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{
			"# a comment", "statement ok\nX", "query II rowsort\nSELECT\n----\n1\t2", "query T\nSELECT\n----",
			"query TT\nSELECT", "hash-threshold 3", "", "query error x\nY", "onlyif a\nquery T\nZ\n----\nold",
		}), 1, 12).Draw(t, "blocks")
		src := strings.Join(text, "\n\n") + rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end")
		once := rewritten(t, src)
		if again := rewritten(t, once); again != once {
			t.Fatalf("%q became %q", once, again)
		}
	})
}

func rewritten(t *rapid.T, src string) string {
	s, err := script.Parse("x.slt", src)
	if err != nil {
		t.Fatal(err)
	}
	results := map[*script.Query]script.Rows{}
	for _, r := range s.Records {
		if r.Query != nil && r.Query.Fail == nil {
			row := make([]script.Value, len(r.Query.Types))
			for i := range row {
				row[i] = script.Value{Text: "v"}
			}
			results[r.Query] = script.Rows{row, row}
		}
	}
	out := s.Rewrite(results)
	for _, r := range must(t, out).Records {
		if q := r.Query; q != nil && q.Fail == nil {
			row := make([]script.Value, len(q.Types))
			for i := range row {
				row[i] = script.Value{Text: "v"}
			}
			if !(script.Rows{row, row}).Matches(q.Want, q.Order) {
				t.Fatalf("%q is written where two rows of v are", q.Want)
			}
		}
	}
	return out
}

func must(t *rapid.T, text string) *script.Script {
	s, err := script.Parse("x.slt", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
