package session

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// followed is the query of a SUBSCRIBE: columns of one relation, filtered and computed row by row.
//
//	relation's changes ─► pick ─► steps: filter, project ─► weir_timestamp, [weir_progressed,] weir_diff, columns
type followed struct {
	rel      *catalog.Relation
	pick     []int
	steps    []step
	snapshot bool
	progress bool
	upTo     ts.Ts // 0: for ever
}

// step is a filter or a projection.
type step struct {
	filter  *expr.Program
	project *expr.Program
}

func (s *Session) subscribeTask(st *statement, x *sql.Subscribe) (*task, error) {
	q, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, x.Query, planOptions(st))
	if err != nil {
		return nil, err
	}
	f := &followed{snapshot: true}
	if err := f.follow(q); err != nil {
		return nil, err
	}
	for _, o := range x.Options {
		switch o.Name {
		case "snapshot":
			f.snapshot = isTrue(o.Value)
		case "progress":
			f.progress = isTrue(o.Value)
		default:
			return nil, failAt(sql.InvalidParameter, int(o.At), "option \"%s\" of SUBSCRIBE is not known", o.Name)
		}
	}
	if x.AsOf != nil {
		return nil, hinted(unsupported("AS OF of SUBSCRIBE", x.AsOf.Pos()), "It begins with the newest epoch.")
	}
	if f.upTo, err = s.upTo(x); err != nil {
		return nil, err
	}
	t := &task{tag: counts("SUBSCRIBE"), params: q.Params, live: true, columns: f.columns(q)}
	t.run = func(ctx context.Context, p *portal) (source, error) {
		sub, err := s.db.Subscribe(ctx, f.rel, f.snapshot)
		if err != nil {
			return nil, err
		}
		return &stream{followed: f, sub: sub, env: s.env(p.args), inSnapshot: f.snapshot}, nil
	}
	return t, nil
}

// upTo reads UP TO: a Ts that no change is at or beyond.
func (s *Session) upTo(x *sql.Subscribe) (ts.Ts, error) {
	lit, ok := x.UpTo.(*sql.Literal)
	switch {
	case x.UpTo == nil:
		return 0, nil
	case !ok:
		return 0, unsupported("UP TO other than a number", x.UpTo.Pos())
	}
	at, err := ts.Parse(lit.Text)
	if err != nil {
		return 0, failAt(sql.InvalidParameter, x.UpTo.Pos(), "UP TO \"%s\" is not a timestamp of weir", lit.Text)
	}
	return at, nil
}

// follow takes a plan apart. What needs more than one row at a time has to be a view.
func (f *followed) follow(q *plan.Query) error {
	if len(q.Order) > 0 || q.Limit != nil || q.Offset != nil {
		return notFollowed()
	}
	n := q.Root
	for {
		switch x := n.(type) {
		case *plan.Project:
			f.steps = append(f.steps, step{project: expr.Compile(x.Exprs)})
			n = x.In
		case *plan.Filter:
			f.steps = append(f.steps, step{filter: expr.CompileFilter(x.Pred)})
			n = x.In
		case *plan.Scan:
			if x.Relation.Kind == catalog.KindSystem || x.Relation.Kind == catalog.KindSource {
				return notFollowed()
			}
			f.rel, f.pick = x.Relation, x.Cols
			return nil
		default:
			return notFollowed()
		}
	}
}

func notFollowed() error {
	return hinted(unsupported("SUBSCRIBE to a query that joins, groups or sorts", -1),
		"Create a materialized view of the query, and subscribe to that.")
}

func (f *followed) columns(q *plan.Query) []pgwire.Column {
	cols := []pgwire.Column{{Name: "weir_timestamp", Type: datum.Ref(datum.OIDInt8)}}
	if f.progress {
		cols = append(cols, pgwire.Column{Name: "weir_progressed", Type: datum.Ref(datum.OIDBool)})
	}
	cols = append(cols, pgwire.Column{Name: "weir_diff", Type: datum.Ref(datum.OIDInt8)})
	return append(cols, columnsOf(q.Columns)...)
}

// stream is a SUBSCRIBE that runs.
type stream struct {
	*followed
	sub        *database.Subscription
	env        *expr.Env
	net        zset.Consolidator
	inSnapshot bool
	over       bool
}

func (st *stream) next(ctx context.Context) (*zset.Chunk, error) {
	for !st.over {
		epoch, delta, err := st.sub.Next(ctx)
		if err != nil {
			return nil, err
		}
		if st.upTo > 0 && epoch >= st.upTo {
			break
		}
		if delta != nil && delta.N > 0 {
			if delta, err = st.compute(delta); err != nil {
				return nil, err
			}
		}
		complete := delta == nil || !st.inSnapshot
		if delta == nil {
			st.inSnapshot = false
		}
		if out := st.rows(epoch, delta, complete); out.N > 0 {
			return out, nil
		}
	}
	return nil, nil
}

// compute runs the query's steps, the innermost first.
func (st *stream) compute(c *zset.Chunk) (*zset.Chunk, error) {
	c = c.Project(st.pick)
	for i := len(st.steps) - 1; i >= 0; i-- {
		var errs []expr.RowError
		if p := st.steps[i].filter; p != nil {
			var sel []int32
			sel, errs = p.EvalFilter(c, st.env)
			c = c.Gather(sel)
		} else {
			var cols []*zset.Vec
			cols, errs = st.steps[i].project.Eval(c, st.env)
			c = &zset.Chunk{N: c.N, Cols: cols, W: c.W}
		}
		if len(errs) > 0 {
			return nil, errs[0].Err
		}
	}
	return st.net.Consolidate(c), nil
}

// rows puts the stream's own columns in front, and a row of progress behind a complete epoch.
func (st *stream) rows(epoch ts.Ts, delta *zset.Chunk, complete bool) *zset.Chunk {
	n := 0
	if delta != nil {
		n = delta.N
	}
	at, diff, moved := zset.NewVec(zset.Int, n+1), zset.NewVec(zset.Int, n+1), zset.NewVec(zset.Int, n+1)
	for i := range n {
		at.AppendInt(int64(epoch))
		diff.AppendInt(delta.Weight(i))
		moved.AppendBool(false)
	}
	out := &zset.Chunk{N: n}
	if n > 0 {
		out.Cols = append(out.Cols, delta.Cols...)
	}
	if st.progress && complete {
		at.AppendInt(int64(epoch))
		diff.AppendNull()
		moved.AppendBool(true)
		out.N++
		out.Cols = st.padded(out.Cols, n)
	}
	head := []*zset.Vec{at}
	if st.progress {
		head = append(head, moved)
	}
	out.Cols = append(append(head, diff), out.Cols...)
	return out
}

// padded adds a NULL to each column of the query.
func (st *stream) padded(cols []*zset.Vec, n int) []*zset.Vec {
	kinds := st.kinds()
	out := zset.NewChunk(kinds, n+1).Cols
	for k, v := range out {
		if n > 0 {
			v.AppendAll(cols[k])
		}
		v.AppendNull()
	}
	return out
}

// kinds are those of the query's columns.
func (st *stream) kinds() []zset.Kind {
	empty := zset.NewChunk(nil, 0)
	for _, c := range st.rel.Columns {
		empty.Cols = append(empty.Cols, zset.NewVec(zset.KindOf(c.Type.OID), 0))
	}
	c := empty.Project(st.pick)
	for i := len(st.steps) - 1; i >= 0; i-- {
		if p := st.steps[i].project; p != nil {
			cols, _ := p.Eval(c, st.env)
			c = &zset.Chunk{Cols: cols}
		}
	}
	return zset.Kinds(c.Cols)
}

func (st *stream) close() { st.sub.Close() }
