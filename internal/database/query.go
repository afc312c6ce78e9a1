package database

import (
	"context"
	"errors"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// QueryOptions of one execution of a plan.
type QueryOptions struct {
	Env *expr.Env
	// AfterTs: the epoch that is read holds everything up to it.
	AfterTs ts.Ts
	// Txn: tables that the transaction has locked are read with what it and others wrote.
	Txn *Txn
	// System gives the rows of a system relation.
	System func(rel *catalog.Relation) (*zset.Chunk, error)
	// Stream gives rows as they come where they are final. A later error then comes after rows,
	// the epoch stays pinned while the client reads, and what Txn writes meanwhile to tables that
	// are read moves under the reader: the caller sees to it that it does not.
	Stream bool
}

// Rows is the result of a query: read by one goroutine, closed at the end.
type Rows struct {
	q     *plan.Query
	epoch ts.Ts
	run   *run
	out   output
	hold  hold
}

// Query runs a plan over one committed epoch.
func (db *Database) Query(ctx context.Context, q *plan.Query, o QueryOptions) (*Rows, error) {
	if err := db.shown(ctx); err != nil {
		return nil, err
	}
	if err := db.WaitFor(ctx, o.AfterTs); err != nil {
		return nil, err
	}
	out, err := newOutput(q, o)
	if err != nil {
		return nil, err
	}
	r, err := db.newRun(q, o)
	if err != nil {
		return nil, err
	}
	return &Rows{q: q, epoch: r.epoch(), run: r, out: out, hold: hold{of: db.o.Memory}}, nil
}

// Columns are what the client sees.
func (r *Rows) Columns() []plan.Column { return r.q.Columns }

// Epoch is the epoch that the rows are of.
func (r *Rows) Epoch() ts.Ts { return r.epoch }

// Next gives the next rows, each once, in the query's order; nil at the end.
func (r *Rows) Next(ctx context.Context) (*zset.Chunk, error) {
	for {
		if c := r.out.take(); c != nil {
			return c, nil
		}
		if r.run == nil || r.out.full() {
			r.Close()
			return nil, nil
		}
		if err := r.step(ctx); err != nil {
			r.Close()
			return nil, err
		}
	}
}

// step computes for a while.
func (r *Rows) step(ctx context.Context) error {
	more, err := r.run.step(ctx, r.out.add)
	if err != nil {
		return err
	}
	if err := r.hold.set(r.out.bytes + r.run.query.Bytes()); err != nil {
		return err
	}
	if more {
		return nil
	}
	r.end()
	r.out.end()
	return r.hold.set(r.out.bytes)
}

// end gives the epoch back.
func (r *Rows) end() {
	if r.run != nil {
		r.run.close()
		r.run = nil
	}
}

// Close gives the epoch back, and the memory. Later calls do nothing.
func (r *Rows) Close() {
	r.end()
	r.hold.free()
}

// run is a query's operators in memory, fed with what the epoch holds.
type run struct {
	db    *Database
	o     QueryOptions
	pin   *view.Pin
	query *dataflow.Query
	feeds []*feed
	ended bool // all was fed
}

// feed is a relation that the query reads.
type feed struct {
	dataflow.Input
	scan  *scan       // nil: not begun
	point *zset.Chunk // the keys of the only rows that count; nil: all do
}

func (db *Database) newRun(q *plan.Query, o QueryOptions) (*run, error) {
	query, err := dataflow.NewQuery(q.Root, o.Env)
	if err != nil {
		return nil, err
	}
	r := &run{db: db, o: o, query: query}
	points := db.points(q.Root, o.Env)
	for _, in := range query.Inputs() {
		r.feeds = append(r.feeds, &feed{Input: in, point: points[in.Relation.ID]})
	}
	r.pin, err = db.o.Views.Pin(db.o.ID)
	return r, err
}

func (r *run) epoch() ts.Ts { return r.pin.Epoch() }

// step computes for a while: what was fed, then the next piece of input, then the end. False:
// nothing is left.
func (r *run) step(ctx context.Context, emit func(c *zset.Chunk) error) (more bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	if more, err = r.query.Step(emit); err != nil || more {
		return more, err
	}
	for len(r.feeds) > 0 {
		f := r.feeds[0]
		c, err := r.piece(ctx, f)
		if err != nil {
			return false, err
		}
		if c != nil {
			r.query.Push(f.Input, c)
			return true, nil
		}
		r.feeds = r.feeds[1:]
	}
	if r.ended {
		return false, nil
	}
	r.ended = true
	r.query.End()
	return true, nil
}

// piece reads the next rows of a relation.
func (r *run) piece(ctx context.Context, f *feed) (*zset.Chunk, error) {
	if f.Relation.Kind == catalog.KindSystem {
		if f.scan != nil {
			return nil, nil
		}
		f.scan = &scan{}
		return r.system(f.Relation)
	}
	if f.scan == nil {
		var hide []overlay
		if t := r.o.Txn; t != nil && t.tables[f.Relation.ID] != nil {
			w := t.tables[f.Relation.ID]
			hide = []overlay{w.table.overlay, w.own}
		}
		var err error
		if f.scan, err = r.db.newScan(r.pin, f.Relation, hide...); err != nil {
			return nil, err
		}
		if len(hide) > 0 {
			if c, err := f.scan.overlaid(); err != nil || c.N > 0 {
				return c, err
			}
		}
	}
	if f.point != nil && !f.scan.done {
		return f.scan.pointed(f.point)
	}
	return f.scan.read(ctx)
}

func (r *run) system(rel *catalog.Relation) (*zset.Chunk, error) {
	if c, ok := r.db.SystemRows(rel); ok {
		return c, nil
	}
	if r.o.System != nil {
		return r.o.System(rel)
	}
	return nil, &sql.Error{Code: sql.UndefinedTable, Message: "relation \"" + rel.Name + "\" does not exist", Pos: -1}
}

func (r *run) close() {
	if r.pin != nil {
		_ = r.pin.Release()
		r.pin = nil
	}
}

// number evaluates LIMIT or OFFSET.
func number(e expr.Expr, env *expr.Env, otherwise int64, what string) (int64, error) {
	if e == nil {
		return otherwise, nil
	}
	cols, errs := expr.Compile([]expr.Expr{e}).Eval(&zset.Chunk{N: 1}, env)
	if len(errs) > 0 {
		return 0, errs[0].Err
	}
	if cols[0].Null(0) {
		return otherwise, nil
	}
	if e.Type().OID != datum.OIDInt8 && e.Type().OID != datum.OIDInt4 && e.Type().OID != datum.OIDInt2 {
		return 0, errors.New("database: " + what + " is not an integer")
	}
	n := cols[0].Ints[0]
	if n < 0 {
		code := "2201W"
		if what == "OFFSET" {
			code = "2201X"
		}
		return 0, &sql.Error{Code: code, Message: what + " must not be negative", Pos: -1}
	}
	return n, nil
}
