package session

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// waiting tells SELECT f(…) of a function that waits: it is a statement of its own, since an
// expression cannot wait.
func waiting(q *sql.Select) (name string, args []sql.Expr, ok bool) {
	if len(q.Targets) != 1 || q.From != nil || q.Where != nil || q.SetOp != "" || len(q.With) > 0 {
		return "", nil, false
	}
	call, ok := q.Targets[0].X.(*sql.Call)
	if !ok {
		return "", nil, false
	}
	name = call.Name[len(call.Name)-1]
	return name, call.Args, name == "weir_wait" || name == "pg_sleep"
}

// waitingTask is weir_wait(source [, position]), which gives the committed epoch that
// holds it, and pg_sleep(seconds). The arguments are a query's, so that they may be parameters.
func (s *Session) waitingTask(st *statement, name string, args []sql.Expr) (*task, error) {
	types, result := []uint32{datum.OIDText, datum.OIDText}, uint32(datum.OIDBool)
	least := 1
	if name == "pg_sleep" {
		types, result = []uint32{datum.OIDFloat8}, datum.OIDText
	}
	if len(args) < least || len(args) > len(types) {
		return nil, hinted(fail(sql.UndefinedFunction, "function %s with %d arguments does not exist", name, len(args)),
			"It is weir_wait(source), weir_wait(source, position) and pg_sleep(seconds).")
	}
	sel := &sql.Select{}
	for i, a := range args {
		sel.Targets = append(sel.Targets, sql.Target{At: sql.At(a.Pos()), X: &sql.Cast{At: sql.At(a.Pos()), X: a,
			Type: sql.TypeName{Ref: datum.Ref(types[i])}}})
	}
	q, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, sel, planOptions(st))
	if err != nil {
		return nil, err
	}
	t := &task{tag: counts("SELECT"), params: q.Params, columns: []pgwire.Column{{Name: name, Type: datum.Ref(result)}}}
	t.run = func(ctx context.Context, p *portal) (source, error) {
		given, err := s.all(ctx, q, p.args)
		if err != nil {
			return nil, err
		}
		out := zset.NewChunk([]zset.Kind{zset.KindOf(result)}, 1)
		if given.Cols[0].Null(0) {
			out.Cols[0].AppendNull()
		} else if name == "pg_sleep" {
			err = sleep(ctx, given.Cols[0].Floats[0])
			out.Cols[0].AppendString("")
		} else {
			err = s.waitFor(ctx, given)
			out.Cols[0].AppendBool(true)
		}
		out.AppendWeight(1)
		return &chunks{[]*zset.Chunk{out}}, err
	}
	return t, nil
}

func sleep(ctx context.Context, seconds float64) error {
	timer := time.NewTimer(time.Duration(min(max(seconds, 0), 1e9) * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitFor waits until views hold what a source has upstream, at a position or now.
func (s *Session) waitFor(ctx context.Context, args *zset.Chunk) error {
	position := ""
	if len(args.Cols) > 1 && !args.Cols[1].Null(0) {
		position = string(args.Cols[1].Bytes(0))
	}
	return s.db.WaitUpstream(ctx, string(args.Cols[0].Bytes(0)), position)
}
