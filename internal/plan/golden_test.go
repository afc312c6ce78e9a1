package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
)

// The scripts define tables, then print plans ("plan", "view"), or a plan's columns, keys and parameters
// ("shape"). An error prints its SQLSTATE, message, position, detail and hint.
func TestPlans(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/plans", func(t *testing.T, path string) {
		cat := newCatalog(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "define" {
				cat = define(t, cat, d.Input)
				return ""
			}
			q, err := try(cat, d.Input, plan.Options{View: d.Cmd == "view"})
			if err != nil {
				return failure(err)
			}
			if d.Cmd == "shape" {
				return shape(q)
			}
			return strings.Join(plan.Explain(q), "\n") + "\n"
		})
	})
}

func failure(err error) string {
	var e *sql.Error
	if !errors.As(err, &e) {
		return "not an sql.Error: " + err.Error() + "\n"
	}
	text := fmt.Sprintf("%s at %d: %s\n", e.Code, e.Pos, e.Message)
	if e.Detail != "" {
		text += "detail: " + e.Detail + "\n"
	}
	if e.Hint != "" {
		text += "hint: " + e.Hint + "\n"
	}
	return text
}

// shape is what a client, and the engine, see of a query.
func shape(q *plan.Query) string {
	var b strings.Builder
	for _, c := range q.Columns {
		fmt.Fprintf(&b, "%s %s\n", c.Name, expr.FormatType(c.Type))
	}
	p := q.Root.Properties()
	fmt.Fprintf(&b, "unique %v", p.Unique)
	if p.AppendOnly {
		b.WriteString(", append only")
	}
	if q.Stable {
		b.WriteString(", stable")
	}
	b.WriteByte('\n')
	for i, t := range q.Params {
		fmt.Fprintf(&b, "$%d %s\n", i+1, expr.FormatType(t))
	}
	return b.String()
}
