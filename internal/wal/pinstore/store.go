package pinstore

import (
	"context"
	"errors"
	"net/url"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Store implements wal.CheckpointStore.
type Store struct{ meta *metastore.Store }

// New keeps checkpoints and pins in meta.
func New(meta *metastore.Store) *Store { return &Store{meta} }

// head is the value of a channel's checkpoint key.
type head struct {
	Term       uint64 `json:"term"`
	Revision   uint64 `json:"revision"`
	Checkpoint ts.Ts  `json:"checkpoint"`
}

func channelPrefix(channel string) string { return "log/" + url.PathEscape(channel) + "/" }
func headKey(channel string) string       { return channelPrefix(channel) + "checkpoint" }
func pinPrefix(channel string) string     { return channelPrefix(channel) + "pin/" }
func pinKey(channel, owner string) string { return pinPrefix(channel) + url.PathEscape(owner) }

// TakeCheckpoint raises the channel's term and returns what is stored.
func (s *Store) TakeCheckpoint(ctx context.Context, channel string) (term uint64, saved wal.Saved, err error) {
	if err := ctx.Err(); err != nil {
		return 0, wal.Saved{}, err
	}
	err = s.meta.Update(func(tx *metastore.Tx) error {
		var h head
		if _, err := tx.Get(headKey(channel), &h); err != nil {
			return err
		}
		h.Term++
		term, saved = h.Term, wal.Saved{Checkpoint: h.Checkpoint, Revision: h.Revision}
		return errors.Join(tx.Put(headKey(channel), h), tx.Scan(pinPrefix(channel), func(key string, raw []byte) error {
			var r wal.PinRecord
			err := metastore.Decode(key, raw, &r)
			saved.Pins = append(saved.Pins, r)
			return err
		}))
	})
	return term, saved, err
}

// SaveCheckpoint stores checkpoint and pins, if c stands on top of what is stored.
func (s *Store) SaveCheckpoint(ctx context.Context, channel string, c wal.CheckpointSave) (stored wal.Stored, err error) {
	if err := ctx.Err(); err != nil {
		return wal.Stored{}, err
	}
	err = s.meta.Update(func(tx *metastore.Tx) error {
		var h head
		if _, err := tx.Get(headKey(channel), &h); err != nil {
			return err
		}
		if h.Term != c.Term {
			return weirerr.New(weirerr.LogFenced, "the checkpoint has term %d, this is term %d", h.Term, c.Term).With("channel", channel)
		}
		stored = wal.Stored{Checkpoint: h.Checkpoint, Revision: h.Revision}
		if h.Revision != c.Revision {
			return nil
		}
		h.Revision++
		h.Checkpoint = c.Next
		stored = wal.Stored{Checkpoint: h.Checkpoint, Revision: h.Revision, Landed: true}
		return errors.Join(tx.Put(headKey(channel), h), changePins(tx, channel, c))
	})
	if err != nil {
		return wal.Stored{}, err
	}
	return stored, nil
}

func changePins(tx *metastore.Tx, channel string, c wal.CheckpointSave) error {
	for _, r := range c.Put {
		if err := tx.Put(pinKey(channel, r.Owner), r); err != nil {
			return err
		}
	}
	for _, owner := range c.Delete {
		if err := tx.Delete(pinKey(channel, owner)); err != nil {
			return err
		}
	}
	return nil
}

// Forget deletes what is kept of a channel, when the channel is removed. Holders
// of its checkpoint are fenced.
func (s *Store) Forget(channel string) error {
	return s.meta.Update(func(tx *metastore.Tx) error {
		return tx.Scan(channelPrefix(channel), func(key string, _ []byte) error { return tx.Delete(key) })
	})
}
