package dataflow

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// here is a node that works on rows where they are.
func here(ins []*Node, part Partition, make func() (op.Operator, error)) *Node {
	n := &Node{Part: part, Single: part.Kind == OnOne}
	n.Make = func(int, int) (op.Operator, error) { return make() }
	for _, in := range ins {
		n.In = append(n.In, In{From: in})
	}
	return n
}

func (c *compiler) filter(n *plan.Filter, in *Node) *Node {
	cols := n.In.Columns()
	return c.failing(here([]*Node{in}, in.Part, func() (op.Operator, error) {
		return op.NewFilter(expr.CompileFilter(n.Pred), c.Env, c.printer(cols)), nil
	}))
}

// project computes columns; one that only picks some needs no operator.
func (c *compiler) project(n *plan.Project, in *Node) *Node {
	from := make([]int, len(n.Exprs))
	picks := true
	for i, e := range n.Exprs {
		if col, is := e.(*expr.Column); is {
			from[i] = col.Index
		} else {
			from[i], picks = -1, false
		}
	}
	part := in.Part.through(from)
	if picks {
		return &Node{In: []In{{From: in, Pick: from}}, Part: part, Single: part.Kind == OnOne}
	}
	cols := n.In.Columns()
	return c.failing(here([]*Node{in}, part, func() (op.Operator, error) {
		return op.NewProject(expr.Compile(n.Exprs), c.Env, c.printer(cols)), nil
	}))
}

// union is where its inputs are, if they agree.
func (c *compiler) union(ins []*Node) *Node {
	part := ins[0].Part
	single := true
	for _, in := range ins {
		single = single && in.Part.Kind == OnOne
		if !in.Part.equal(part) {
			part = Partition{}
		}
	}
	n := here(ins, part, func() (op.Operator, error) { return op.NewUnion(), nil })
	n.Single = single
	return n
}

func (c *compiler) hop(n *plan.Hop, in *Node) *Node {
	cols := n.In.Columns()
	return c.failing(here([]*Node{in}, in.Part, func() (op.Operator, error) {
		return op.NewHop(op.HopConfig{
			Time: n.Time, Date: cols[n.Time].Type.OID == datum.OIDDate,
			Slide: n.Slide, Size: n.Size, Offset: n.Offset, Print: c.printer(cols),
		})
	}))
}

func (c *compiler) projectSet(n *plan.ProjectSet, in *Node) *Node {
	cols := n.In.Columns()
	return c.failing(here([]*Node{in}, in.Part, func() (op.Operator, error) {
		var args []expr.Expr
		var funcs []op.SetFunction
		for _, f := range n.Funcs {
			types := make([]datum.TypeRef, len(f.Args))
			for i, a := range f.Args {
				types[i] = a.Type()
			}
			args = append(args, f.Args...)
			funcs = append(funcs, op.SetFunction{Expander: f.Fn.NewExpander(types), Args: len(f.Args), Kind: zset.KindOf(f.T.OID)})
		}
		return op.NewProjectSet(op.ProjectSetConfig{
			Kinds: kinds(cols), Args: expr.Compile(args), Funcs: funcs, Ordinality: n.Ordinality,
			Env: c.Env, Print: c.printer(cols),
		}), nil
	}))
}

func typesOf(cols []plan.Column) []datum.TypeRef {
	types := make([]datum.TypeRef, len(cols))
	for i, col := range cols {
		types[i] = col.Type
	}
	return types
}
