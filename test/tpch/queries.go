package tpch

import (
	"embed"
	"fmt"
	"strings"
)

// Schema makes the eight tables; several statements.
//
//go:embed schema.sql
var Schema string

//go:embed queries
var queryFiles embed.FS

// Queries is the number of queries.
const Queries = 22

// Query is the text of query n, from 1: one SELECT without its semicolon.
func Query(n int) string {
	text, err := queryFiles.ReadFile(fmt.Sprintf("queries/q%02d.sql", n))
	if err != nil {
		panic(err) // n is out of range
	}
	return strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
}
