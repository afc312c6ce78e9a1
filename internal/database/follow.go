package database

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// followRows bounds what waits for a slow subscriber.
const followRows = 1 << 20

// Subscription follows a relation: its rows at one epoch, then its changes.
type Subscription struct {
	db     *Database
	rel    *catalog.Relation
	follow *view.Follower
	pin    *view.Pin
	scan   *scan
	epoch  ts.Ts
}

// Subscribe begins to follow a relation. With snapshot its rows come first.
func (db *Database) Subscribe(ctx context.Context, rel *catalog.Relation, snapshot bool) (*Subscription, error) {
	s := &Subscription{db: db, rel: rel, follow: db.o.Views.Follow(db.o.ID, view.Relation(rel.ID), followRows)}
	if err := db.Flush(ctx); err != nil { // so that it begins at once
		s.Close()
		return nil, err
	}
	pin, err := s.follow.Start(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.pin, s.epoch = pin, pin.Epoch()
	if !snapshot {
		return s, s.endSnapshot()
	}
	if s.scan, err = db.newScan(pin, rel); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Next waits for rows that came (+1) or went (-1), and the epoch they did. An epoch without
// a change gives none.
func (s *Subscription) Next(ctx context.Context) (ts.Ts, *zset.Chunk, error) {
	if s.scan != nil {
		c, err := s.scan.read(ctx)
		if err != nil || c != nil {
			return s.epoch, c, err
		}
		if err := s.endSnapshot(); err != nil {
			return 0, nil, err
		}
		return s.epoch, nil, nil // the snapshot is complete
	}
	d, err := s.follow.Next(ctx)
	if err != nil {
		return 0, nil, err
	}
	s.epoch = d.Epoch
	return d.Epoch, d.Rows, nil
}

func (s *Subscription) endSnapshot() error {
	s.scan = nil
	if s.pin == nil {
		return nil
	}
	pin := s.pin
	s.pin = nil
	return pin.Release()
}

// Close ends the subscription.
func (s *Subscription) Close() {
	_ = s.endSnapshot()
	s.follow.Close()
}
