package plan_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/plan/planrun"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
)

const withDefaults = `CREATE TABLE d (x int DEFAULT 1 + 2, y text DEFAULT 'a' || 'b', z numeric);`

// INSERT, UPDATE and DELETE leave the same table and return the same rows as in PostgreSQL.
func TestChangesAgreeWithPostgres(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cat = define(t, w.cat, withDefaults)
	w.exec(t, withDefaults)
	for round := range 4 {
		w.fill(t, rand.New(rand.NewPCG(uint64(round), 3)), round*4)
		for _, statement := range lines(t, "testdata/changes.sql") {
			if diff := w.compareChange(statement); diff != "" {
				t.Errorf("round %d: %s\n%s", round, statement, diff)
			}
		}
	}
}

// Wrong ones are refused with the same SQLSTATE and message.
func TestWrongChangesAreRefusedAsInPostgres(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, statement := range lines(t, "testdata/changes_wrong.sql") {
		_, want := w.conn.Exec(context.Background(), statement).ReadAll()
		_, got := w.change(statement)
		if want == nil || got == nil || message(want) != message(got) {
			t.Errorf("%s\n  PostgreSQL: %v\n  weir:       %v", statement, want, got)
		}
	}
}

// message is SQLSTATE and message.
func message(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code + " " + pg.Message
	}
	return codeOf(err) + " " + err.Error()
}

func (w *world) change(statement string) (*plan.Change, error) {
	parsed, err := parser.Parse(statement)
	if err != nil {
		return nil, err
	}
	o := plan.Options{Parse: parser.ParseQuery, ParseExpr: parser.ParseExpr}
	switch s := parsed[0].Stmt.(type) {
	case *sql.Insert:
		return plan.BindInsert(w.cat, builtins, s, o)
	case *sql.Update:
		return plan.BindUpdate(w.cat, builtins, s, o)
	case *sql.Delete:
		return plan.BindDelete(w.cat, builtins, s, o)
	}
	return nil, fmt.Errorf("%T is no change", parsed[0].Stmt)
}

func (w *world) compareChange(statement string) string {
	ch, err := w.change(statement)
	if err != nil {
		return err.Error()
	}
	results, err := w.conn.Exec(context.Background(), "BEGIN; "+statement+"; TABLE "+ch.Relation.Name+"; ROLLBACK").ReadAll()
	if err != nil {
		return "PostgreSQL: " + err.Error()
	}
	var want [2][]string
	for i := range want {
		for _, r := range results[i+1].Rows {
			want[i] = append(want[i], textLine(r))
		}
		slices.Sort(want[i])
	}
	returned, table, err := w.apply(ch)
	if err != nil {
		return err.Error()
	}
	slices.Sort(returned)
	slices.Sort(table)
	plain := strings.Join(plan.Explain(ch.Rows), "\n")
	if !slices.Equal(returned, want[0]) {
		return fmt.Sprintf("returned\n  %s\nPostgreSQL\n  %s\n%s", strings.Join(returned, "\n  "), strings.Join(want[0], "\n  "), plain)
	}
	if !slices.Equal(table, want[1]) {
		return fmt.Sprintf("the table is\n  %s\nPostgreSQL's\n  %s\n%s", strings.Join(table, "\n  "), strings.Join(want[1], "\n  "), plain)
	}
	return ""
}

func textLine(cells [][]byte) string {
	row := make([]*string, len(cells))
	for i, b := range cells {
		if b != nil {
			s := string(b)
			row[i] = &s
		}
	}
	return line(row)
}

// apply computes what a change returns, and the table after it.
func (w *world) apply(ch *plan.Change) (returned, table []string, err error) {
	rows, err := planrun.Run(ch.Rows, w.tables, w.env)
	if err != nil {
		return nil, nil, err
	}
	n := len(ch.Relation.Columns)
	old := w.tables[ch.Relation.ID]
	var after *zset.Chunk
	switch {
	case ch.Conflict != nil:
		if rows, after, err = w.upsert(ch, rows); err != nil {
			return nil, nil, err
		}
	case ch.Kind == plan.Insert:
		after = zset.Concat([]*zset.Chunk{old, rows})
	case ch.Kind == plan.Update:
		fresh := &zset.Chunk{N: rows.N, Cols: rows.Cols[n : 2*n]}
		after = zset.Concat([]*zset.Chunk{without(old, rows, n), fresh})
	case ch.Kind == plan.Delete:
		after = without(old, rows, n)
	}
	if ch.Returning != nil {
		cols, errs := expr.Compile(ch.Returning).Eval(rows, w.env)
		if errs != nil {
			return nil, nil, errs[0].Err
		}
		returned = w.text(&zset.Chunk{N: rows.N, Cols: cols}, ch.Columns)
	}
	return returned, w.text(after, columnsOf(ch.Relation)), nil
}

// upsert inserts rows one by one, changing those that are there.
func (w *world) upsert(ch *plan.Change, rows *zset.Chunk) (written, after *zset.Chunk, err error) {
	n := len(ch.Relation.Columns)
	after = w.tables[ch.Relation.ID]
	for i := range rows.N {
		row := rows.Slice(i, i+1)
		there := find(after, row, ch.Relation)
		if there >= 0 {
			if ch.Conflict.Update == nil {
				continue
			}
			both := &zset.Chunk{N: 1, Cols: append(slices.Clone(after.Slice(there, there+1).Cols), row.Cols...)}
			if ch.Conflict.Where != nil {
				sel, errs := expr.CompileFilter(ch.Conflict.Where).EvalFilter(both, w.env)
				if errs != nil {
					return nil, nil, errs[0].Err
				}
				if len(sel) == 0 {
					continue
				}
			}
			cols, errs := expr.Compile(ch.Conflict.Update).Eval(both, w.env)
			if errs != nil {
				return nil, nil, errs[0].Err
			}
			after = without(after, after.Slice(there, there+1), n)
			row = &zset.Chunk{N: 1, Cols: cols}
		}
		after = zset.Concat([]*zset.Chunk{after, row})
		if written == nil {
			written = row
		} else {
			written = zset.Concat([]*zset.Chunk{written, row})
		}
	}
	if written == nil {
		written = rows.Slice(0, 0)
	}
	return written, after, nil
}

func find(table, row *zset.Chunk, rel *catalog.Relation) int {
	for i := range table.N {
		same := true
		for _, k := range rel.Key {
			same = same && zset.Compare(table.Cols[k], i, row.Cols[k], 0) == 0
		}
		if same {
			return i
		}
	}
	return -1
}

// without is a table less one row for each of rows.
func without(table, rows *zset.Chunk, n int) *zset.Chunk {
	gone := map[string]int{}
	for i := range rows.N {
		gone[string(zset.AppendExactRow(nil, rows.Cols[:n], i))]++
	}
	var keep []int32
	for i := range table.N {
		k := string(zset.AppendExactRow(nil, table.Cols, i))
		if gone[k] > 0 {
			gone[k]--
			continue
		}
		keep = append(keep, int32(i))
	}
	return table.Gather(keep)
}

func columnsOf(rel *catalog.Relation) []plan.Column {
	var cols []plan.Column
	for _, c := range rel.Columns {
		cols = append(cols, plan.Column{Name: c.Name, Type: c.Type})
	}
	return cols
}

func (w *world) text(c *zset.Chunk, cols []plan.Column) (out []string) {
	for _, r := range planrun.Text(c, cols, pgvalue.Options{}) {
		out = append(out, line(r))
	}
	return out
}
