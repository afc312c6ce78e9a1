package state

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/arrange"
)

// Reader reads groups. What it shows of a table is what was applied when it was first asked for it: under load
// there are hundreds of files, which it opens once. It is for one goroutine, and to be closed soon, since
// it keeps files that are merged away.
type Reader struct {
	from      pebble.Reader
	iterators map[tableID]*pebble.Iterator
	prefix    []byte
}

type tableID struct{ database, table uint32 }

// Fill takes a group's entries: keys without the group, ascending; borrowed.
type Fill func(group []byte, entries func(yield func(suffix, value []byte) bool))

// Reader begins one.
func (s *Store) Reader() *Reader { return &Reader{from: s.db} }

// Groups reads the groups of a table, given ascending. A group is prefix and key, or a
// bucket alone for all in it.
func (r *Reader) Groups(database, table uint32, groups [][]byte, fill Fill) error {
	if len(groups) == 0 {
		return nil
	}
	it, err := r.iterator(tableID{database, table})
	if err != nil {
		return name.Error(err)
	}
	r.prefix = appendTable(r.prefix[:0], database, table)
	for _, g := range groups {
		r.prefix = append(r.prefix[:tablePrefixLen], g...)
		seek := it.SeekGE
		if len(g) >= arrange.PrefixLen {
			seek = it.SeekPrefixGE // passes the files that do not have it
		}
		var failed error
		fill(g, func(yield func(suffix, value []byte) bool) {
			for ok := seek(r.prefix); ok && bytes.HasPrefix(it.Key(), r.prefix); ok = it.Next() {
				value, err := it.ValueAndErr()
				if err != nil {
					failed = err
					return
				}
				if !yield(it.Key()[len(r.prefix):], value) {
					return
				}
			}
		})
		if failed == nil {
			failed = it.Error()
		}
		if failed != nil {
			return name.Error(failed)
		}
	}
	return nil
}

func (r *Reader) iterator(of tableID) (*pebble.Iterator, error) {
	if it := r.iterators[of]; it != nil {
		return it, nil
	}
	low, high := tableBounds(of.database, of.table)
	it, err := r.from.NewIter(&pebble.IterOptions{LowerBound: low, UpperBound: high})
	if err != nil {
		return nil, err
	}
	if r.iterators == nil {
		r.iterators = map[tableID]*pebble.Iterator{}
	}
	r.iterators[of] = it
	return it, nil
}

// Close gives everything back. The Reader may be used again: it then shows what is applied by then.
func (r *Reader) Close() (err error) {
	for _, it := range r.iterators {
		err = errors.Join(err, it.Close())
	}
	r.iterators = nil
	return name.Error(err)
}
