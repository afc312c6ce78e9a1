package metastore

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/weirerr"
)

// Tx is the view inside an Update. It ends with the function it was passed to.
type Tx struct{ batch *pebble.Batch }

// Update runs fn and makes its writes durable, all or none. Updates are serial.
// When fn fails nothing is written and its error is returned as it is. An
// Update that writes nothing costs no fsync. Update must not be called inside
// Update. It is a LogFull error when the disk has too little room left.
func (s *Store) Update(fn func(tx *Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.users.Done()
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.room(); err != nil {
		return err
	}
	batch := s.db.NewIndexedBatch()
	defer batch.Close() // after Commit too: it only gives the memory back
	if err := fn(&Tx{batch}); err != nil {
		return err
	}
	if batch.Empty() {
		return nil
	}
	next := s.version.Load() + 1
	if err := batch.Set(versionKey, binary.BigEndian.AppendUint64(nil, next), nil); err != nil {
		return name.Error(err)
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		return name.Error(err)
	}
	s.version.Store(next)
	return nil
}

// room refuses while the disk is nearly full.
func (s *Store) room() error {
	usage, err := s.fs.GetDiskUsage(s.dir)
	if err != nil || usage.AvailBytes >= reserve {
		return nil // a file system that cannot tell is not refused
	}
	return weirerr.New(weirerr.LogFull, "%d bytes are free for the metadata store, %d are needed", usage.AvailBytes, int64(reserve)).
		With("path", s.dir).Hint("free some space on this disk; work goes on by itself")
}

// Get reads the value of key into the pointer into, and says whether there is one.
func (tx *Tx) Get(key string, into any) (bool, error) { return get(tx.batch, key, into) }

// Put sets the value of key to the JSON of value.
func (tx *Tx) Put(key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return weirerr.New(weirerr.InvalidArgument, "the value has no JSON form").With("key", key).Wrap(err)
	}
	return name.Error(tx.batch.Set(pebbleKey(key), raw, nil))
}

// Delete removes key; it need not be there.
func (tx *Tx) Delete(key string) error { return name.Error(tx.batch.Delete(pebbleKey(key), nil)) }

// Scan is Store.Scan with the writes made before the call. Fn may write.
func (tx *Tx) Scan(prefix string, fn func(key string, raw []byte) error) error {
	return scan(tx.batch, prefix, fn)
}

// reader is what a store and a batch have in common.
type reader interface {
	Get(key []byte) ([]byte, io.Closer, error)
	NewIter(o *pebble.IterOptions) (*pebble.Iterator, error)
}

func pebbleKey(key string) []byte { return append([]byte{data}, key...) }

func get(from reader, key string, into any) (bool, error) {
	raw, closer, err := from.Get(pebbleKey(key))
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, name.Error(err)
	}
	defer closer.Close()
	return true, Decode(key, raw, into)
}

// Decode reads a value that Scan passed. A value that does not fit into is a
// StoreCorrupt error with the key.
func Decode(key string, raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return weirerr.New(weirerr.StoreCorrupt, "a value of the metadata store does not have the expected form").
			With("key", key).Wrap(err)
	}
	return nil
}

func scan(from reader, prefix string, fn func(key string, raw []byte) error) error {
	low := pebbleKey(prefix)
	it, err := from.NewIter(&pebble.IterOptions{LowerBound: low, UpperBound: after(low)})
	if err != nil {
		return name.Error(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		raw, err := it.ValueAndErr()
		if err == nil {
			err = fn(string(it.Key()[1:]), raw)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return name.Error(errors.Join(it.Error(), it.Close()))
}

// after is the first key behind all that begin with prefix, which is not all 0xff.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}
