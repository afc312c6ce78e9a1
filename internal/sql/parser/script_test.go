package parser_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// TestScripts runs testdata: parse prints trees, error prints what is refused and
// where, with the place marked.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				script, err := parser.Parse(d.Input)
				if err != nil {
					return report(d.Input, err)
				}
				var out strings.Builder
				for _, p := range script {
					if want := d.Input[p.Start : p.Start+len(p.Text)]; want != p.Text {
						t.Errorf("text is %q, at its place is %q", p.Text, want)
					}
					out.WriteString(dump(p.Stmt) + "\n")
				}
				return out.String()
			case "expr":
				x, err := parser.ParseExpr(d.Input)
				if err != nil {
					return report(d.Input, err)
				}
				return dump(x) + "\n"
			case "errors":
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					line = strings.TrimSuffix(line, "\n")
					_, err := parser.Parse(line)
					if err == nil {
						err = errors.New("accepted")
					}
					out.WriteString(report(line, err))
				}
				return out.String()
			}
			return "unknown command"
		})
	})
}

// report marks an error's place in its text.
func report(text string, err error) string {
	var e *sql.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("%v: %s\n", err, text)
	}
	marked := text
	if e.Pos >= 0 && e.Pos <= len(text) {
		marked = text[:e.Pos] + "▸" + text[e.Pos:]
	}
	out := fmt.Sprintf("%s %s\n    %s\n", e.Code, e.Message, marked)
	if e.Hint != "" {
		out += "    hint: " + e.Hint + "\n"
	}
	return out
}
