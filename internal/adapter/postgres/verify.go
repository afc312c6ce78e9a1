package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Snapshot is a session that reads one state of a database: an open REPEATABLE
// READ transaction under pinned settings. It is used by one goroutine.
type Snapshot struct {
	conn *pgx.Conn
	side side
}

// OpenSnapshot freezes a state of the source of a comparison. What commits after
// the call returns is not in it.
func OpenSnapshot(ctx context.Context, url string) (*Snapshot, error) {
	return openSnapshot(ctx, url, upstream)
}

// OpenTargetSnapshot freezes a state of the target of a comparison.
func OpenTargetSnapshot(ctx context.Context, url string) (*Snapshot, error) {
	return openSnapshot(ctx, url, target)
}

func openSnapshot(ctx context.Context, url string, s side) (*Snapshot, error) {
	conn, err := connect(ctx, url, "weir verify", s)
	if err != nil {
		return nil, err
	}
	// pg_current_snapshot takes the snapshot.
	for _, sql := range []string{`SET work_mem = '64MB'`, `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`, `SELECT pg_current_snapshot()`} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			quietly(conn)
			return nil, s.wrap(err, "cannot take a snapshot to compare")
		}
	}
	return &Snapshot{conn: conn, side: s}, nil
}

// Conn is the session, for look-ups in the same snapshot.
func (s *Snapshot) Conn() *pgx.Conn { return s.conn }

// Close ends the session.
func (s *Snapshot) Close() { quietly(s.conn) }

// Compared is one table to compare: its shape at the source, and what the target
// calls it.
type Compared struct {
	Schema    *row.Schema
	Namespace string
	Name      string
}

// Kinds of Difference.
const (
	DiffMissing = "missing" // the target lacks the row
	DiffExtra   = "extra"   // the source lacks the row
	DiffColumn  = "differs" // a column has another value
)

// Difference is one row that is not the same on both sides.
type Difference struct {
	Kind   string `json:"kind"`
	Key    string `json:"key"`              // id=5; of a keyless table the whole row
	Column string `json:"column,omitempty"` // the first that differs
}

// Comparison is the outcome for one table. Rows are counted on both sides;
// Differences holds the first ones in key order, as many as were asked for.
type Comparison struct {
	Table       string       `json:"table"`
	SourceRows  int64        `json:"source_rows"`
	TargetRows  int64        `json:"target_rows"`
	Missing     int64        `json:"missing"`
	Extra       int64        `json:"extra"`
	Different   int64        `json:"different"`
	Skipped     []string     `json:"skipped,omitempty"` // columns that the target does not have
	Differences []Difference `json:"differences,omitempty"`
}

// Equal tells whether no difference was found.
func (c *Comparison) Equal() bool { return c.Missing+c.Extra+c.Different == 0 }

// Compare reads a table from both snapshots in one order, row by row, and names
// up to limit rows that differ. Values are compared by their text. A keyless
// table is compared as a bag of rows. Memory does not grow with the table.
func Compare(ctx context.Context, source, at *Snapshot, t Compared, limit int) (*Comparison, error) {
	table, err := loadTable(ctx, at.conn, t.Namespace, t.Name)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Table: t.Schema.FullName()}
	if table == nil {
		return nil, weirerr.New(weirerr.TargetMissing, "the target lacks a table").With("table", t.Namespace+"."+t.Name)
	}
	q := newCompareQuery(t.Schema, table)
	c.Skipped = q.skipped
	m := &merge{c: c, q: q, limit: limit}
	err = m.run(ctx, source, at, q.sql(t.Schema.Namespace, t.Schema.Name), q.sql(t.Namespace, t.Name))
	if err != nil {
		return nil, err
	}
	return c, nil
}

// compareQuery is how both sides are asked for their rows.
type compareQuery struct {
	keys    []string // names of the columns that lead each line, as text to order by
	numeric bool     // keys are whole numbers, in their own order
	columns []string // names of the columns that follow
	skipped []string
}

// ordered are types whose index gives the order that we compare by.
var ordered = []string{"pg_catalog.int2", "pg_catalog.int4", "pg_catalog.int8"}

func newCompareQuery(s *row.Schema, t *targetTable) *compareQuery {
	q := &compareQuery{numeric: true}
	add := func(name string) {
		if _, ok := t.columns[name]; ok {
			q.columns = append(q.columns, name)
		} else {
			q.skipped = append(q.skipped, name)
		}
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Key {
			q.keys = append(q.keys, c.Name)
			q.numeric = q.numeric && slices.Contains(ordered, t.columns[c.Name].cast) &&
				(c.Type == 20 || c.Type == 21 || c.Type == 23) // int8, int2, int4
		}
		add(c.Name)
	}
	for _, g := range s.Generated {
		add(g.Name)
	}
	q.numeric = q.numeric && len(q.keys) > 0
	return q
}

// sql is the COPY that gives the rows: first what to order by, then the columns.
func (q *compareQuery) sql(namespace, name string) string {
	var lead, order, cols []string
	for _, c := range q.columns {
		cols = append(cols, quoteIdent(c))
	}
	switch {
	case len(q.keys) == 0:
		row := `ROW(` + strings.Join(cols, ", ") + `)::text`
		lead, order, cols = []string{row}, []string{row + ` COLLATE "C"`}, nil
	case q.numeric:
		for _, k := range q.keys {
			lead, order = append(lead, quoteIdent(k)), append(order, quoteIdent(k))
		}
	default:
		for _, k := range q.keys {
			lead, order = append(lead, quoteIdent(k)+`::text`), append(order, quoteIdent(k)+`::text COLLATE "C"`)
		}
	}
	return `COPY (SELECT ` + strings.Join(append(lead, cols...), ", ") + ` FROM ` + quoteTable(namespace, name) +
		` ORDER BY ` + strings.Join(order, ", ") + `) TO STDOUT`
}

func (q *compareQuery) leads() int { return max(1, len(q.keys)) }
