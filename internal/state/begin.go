package state

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/ts"
)

// Begin makes a graph begin anew at an epoch, with nothing in its tables. Until its
// first Apply there is nothing that it could Recover to, also after a restart: it has
// to Begin again.
func (s *Store) Begin(g Graph, at ts.Ts, tables []uint32) error {
	if err := s.Discard(g, 0); err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, t := range tables {
		low, high := tableBounds(g.Database, t)
		if err := b.DeleteRange(low, high, nil); err != nil {
			return name.Error(err)
		}
	}
	if err := b.Delete(appliedKey(g), nil); err != nil {
		return name.Error(err)
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return name.Error(err)
	}
	s.move(g, func(c *chain) { *c = chain{applied: at, sealed: at, begun: true} })
	return nil
}
