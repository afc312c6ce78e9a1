package dataflow

import (
	"fmt"
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
)

// node makes the node of a plan node, once.
func (c *compiler) node(p plan.Node) (*Node, error) {
	if n := c.made[p]; n != nil {
		return n, nil
	}
	var ins []*Node
	for _, in := range p.Inputs() {
		n, err := c.node(in)
		if err != nil {
			return nil, err
		}
		ins = append(ins, n)
	}
	n, err := c.build(p, ins)
	if err != nil {
		return nil, err
	}
	c.made[p] = n
	return n, nil
}

func (c *compiler) build(p plan.Node, ins []*Node) (*Node, error) {
	switch p := p.(type) {
	case *plan.Scan:
		return c.scan(p)
	case *plan.Values:
		return c.values(p)
	case *plan.Project:
		return c.project(p.Exprs, p.In, ins[0]), nil
	case *plan.Filter:
		return c.filter(p, ins[0]), nil
	case *plan.Join:
		return c.join(p, ins[0], ins[1]), nil
	case *plan.Aggregate:
		return c.aggregate(p, ins[0]), nil
	case *plan.Union:
		return c.union(ins), nil
	case *plan.TopN:
		return c.topN(p, ins[0]), nil
	case *plan.Hop:
		return c.hop(p, ins[0]), nil
	case *plan.ProjectSet:
		return c.projectSet(p, ins[0]), nil
	case *plan.MaxOne:
		return c.maxOne(p, ins[0]), nil
	}
	return nil, fmt.Errorf("dataflow: no operator for %T", p)
}

// failing adds a node whose rows may fail.
func (c *compiler) failing(n *Node) *Node {
	c.fails = append(c.fails, n)
	return c.add(n)
}

func (c *compiler) printer(p plan.Node) op.RowPrinter { return op.PrintRows(typesOf(p.Columns()), c.zone) }

// printCols prints some columns of a node.
func (c *compiler) printCols(p plan.Node, cols []int) op.RowPrinter {
	all := typesOf(p.Columns())
	types := make([]datum.TypeRef, len(cols))
	for i, k := range cols {
		types[i] = all[k]
	}
	return op.PrintRows(types, c.zone)
}

// scan reads a relation's rows, and of them the columns that are wanted.
func (c *compiler) scan(p *plan.Scan) (*Node, error) {
	n, job, err := c.rels(p.Relation)
	if err != nil {
		return nil, err
	}
	if job != 0 {
		c.reads[job] = true
	} else if n.job == nil && !slices.Contains(c.job.Nodes, n) {
		c.add(n)
	}
	same := len(p.Cols) == len(p.Relation.Columns)
	exprs := make([]expr.Expr, len(p.Cols))
	for i, k := range p.Cols {
		same = same && i == k
		exprs[i] = &expr.Column{Index: k, T: p.Relation.Columns[k].Type}
	}
	if same {
		return n, nil
	}
	program, env := expr.Compile(exprs), c.v.Env
	return c.add(&Node{
		What: fmt.Sprintf("columns %v", p.Cols), In: []In{{From: n}}, Part: n.Part.through(p.Cols), Single: n.Single,
		Make: func() (op.Operator, error) { return op.NewProject(program, env, nil), nil },
	}), nil
}

// values gives constant rows, once for ever: each is computed from the one row of a count
// over nothing, which the count's state remembers.
func (c *compiler) values(p *plan.Values) (*Node, error) {
	nothing := c.add(&Node{What: "nothing", Part: Partition{Kind: OnOne}, Single: true})
	cfg := op.AggregateConfig{
		Aggs: []plan.Agg{{Fn: &expr.Aggregate{Name: "count", Kind: expr.AggCount, Result: datum.Ref(datum.OIDInt8)}, Arg: -1, Filter: -1}}, Global: true,
		Print: op.PrintRows(nil, c.zone),
	}
	one := c.add(&Node{
		What: "one row", In: []In{{From: nothing}}, Part: Partition{Kind: OnOne}, Single: true,
		Make: func() (op.Operator, error) { return op.NewAggregate(cfg) },
	})
	var rows []*Node
	for _, r := range p.Rows {
		rows = append(rows, c.project(r, &plan.Values{Out: []plan.Column{{Name: "count", Type: datum.Ref(datum.OIDInt8)}}}, one))
	}
	switch len(rows) {
	case 0:
		never := expr.CompileFilter(expr.Bool(false))
		return c.add(&Node{
			What: "no row", In: []In{{From: one}}, Part: one.Part, Single: true,
			Make: func() (op.Operator, error) { return op.NewFilter(never, c.v.Env, op.PrintRows(nil, c.zone)), nil },
		}), nil
	case 1:
		return rows[0], nil
	}
	return c.union(rows), nil
}

func (c *compiler) project(exprs []expr.Expr, in plan.Node, from *Node) *Node {
	program, env, print := expr.Compile(exprs), c.v.Env, c.printer(in)
	to := make([]int, len(exprs))
	for i, e := range exprs {
		to[i] = -1
		if col, ok := e.(*expr.Column); ok {
			to[i] = col.Index
		}
	}
	return c.failing(&Node{
		What: fmt.Sprintf("project %d", len(exprs)), In: []In{{From: from}}, Part: from.Part.through(to), Single: from.Single,
		Make: func() (op.Operator, error) { return op.NewProject(program, env, print), nil },
	})
}

func (c *compiler) filter(p *plan.Filter, from *Node) *Node {
	program, env, print := expr.CompileFilter(p.Pred), c.v.Env, c.printer(p)
	return c.failing(&Node{
		What: "filter", In: []In{{From: from}}, Part: from.Part, Single: from.Single,
		Make: func() (op.Operator, error) { return op.NewFilter(program, env, print), nil },
	})
}

// union merges rows where they are.
func (c *compiler) union(ins []*Node) *Node {
	n := &Node{What: "union", Part: ins[0].Part, Single: true, Make: func() (op.Operator, error) { return op.NewUnion(), nil }}
	for _, in := range ins {
		n.In = append(n.In, In{From: in})
		n.Single = n.Single && in.Single
		if !in.Part.equal(n.Part) {
			n.Part = Partition{}
		}
	}
	return c.add(n)
}

func (c *compiler) aggregate(p *plan.Aggregate, from *Node) *Node {
	kinds := kindsOf(p.In.Columns())
	if len(p.Aggs) == 0 && !p.Global {
		return c.distinct(p, from)
	}
	cfg := op.AggregateConfig{
		Kinds: kinds, Group: p.Group, Aggs: p.Aggs, Global: p.Global, AppendOnly: p.In.Properties().AppendOnly, Print: c.printCols(p.In, p.Group),
	}
	to := slices.Clone(p.Group)
	for range p.Aggs {
		to = append(to, -1)
	}
	return c.failing(&Node{
		What: fmt.Sprintf("aggregate %v %s", p.Group, aggNames(p.Aggs)), In: []In{from.gather(p.Group)},
		Part: from.gathered(p.Group).through(to), Single: len(p.Group) == 0,
		Make: func() (op.Operator, error) { return op.NewAggregate(cfg) },
	})
}

func aggNames(aggs []plan.Agg) (names string) {
	for _, a := range aggs {
		names += fmt.Sprintf("%s(%d %v %d) ", a.Fn.Name, a.Arg, a.Distinct, a.Filter)
	}
	return names
}

// distinct keeps one row of each group's columns.
func (c *compiler) distinct(p *plan.Aggregate, from *Node) *Node {
	all := p.In.Columns()
	exprs := make([]expr.Expr, len(p.Group))
	for i, k := range p.Group {
		exprs[i] = &expr.Column{Index: k, T: all[k].Type}
	}
	in := c.project(exprs, p.In, from)
	cfg := op.DistinctConfig{Kinds: kindsOf(p.Out), AppendOnly: p.In.Properties().AppendOnly, Print: c.printer(p)}
	cols := make([]int, len(p.Group))
	for i := range cols {
		cols[i] = i
	}
	return c.failing(&Node{
		What: "distinct", In: []In{in.gather(cols)}, Part: in.gathered(cols), Single: len(cols) == 0,
		Make: func() (op.Operator, error) { return op.NewDistinct(cfg), nil },
	})
}

func (c *compiler) topN(p *plan.TopN, from *Node) *Node {
	cfg := op.TopNConfig{
		Kinds: kindsOf(p.In.Columns()), Group: p.Group, Order: p.Order, Rank: p.Rank, Limit: p.Limit, Offset: p.Offset, EmitRank: p.EmitRank,
		AppendOnly: p.In.Properties().AppendOnly, Print: c.printer(p.In),
	}
	return c.failing(&Node{
		What: fmt.Sprintf("top %v %v %d %d %d %v", p.Group, p.Order, p.Rank, p.Limit, p.Offset, p.EmitRank),
		In:   []In{from.gather(p.Group)}, Part: from.gathered(p.Group), Single: len(p.Group) == 0,
		Make: func() (op.Operator, error) { return op.NewTopN(cfg), nil },
	})
}

func (c *compiler) hop(p *plan.Hop, from *Node) *Node {
	cfg := op.HopConfig{
		Time: p.Time, Date: p.In.Columns()[p.Time].Type.OID == datum.OIDDate, Slide: p.Slide, Size: p.Size, Offset: p.Offset, Print: c.printer(p.In),
	}
	return c.failing(&Node{
		What: fmt.Sprintf("hop %d %d %d %d", p.Time, p.Slide, p.Size, p.Offset), In: []In{{From: from}}, Part: from.Part, Single: from.Single,
		Make: func() (op.Operator, error) { return op.NewHop(cfg) },
	})
}

func (c *compiler) projectSet(p *plan.ProjectSet, from *Node) *Node {
	var args []expr.Expr
	for _, f := range p.Funcs {
		args = append(args, f.Args...)
	}
	program, env, print, kinds := expr.Compile(args), c.v.Env, c.printer(p.In), kindsOf(p.In.Columns())
	build := func() (op.Operator, error) {
		cfg := op.ProjectSetConfig{Kinds: kinds, Args: program, Ordinality: p.Ordinality, Env: env, Print: print}
		for i, f := range p.Funcs {
			types := make([]datum.TypeRef, len(f.Args))
			for k, a := range f.Args {
				types[k] = a.Type()
			}
			cfg.Funcs = append(cfg.Funcs, op.SetFunction{
				Expander: f.Fn.NewExpander(types), Args: len(f.Args), Kind: kindsOf(p.Out)[len(kinds)+i],
			})
		}
		return op.NewProjectSet(cfg), nil
	}
	return c.failing(&Node{What: fmt.Sprintf("set %d", len(p.Funcs)), In: []In{{From: from}}, Part: from.Part, Single: from.Single, Make: build})
}

func (c *compiler) maxOne(p *plan.MaxOne, from *Node) *Node {
	cfg := op.MaxOneConfig{Kinds: kindsOf(p.Columns()), Group: p.Group, Print: c.printCols(p.In, p.Group)}
	return c.failing(&Node{
		What: fmt.Sprintf("max one %v", p.Group), In: []In{from.gather(p.Group)}, Part: from.gathered(p.Group), Single: len(p.Group) == 0,
		Make: func() (op.Operator, error) { return op.NewMaxOne(cfg), nil },
	})
}
