package view

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Relation is a relation's id in its database's catalog.
type Relation uint32

// Options bound what readers may hold. Zero values mean the defaults given.
type Options struct {
	TTL time.Duration // of a pin: 5 minutes
}

// Views are the databases' committed snapshots. Its methods may be called concurrently.
type Views struct {
	opts Options
	mu   sync.Mutex
	dbs  map[uint32]*database
}

// database is what is shown of one database.
type database struct {
	epoch     ts.Ts
	snapshot  *state.Snapshot // of epoch; nil: none yet
	moved     chan struct{}   // closed when they change
	pins      map[*Pin]struct{}
	followers map[Relation][]*Follower
	failed    error // why it stands still; nil while it runs
}

// New begins with nothing published.
func New(o Options) *Views {
	if o.TTL <= 0 {
		o.TTL = 5 * time.Minute
	}
	return &Views{opts: o, dbs: map[uint32]*database{}}
}

func (v *Views) of(db uint32) *database {
	d := v.dbs[db]
	if d == nil {
		d = &database{moved: make(chan struct{}), pins: map[*Pin]struct{}{}, followers: map[Relation][]*Follower{}}
		v.dbs[db] = d
	}
	return d
}

// Publish shows an epoch of a database: a snapshot, of which Views takes over one
// reference, and the deltas since the epoch published before, prev, of relations
// that Tap named; nil or absent when there was no change.
func (v *Views) Publish(db uint32, prev, epoch ts.Ts, s *state.Snapshot, deltas map[Relation]*zset.Chunk) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.of(db)
	if d.snapshot != nil && epoch <= d.epoch {
		return s.Release()
	}
	old := d.snapshot
	d.epoch, d.snapshot, d.failed = epoch, s, nil
	for r, list := range d.followers {
		for _, f := range list {
			f.published(Delta{Prev: prev, Epoch: epoch, Rows: deltas[r]}, d)
		}
	}
	close(d.moved)
	d.moved = make(chan struct{})
	if old != nil {
		return old.Release()
	}
	return nil
}

// Tap lists the relations whose deltas have to be collected after the epoch prev,
// because somebody follows them.
func (v *Views) Tap(db uint32, prev ts.Ts) []Relation {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []Relation
	for r, list := range v.of(db).followers {
		all = append(all, r)
		for _, f := range list {
			f.tapped(prev)
		}
	}
	return all
}

// Epoch is the published epoch of a database; 0 when there is none.
func (v *Views) Epoch(db uint32) ts.Ts {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of(db).epoch
}

// Wait returns when an epoch >= at is published, with that epoch.
func (v *Views) Wait(ctx context.Context, db uint32, at ts.Ts) (ts.Ts, error) {
	for {
		v.mu.Lock()
		d := v.of(db)
		moved, failed := d.moved, d.failed
		epoch := d.epoch
		v.mu.Unlock()
		if epoch >= at && epoch != 0 {
			return epoch, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			err := weirerr.New(weirerr.Timeout, "epoch %s was not committed in time", at).With("database", db).Wrap(ctx.Err())
			if failed != nil {
				err = weirerr.New(weirerr.NotReady, "the database stands still: %s", failed).With("database", db).Wrap(ctx.Err())
			}
			return 0, err
		}
	}
}

// Failed says why a database stands still, for those who wait; nil: it runs again.
// Followers of a database that fails go on when it does: what is committed stays.
func (v *Views) Failed(db uint32, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.of(db).failed = err
}

// Drop forgets a database: waiters time out, pins end, followers are cut off.
func (v *Views) Drop(db uint32) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.dbs[db]
	if d == nil {
		return nil
	}
	delete(v.dbs, db)
	gone := weirerr.New(weirerr.NotFound, "the database was dropped").With("database", db)
	for _, list := range d.followers {
		for _, f := range list {
			f.cut(gone)
		}
	}
	var err error
	for p := range d.pins {
		err = errors.Join(err, p.end(gone))
	}
	if d.snapshot != nil {
		err = errors.Join(err, d.snapshot.Release())
	}
	return err
}

// Close ends all databases.
func (v *Views) Close() error {
	v.mu.Lock()
	var all []uint32
	for db := range v.dbs {
		all = append(all, db)
	}
	v.mu.Unlock()
	var err error
	for _, db := range all {
		err = errors.Join(err, v.Drop(db))
	}
	return err
}
