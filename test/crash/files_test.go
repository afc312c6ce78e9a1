package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/test/rig"
)

// ledger is what the files say, replayed line by line.
type ledger struct {
	lines    int
	journal  map[int64]int              // id: lines that create it
	versions map[string]map[int64]int64 // table: id: version last seen
	history  map[string]int             // pgbench_history row: lines
	faults   []string
}

// fileFaults judges that the files have each line once and none is missing.
func fileFaults(t *testing.T, dir string, source *pgx.Conn) []string {
	t.Helper()
	l := &ledger{journal: map[int64]int{}, history: map[string]int{},
		versions: map[string]map[int64]int64{"acct_a": {}, "acct_b": {}}}
	if err := rig.ReadLines(dir, l.line); err != nil {
		t.Fatal(err)
	}
	l.checkJournal(t, source)
	l.checkVersions(t, source, "acct_a")
	l.checkVersions(t, source, "acct_b")
	l.checkHistory(t, source)
	t.Logf("the files have %d lines", l.lines)
	const few = 10
	if more := len(l.faults) - few; more > 0 {
		return append(l.faults[:few:few], fmt.Sprintf("and %d more", more))
	}
	return l.faults
}

func (l *ledger) fault(format string, args ...any) {
	l.faults = append(l.faults, "G2, files: "+fmt.Sprintf(format, args...))
}

func (l *ledger) line(line *rig.Line) error {
	l.lines++
	row, err := line.Row()
	if err != nil {
		return err
	}
	switch table := line.Source.Table; table {
	case "journal":
		if line.Op == "c" || line.Op == "r" {
			l.journal[number(row["id"])]++
		} else {
			l.fault("a journal line with op %s", line.Op)
		}
	case "acct_a", "acct_b":
		id, version := number(row["id"]), number(row["version"])
		before, seen := l.versions[table][id]
		if seen && version != before+1 {
			l.fault("%s %d: version %d follows version %d", table, id, version, before)
		}
		l.versions[table][id] = version
	case "pgbench_history":
		if line.Op != "c" && line.Op != "r" {
			l.fault("a history line with op %s", line.Op)
		}
		l.history[fmt.Sprint(row["tid"], " ", row["bid"], " ", row["aid"], " ", row["delta"], " ", row["mtime"])]++
	}
	return nil
}

func number(v any) int64 {
	n, ok := v.(json.Number)
	if !ok {
		return -1
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		return -1
	}
	return i
}

func (l *ledger) checkJournal(t *testing.T, source *pgx.Conn) {
	t.Helper()
	rows, err := source.Query(context.Background(), "SELECT id FROM journal")
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if n := l.journal[id]; n != 1 {
			l.fault("journal %d is on %d lines", id, n)
		}
		delete(l.journal, id)
	}
	for id := range l.journal {
		l.fault("journal %d was never committed", id)
	}
}

func (l *ledger) checkVersions(t *testing.T, source *pgx.Conn, table string) {
	t.Helper()
	rows, err := source.Query(context.Background(), "SELECT id, version FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	var id, version int64
	_, err = pgx.ForEachRow(rows, []any{&id, &version}, func() error {
		if got := l.versions[table][id]; got != version {
			l.fault("%s %d: the last line has version %d, the source %d", table, id, got, version)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (l *ledger) checkHistory(t *testing.T, source *pgx.Conn) {
	t.Helper()
	rows, err := source.Query(context.Background(), `SELECT concat_ws(' ', tid, bid, aid, delta, (extract(epoch FROM mtime) * 1000000)::bigint), count(*)
		FROM pgbench_history GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	var row string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&row, &n}, func() error {
		if got := l.history[row]; got != n {
			l.fault("history row (%s): %d lines, %d rows at the source", row, got, n)
		}
		delete(l.history, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for row, n := range l.history {
		l.fault("history row (%s): %d lines, none at the source", row, n)
	}
}
