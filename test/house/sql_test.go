package house

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/sql/parser"
)

var update = flag.Bool("update", false, "rewrite what is generated in docs/sql.md")

const reference = "docs/sql.md"

// The lists of docs/sql.md are those of the code.
func TestReferenceListsWhatIsThere(t *testing.T) {
	r, err := expr.Builtins().With(pgcatalog.Functions()...)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, reference)
	for name, list := range map[string]string{
		"types": types(), "operators": operators(r), "functions": functions(r), "casts": casts(r),
		"aggregates": lines(r.AggregateSignatures()), "set functions": lines(r.SetSignatures()), "system relations": systemRelations(),
	} {
		begin, end := fmt.Sprintf("<!-- %s: generated -->\n", name), fmt.Sprintf("<!-- end of %s -->", name)
		head, rest, found := strings.Cut(text, begin)
		was, tail, closed := strings.Cut(rest, end)
		switch {
		case !found || !closed:
			t.Errorf("%s has no place for %s", reference, name)
		case *update:
			text = head + begin + list + end + tail
		case was != list:
			t.Errorf("%s has other %s than the code; go test ./test/house -update writes them", reference, name)
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, reference), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every statement that the parser knows is among the reference's examples, and they parse.
func TestReferenceHasEveryStatement(t *testing.T) {
	shown := map[string]bool{}
	for _, block := range sqlBlocks(read(t, reference)) {
		stmts, err := parser.Parse(withoutData(block))
		if err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
		for _, s := range stmts {
			shown[reflect.TypeOf(s.Stmt).Elem().Name()] = true
		}
	}
	all := regexp.MustCompile(`(?m)^func \(\*(\w+)\) statement\(\)`).FindAllStringSubmatch(read(t, "internal/sql/statement.go"), -1)
	if len(all) < 30 {
		t.Fatalf("only %d statements found: the pattern is wrong", len(all))
	}
	for _, m := range all {
		if !shown[m[1]] {
			t.Errorf("%s has no example of %s", reference, m[1])
		}
	}
}

// sqlBlocks are a document's blocks of SQL.
func sqlBlocks(doc string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```sql[^\n]*\n(.*?)```").FindAllStringSubmatch(doc, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// withoutData leaves out the rows of COPY … FROM STDIN.
func withoutData(block string) string {
	return regexp.MustCompile(`(?s)(FROM STDIN[^;]*;\n).*?\\\.\n`).ReplaceAllString(block, "$1")
}

// lines groups signatures by name, a line each.
func lines(signatures []string) string {
	var b strings.Builder
	last := ""
	for _, s := range signatures {
		name, _, _ := strings.Cut(s, "(")
		if name == last {
			b.WriteString(", `" + s + "`")
		} else {
			b.WriteString(strings.Repeat("\n", min(1, len(last))) + "- `" + s + "`")
		}
		last = name
	}
	return b.String() + "\n"
}

// functions are those that are called by name: what operators and casts call is left out.
func functions(r *expr.Registry) string {
	hidden := map[*expr.Func]bool{}
	for _, o := range r.Operators() {
		hidden[o.Fn] = true
	}
	for _, c := range r.Casts() {
		hidden[c.Fn] = true
	}
	var all []string
	for _, f := range r.Functions() {
		if !hidden[f] {
			all = append(all, f.Signature())
		}
	}
	return lines(all)
}

// operators are grouped by symbol: their operands' types and the result's.
func operators(r *expr.Registry) string {
	var b strings.Builder
	last := ""
	for _, o := range r.Operators() {
		_, sig, _ := strings.Cut(o.Fn.Signature(), "(")
		args, result, _ := strings.Cut(sig, ") ")
		if o.Symbol == last {
			b.WriteString("; ")
		} else {
			b.WriteString(strings.Repeat("\n", min(1, len(last))) + "- `" + o.Symbol + "`: ")
		}
		b.WriteString(args + " → " + result)
		last = o.Symbol
	}
	return b.String() + "\n"
}

// casts are grouped by the type they begin with; those that are only made when asked for have a star.
func casts(r *expr.Registry) string {
	var b strings.Builder
	last := uint32(0)
	for _, c := range r.Casts() {
		from, to := expr.FormatType(datum.Ref(c.From)), expr.FormatType(datum.Ref(c.To))
		if c.From == last {
			b.WriteString(", ")
		} else {
			b.WriteString(strings.Repeat("\n", min(1, int(last))) + "- " + from + " → ")
		}
		b.WriteString(to + map[expr.How]string{expr.Explicit: "*"}[c.How])
		last = c.From
	}
	return b.String() + "\n"
}

func types() string {
	var names []string
	for _, t := range datum.Builtins() {
		if name := expr.FormatType(datum.Ref(t.OID)); !strings.HasPrefix(name, "any") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ") + "\n"
}

func systemRelations() string {
	var names []string
	for _, rel := range append(pgcatalog.New().Relations(), database.SystemRelations()...) {
		names = append(names, rel.Schema+"."+rel.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ") + "\n"
}
