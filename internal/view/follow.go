package view

import (
	"context"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Delta is what a relation changed by from one published epoch to the next.
type Delta struct {
	Prev, Epoch ts.Ts
	Rows        *zset.Chunk // consolidated; nil: nothing changed
}

// Follower gets a relation's rows at an epoch, and its deltas from there on.
// One goroutine reads it.
type Follower struct {
	views    *Views
	db       uint32
	relation Relation
	limit    int // rows in queue

	mu    sync.Mutex
	armed bool
	from  ts.Ts // when armed: deltas after this epoch are collected
	start *Pin  // where it begins
	at    ts.Ts // of the last delta; 0: not begun
	queue []Delta
	rows  int
	ring  chan struct{}
	err   error
}

// Follow begins to follow a relation, soon: see Start. At most buffer rows may wait.
func (v *Views) Follow(db uint32, r Relation, buffer int) *Follower {
	f := &Follower{views: v, db: db, relation: r, limit: buffer, ring: make(chan struct{}, 1)}
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.of(db)
	d.followers[r] = append(d.followers[r], f)
	return f
}

// tapped says that deltas after prev are collected.
func (f *Follower) tapped(prev ts.Ts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.armed {
		f.armed, f.from = true, prev
	}
}

// published takes an epoch: the first one is where it begins, by a pin; the others
// are deltas. Views' lock is held, so they come in order.
func (f *Follower) published(d Delta, db *database) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil || !f.armed || d.Prev < f.from:
		return
	case f.at == 0:
		f.start = f.views.pin(f.db, db)
	case d.Prev != f.at:
		f.queue = nil
		f.err = weirerr.New(weirerr.FollowerBehind, "the changes of a relation after epoch %s were lost in a failure", f.at).
			With("database", f.db).With("relation", f.relation).Hint("begin again from a snapshot")
	default:
		f.add(d)
	}
	f.at = d.Epoch
	f.wake()
}

func (f *Follower) add(d Delta) {
	f.rows += d.size()
	if f.rows <= f.limit || len(f.queue) == 0 {
		f.queue = append(f.queue, d)
		return
	}
	f.queue = nil
	f.err = weirerr.New(weirerr.FollowerBehind, "a reader of a relation's changes is more than %d rows behind", f.limit).
		With("database", f.db).With("relation", f.relation).
		Hint("read faster, or begin again from a snapshot; the relation and its other readers go on")
}

// size is what a delta takes of the buffer: an empty one counts too.
func (d *Delta) size() int {
	if d.Rows == nil {
		return 1
	}
	return 1 + d.Rows.N
}

// Start waits for the epoch at which the following begins, and pins it: the
// caller releases the pin. Called once, before Next.
func (f *Follower) Start(ctx context.Context) (*Pin, error) {
	for {
		f.mu.Lock()
		p, err := f.start, f.err
		if f.start = nil; p == nil && err == nil && f.at != 0 {
			err = weirerr.New(weirerr.WrongState, "the following has begun already")
		}
		f.mu.Unlock()
		switch {
		case p != nil:
			return p, nil
		case err != nil:
			return nil, err
		}
		select {
		case <-f.ring:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *Follower) cut(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.wake()
}

func (f *Follower) wake() {
	select {
	case f.ring <- struct{}{}:
	default:
	}
}

// Next waits for the next delta. After an error there is none.
func (f *Follower) Next(ctx context.Context) (Delta, error) {
	for {
		if d, ok, err := f.take(); ok || err != nil {
			return d, err
		}
		select {
		case <-f.ring:
		case <-ctx.Done():
			return Delta{}, ctx.Err()
		}
	}
}

func (f *Follower) take() (Delta, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 {
		return Delta{}, false, f.err
	}
	d := f.queue[0]
	f.queue = slices.Delete(f.queue, 0, 1)
	f.rows -= d.size()
	if len(f.queue) > 0 {
		f.wake()
	}
	return d, true, nil
}

// Close ends the following.
func (f *Follower) Close() {
	f.views.mu.Lock()
	defer f.views.mu.Unlock()
	if d := f.views.dbs[f.db]; d != nil {
		list := slices.DeleteFunc(d.followers[f.relation], func(g *Follower) bool { return g == f })
		if d.followers[f.relation] = list; len(list) == 0 {
			delete(d.followers, f.relation)
		}
	}
	f.cut(weirerr.New(weirerr.OwnerClosed, "the following was closed"))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.start != nil {
		_ = f.start.end(f.err)
	}
}
