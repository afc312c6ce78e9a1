package session

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

func (s *Session) copyTask(st *statement, x *sql.Copy) (*task, error) {
	if x.From {
		return s.copyFromTask(x)
	}
	var t *task
	var err error
	target := "query"
	switch q := x.Query.(type) {
	case nil:
		target = x.Table.Name
		if err := s.copyable(x); err != nil {
			return nil, err
		}
		t, err = s.selectTask(st, &sql.Query{Select: tableQuery(x)})
	case *sql.Subscribe:
		t, err = s.subscribeTask(st, q)
	case *sql.Query:
		t, err = s.selectTask(st, q)
	default:
		return nil, unsupported("COPY of this statement", -1)
	}
	if err != nil {
		return nil, err
	}
	t.tag = counts("COPY")
	t.copy, err = pgwire.NewCopy(target, false, x.Options)
	return t, err
}

// copyable refuses what PostgreSQL has no COPY TO for: views, whose query can be copied.
func (s *Session) copyable(x *sql.Copy) error {
	name := *x.Table
	name.At = -1 // PostgreSQL does not point at it
	rel, err := s.db.Catalog().Find(name)
	if err == nil && rel.Kind == catalog.KindView {
		return hinted(fail(sql.WrongObjectType, "cannot copy from view \"%s\"", rel.Name), "Try the COPY (SELECT ...) TO variant.")
	}
	return err
}

// tableQuery is SELECT columns FROM table.
func tableQuery(x *sql.Copy) *sql.Select {
	q := &sql.Select{At: x.Table.At, From: []sql.TableExpr{&sql.TableRef{At: x.Table.At, Schema: x.Table.Schema, Name: x.Table.Name}}}
	for _, c := range x.Columns {
		q.Targets = append(q.Targets, sql.Target{At: x.Table.At, X: &sql.ColumnRef{At: x.Table.At, Parts: []string{c}}})
	}
	if len(x.Columns) == 0 {
		q.Targets = []sql.Target{{At: x.Table.At, X: &sql.ColumnRef{At: x.Table.At, Star: true}}}
	}
	return q
}

// loading is a COPY FROM that runs.
type loading struct {
	rel      *catalog.Relation
	into     []int         // columns that the rows have, in their order
	defaults *expr.Program // of all columns
}

func (s *Session) copyFromTask(x *sql.Copy) (*task, error) {
	rel, into, err := s.copyTarget(x)
	if err != nil {
		return nil, err
	}
	values, err := plan.Defaults(s.db.Catalog(), s.o.o.Functions, rel, planOptions(&statement{}))
	if err != nil {
		return nil, err
	}
	l := &loading{rel, into, expr.Compile(values)}
	t := &task{tag: counts("COPY"), columns: make([]pgwire.Column, len(into))}
	for i, k := range into {
		t.columns[i] = pgwire.Column{Name: rel.Columns[k].Name, Type: rel.Columns[k].Type}
	}
	if t.copy, err = pgwire.NewCopy(rel.Name, true, x.Options); err != nil {
		return nil, err
	}
	t.load = func(ctx context.Context, p *portal, rows *zset.Chunk) error {
		if err := s.load(ctx, l, rows); err != nil {
			return err
		}
		p.changed += int64(rows.N)
		return nil
	}
	t.run = nothing
	return t, nil
}

// copyTarget finds the table, by way of an INSERT that gives the same errors, and the columns.
func (s *Session) copyTarget(x *sql.Copy) (*catalog.Relation, []int, error) {
	if x.Table == nil {
		return nil, nil, fail(sql.SyntaxError, "COPY FROM needs a table")
	}
	name := *x.Table
	name.At = -1
	ch, err := s.bindChange(&statement{}, &sql.Insert{Into: name})
	if err != nil {
		return nil, nil, err
	}
	rel := ch.Relation
	var into []int
	for _, name := range x.Columns {
		i := slices.IndexFunc(rel.Columns, func(c catalog.Column) bool { return c.Name == name && !c.Hidden })
		switch {
		case i < 0:
			return nil, nil, fail(sql.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, rel.Name)
		case slices.Contains(into, i):
			return nil, nil, fail(sql.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		into = append(into, i)
	}
	if x.Columns == nil {
		for i, c := range rel.Columns {
			if !c.Hidden {
				into = append(into, i)
			}
		}
	}
	return rel, into, nil
}

// load inserts rows of a COPY.
func (s *Session) load(ctx context.Context, l *loading, rows *zset.Chunk) error {
	if err := s.lock(ctx, l.rel); err != nil {
		return err
	}
	cols, errs := l.defaults.Eval(&zset.Chunk{N: rows.N}, s.env(nil))
	if len(errs) > 0 {
		return errs[0].Err
	}
	for i, k := range l.into {
		cols[k] = rows.Cols[i]
	}
	full, err := s.numbered(ctx, l.rel, &zset.Chunk{N: rows.N, Cols: cols})
	if err != nil {
		return err
	}
	if err := s.tx.txn.Apply(ctx, l.rel, full); err != nil {
		return err
	}
	s.tx.writes++
	return nil
}
