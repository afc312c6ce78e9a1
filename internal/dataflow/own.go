package dataflow

import (
	"fmt"

	"github.com/weirstream/weir/internal/op"
)

// Exact compiles the arrangement of a table whose writer logs exact changes: rows with
// weights enter by the node input.
func Exact(id JobID, name string, firstTable uint32, cfg op.MaterializeConfig) (j *Job, input *Node, err error) {
	by := cfg.Key
	if by == nil {
		by = upTo(len(cfg.Kinds))
	}
	in := NewInput("Input", Partition{Hashed, by})
	t := &Node{What: fmt.Sprintf("Table%v%v", cfg.Kinds, cfg.Key), In: []In{{From: in}}, Part: Partition{Hashed, by}}
	t.Make = func(int, int) (op.Operator, error) { return op.NewMaterialize(cfg), nil }
	c := &compiler{job: &Job{ID: id, Name: name, Nodes: []*Node{in, t}, Root: t}}
	c.job.Stored = &op.Stored{Kinds: cfg.Kinds, Key: cfg.Key}
	j, err = c.finish(firstTable, t)
	return j, in, err
}

// Stream compiles a relation that keeps nothing: rows that enter by the node input pass.
func Stream(id JobID, name string, firstTable uint32) (j *Job, input *Node, err error) {
	in := NewInput("Stream", Partition{})
	c := &compiler{job: &Job{ID: id, Name: name, Nodes: []*Node{in}, Root: in}}
	j, err = c.finish(firstTable, nil)
	return j, in, err
}
