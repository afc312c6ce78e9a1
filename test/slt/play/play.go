package play

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/weirstream/weir/test/slt/script"
)

// Fault is a record whose answer is not the expected one.
type Fault struct {
	Record *script.Record
	Reason string
}

func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d: %s\n%s", f.Record.Path, f.Record.Line, f.Reason, indent(f.Record.SQL()))
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// Report is what came of a script.
type Report struct {
	Statements, Queries, Skipped int
	Faults                       []Fault
	// Results holds the rows of each query that answered.
	Results map[*script.Query]script.Rows
}

// Run plays a script to its end or halt. The error says that the server is lost;
// what differs from the script is in the report.
func Run(ctx context.Context, c *Conn, s *script.Script) (*Report, error) {
	rep := &Report{Results: map[*script.Query]script.Rows{}}
	labels := map[string]script.Rows{}
	for i := range s.Records {
		r := &s.Records[i]
		if !r.Runs(c.Label) {
			rep.Skipped++
			continue
		}
		if r.Halt {
			break
		}
		if reason := rep.play(ctx, c, r, labels); reason != "" {
			rep.Faults = append(rep.Faults, Fault{r, reason})
		}
		if c.Lost() {
			return rep, fmt.Errorf("%s:%d: the server is gone", r.Path, r.Line)
		}
	}
	rep.share(s, labels)
	return rep, nil
}

// share gives the queries that another engine runs the result of their label.
func (rep *Report) share(s *script.Script, labels map[string]script.Rows) {
	for _, r := range s.Records {
		if r.Query == nil || r.Query.Label == "" || r.Query.Fail != nil {
			continue
		}
		if _, ran := rep.Results[r.Query]; !ran {
			if rows, known := labels[r.Query.Label]; known {
				rep.Results[r.Query] = rows
			}
		}
	}
}

func (rep *Report) play(ctx context.Context, c *Conn, r *script.Record, labels map[string]script.Rows) (reason string) {
	result, err := c.Exec(ctx, r.SQL())
	if s := r.Statement; s != nil {
		rep.Statements++
		return CheckStatement(s, result, err)
	}
	rep.Queries++
	q := r.Query
	if reason := CheckShape(q, result, err); reason != "" || q.Fail != nil {
		return reason
	}
	rep.Results[q] = result.Rows
	if q.Label != "" {
		if before, known := labels[q.Label]; known && !result.Rows.Matches(before.Lines(q.Order, 0), q.Order) {
			return fmt.Sprintf("another result than the query labelled %q before:\n%s", q.Label, difference(before.Lines(q.Order, 0), result.Rows, q.Order))
		}
		labels[q.Label] = result.Rows
	}
	if q.Want == nil || !result.Rows.Matches(q.Want, q.Order) {
		return "result differs\n" + difference(q.Want, result.Rows, q.Order)
	}
	return ""
}

// CheckStatement compares what a statement gave with what it should; "" if equal.
func CheckStatement(s *script.Statement, result Result, err error) string {
	switch {
	case s.Fail != nil || err != nil:
		return checkFailure(s.Fail, err)
	case s.Count >= 0 && result.Affected != s.Count:
		return fmt.Sprintf("%d rows affected, want %d", result.Affected, s.Count)
	}
	return ""
}

// CheckShape compares all but a query's rows: its failure, or its columns.
func CheckShape(q *script.Query, result Result, err error) string {
	if q.Fail != nil || err != nil {
		return checkFailure(q.Fail, err)
	}
	var types strings.Builder
	for _, c := range result.Columns {
		types.WriteByte(letter(c.OID))
	}
	if got := types.String(); got != q.Types {
		return fmt.Sprintf("columns of types %s, want %s", got, q.Types)
	}
	return ""
}

// letter is the script's class of a PostgreSQL type.
func letter(oid uint32) byte {
	switch oid {
	case 20, 21, 23, 26: // int8, int2, int4, oid
		return 'I'
	case 700, 701, 1700: // float4, float8, numeric
		return 'R'
	}
	return 'T'
}

func checkFailure(want *script.Failure, err error) string {
	switch {
	case want == nil:
		return err.Error()
	case err == nil:
		return "it succeeded, want an error " + want.Pattern
	}
	re, bad := regexp.Compile(want.Pattern)
	if bad != nil {
		return bad.Error()
	}
	if !re.MatchString(err.Error()) {
		return fmt.Sprintf("%v, want an error that matches %q", err, want.Pattern)
	}
	return ""
}

// shown bounds the lines of each side that a fault prints.
const shown = 40

func difference(want []string, got script.Rows, order script.Order) string {
	return "  want:\n" + list(want) + "\n  got:\n" + list(got.Lines(order, 0))
}

func list(lines []string) string {
	if len(lines) > shown {
		lines = append(lines[:shown:shown], fmt.Sprintf("… %d more", len(lines)-shown))
	}
	return indent(strings.Join(lines, "\n"))
}
