package plan_test

import (
	"testing"

	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/test/tpch"
)

// Planning is to cost less than parsing: a point query, and an eight-way join.
func BenchmarkBind(b *testing.B) {
	cat := define(b, newCatalog(b), tpch.Schema)
	for name, text := range map[string]string{
		"point": "SELECT c_name FROM customer WHERE c_custkey = 7", "q2": tpch.Query(2), "q8": tpch.Query(8), "q21": tpch.Query(21),
	} {
		b.Run(name, func(b *testing.B) {
			q, err := parser.ParseQuery(text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := plan.Bind(cat, builtins, q, plan.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
