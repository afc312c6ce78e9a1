package parser_test

import (
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/sql/parser"
)

// BenchmarkParse measures statements of everyday sizes; MB/s is of text.
func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"one", "SELECT 1"},
		{"lookup", "SELECT id, body FROM notes WHERE id = $1 AND body LIKE 'a%' ORDER BY id LIMIT 10"},
		{"insert", "INSERT INTO notes (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id"},
		{"insert1000", "INSERT INTO notes (id, body) VALUES (1, 'some text of a note')" + strings.Repeat(", (2, 'some text of a note')", 999)},
		{"script1000", strings.Repeat("INSERT INTO notes VALUES (1, 'some text of a note');", 1000)},
		{"view", "CREATE MATERIALIZED VIEW v AS SELECT a.category, max(b.price) AS final FROM auction a JOIN bid b ON a.id = b.auction " +
			"WHERE b.date_time BETWEEN a.date_time AND a.expires GROUP BY a.id, a.category HAVING count(*) > 1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if _, err := parser.Parse(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
