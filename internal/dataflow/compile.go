package dataflow

import (
	"fmt"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Options of a compilation.
type Options struct {
	// Relation finds the node that gives the rows of a relation, all its columns: the
	// Root of the relation's job in the same graph; or, when the rows come from
	// outside, a new one by NewInput, which becomes one of the job's Inputs.
	Relation func(r *catalog.Relation) (*Node, error)
	// Env is what expressions depend on beside their rows: a view's time zone.
	Env *expr.Env
	// Sink, of CompileSink, takes the rows, on the shard where each comes out. Nil: nobody does.
	Sink func(shard int) op.Operator
	// Once: the inputs are complete at the end of the first epoch, and only insert.
	Once bool
}

// compiler turns the Nodes of one plan into Nodes of a job.
type compiler struct {
	Options
	job   *Job
	done  map[plan.Node]*Node
	rels  map[catalog.ID]*Node
	fails []*Node // those whose rows can fail
}

// node compiles a plan's Node, once.
func (c *compiler) node(n plan.Node) (*Node, error) {
	if d := c.done[n]; d != nil {
		return d, nil
	}
	ins := make([]*Node, len(n.Inputs()))
	for i, in := range n.Inputs() {
		var err error
		if ins[i], err = c.node(in); err != nil {
			return nil, err
		}
	}
	d, err := c.build(n, ins)
	if err != nil {
		return nil, err
	}
	d.What = fmt.Sprintf("%T", n)[len("*plan."):]
	if !c.Once {
		d.print = plan.Fingerprint(n)
	}
	c.job.Nodes = append(c.job.Nodes, d)
	c.done[n] = d
	return d, nil
}

func (c *compiler) build(n plan.Node, ins []*Node) (*Node, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return c.scan(n)
	case *plan.Values:
		return c.values(n)
	case *plan.Project:
		return c.project(n, ins[0]), nil
	case *plan.Filter:
		return c.filter(n, ins[0]), nil
	case *plan.Join:
		return c.join(n, ins[0], ins[1]), nil
	case *plan.Aggregate:
		return c.aggregate(n, ins[0]), nil
	case *plan.Union:
		return c.union(ins), nil
	case *plan.TopN:
		return c.topN(n, ins[0]), nil
	case *plan.Hop:
		return c.hop(n, ins[0]), nil
	case *plan.ProjectSet:
		return c.projectSet(n, ins[0]), nil
	case *plan.MaxOne:
		return c.maxOne(n, ins[0]), nil
	}
	return nil, weirerr.New(weirerr.InvalidArgument, "a plan's %T cannot be run", n)
}

// scan reads a relation: its rows stay where they are.
func (c *compiler) scan(n *plan.Scan) (*Node, error) {
	from := c.rels[n.Relation.ID]
	if from == nil {
		var err error
		if from, err = c.Relation(n.Relation); err != nil {
			return nil, err
		}
		c.rels[n.Relation.ID] = from
		if from.job != nil {
			c.reads(from.job.ID)
		} else {
			c.job.Nodes = append(c.job.Nodes, from)
			c.job.Inputs = append(c.job.Inputs, Input{n.Relation, from})
		}
	}
	return &Node{
		In:   []In{{From: from, Pick: n.Cols}},
		Part: from.Part.through(n.Cols), Single: from.Part.Kind == OnOne,
	}, nil
}

// reads notes that the job reads another one.
func (c *compiler) reads(id JobID) {
	if at, found := slices.BinarySearch(c.job.Reads, id); !found {
		c.job.Reads = slices.Insert(c.job.Reads, at, id)
	}
}

// values is a list of rows that is there from the start. One that cannot be computed is the statement's error.
func (c *compiler) values(n *plan.Values) (*Node, error) {
	rows := zset.NewChunk(kinds(n.Out), len(n.Rows))
	for _, row := range n.Rows {
		cols, errs := expr.Compile(row).Eval(&zset.Chunk{N: 1}, c.Env)
		if len(errs) > 0 {
			return nil, errs[0].Err
		}
		for k, v := range cols {
			rows.Cols[k].AppendFrom(v, 0)
		}
		rows.AppendWeight(1)
	}
	return &Node{Start: rows, Part: Partition{Kind: OnOne}, Single: true}, nil
}

// kinds are the physical forms of columns.
func kinds(cols []plan.Column) []zset.Kind {
	all := make([]zset.Kind, len(cols))
	for i, col := range cols {
		all[i] = zset.KindOf(col.Type.OID)
	}
	return all
}

// printer prints rows of these columns in error reports.
func (c *compiler) printer(cols []plan.Column) op.RowPrinter {
	return op.PrintRows(typesOf(cols), c.Env.Zone)
}

// appendOnly tells whether a node's changes are never negative. When the plan is run
// once, that is so unless an outer join or its like takes back, in the same epoch, rows
// that have found a partner.
func (c *compiler) appendOnly(n plan.Node) bool {
	if !c.Once || n.Properties().AppendOnly {
		return n.Properties().AppendOnly
	}
	if j, is := n.(*plan.Join); is && j.Kind != plan.Inner && j.Kind != plan.Semi {
		return false
	}
	switch n.(type) {
	case *plan.Aggregate, *plan.TopN, *plan.MaxOne:
		return true // they wait for the end
	}
	for _, in := range n.Inputs() {
		if !c.appendOnly(in) {
			return false
		}
	}
	return true
}

// failing notes that rows of a node can fail.
func (c *compiler) failing(n *Node) *Node {
	c.fails = append(c.fails, n)
	return n
}

// meet says how rows come together that are equal in some columns.
func meet(from *Node, cols []int) In {
	switch {
	case len(cols) == 0 && from.Part.Kind != OnOne:
		return In{From: from, Via: Exchange{Kind: ToOne}}
	case from.Part.together(cols):
		return In{From: from}
	}
	return In{From: from, Via: Exchange{Kind: ByHash, Cols: cols}}
}

// arrives is where the rows of an input are when they have arrived.
func (in *In) arrives() Partition {
	switch in.Via.Kind {
	case ToOne:
		return Partition{Kind: OnOne}
	case ByHash:
		return Partition{Hashed, in.Via.Cols}
	}
	return in.From.Part
}
