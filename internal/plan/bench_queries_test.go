package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/test/nexmark"
	"github.com/weirstream/weir/test/tpch"
)

// All TPC-H queries bind as views; their plans are in testdata/tpch.
func TestTPCHPlans(t *testing.T) {
	t.Parallel()
	cat := define(t, newCatalog(t), tpch.Schema)
	datadriven.RunTest(t, "testdata/tpch", func(t *testing.T, d *datadriven.TestData) string {
		var n int
		if _, err := fmt.Sscanf(d.Cmd, "q%d", &n); err != nil {
			t.Fatal(err)
		}
		return planOf(try(cat, tpch.Query(n), plan.Options{View: true}))
	})
}

// All Nexmark queries that are there bind as views over streams; their plans are in testdata/nexmark.
func TestNexmarkPlans(t *testing.T) {
	t.Parallel()
	cat := define(t, newCatalog(t), strings.ReplaceAll(nexmark.Schema, "\n);", "\n) APPEND ONLY;"))
	datadriven.RunTest(t, "testdata/nexmark", func(t *testing.T, d *datadriven.TestData) string {
		var n int
		if _, err := fmt.Sscanf(d.Cmd, "q%d", &n); err != nil {
			t.Fatal(err)
		}
		return planOf(try(cat, nexmark.Stream(n), plan.Options{View: true}))
	})
}

func planOf(q *plan.Query, err error) string {
	if err != nil {
		return failure(err)
	}
	text := strings.Join(plan.Explain(q), "\n") + "\n"
	if p := q.Root.Properties(); p.AppendOnly || len(p.Unique) > 0 {
		text += fmt.Sprintf("unique %v, append only %v\n", p.Unique, p.AppendOnly)
	}
	return text
}
