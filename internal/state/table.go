package state

import (
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// DropTables removes tables with all their entries. Snapshots taken before keep them.
func (s *Store) DropTables(database uint32, tables []uint32) error {
	if len(tables) == 0 {
		return nil
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, t := range tables {
		low, high := tableBounds(database, t)
		if err := b.DeleteRange(low, high, nil); err != nil {
			return name.Error(err)
		}
	}
	return name.Error(b.Commit(pebble.Sync))
}

// Has tells whether a table has entries.
func (s *Store) Has(database, table uint32) (bool, error) {
	low, high := tableBounds(database, table)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: low, UpperBound: high})
	if err != nil {
		return false, name.Error(err)
	}
	has := it.First()
	return has, name.Error(errors.Join(it.Error(), it.Close()))
}

// Tables lists the tables of a database that have entries, ascending.
func (s *Store) Tables(database uint32) ([]uint32, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound: binary.BigEndian.AppendUint32(nil, database), UpperBound: after(binary.BigEndian.AppendUint32(nil, database)),
	})
	if err != nil {
		return nil, name.Error(err)
	}
	var tables []uint32
	for ok := it.First(); ok; {
		t := binary.BigEndian.Uint32(it.Key()[4:])
		tables = append(tables, t)
		_, next := tableBounds(database, t)
		ok = it.SeekGE(next)
	}
	return tables, name.Error(errors.Join(it.Error(), it.Close()))
}

// TableBytes estimates what a table takes on the disk.
func (s *Store) TableBytes(database, table uint32) (int64, error) {
	low, high := tableBounds(database, table)
	n, err := s.db.EstimateDiskUsage(low, high)
	return int64(n), name.Error(err)
}

// Bytes is what the store takes on the disk.
func (s *Store) Bytes() int64 {
	return int64(s.db.Metrics().DiskSpaceUsage())
}
