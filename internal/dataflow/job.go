package dataflow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/weirerr"
)

// NewInput makes a node through which rows enter a graph, spread as part says.
func NewInput(what string, part Partition) *Node {
	return &Node{What: what, Part: part, Single: part.Kind == OnOne}
}

// CompileView compiles the maintenance of a view: its operators, the table of its rows, by
// key when no two rows have equal values in those columns, and the table of its errors.
// firstTable is the id of its first table.
func CompileView(id JobID, name string, firstTable uint32, root plan.Node, key []int, o Options) (*Job, error) {
	c, top, err := compile(id, name, root, o)
	if err != nil {
		return nil, err
	}
	cols := root.Columns()
	by := key
	if by == nil {
		by = upTo(len(cols))
	}
	m := &Node{What: fmt.Sprintf("Materialize%v", key), In: []In{meet(top, by)}}
	m.Part = m.In[0].arrives()
	m.Single = m.Part.Kind == OnOne
	m.Make = func(int, int) (op.Operator, error) {
		return op.NewMaterialize(op.MaterializeConfig{Kinds: kinds(cols), Key: key, Print: c.printer(cols)}), nil
	}
	c.job.Nodes, c.job.Root = append(c.job.Nodes, m), m
	c.job.Stored = &op.Stored{Kinds: kinds(cols), Key: key}
	c.errors()
	return c.finish(firstTable, m)
}

// CompileSink compiles a plan whose rows nobody keeps: o.Sink takes them.
func CompileSink(id JobID, name string, firstTable uint32, root plan.Node, o Options) (*Job, error) {
	c, top, err := compile(id, name, root, o)
	if err != nil {
		return nil, err
	}
	c.job.Root = top
	if o.Sink != nil {
		c.job.Root = here([]*Node{top}, top.Part, nil)
		c.job.Root.What = "Sink"
		c.job.Root.Make = func(shard, _ int) (op.Operator, error) { return o.Sink(shard), nil }
		c.job.Nodes = append(c.job.Nodes, c.job.Root)
	}
	return c.finish(firstTable, nil)
}

// CompileTable compiles the arrangement of a table that others write: rows of cfg.InputKinds
// enter by its only Input.
func CompileTable(id JobID, name string, firstTable uint32, cfg op.UpsertConfig) (*Job, error) {
	in := NewInput("Input", Partition{})
	by := cfg.Key
	if by == nil {
		by = upTo(len(cfg.Kinds))
	}
	t := &Node{What: fmt.Sprintf("Table%v%v", cfg.Kinds, cfg.Key), In: []In{{From: in}}, Part: Partition{Hashed, by}}
	t.Make = func(shard, shards int) (op.Operator, error) {
		u := op.NewUpsert(cfg)
		u.SetShard(shard, shards)
		return u, nil
	}
	c := &compiler{job: &Job{ID: id, Name: name, Nodes: []*Node{in, t}, Root: t, Inputs: []Input{{Node: in}}}}
	c.job.Stored = &op.Stored{Kinds: cfg.Kinds, Key: cfg.Key}
	return c.finish(firstTable, t)
}

func compile(id JobID, name string, root plan.Node, o Options) (*compiler, *Node, error) {
	c := &compiler{Options: o, job: &Job{ID: id, Name: name}, done: map[plan.Node]*Node{}, rels: map[catalog.ID]*Node{}}
	top, err := c.node(root)
	return c, top, err
}

// errors adds the table of what operators report.
func (c *compiler) errors() {
	if len(c.fails) == 0 {
		return
	}
	e := &Node{What: "Errors", Part: Partition{Hashed, upTo(op.ErrorColumns)}}
	e.Make = func(int, int) (op.Operator, error) { return op.NewErrorTable(), nil }
	for _, n := range c.fails {
		e.In = append(e.In, In{From: n, Errors: true, Via: Exchange{ByHash, upTo(op.ErrorColumns)}})
	}
	c.job.Nodes = append(c.job.Nodes, e)
	c.job.Failed = &op.Stored{Kinds: op.ErrorKinds()}
}

// finish counts the tables, and finds out which are the relation's.
func (c *compiler) finish(firstTable uint32, stored *Node) (*Job, error) {
	j := c.job
	j.FirstTable = firstTable
	j.own()
	var text strings.Builder
	for i, n := range j.Nodes {
		count := 0
		if n.Make != nil {
			o, err := n.Make(0, 1)
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", n.What, j.Name, err)
			}
			count = len(o.Tables())
		}
		at := firstTable + uint32(j.TableCount)
		switch {
		case n == stored:
			j.StoredIn = at
		case n.What == "Errors":
			j.FailedIn = at
		}
		j.TableCount += count
		fmt.Fprintf(&text, "%d %s %s %d", i, n.What, n.print, count)
		for _, in := range n.In {
			fmt.Fprintf(&text, " %d", slices.Index(j.Nodes, in.From))
		}
	}
	j.Fingerprint = xxh3.HashString(text.String())
	return j, nil
}

// Same checks that a job is what it was when its state began.
func (j *Job) Same(fingerprint uint64) error {
	if fingerprint == j.Fingerprint {
		return nil
	}
	return weirerr.New(weirerr.StoreCorrupt, "the plan of %s is not what it was when its state was written", j.Name).
		Hint("another version of weir plans this query differently: drop the view and create it again")
}
