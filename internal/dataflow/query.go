package dataflow

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Query computes a plan once, in memory, with the operators of views: a SELECT.
//
//	q := NewQuery(root, env)
//	for each of q.Inputs, for each chunk of its rows { q.Push(input, chunk); for q.Step(emit) {} }
//	q.End(); for q.Step(emit) {}
type Query struct {
	graph  *Graph
	job    *Job
	errors *Node
	stage  int // of the end: the next one to flush; before the end, the number of stages
}

// NewQuery prepares the computing of a plan.
func NewQuery(root plan.Node, env *expr.Env) (*Query, error) {
	c, top, err := compile(1, "query", root, Options{Env: env, Once: true, Relation: func(*catalog.Relation) (*Node, error) {
		return NewInput("Input", Partition{Kind: OnOne}), nil
	}})
	if err != nil {
		return nil, err
	}
	out := &Node{What: "Rows", In: []In{{From: top}}}
	fails := &Node{What: "Failures"}
	for _, n := range c.fails {
		fails.In = append(fails.In, In{From: n, Errors: true})
	}
	c.job.Nodes, c.job.Root = append(c.job.Nodes, out, fails), out
	q := &Query{graph: NewGraph(1), job: c.job, errors: fails}
	if err := q.graph.Attach(c.job, nil); err != nil {
		return nil, err
	}
	for _, n := range []*Node{out, fails} {
		q.graph.shards[0].of[n].tap = &tap{}
	}
	q.stage = q.graph.stages
	return q, nil
}

// Inputs are the relations that it reads, each once, with all their columns.
func (q *Query) Inputs() []Input { return q.job.Inputs }

// Push hands over rows of an input; Step computes.
func (q *Query) Push(in Input, c *zset.Chunk) { q.graph.shards[0].Push(in.Node, c) }

// End says that all rows were pushed. Steps then give what is left of the result.
func (q *Query) End() { q.stage = 0 }

// Step computes for a while, and gives the rows of the result that are known by then;
// rows of weight n count n times. False: nothing is left to do. The first row that
// fails is the query's error, an *sql.Error.
func (q *Query) Step(emit func(c *zset.Chunk) error) (more bool, err error) {
	_, more, err = q.graph.round(nil)
	if err = q.take(err, emit); err != nil || more {
		return more, err
	}
	if q.stage == q.graph.stages {
		return false, nil
	}
	q.graph.shards[0].Flush(q.stage)
	q.stage++
	return true, nil
}

// Bytes is the memory of what the operators keep.
func (q *Query) Bytes() (n int64) {
	q.graph.shards[0].Tables(func(t Table) { n += t.Bytes() })
	return n
}

// take gives out what has come to the end.
func (q *Query) take(err error, emit func(c *zset.Chunk) error) error {
	if err == nil {
		err = q.job.fault
	}
	s := q.graph.shards[0]
	failed := s.of[q.errors].tap
	if err == nil && len(failed.chunks) > 0 {
		c := failed.chunks[0]
		err = &sql.Error{Code: string(c.Cols[0].Bytes(0)), Message: string(c.Cols[1].Bytes(0)), Pos: -1}
	}
	out := s.of[q.job.Root].tap
	for i, c := range out.chunks {
		out.chunks[i] = nil
		if err == nil {
			err = emit(c)
		}
	}
	out.chunks = out.chunks[:0]
	return err
}
