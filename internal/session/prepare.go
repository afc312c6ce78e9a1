package session

import (
	"context"
	"fmt"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// prepare is PREPARE: the same statements as the protocol's.
func (s *Session) prepare(st *statement, x *sql.Prepare) error {
	inner := &statement{text: st.text, own: st.own, stmt: x.Body}
	for _, t := range x.Types {
		ref, err := expr.TypeByName(t)
		if err != nil {
			return err
		}
		inner.types = append(inner.types, ref.OID)
	}
	return s.keep(x.Name, inner)
}

// executeTask is EXECUTE name(arguments), which may themselves be parameters.
func (s *Session) executeTask(st *statement, x *sql.Execute) (*task, error) {
	inner, err := s.statement(x.Name)
	if err != nil {
		return nil, err
	}
	if err := s.allowed(inner.stmt); err != nil {
		return nil, err
	}
	if err := s.resolve(inner); err != nil {
		return nil, err
	}
	wants := inner.task.params
	if len(x.Args) != len(wants) {
		e := fail(sql.SyntaxError, "wrong number of parameters for prepared statement \"%s\"", x.Name)
		e.Detail = fmt.Sprintf("Expected %d parameters but got %d.", len(wants), len(x.Args))
		return nil, e
	}
	q, err := s.arguments(st, x.Args, wants)
	if err != nil {
		return nil, err
	}
	t := *inner.task
	t.params = nil
	if q != nil {
		t.params = q.Params
	}
	t.run = func(ctx context.Context, p *portal) (source, error) {
		args, err := s.values(ctx, q, p.args)
		if err != nil {
			return nil, err
		}
		p.args = args
		return inner.task.run(ctx, p)
	}
	return &t, nil
}

// arguments is a query that computes values of these types; nil for none.
func (s *Session) arguments(st *statement, list []sql.Expr, types []datum.TypeRef) (*plan.Query, error) {
	if len(list) == 0 {
		return nil, nil
	}
	sel := &sql.Select{}
	for i, a := range list {
		x := &sql.Cast{At: sql.At(a.Pos()), X: a, Type: sql.TypeName{At: sql.At(a.Pos()), Ref: types[i]}}
		sel.Targets = append(sel.Targets, sql.Target{At: sql.At(a.Pos()), X: x})
	}
	return plan.Bind(s.db.Catalog(), s.o.o.Functions, sel, planOptions(st))
}

// values computes arguments, each a column of one value.
func (s *Session) values(ctx context.Context, q *plan.Query, args []*zset.Vec) ([]*zset.Vec, error) {
	if q == nil {
		return nil, nil
	}
	c, err := s.all(ctx, q, args)
	if err != nil {
		return nil, err
	}
	return c.Cols, nil
}

func (s *Session) deallocateTask(x *sql.Deallocate) *task {
	if x.Name == "" {
		return does("DEALLOCATE ALL", func(context.Context, *portal) error {
			clear(s.statements)
			return nil
		})
	}
	return does("DEALLOCATE", func(context.Context, *portal) error {
		if _, err := s.statement(x.Name); err != nil {
			return err
		}
		delete(s.statements, x.Name)
		return nil
	})
}
