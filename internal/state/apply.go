package state

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Apply makes a sealed epoch visible: it is the caller's word that the epoch is
// committed. Applying what is visible already does nothing. It need not be
// durable when it returns: what was staged is, and Recover applies it again.
func (s *Store) Apply(ctx context.Context, sealed Sealed) error {
	c := s.at(sealed.Graph)
	if c.applied >= sealed.Epoch {
		return nil
	}
	if c.applied != sealed.Prev {
		return weirerr.New(weirerr.WrongState, "an epoch %s after %s cannot be applied: the store is at %s", sealed.Epoch, sealed.Prev, c.applied).
			With("database", sealed.Graph.Database).With("graph", sealed.Graph.Part)
	}
	value, closer, err := s.db.Get(stagedKey(sealed.Graph, sealed.Epoch))
	if errors.Is(err, pebble.ErrNotFound) {
		return s.errNotStaged(sealed.Graph, sealed.Epoch)
	}
	if err != nil {
		return name.Error(err)
	}
	defer closer.Close()
	st, err := decodeStaged(sealed.Epoch, value)
	if err != nil {
		return err
	}
	return s.apply(ctx, sealed.Graph, st)
}

func (s *Store) apply(ctx context.Context, g Graph, st staged) error {
	var err error
	if st.files != nil {
		err = s.ingest(ctx, st)
	} else {
		err = s.applyRecord(g, st)
	}
	if err != nil {
		return name.Error(err)
	}
	s.move(g, func(c *chain) { c.applied, c.sealed, c.begun = st.epoch, max(c.sealed, st.epoch), false })
	return nil
}

// applyRecord writes the changes, the applied epoch and the end of the staged
// record in one batch. It is not synced: were it lost, the record would be there.
func (s *Store) applyRecord(g Graph, st staged) error {
	b := s.db.NewBatch()
	defer b.Close()
	var key []byte
	err := merge(st.deltas, func(table uint32, k, value []byte) error {
		key = append(appendTable(key[:0], g.Database, table), k...)
		if value == nil {
			return b.Delete(key, nil)
		}
		return b.Set(key, value, nil)
	})
	if err != nil {
		return err
	}
	if err := b.Set(appliedKey(g), binary.BigEndian.AppendUint64(nil, uint64(st.epoch)), nil); err != nil {
		return err
	}
	if err := b.Delete(stagedKey(g, st.epoch), nil); err != nil {
		return err
	}
	defer s.loose.Store(true)
	return b.Commit(pebble.NoSync)
}

// ingest shows the sorted files and the moved epoch at once. Earlier epochs
// may be in Pebble's log unsynced: they have to be durable before this one.
func (s *Store) ingest(ctx context.Context, st staged) error {
	if s.loose.Load() {
		s.loose.Store(false) // before: what comes meanwhile is loose again
		if err := s.db.LogData(nil, pebble.Sync); err != nil {
			s.loose.Store(true)
			return err
		}
	}
	paths := make([]string, len(st.files))
	for i, f := range st.files {
		paths[i] = s.path(f)
	}
	return s.db.Ingest(ctx, paths)
}

// Discard removes what a graph has sealed beyond the epoch after, which was never committed.
func (s *Store) Discard(g Graph, after ts.Ts) error {
	var epochs []ts.Ts
	var files []string
	err := s.stagedOf(g, func(st staged) error {
		if st.epoch > after {
			epochs = append(epochs, st.epoch)
			files = append(files, st.files...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, e := range epochs {
		if err := b.Delete(stagedKey(g, e), nil); err != nil {
			return name.Error(err)
		}
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return name.Error(err)
	}
	s.move(g, func(c *chain) { c.sealed = c.applied })
	return s.removeFiles(files)
}

// Recover brings a graph to its committed epoch: it applies what was sealed and
// committed and discards what was not. A store that has too little, or that
// shows more than was committed, is a StoreBehind error.
func (s *Store) Recover(ctx context.Context, g Graph, committed ts.Ts) error {
	c := s.at(g)
	if c.begun {
		c.applied = 0
	}
	if c.applied > committed {
		return weirerr.New(weirerr.StoreBehind, "the metadata store has epoch %s of a graph, the state store shows %s already", committed, c.applied).
			With("path", s.dir).With("database", g.Database).With("graph", g.Part).
			Hint("an older copy of the metadata was put in its place; restore the newest copy of the whole data directory")
	}
	for ; c.applied < committed; c = s.at(g) {
		var next *staged
		err := s.stagedOf(g, func(st staged) error {
			if next != nil || st.prev != c.applied || st.epoch > committed {
				return nil
			}
			next = &st
			return s.apply(ctx, g, st)
		})
		if err != nil {
			return err
		}
		if next == nil {
			return weirerr.New(weirerr.StoreBehind, "the state store is at epoch %s, but epoch %s was committed", c.applied, committed).
				With("path", s.dir).With("database", g.Database).With("graph", g.Part).Hint("%s", name.Restore)
		}
	}
	return s.Discard(g, committed)
}

// Forget removes a graph's chain. Its tables stay: a graph that merged leaves
// them to the one it is part of now.
func (s *Store) Forget(g Graph) error {
	if err := s.Discard(g, 0); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.chains, g)
	s.mu.Unlock()
	return name.Error(s.db.Delete(appliedKey(g), pebble.Sync))
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
