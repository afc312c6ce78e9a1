package dataflow

import (
	"fmt"
	"slices"

	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Graph is the DAG of all jobs that have their epochs together.
type Graph struct {
	shards []*Shard
	nodes  []*Node // topological: a job comes after those it reads
	jobs   map[JobID]*Job
	stages int
}

// NewGraph is an empty graph of so many shards.
func NewGraph(shards int) *Graph {
	g := &Graph{jobs: map[JobID]*Job{}, stages: 1}
	for i := range shards {
		g.shards = append(g.shards, newShard(i, shards))
	}
	return g
}

// Shards are the graph's shards.
func (g *Graph) Shards() []*Shard { return g.shards }

// Stages is how many stages an epoch's end has.
func (g *Graph) Stages() int { return g.stages }

// Job finds a job; nil when it is not in the graph.
func (g *Graph) Job(id JobID) *Job { return g.jobs[id] }

// Jobs lists the jobs in topological order.
func (g *Graph) Jobs() []*Job {
	var jobs []*Job
	for _, n := range g.nodes {
		if len(jobs) == 0 || jobs[len(jobs)-1] != n.job {
			jobs = append(jobs, n.job)
		}
	}
	return jobs
}

// Attach adds a job between two epochs; it takes part from the next one on. stored
// tells which of its tables have entries in the store; nil: none. A job of which no
// table has any begins: what it has from the start is given to it.
func (g *Graph) Attach(j *Job, stored func(table uint32) bool) error {
	if g.jobs[j.ID] != nil {
		return weirerr.New(weirerr.AlreadyExists, "the job is in the graph already").With("job", j.Name)
	}
	j.own()
	cold := map[uint32]bool{}
	for id := j.FirstTable; stored != nil && id < j.FirstTable+uint32(j.TableCount); id++ {
		if stored(id) {
			cold[id] = true
		}
	}
	for i, s := range g.shards {
		if err := s.attach(j, i, len(g.shards), cold); err != nil {
			for _, s := range g.shards {
				s.drop(func(n *Node) bool { return n.job == j })
			}
			return err
		}
	}
	g.jobs[j.ID] = j
	g.nodes = append(g.nodes, j.Nodes...)
	g.link()
	for _, n := range j.Nodes {
		if n.Start != nil && len(cold) == 0 {
			g.shards[0].of[n].push(0, n.Start)
		}
	}
	return nil
}

// attach builds the job's units on a shard.
func (s *Shard) attach(j *Job, shard, shards int, cold map[uint32]bool) error {
	id := j.FirstTable
	for _, n := range j.Nodes {
		if n.Make == nil {
			s.add(n, nil, nil)
			continue
		}
		o, err := n.Make(shard, shards)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", n.What, j.Name, err)
		}
		var tables []Table
		for _, t := range o.Tables() {
			if cold[id] {
				t.SetCold()
			}
			tables = append(tables, Table{id, t})
			id++
		}
		if !n.Single || shard == 0 { // on the others it is built so that ids are the same
			s.add(n, o, tables)
		}
	}
	return nil
}

func (s *Shard) add(n *Node, o op.Operator, tables []Table) {
	u := &unit{node: n, shard: s, op: o, tables: tables, touched: true}
	s.of[n] = u
	s.units = append(s.units, u)
}

// drop removes units.
func (s *Shard) drop(gone func(n *Node) bool) {
	s.units = slices.DeleteFunc(s.units, func(u *unit) bool {
		if gone(u.node) {
			delete(s.of, u.node)
			return true
		}
		return false
	})
	s.missed = slices.DeleteFunc(s.missed, func(u *unit) bool { return gone(u.node) })
}

// Detach removes a job between two epochs, with what reads it, and gives all
// that were removed, those that are read last.
func (g *Graph) Detach(id JobID) []*Job {
	gone := g.dependants(id)
	in := func(n *Node) bool { return slices.Contains(gone, n.job) }
	g.nodes = slices.DeleteFunc(g.nodes, in)
	for _, s := range g.shards {
		s.drop(in)
	}
	for _, j := range gone {
		delete(g.jobs, j.ID)
	}
	g.link()
	slices.Reverse(gone)
	return gone
}

// dependants is a job and all that read it, in topological order.
func (g *Graph) dependants(id JobID) []*Job {
	var all []*Job
	for _, j := range g.Jobs() {
		if j.ID == id || slices.ContainsFunc(all, func(up *Job) bool { return slices.Contains(j.Reads, up.ID) }) {
			all = append(all, j)
		}
	}
	return all
}

// link connects the units of all nodes, and finds stages.
func (g *Graph) link() {
	g.stages = 1
	for _, s := range g.shards {
		s.ready = make(bitset, (len(s.units)+63)/64)
		for i, u := range s.units {
			u.at, u.outs, u.errs = i, nil, nil
			if !u.missed && (u.running || u.head < len(u.queue)) {
				s.ready.set(i)
			}
		}
	}
	for _, n := range g.nodes {
		n.stage = 0
		for port, in := range n.In {
			at := in.From.stage
			if in.Via.Kind != Stay {
				at++
			}
			n.stage = max(n.stage, at)
			g.connect(n, port, in)
		}
		g.stages = max(g.stages, n.stage+1)
	}
}

func (g *Graph) connect(n *Node, port int, in In) {
	to := make([]*unit, len(g.shards))
	for i, s := range g.shards {
		to[i] = s.of[n]
	}
	for _, s := range g.shards {
		u := s.of[in.From]
		if u == nil {
			continue
		}
		e := &edge{port: port, pick: in.Pick, via: in.Via, from: s, to: to}
		if in.Errors {
			u.errs = append(u.errs, e)
		} else {
			u.outs = append(u.outs, e)
		}
	}
}

// Swap brings what shards have for each other to where it goes, and says whether there was any.
func (g *Graph) Swap() bool {
	moved := false
	for _, s := range g.shards { // the order of shards, so that equal input gives equal output
		for to, parcels := range s.out {
			for i, p := range parcels {
				p.to.push(p.port, p.chunk)
				parcels[i] = parcel{}
				moved = true
			}
			s.out[to] = parcels[:0]
		}
		s.away = 0
	}
	return moved
}

// Faults takes failed jobs out of what runs, with their dependants, and lists them
// all. They stay in the graph, dead, until Detach.
func (g *Graph) Faults() []Fault {
	var all []Fault
	for _, s := range g.shards {
		for _, f := range s.faults {
			if g.jobs[f.Job] == nil || g.jobs[f.Job].fault != nil {
				continue
			}
			for _, j := range g.dependants(f.Job) {
				if j.fault == nil {
					g.kill(j, f.Err)
					all = append(all, Fault{j.ID, f.Err, f.Job})
				}
			}
		}
		s.faults = s.faults[:0]
	}
	return all
}

func (g *Graph) kill(j *Job, why error) {
	j.fault = why
	for _, s := range g.shards {
		for _, u := range s.units {
			if u.node.job == j {
				u.stop()
			}
		}
		s.missed = slices.DeleteFunc(s.missed, func(u *unit) bool { return u.node.job == j })
	}
}

// Fail makes a job fail from outside, between two rounds.
func (g *Graph) Fail(id JobID, err error) []Fault {
	s := g.shards[0]
	s.faults = append(s.faults, Fault{id, err, id})
	return g.Faults()
}

// Tap begins or ends the collection of a relation's deltas.
func (g *Graph) Tap(id JobID, on bool) {
	j := g.jobs[id]
	if j == nil {
		return
	}
	for _, s := range g.shards {
		if u := s.of[j.Root]; u != nil {
			if u.tap = nil; on {
				u.tap = &tap{}
			}
		}
	}
}

// Tapped takes what a relation's tap has collected since the last call, as one
// consolidated chunk; nil when there is nothing.
func (g *Graph) Tapped(id JobID) *zset.Chunk {
	j := g.jobs[id]
	if j == nil || j.fault != nil {
		return nil
	}
	var all []*zset.Chunk
	for _, s := range g.shards {
		if u := s.of[j.Root]; u != nil && u.tap != nil {
			all = append(all, u.tap.chunks...)
			u.tap.chunks = nil
		}
	}
	c := zset.Concat(all)
	if c == nil {
		return nil
	}
	var k zset.Consolidator
	if c = k.Consolidate(c); c.N == 0 {
		return nil
	}
	return c
}
