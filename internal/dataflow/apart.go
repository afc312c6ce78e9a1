package dataflow

import "github.com/weirstream/weir/internal/zset"

// Apart is a copy of the job for a graph of its own, where the jobs that it reads are
// not. A node of the copy stands for the Root of each: stands maps from those to these.
// The copy has the same tables.
func (j *Job) Apart() (apart *Job, stands map[*Node]*Node) {
	c := *j
	c.fault, c.Reads, c.Nodes, c.Inputs = nil, nil, nil, nil
	stands = map[*Node]*Node{}
	copies := map[*Node]*Node{}
	for _, n := range j.Nodes {
		copies[n] = &Node{What: n.What, Make: n.Make, Start: n.Start, Part: n.Part, Single: n.Single}
	}
	for _, n := range j.Nodes {
		d := copies[n]
		for _, in := range n.In {
			if copies[in.From] == nil && stands[in.From] == nil {
				stands[in.From] = NewInput(in.From.What, in.From.Part)
				c.Nodes = append(c.Nodes, stands[in.From])
			}
			if stand := stands[in.From]; stand != nil {
				in.From = stand
			} else {
				in.From = copies[in.From]
			}
			d.In = append(d.In, in)
		}
	}
	for _, n := range j.Nodes {
		c.Nodes = append(c.Nodes, copies[n])
	}
	for _, in := range j.Inputs {
		c.Inputs = append(c.Inputs, Input{in.Relation, copies[in.Node]})
	}
	c.Root = copies[j.Root]
	c.own()
	return &c, stands
}

// Give passes rows on from the root of a job, on one shard, to one of those that read it.
func (s *Shard) Give(root *Node, to JobID, c *zset.Chunk) {
	u := s.of[root]
	if u == nil || c.N == 0 {
		return
	}
	for _, e := range u.outs {
		if e.to[0] != nil && e.to[0].node.job.ID == to {
			e.send(c)
		}
	}
}

// Repeat gives to one of the readers of a job what the job's tap has collected in
// this epoch: to a reader that was attached after these rows had passed.
func (g *Graph) Repeat(from, to JobID) {
	j := g.jobs[from]
	if j == nil {
		return
	}
	for _, s := range g.shards {
		if u := s.of[j.Root]; u != nil && u.tap != nil {
			for _, c := range u.tap.chunks {
				s.Give(j.Root, to, c)
			}
		}
	}
}

// Fault is why a job does not run any more; nil while it does.
func (g *Graph) Fault(id JobID) error {
	if j := g.jobs[id]; j != nil {
		return j.fault
	}
	return nil
}

// Read tells whether anybody takes the rows of a node on this shard.
func (s *Shard) Read(n *Node) bool {
	u := s.of[n]
	return u != nil && (u.op != nil || len(u.outs) > 0 || u.tap != nil)
}
