package script

import "strings"

// Rewrite is the script's text with the expectations of these queries replaced by
// their results. Queries of included files are left alone.
func (s *Script) Rewrite(results map[*Query]Rows) string {
	var out []string
	done := 0
	for _, r := range s.Records {
		rows, ran := results[r.Query]
		if r.Query == nil || r.Path != s.Path || !ran {
			continue
		}
		q := r.Query
		out = append(out, s.lines[done:q.from]...)
		out = append(out, "----")
		out = append(out, rows.Lines(q.Order, q.Threshold)...)
		done = q.to
	}
	out = append(out, s.lines[done:]...)
	return strings.Join(out, "\n")
}
