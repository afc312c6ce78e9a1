package state

import (
	"errors"
	"maps"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/ts"
)

// Snapshot is the store as it was at one moment: at the applied epochs of then.
// It counts references; the last Release ends it. Its methods may be called concurrently.
type Snapshot struct {
	snap    *pebble.Snapshot
	applied map[Graph]ts.Ts
	refs    atomic.Int64
}

// Snapshot takes one, with one reference.
func (s *Store) Snapshot() (*Snapshot, error) {
	n := &Snapshot{snap: s.db.NewSnapshot(), applied: map[Graph]ts.Ts{}}
	n.refs.Store(1)
	if err := n.look(s.known()); err != nil {
		return nil, errors.Join(err, n.Release())
	}
	return n, nil
}

// look finds the applied epochs of the graphs, which are all that the snapshot may have: a graph
// is known before it applies anything. They are got one by one, for an iteration would pass every
// epoch that Pebble still has in memory, and there come some a second.
func (n *Snapshot) look(graphs []Graph) error {
	for _, g := range graphs {
		at, found, err := number(n.snap, appliedKey(g))
		if err != nil {
			return err
		}
		if found {
			n.applied[g] = ts.Ts(at)
		}
	}
	return nil
}

// Applied is the epoch of a graph that the snapshot shows.
func (n *Snapshot) Applied(g Graph) ts.Ts { return n.applied[g] }

// Graphs gives all epochs that it shows.
func (n *Snapshot) Graphs() map[Graph]ts.Ts { return maps.Clone(n.applied) }

// Retain adds a reference. The caller has one.
func (n *Snapshot) Retain() { n.refs.Add(1) }

// Release gives a reference back.
func (n *Snapshot) Release() error {
	if n.refs.Add(-1) == 0 {
		return name.Error(n.snap.Close())
	}
	return nil
}

// Get reads one entry into buf; false when there is none.
func (n *Snapshot) Get(database, table uint32, key, buf []byte) ([]byte, bool, error) {
	return get(n.snap, database, table, key, buf)
}

// Groups reads groups of a table, see Reader.Groups.
func (n *Snapshot) Groups(database, table uint32, groups [][]byte, fill Fill) (err error) {
	r := Reader{from: n.snap}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Groups(database, table, groups, fill)
}

// Scan calls fn with the entries of a table whose keys are in [low, high), nil
// for open, ascending; both are borrowed. It ends when fn says false.
func (n *Snapshot) Scan(database, table uint32, low, high []byte, fn func(key, value []byte) bool) error {
	from, to := tableBounds(database, table)
	if high != nil {
		to = append(appendTable(nil, database, table), high...)
	}
	from = append(from, low...)
	it, err := n.snap.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return name.Error(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return errors.Join(name.Error(err), it.Close())
		}
		if !fn(it.Key()[tablePrefixLen:], value) {
			break
		}
	}
	return name.Error(errors.Join(it.Error(), it.Close()))
}

func get(from pebble.Reader, database, table uint32, key, buf []byte) ([]byte, bool, error) {
	value, closer, err := from.Get(append(appendTable(make([]byte, 0, 64), database, table), key...))
	if errors.Is(err, pebble.ErrNotFound) {
		return buf[:0], false, nil
	}
	if err != nil {
		return buf[:0], false, name.Error(err)
	}
	buf = append(buf[:0], value...)
	return buf, true, name.Error(closer.Close())
}
