package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/lsm"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Format is the layout this package writes.
const Format = 1

// Graph names a chain of epochs: a database's main graph (Part 0), or the graph
// in which the job Part is being created.
type Graph struct {
	Database uint32 `json:"database"`
	Part     uint32 `json:"part,omitempty"`
}

// Options bound what the store takes. Zero values mean the defaults given.
type Options struct {
	CacheBytes    int64 // of blocks read: 256 MiB
	MemTableBytes int   // of writes before they are flushed: 64 MiB
	// StageBytes is the size from which an epoch's changes are sealed as sorted
	// files, not as one record: 1 MiB.
	StageBytes int
	Logger     *slog.Logger // nil: silence

	fs        vfs.FS // tests': a file system that crashes
	fileBytes int    // of one sorted file: 64 MiB
}

func (o *Options) fill() {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 256 << 20
	}
	if o.MemTableBytes <= 0 {
		o.MemTableBytes = 64 << 20
	}
	if o.StageBytes <= 0 {
		o.StageBytes = 1 << 20
	}
	if o.fileBytes <= 0 {
		o.fileBytes = 64 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

var name = lsm.Name{
	Store: "state store", Component: "state",
	Restore: "restore the whole data directory from a copy; views can be created anew",
}

// filter tells which files may have a group.
const filter = bloom.FilterPolicy(10)

// Store is an open store. Its methods may be called concurrently. Of one graph
// there is one Seal and one Apply at a time, and no other call that moves it.
type Store struct {
	db   *pebble.DB
	fs   vfs.FS
	dir  string
	opts Options
	lock io.Closer
	// loose: an applied record may be in Pebble's log unsynced.
	loose atomic.Bool

	mu     sync.Mutex
	chains map[Graph]chain
}

// chain is how far a graph is.
type chain struct {
	applied ts.Ts
	sealed  ts.Ts // of the last seal: at least applied
	begun   bool  // by Begin, and nothing was applied since
}

// Open opens the store in dir and creates it if it is not there. Errors:
// DataDirLocked, FormatTooNew, StoreCorrupt.
func Open(dir string, opts Options) (*Store, error) {
	opts.fill()
	fs := opts.fs
	if fs == nil {
		var err error
		if fs, err = lsm.Disk(dir); err != nil {
			return nil, fmt.Errorf("state: %w", err)
		}
	} else if err := lsm.MakeDir(fs, dir); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	cache := pebble.NewCache(opts.CacheBytes)
	defer cache.Unref()
	o := &pebble.Options{
		Comparer:                    comparer,
		Cache:                       cache,
		MemTableSize:                uint64(opts.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		MaxOpenFiles:                2000,
		// Most of what is written is read again only after a restart or an eviction, and much
		// of it is written over before: merging late and in large pieces costs the least. An epoch's
		// sorted files, ten epochs a second under load, are merged when 128 lie over each other (Pebble
		// halves the number), for filters tell which ones have a group. What small epochs leave, as files
		// of 4 MiB, is merged by its size: 2 GiB, so that hot keys do not fill the disk.
		L0CompactionThreshold:     256,
		L0CompactionFileThreshold: 512,
		L0StopWritesThreshold:     1024,
		LBaseMaxBytes:             512 << 20,
	}
	for i := range o.Levels {
		o.Levels[i].BlockSize = 16 << 10
		o.Levels[i].FilterPolicy = filter
		o.TargetFileSizes[i] = 4 << 20
		if i > 0 {
			o.TargetFileSizes[i] = 16 << 20 << min(i, 3)
		}
		if i < len(o.Levels)-1 { // what will be written again soon is not compressed
			o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		}
	}
	db, lock, err := name.Open(fs, dir, o, opts.Logger)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, fs: fs, dir: dir, opts: opts, lock: lock, chains: map[Graph]chain{}}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, db.Close(), lock.Close())
	}
	return s, nil
}

// begin checks the format, reads how far each graph is, and removes files that
// nothing names.
func (s *Store) begin() error {
	switch format, found, err := number(s.db, formatKey); {
	case err != nil:
		return err
	case !found:
		if err := s.db.Set(formatKey, binary.BigEndian.AppendUint64(nil, Format), pebble.Sync); err != nil {
			return name.Error(err)
		}
	case format > Format:
		return weirerr.New(weirerr.FormatTooNew, "the state store has format %d, this weir knows %d", format, Format).
			With("path", s.dir).Hint("run the weir that wrote it, or a newer one")
	}
	err := eachApplied(s.db, func(g Graph, at ts.Ts) { s.chains[g] = chain{applied: at, sealed: at} })
	if err != nil {
		return err
	}
	return s.tidy()
}

func number(from pebble.Reader, key []byte) (n uint64, found bool, err error) {
	value, closer, err := from.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, name.Error(err)
	}
	defer closer.Close()
	if len(value) != 8 {
		return 0, false, weirerr.New(weirerr.StoreCorrupt, "a number of %d bytes in the state store", len(value))
	}
	return binary.BigEndian.Uint64(value), true, nil
}

// each calls fn with the store's own entries under prefix, less the prefix.
func each(from pebble.Reader, prefix []byte, fn func(key, value []byte) error) error {
	it, err := from.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return name.Error(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			err = fn(it.Key()[len(prefix):], value)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return name.Error(errors.Join(it.Error(), it.Close()))
}

// eachApplied tells how far every graph is.
func eachApplied(from pebble.Reader, fn func(g Graph, at ts.Ts)) error {
	return each(from, appliedPrefix, func(key, value []byte) error {
		if len(key) != 8 || len(value) != 8 {
			return weirerr.New(weirerr.StoreCorrupt, "an applied epoch of the state store does not decode")
		}
		fn(graphOf(key), ts.Ts(binary.BigEndian.Uint64(value)))
		return nil
	})
}

// at is how far a graph is; one that is new stands at 0.
func (s *Store) at(g Graph) chain {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chains[g]
}

// move changes how far a graph is.
func (s *Store) move(g Graph, to func(c *chain)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chains[g]
	to(&c)
	s.chains[g] = c
}

// Applied is the epoch the store shows of a graph; 0 when none was ever applied.
func (s *Store) Applied(g Graph) ts.Ts { return s.at(g).applied }

// known lists every graph that may have an applied epoch.
func (s *Store) known() []Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.chains))
}

// Graphs lists every graph of which an epoch was applied.
func (s *Store) Graphs() []Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Graph
	for g, c := range s.chains {
		if c.applied != 0 {
			all = append(all, g)
		}
	}
	return all
}

// Close closes the store. Snapshots must have been released.
func (s *Store) Close() error { return errors.Join(s.db.Close(), s.lock.Close()) }
