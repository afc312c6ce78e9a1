package metastore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/lsm"
	"github.com/weirstream/weir/internal/weirerr"
)

// Format is the layout of keys this package writes.
const Format = 1

// reserve is the free space, in bytes, below which Update refuses. A flush of
// the memtable and its compaction fit in it.
const reserve = 16 << 20

var name = lsm.Name{
	Store: "metadata store", Component: "metastore",
	Restore: "restore the whole data directory from a copy, or start over with source resync",
}

// Pebble's keys begin with one byte that tells callers' keys from ours.
const data = 'd'

var (
	formatKey  = []byte("mformat")
	versionKey = []byte("mversion")
)

// Store is an open store. Its methods may be called concurrently.
type Store struct {
	db  *pebble.DB
	fs  vfs.FS
	dir string

	version atomic.Uint64
	write   sync.Mutex // held through an Update, so that Updates are serial

	gate   sync.Mutex
	closed bool
	users  sync.WaitGroup

	release func() error // the lock on the directory
}

// Open opens the store in dir and creates it if it is not there. It is a
// DataDirLocked error while another process has it open, FormatTooNew when a
// newer weir wrote it, StoreCorrupt when it cannot be read.
func Open(dir string, log *slog.Logger) (*Store, error) {
	fs, err := lsm.Disk(dir)
	if err != nil {
		return nil, fmt.Errorf("metastore: %w", err)
	}
	return openOn(fs, dir, log)
}

func openOn(fs vfs.FS, dir string, log *slog.Logger) (*Store, error) {
	cache := pebble.NewCache(8 << 20)
	defer cache.Unref()
	db, lock, err := name.Open(fs, dir, &pebble.Options{
		Cache:                       cache,
		MemTableSize:                4 << 20,
		MemTableStopWritesThreshold: 2,
		MaxOpenFiles:                100,
	}, log)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, fs: fs, dir: dir}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, db.Close(), lock.Close())
	}
	s.release = lock.Close
	return s, nil
}

// begin reads format and version, or writes them into a new store.
func (s *Store) begin() error {
	format, found, err := s.number(formatKey)
	switch {
	case err != nil:
		return err
	case !found:
		return name.Error(s.db.Set(formatKey, binary.BigEndian.AppendUint64(nil, Format), pebble.Sync))
	case format > Format:
		return weirerr.New(weirerr.FormatTooNew, "the metadata store has format %d, this weir knows %d", format, Format).
			With("path", s.dir).Hint("run the weir that wrote it, or a newer one")
	}
	version, _, err := s.number(versionKey)
	s.version.Store(version)
	return err
}

func (s *Store) number(key []byte) (n uint64, found bool, err error) {
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, name.Error(err)
	}
	defer closer.Close()
	if len(value) != 8 {
		return 0, false, weirerr.New(weirerr.StoreCorrupt, "a number of %d bytes in the metadata store", len(value)).With("key", string(key))
	}
	return binary.BigEndian.Uint64(value), true, nil
}

// Version counts the Updates that wrote, over the life of the store. All of
// them are durable.
func (s *Store) Version() uint64 { return s.version.Load() }

// CheckWitness compares the store's age with the highest version that somebody
// else remembers having seen; a lower Version is a StoreBehind error.
func (s *Store) CheckWitness(highest uint64) error {
	if have := s.Version(); have < highest {
		return weirerr.New(weirerr.StoreBehind, "the metadata store is at version %d, but version %d has been seen", have, highest).
			With("path", s.dir).
			Hint("an older copy was put in its place; restore the newest copy of the whole data directory, or start over with source resync")
	}
	return nil
}

// Get reads the value of key into the pointer into, and says whether there is one.
func (s *Store) Get(key string, into any) (bool, error) {
	if err := s.enter(); err != nil {
		return false, err
	}
	defer s.users.Done()
	return get(s.db, key, into)
}

// Scan calls fn with the keys under prefix in ascending order, as they are at
// the call. Raw is the JSON, borrowed until fn returns. It stops at fn's first
// error and returns it.
func (s *Store) Scan(prefix string, fn func(key string, raw []byte) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.users.Done()
	return scan(s.db, prefix, fn)
}

// enter keeps Close waiting until users.Done.
func (s *Store) enter() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return weirerr.New(weirerr.OwnerClosed, "the metadata store is closed")
	}
	s.users.Add(1)
	return nil
}

// Close waits for calls in progress and closes the store. Later calls are
// OwnerClosed errors; closing again does nothing.
func (s *Store) Close() error {
	s.gate.Lock()
	already := s.closed
	s.closed = true
	s.gate.Unlock()
	if already {
		return nil
	}
	s.users.Wait()
	return errors.Join(s.db.Close(), s.release())
}
