package worker

import (
	"bytes"
	"context"
	"slices"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// read gives the steps of an epoch.
func (r *run) read(ctx context.Context) error {
	epochs, err := r.tail.upTo(r.cut)
	if err != nil {
		return err
	}
	if err := r.followAll(ctx, epochs); err != nil || r.walked() {
		return err
	}
	snapshot := r.tail.hold(epochs[len(epochs)-1])
	if snapshot == nil {
		return nil // a later epoch has one
	}
	err = r.pieces(ctx, snapshot)
	if e := snapshot.Release(); err == nil {
		err = e
	}
	return err
}

// followAll gives the changes of epochs.
func (r *run) followAll(ctx context.Context, epochs []*shown) error {
	n, err := r.g.w.o.Store.Snapshot()
	if err != nil {
		return err
	}
	for _, s := range epochs {
		for _, rd := range r.reads {
			if err == nil && s.at > r.prev {
				err = r.follow(ctx, n, s, rd)
			}
		}
	}
	if e := n.Release(); err == nil {
		err = e
	}
	return err
}

// follow gives a relation's changes of one of the main graph's epochs, to what was read of it.
func (r *run) follow(ctx context.Context, n *state.Snapshot, s *shown, rd *course) error {
	if err := s.dead[rd.ID]; err != nil {
		return r.give(ctx, &step{faults: []dataflow.Fault{{Job: r.g.job(), Err: err, Cause: rd.ID}}})
	}
	if !rd.begun() {
		return nil
	}
	if !slices.Contains(s.relations, rd.ID) {
		return weirerr.New(weirerr.WrongState, "what has changed of %s in epoch %s is not logged", rd.Name, s.at).With("graph", r.g.id)
	}
	var group []byte
	return changes(n, r.g.id, s.at, rd.ID, rd.Stored.Kinds, func(c *zset.Chunk) error {
		if !rd.done {
			var sel []int32
			for i := range c.N {
				if group = rd.Stored.AppendGroup(group[:0], c, i); bytes.Compare(group, rd.cursor) <= 0 {
					sel = append(sel, int32(i))
				}
			}
			c = c.Gather(sel)
		}
		return r.rows(ctx, rd, c)
	})
}

// pieces reads on in the relations, one after the other.
func (r *run) pieces(ctx context.Context, n *state.Snapshot) error {
	p := &piece{run: r, ctx: ctx}
	for _, rd := range r.reads {
		if rd.done || !r.tail.armed(rd.ID, r.cut) {
			continue
		}
		if err := p.read(n, rd); err != nil || p.full {
			return err
		}
	}
	return nil
}

// piece is what is read of relations in an epoch.
type piece struct {
	*run
	ctx   context.Context
	rows  int
	bytes int64
	full  bool
	chunk *zset.Chunk
	group []byte // of the last row
}

// read reads a relation on from its cursor. It ends between two groups.
func (p *piece) read(n *state.Snapshot, rd *course) error {
	p.chunk, p.group = zset.NewChunk(rd.Stored.Kinds, stepRows), append(p.group[:0], rd.cursor...)
	var failed error
	err := n.Scan(p.g.id.Database, rd.StoredIn, rd.cursor, nil, func(key, value []byte) bool {
		var more bool
		more, failed = p.entry(rd, key, value)
		return more && failed == nil
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if err := p.run.rows(p.ctx, rd, p.chunk); err != nil {
		return err
	}
	rd.cursor = append([]byte(nil), p.group...)
	if rd.done = !p.full; rd.done {
		rd.cursor = nil
	}
	return nil
}

// entry takes an entry of a relation, unless the piece is full.
func (p *piece) entry(rd *course, key, value []byte) (bool, error) {
	group, err := rd.Stored.Group(key)
	if err != nil {
		return false, err
	}
	if rd.cursor != nil && bytes.Equal(group, rd.cursor) {
		return true, nil // it was read before
	}
	if !bytes.Equal(group, p.group) {
		if p.full = p.enough(); p.full {
			return false, nil
		}
		p.group = append(p.group[:0], group...)
	}
	if err := rd.Stored.DecodeRow(key, value, p.chunk); err != nil {
		return false, err
	}
	p.rows++
	p.bytes += int64(len(key) + len(value))
	if p.chunk.N < stepRows {
		return true, nil
	}
	full := p.chunk
	p.chunk = zset.NewChunk(rd.Stored.Kinds, stepRows)
	return true, p.run.rows(p.ctx, rd, full)
}

// enough tells whether the epoch should end: there is more to follow, or this is as
// much as should be in memory.
func (p *piece) enough() bool {
	if p.bytes >= p.g.w.o.most {
		return true
	}
	return p.rows >= p.g.w.o.piece && p.tail.newer(p.cut)
}

// rows gives rows of a relation, where its root would have them.
func (r *run) rows(ctx context.Context, rd *course, c *zset.Chunk) error {
	if c.N == 0 {
		return nil
	}
	s := &step{parts: make([][]part, r.g.w.o.Shards)}
	nodes := []*dataflow.Node{rd.node}
	add := func(shard int, c *zset.Chunk) { s.parts[shard] = append(s.parts[shard], part{nodes: nodes, chunk: c}) }
	switch part := rd.node.Part; part.Kind {
	case dataflow.OnOne:
		add(0, c)
	case dataflow.Hashed:
		r.spreader.Split(c, part.Cols, len(s.parts), add)
	default:
		add(r.next, c)
		r.next = (r.next + 1) % len(s.parts)
	}
	return r.give(ctx, s)
}

// give hands a step on.
func (r *run) give(ctx context.Context, s *step) error {
	select {
	case r.steps <- s:
		r.g.w.signal(r.g)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
