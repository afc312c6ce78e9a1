package dataflow

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// Relations gives the node of a relation's rows, and the job that it belongs to (0:
// none, an input).
type Relations func(rel *catalog.Relation) (*Node, JobID, error)

// View is what Compile makes a job of.
type View struct {
	ID    JobID
	Name  string
	Query plan.Node
	// Key lists columns of the query that no two rows have equal; nil: none are known.
	Key []int
	// Keep: the rows are kept for readers. Else they only pass the root: of a query that is run
	// once, or of a sink.
	Keep       bool
	FirstTable uint32
	Env        *expr.Env
}

// compiler turns plan nodes into nodes.
type compiler struct {
	v     View
	rels  Relations
	job   *Job
	made  map[plan.Node]*Node
	reads map[JobID]bool
	fails []*Node // that may report row errors
	zone  *time.Location
}

// Compile makes the job of a view.
func Compile(v View, rels Relations) (*Job, error) {
	c := &compiler{
		v: v, rels: rels, made: map[plan.Node]*Node{}, reads: map[JobID]bool{}, zone: v.Env.Zone,
		job: &Job{ID: v.ID, Name: v.Name, FirstTable: v.FirstTable, Stored: -1, Failed: -1},
	}
	root, err := c.node(v.Query)
	if err != nil {
		return nil, err
	}
	cols := v.Query.Columns()
	if v.Keep {
		root = c.keep(root, kindsOf(cols), v.Key, op.PrintRows(typesOf(cols), c.zone))
	} else if len(c.job.Nodes) == 0 || root.job != nil || !slices.Contains(c.job.Nodes, root) {
		root = c.add(&Node{What: "rows", In: []In{{From: root}}, Make: simple(op.NewUnion), Part: root.Part, Single: root.Single})
	}
	c.job.Root = root
	c.errors()
	return c.finish()
}

// CompileTable makes the job of a relation whose rows come in by input as exact changes.
func CompileTable(id JobID, rel *catalog.Relation, input *Node, firstTable uint32) (*Job, error) {
	c := &compiler{job: &Job{ID: id, Name: rel.Name, FirstTable: firstTable, Stored: -1, Failed: -1}, zone: time.UTC}
	types := make([]datum.TypeRef, len(rel.Columns))
	kinds := make([]zset.Kind, len(rel.Columns))
	for i, col := range rel.Columns {
		types[i], kinds[i] = col.Type, zset.KindOf(col.Type.OID)
	}
	c.add(input)
	c.job.Root = c.keep(input, kinds, rel.Key, op.PrintRows(types, c.zone))
	return c.finish()
}

// CompileCaptured makes the job of a relation that follows an upstream's: input gives the
// changes that an Upsert takes.
func CompileCaptured(id JobID, name string, input *Node, cfg op.UpsertConfig, firstTable uint32) (*Job, error) {
	c := &compiler{job: &Job{ID: id, Name: name, FirstTable: firstTable, Stored: 0, Failed: -1}, zone: time.UTC}
	c.add(input)
	c.job.Root = c.add(&Node{
		What: "upsert", In: []In{{From: input}}, Make: func() (op.Operator, error) { return op.NewUpsert(cfg), nil },
		Part: Partition{Kind: Hashed, Cols: cfg.Key},
	})
	return c.finish()
}

// CompileStreamed makes the job of a relation that keeps nothing: its rows pass.
func CompileStreamed(id JobID, name string, input *Node, firstTable uint32) (*Job, error) {
	c := &compiler{job: &Job{ID: id, Name: name, FirstTable: firstTable, Stored: -1, Failed: -1}}
	c.job.Root = c.add(input)
	return c.finish()
}

func (c *compiler) add(n *Node) *Node {
	c.job.Nodes = append(c.job.Nodes, n)
	return n
}

// keep stores rows for readers, where their key puts them.
func (c *compiler) keep(in *Node, kinds []zset.Kind, key []int, print op.RowPrinter) *Node {
	by := key
	if len(key) == 0 {
		by = make([]int, len(kinds))
		for i := range by {
			by[i] = i
		}
	}
	cfg := op.MaterializeConfig{Kinds: kinds, Key: key, Print: print}
	e := in.gather(by)
	n := &Node{What: "materialize", In: []In{e}, Part: Partition{Kind: Hashed, Cols: by}}
	n.Make = func() (op.Operator, error) { return op.NewMaterialize(cfg), nil }
	if len(by) == 0 {
		n.Single, n.Part = true, Partition{Kind: OnOne}
	}
	return c.add(n)
}

// gather is the edge from n to an operator that needs rows with equal values in
// some columns together; no columns: all rows on one shard.
func (n *Node) gather(cols []int) In {
	switch {
	case n.Part.Kind == OnOne && len(cols) == 0, len(cols) > 0 && n.Part.Kind == Hashed && n.Part.together(cols):
		return In{From: n}
	case len(cols) == 0:
		return In{From: n, Via: Exchange{Kind: ToOne}}
	}
	return In{From: n, Via: Exchange{Kind: ByHash, Cols: cols}}
}

// gathered is where rows are after gather.
func (n *Node) gathered(cols []int) Partition {
	switch e := n.gather(cols); {
	case e.Via.Kind == ByHash:
		return Partition{Kind: Hashed, Cols: cols}
	case e.Via.Kind == ToOne:
		return Partition{Kind: OnOne}
	}
	return n.Part
}

// errors collects what operators report of rows that failed.
func (c *compiler) errors() {
	if !c.v.Keep || len(c.fails) == 0 {
		return
	}
	n := &Node{What: "errors", Part: Partition{Kind: Hashed, Cols: []int{0, 1, 2}}}
	n.Make = func() (op.Operator, error) { return op.NewErrorTable(), nil }
	for _, f := range c.fails {
		n.In = append(n.In, In{From: f, Errors: true, Via: Exchange{Kind: ByHash, Cols: []int{0, 1, 2}}})
	}
	c.add(n)
}

// finish builds every operator once, to count its tables, and takes the job's fingerprint.
func (c *compiler) finish() (*Job, error) {
	j := c.job
	h := fnv.New64a()
	at := map[*Node]int{}
	for i, n := range j.Nodes {
		at[n] = i
		fmt.Fprintf(h, "%d %s %v", i, n.What, n.Single)
		for _, in := range n.In {
			from, own := at[in.From]
			fmt.Fprintf(h, " %d %v %v %v", from, own, in.Errors, in.Via)
		}
		var o op.Operator
		if n.Make != nil {
			var err error
			if o, err = n.Make(); err != nil {
				return nil, fmt.Errorf("%s of %s: %w", n.What, j.Name, err)
			}
			switch {
			case n == j.Root && n.What == "materialize":
				j.Stored = j.TableCount
			case n.What == "errors":
				j.Failed = j.TableCount
			}
			tables := len(o.Tables())
			j.TableCount += tables
			fmt.Fprintf(h, " %d", tables)
		}
		j.first = append(j.first, o)
	}
	j.Fingerprint = h.Sum64()
	for id := range c.reads {
		j.Reads = append(j.Reads, id)
	}
	slices.Sort(j.Reads)
	return j, nil
}

func simple[O op.Operator](build func() O) func() (op.Operator, error) {
	return func() (op.Operator, error) { return build(), nil }
}

func kindsOf(cols []plan.Column) []zset.Kind {
	out := make([]zset.Kind, len(cols))
	for i, c := range cols {
		out[i] = zset.KindOf(c.Type.OID)
	}
	return out
}

func typesOf(cols []plan.Column) []datum.TypeRef {
	out := make([]datum.TypeRef, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}
