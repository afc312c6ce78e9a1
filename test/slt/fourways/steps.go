package fourways

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weirstream/weir/test/slt/script"
)

// step is what both servers do at one point of a script; nil for nothing.
type step struct {
	oracle, peer *script.Record
	kind         kind
	view         string // the name of a query's view; "" for what is no view
}

// kind says when a step takes part.
type kind int

const (
	query      kind = iota
	definition      // made before all else in way 2
	session         // repeated in every pass
	change          // in its place
)

// steps pairs a script's records for two engines.
func steps(s *script.Script, oracle, peer string) ([]step, error) {
	var all []step
records:
	for i := range s.Records {
		r := &s.Records[i]
		o, p := r.Runs(oracle), r.Runs(peer)
		switch {
		case r.Halt && (o || p):
			break records
		case r.Halt, !o && !p:
			continue
		case o != p && pair(all, r, o):
			continue
		}
		st := step{kind: kindOf(r)}
		if st.kind == definition && dropping.MatchString(r.SQL()) {
			return nil, fmt.Errorf("%s:%d: a script of four ways drops nothing", r.Path, r.Line)
		}
		if o {
			st.oracle = r
		}
		if p {
			st.peer = r
		}
		all = append(all, st)
	}
	for i := range all {
		if st := &all[i]; st.kind == query && st.oracle != nil && st.peer != nil && st.peer.Query.Fail == nil {
			st.view = fmt.Sprintf("way_%d", i)
		}
	}
	return all, nil
}

// pair joins a query of one engine to the step before, if that is the other
// engine's query of the same label.
func pair(all []step, r *script.Record, isOracle bool) bool {
	if r.Query == nil || r.Query.Label == "" || len(all) == 0 {
		return false
	}
	last := &all[len(all)-1]
	switch {
	case isOracle && last.oracle == nil && last.peer.Query != nil && last.peer.Query.Label == r.Query.Label:
		last.oracle = r
	case !isOracle && last.peer == nil && last.oracle.Query != nil && last.oracle.Query.Label == r.Query.Label:
		last.peer = r
	default:
		return false
	}
	return true
}

var (
	dropping = regexp.MustCompile(`(?i)^\s*drop\b`)
	defining = regexp.MustCompile(`(?i)^\s*(create|alter|drop)\b`)
	setting  = regexp.MustCompile(`(?i)^\s*(set|reset)\b`)
	creating = regexp.MustCompile(`(?i)^\s*create\s+(materialized\s+view|view|table)\s+(?:if\s+not\s+exists\s+)?([\w."]+)`)
)

func kindOf(r *script.Record) kind {
	switch {
	case r.Query != nil:
		return query
	case r.Statement.Fail != nil:
		return change
	case defining.MatchString(r.SQL()):
		return definition
	case setting.MatchString(r.SQL()):
		return session
	}
	return change
}

// createView is the statement that makes a query's view. It names the columns,
// since those of a query may have equal names or none.
func createView(name string, q *script.Query) string {
	columns := make([]string, len(q.Types))
	for i := range columns {
		columns[i] = fmt.Sprintf("c%d", i+1)
	}
	return fmt.Sprintf("CREATE MATERIALIZED VIEW %s (%s) AS\n%s", name, strings.Join(columns, ", "), q.SQL)
}
