package view

import (
	"time"

	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Pin holds one published epoch for a query.
type Pin struct {
	views    *Views
	db       uint32
	of       *database
	epoch    ts.Ts
	snapshot *state.Snapshot
	timer    *time.Timer
	ended    error // why it shows nothing any more; by Views' lock
}

// Pin holds the newest published epoch of a database, until Release or its TTL.
func (v *Views) Pin(db uint32) (*Pin, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.of(db)
	if d.snapshot == nil {
		return nil, weirerr.New(weirerr.NotReady, "the database has no committed epoch yet").With("database", db).
			Hint("it is starting; try again in a moment")
	}
	return v.pin(db, d), nil
}

func (v *Views) pin(db uint32, d *database) *Pin {
	p := &Pin{views: v, db: db, of: d, epoch: d.epoch, snapshot: d.snapshot}
	p.snapshot.Retain()
	d.pins[p] = struct{}{}
	p.timer = time.AfterFunc(v.opts.TTL, p.expire)
	return p
}

// Epoch is the epoch that the pin holds.
func (p *Pin) Epoch() ts.Ts { return p.epoch }

// Database is whose.
func (p *Pin) Database() uint32 { return p.db }

// Use calls fn with the snapshot, which stays good until fn returns. After the
// pin's TTL it is a SnapshotTooOld error, so fn should read a piece at a time.
func (p *Pin) Use(fn func(s *state.Snapshot) error) error {
	p.views.mu.Lock()
	if p.ended != nil {
		defer p.views.mu.Unlock()
		return p.ended
	}
	p.snapshot.Retain()
	p.views.mu.Unlock()
	err := fn(p.snapshot)
	if e := p.snapshot.Release(); err == nil {
		err = e
	}
	return err
}

// Release gives the epoch back. Later calls do nothing.
func (p *Pin) Release() error {
	p.views.mu.Lock()
	defer p.views.mu.Unlock()
	return p.end(weirerr.New(weirerr.WrongState, "the pin was released"))
}

func (p *Pin) expire() {
	p.views.mu.Lock()
	defer p.views.mu.Unlock()
	_ = p.end(weirerr.New(weirerr.SnapshotTooOld, "the query's snapshot, of epoch %s, was held for longer than %s", p.epoch, p.views.opts.TTL).
		With("database", p.db).Hint("read less in one query, or read it faster"))
}

// end takes a pin off, with Views' lock.
func (p *Pin) end(why error) error {
	if p.ended != nil {
		return nil
	}
	p.ended = why
	p.timer.Stop()
	delete(p.of.pins, p)
	return p.snapshot.Release()
}
