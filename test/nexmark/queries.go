package nexmark

import (
	"embed"
	"fmt"
	"strings"

	"github.com/weirstream/weir/internal/adapter/nexmark"
)

// Schema makes the three tables, without keys; several statements.
//
//go:embed schema.sql
var Schema string

// Sample fills the tables with a few events; several statements.
//
//go:embed sample.sql
var Sample string

//go:embed batch
var files embed.FS

// Queries are the numbers of the queries that are here.
func Queries() []int { return nexmark.Queries() }

// Batch is query n for PostgreSQL: one SELECT without its semicolon.
func Batch(n int) string {
	text, err := files.ReadFile(fmt.Sprintf("batch/q%d.sql", n))
	if err != nil {
		panic(err) // n is none of Queries
	}
	return strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
}

// Stream is query n for weir: the SELECT of a materialized view, without its
// semicolon. Columns have the names and types of Batch's.
func Stream(n int) string {
	text, ok := nexmark.Query(n)
	if !ok {
		panic(fmt.Sprintf("nexmark: no query q%d", n))
	}
	return text
}
