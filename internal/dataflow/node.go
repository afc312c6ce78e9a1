package dataflow

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// JobID names a job: its relation's id in the catalog.
type JobID uint32

// Node is one operator of a job, on all shards.
type Node struct {
	// What says what it does, for people.
	What string
	// In are its inputs, by port.
	In []In
	// Make builds it for one shard of several. Nil: rows pass through (an input).
	Make func(shard, shards int) (op.Operator, error)
	// Start are rows that it gives once, when its job is new: a list of VALUES.
	Start *zset.Chunk
	// Part says where its rows are.
	Part Partition
	// Single: it runs on shard 0 alone.
	Single bool

	job   *Job
	stage int
	print string // all that it computes
}

// Job is the job it is part of.
func (n *Node) Job() JobID { return n.job.ID }

// In is one input of a Node.
type In struct {
	From *Node
	// Errors: what From reports in Output.Errors, not its rows.
	Errors bool
	// Pick are the columns of From, in order; nil: all.
	Pick []int
	// Via says how the rows get to their shard.
	Via Exchange
}

// Exchange moves rows between shards.
type Exchange struct {
	Kind ExchangeKind
	// Cols are hashed, for ByHash.
	Cols []int
}

// ExchangeKind is how rows are spread.
type ExchangeKind uint8

// Kinds of exchange.
const (
	Stay   ExchangeKind = iota // rows stay on their shard
	ByHash                     // rows with equal values in some columns meet
	ToOne                      // all rows go to shard 0
)

// Partition is what is known of where a node's rows are.
type Partition struct {
	Kind PartitionKind
	Cols []int // of Hashed: rows are where the hash of these columns, in this order, puts them
}

// PartitionKind is how rows are spread.
type PartitionKind uint8

// Kinds of partition.
const (
	Anywhere PartitionKind = iota
	Hashed
	OnOne // all on shard 0
)

// together tells whether rows that are equal in cols are on one shard already:
// they are, too, when fewer columns decide.
func (p Partition) together(cols []int) bool {
	switch p.Kind {
	case OnOne:
		return true
	case Hashed:
		for _, c := range p.Cols {
			if !contains(cols, c) {
				return false
			}
		}
		return len(p.Cols) > 0
	}
	return false
}

// through maps the partition to a node's output, where column i is to[i] of the
// input, or -1 when it is none of it.
func (p Partition) through(to []int) Partition {
	if p.Kind != Hashed {
		return p
	}
	out := Partition{Kind: Hashed}
	for _, c := range p.Cols {
		at := index(to, c)
		if at < 0 {
			return Partition{}
		}
		out.Cols = append(out.Cols, at)
	}
	return out
}

func (p Partition) equal(q Partition) bool {
	if p.Kind != q.Kind || len(p.Cols) != len(q.Cols) {
		return false
	}
	for i := range p.Cols {
		if p.Cols[i] != q.Cols[i] {
			return false
		}
	}
	return true
}

func index(list []int, x int) int {
	for i, y := range list {
		if x == y {
			return i
		}
	}
	return -1
}

func contains(list []int, x int) bool { return index(list, x) >= 0 }

// Input is a node through which the rows of a relation enter a job.
type Input struct {
	Relation *catalog.Relation // nil: of the job's own table
	Node     *Node
}

// own makes the nodes the job's.
func (j *Job) own() {
	for _, n := range j.Nodes {
		n.job = j
	}
}

// Job is the maintenance of one relation, or a sink.
type Job struct {
	ID   JobID
	Name string
	// Nodes in topological order.
	Nodes []*Node
	// Root gives the relation's rows: exact changes, once an epoch for a view.
	Root *Node
	// Inputs are where rows enter it from outside, in the order of Nodes.
	Inputs []Input
	// Reads lists the jobs whose rows it reads, ascending.
	Reads []JobID
	// FirstTable is the id of its first table; the others follow. It is allocated
	// when the job is created, and stored with it.
	FirstTable uint32
	// TableCount is how many ids it takes.
	TableCount int
	// Fingerprint says what the nodes are. A job that comes back with another one
	// cannot use the state of before.
	Fingerprint uint64
	// Stored is how the relation's rows lie in the store, in the table StoredIn; nil: they do not.
	Stored   *op.Stored
	StoredIn uint32
	// Failed is the same of its row errors (see op.ErrorKinds); nil: it cannot have any.
	Failed   *op.Stored
	FailedIn uint32

	fault error
}
