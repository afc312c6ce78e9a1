package session

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// bindChange resolves INSERT, UPDATE or DELETE.
func (s *Session) bindChange(st *statement, x sql.Statement) (*plan.Change, error) {
	cat, reg, o := s.db.Catalog(), s.o.o.Functions, planOptions(st)
	switch x := x.(type) {
	case *sql.Insert:
		return plan.BindInsert(cat, reg, x, o)
	case *sql.Update:
		return plan.BindUpdate(cat, reg, x, o)
	case *sql.Delete:
		return plan.BindDelete(cat, reg, x, o)
	}
	return nil, fail(sql.InternalError, "%T changes no rows", x)
}

func (s *Session) changeTask(st *statement) (*task, error) {
	ch, err := s.bindChange(st, st.stmt)
	if err != nil {
		return nil, err
	}
	if ch.Relation.AppendOnly && (ch.Kind != plan.Insert || ch.Conflict != nil && ch.Conflict.Update != nil) {
		return nil, fail(sql.WrongObjectType, "table \"%s\" is append only: its rows cannot be changed", ch.Relation.Name)
	}
	t := &task{tag: counts(changeTags[ch.Kind]), params: ch.Rows.Params}
	if ch.Returning != nil {
		t.columns = columnsOf(ch.Columns)
	}
	programs := compileChange(ch)
	t.run = func(ctx context.Context, p *portal) (source, error) {
		c := &change{Change: ch, programs: programs, s: s, env: s.env(p.args)}
		if err := c.run(ctx, p.args); err != nil {
			return nil, err
		}
		p.changed = c.changed
		if ch.Returning == nil {
			return nil, nil
		}
		return &chunks{c.returned}, nil
	}
	return t, nil
}

var changeTags = map[plan.ChangeKind]string{plan.Insert: "INSERT 0", plan.Update: "UPDATE", plan.Delete: "DELETE"}

// programs are a change's expressions, compiled.
type programs struct {
	returning *expr.Program
	update    *expr.Program
	where     *expr.Program
}

func compileChange(ch *plan.Change) programs {
	var p programs
	if ch.Returning != nil {
		p.returning = expr.Compile(ch.Returning)
	}
	if ch.Conflict != nil && ch.Conflict.Update != nil {
		p.update = expr.Compile(ch.Conflict.Update)
		if ch.Conflict.Where != nil {
			p.where = expr.CompileFilter(ch.Conflict.Where)
		}
	}
	return p
}

// change is an INSERT, UPDATE or DELETE that runs.
type change struct {
	*plan.Change
	programs
	s        *Session
	env      *expr.Env
	txn      *database.Txn
	changed  int64
	returned []*zset.Chunk
	touched  map[string]bool // keys that ON CONFLICT DO UPDATE has written
}

// run locks the table, computes the rows and changes them.
func (c *change) run(ctx context.Context, args []*zset.Vec) error {
	if err := c.s.lock(ctx, c.Relation); err != nil {
		return err
	}
	c.txn = c.s.tx.txn
	rows, err := c.s.rowsFor(ctx, c.Change, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	var list []*zset.Chunk
	for {
		chunk, err := rows.Next(ctx)
		if err != nil {
			return err
		}
		if chunk == nil {
			break
		}
		if chunk.N == 0 {
			continue
		}
		if c.Kind != plan.Insert { // what it reads is what it changes: all of it first
			list = append(list, chunk)
			continue
		}
		if err := c.insert(ctx, chunk); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return c.replace(ctx, zset.Concat(list))
}

// replace takes the old rows out, and with UPDATE puts the new ones in.
func (c *change) replace(ctx context.Context, rows *zset.Chunk) error {
	n := len(c.Relation.Columns)
	delta := (&zset.Chunk{N: rows.N, Cols: rows.Cols[:n]}).Negate()
	if c.Kind == plan.Update {
		delta = zset.Concat([]*zset.Chunk{delta, {N: rows.N, Cols: rows.Cols[n : 2*n]}})
	}
	if err := c.apply(ctx, delta); err != nil {
		return err
	}
	c.changed += int64(rows.N)
	return c.give(rows)
}

// insert puts new rows in.
func (c *change) insert(ctx context.Context, rows *zset.Chunk) error {
	rows, err := c.s.numbered(ctx, c.Relation, rows)
	if err != nil {
		return err
	}
	if c.Conflict != nil && !c.Relation.HiddenKey() {
		return c.upsert(ctx, rows)
	}
	if err := c.apply(ctx, &zset.Chunk{N: rows.N, Cols: rows.Cols}); err != nil {
		return err
	}
	c.changed += int64(rows.N)
	return c.give(rows)
}

func (c *change) apply(ctx context.Context, delta *zset.Chunk) error {
	if err := c.txn.Apply(ctx, c.Relation, delta); err != nil {
		return err
	}
	c.s.tx.writes++
	return nil
}

// give computes RETURNING.
func (c *change) give(rows *zset.Chunk) error {
	if c.returning == nil || rows.N == 0 {
		return nil
	}
	cols, errs := c.returning.Eval(&zset.Chunk{N: rows.N, Cols: rows.Cols}, c.env)
	if len(errs) > 0 {
		return errs[0].Err
	}
	c.returned = append(c.returned, &zset.Chunk{N: rows.N, Cols: cols})
	return nil
}

// numbered gives rows of a table without a key their ids.
func (s *Session) numbered(ctx context.Context, rel *catalog.Relation, rows *zset.Chunk) (*zset.Chunk, error) {
	if !rel.HiddenKey() || rows.N == 0 {
		return rows, nil
	}
	first, err := s.db.NextRowIDs(ctx, rel, rows.N)
	if err != nil {
		return nil, err
	}
	ids := zset.NewVec(zset.Int, rows.N)
	for i := range rows.N {
		ids.AppendInt(first + int64(i))
	}
	out := &zset.Chunk{N: rows.N, Cols: append([]*zset.Vec(nil), rows.Cols...)}
	out.Cols[rel.Key[0]] = ids
	return out, nil
}

// truncateTask deletes all rows of some tables.
func (s *Session) truncateTask(x *sql.Truncate) (*task, error) {
	var all []*plan.Change
	for _, name := range x.Names {
		ch, err := s.bindChange(&statement{}, &sql.Delete{Table: name})
		if err != nil {
			return nil, err
		}
		all = append(all, ch)
	}
	return does("TRUNCATE TABLE", func(ctx context.Context, _ *portal) error {
		for _, ch := range all {
			c := &change{Change: ch, s: s, env: s.env(nil)}
			if err := c.run(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	}), nil
}
