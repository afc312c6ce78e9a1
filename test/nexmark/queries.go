package nexmark

import (
	"embed"
	"fmt"
	"strings"
)

// Schema makes the three tables, without keys; several statements.
//
//go:embed schema.sql
var Schema string

// Sample fills the tables with a few events; several statements.
//
//go:embed sample.sql
var Sample string

//go:embed batch stream
var files embed.FS

// Queries are the numbers of the queries that are here.
func Queries() []int {
	return []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 17, 18, 19, 20, 21, 22}
}

// Batch is query n for PostgreSQL: one SELECT without its semicolon.
func Batch(n int) string { return read("batch", n) }

// Stream is query n for weir: the SELECT of a materialized view, without its
// semicolon. Columns have the names and types of Batch's.
func Stream(n int) string { return read("stream", n) }

func read(dir string, n int) string {
	text, err := files.ReadFile(fmt.Sprintf("%s/q%d.sql", dir, n))
	if err != nil {
		panic(err) // n is none of Queries
	}
	return strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
}
