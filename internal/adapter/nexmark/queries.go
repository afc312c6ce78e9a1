package nexmark

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed queries
var queries embed.FS

// Queries are the numbers of the benchmark's queries that are here. Left out: q6 (a
// window frame), q10 (a file sink), q11 (sessions), q12 and q13 (processing time).
func Queries() []int {
	return []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 17, 18, 19, 20, 21, 22}
}

// Query is query n over relations person, auction and bid: the SELECT of a materialized
// view, without its semicolon; false when it is none of Queries.
func Query(n int) (text string, ok bool) {
	if !slices.Contains(Queries(), n) {
		return "", false
	}
	b, err := queries.ReadFile(fmt.Sprintf("queries/q%d.sql", n))
	return strings.TrimSuffix(strings.TrimSpace(string(b)), ";"), err == nil
}
