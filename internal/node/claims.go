package node

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

var _ database.Sources = (*sources)(nil)

// claimEvery is how often a database's claim on a source follows its epochs.
const claimEvery = time.Second

// At implements database.Sources.
func (s *sources) At(ctx context.Context, name, position string) (ts.Ts, error) {
	src, err := s.get(name)
	if err != nil {
		return 0, err
	}
	lsn, err := postgres.ParseLSN(position)
	if err != nil {
		return 0, &sql.Error{Code: sql.InvalidText, Message: "invalid input syntax for type pg_lsn: \"" + position + "\"", Pos: -1}
	}
	return src.Passed(ctx, lsn.Position())
}

// Reader implements database.Sources.
func (s *sources) Reader(name string) (reconcile.Source, error) {
	src, err := s.get(name)
	if err != nil {
		return nil, err
	}
	return src.Source, nil
}

// Claim implements database.Sources. One claim is for all of a database's tables of the
// source; it is stored, so after a restart it is there and goes on.
func (s *sources) Claim(ctx context.Context, name string, db *database.Database) (at ts.Ts, err error) {
	src, err := s.get(name)
	if err != nil {
		return 0, err
	}
	checkpoint := s.pins.of(src.Channel().Name())
	if checkpoint == nil {
		return 0, weirerr.New(weirerr.NotReady, "the source's log is not open yet").With("source", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if src.claims[db.ID()] != nil {
		return 0, nil
	}
	owner := ownPin(db.Name())
	if !slices.ContainsFunc(checkpoint.Status().Pins, func(h wal.Hold) bool { return h.Owner == owner }) {
		pin := wal.Pin{Owner: owner, Now: true, Budget: wal.Budget{OnFull: wal.Block}}
		if at, err = checkpoint.Pin(ctx, pin, nil); err != nil {
			return 0, err
		}
	}
	keeping, stop := context.WithCancel(s.ctx)
	src.claims[db.ID()] = stop
	go s.keep(keeping, src, checkpoint, db)
	return at, nil
}

// keep moves a database's claim on a source with what its graphs have committed.
func (s *sources) keep(ctx context.Context, src *source, checkpoint *wal.Checkpoint, db *database.Database) {
	tick := time.NewTicker(claimEvery)
	defer tick.Stop()
	var at ts.Ts
	for {
		select {
		case <-src.done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		cut := db.Cut()
		if cut <= at {
			continue
		}
		switch err := checkpoint.Advance(ownPin(db.Name()), cut); {
		case err == nil:
			at = cut
		case weirerr.CodeOf(err) != weirerr.WrongState: // a claim of this moment is ahead of the epochs
			s.log.Warn("moving a database's claim on a source", "source", src.def.Name, "database", db.Name(), "error", err)
		}
	}
}

// Gone implements database.Sources.
func (s *sources) Gone(ctx context.Context, name string, db *database.Database, consumer string, last bool) error {
	src, err := s.get(name)
	if err != nil {
		return nil // it runs no snapshots, and what it keeps goes with it
	}
	if err := src.CancelBackfill(consumer); err != nil || !last {
		return err
	}
	s.mu.Lock()
	if stop := src.claims[db.ID()]; stop != nil {
		stop()
		delete(src.claims, db.ID())
	}
	s.mu.Unlock()
	if checkpoint := s.pins.of(src.Channel().Name()); checkpoint != nil {
		err = checkpoint.Release(ctx, ownPin(db.Name()))
	}
	if weirerr.CodeOf(err) == weirerr.NotFound {
		return nil
	}
	return err
}

// Followed implements control.Sources.
func (s *sources) Followed(name string) error {
	src, err := s.get(name)
	if err != nil {
		return nil
	}
	checkpoint := s.pins.of(src.Channel().Name())
	if checkpoint == nil {
		return nil
	}
	for _, h := range checkpoint.Status().Pins {
		if db, is := strings.CutPrefix(h.Owner, ownPin("")); is {
			return weirerr.New(weirerr.WrongState, "tables of a database follow the source").With("source", name).With("database", db).
				Hint("drop them there first: DROP SOURCE %s CASCADE", name)
		}
	}
	return nil
}
