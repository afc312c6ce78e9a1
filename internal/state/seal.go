package state

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Sealed says what Seal has made durable. It is part of the commit.
type Sealed struct {
	Graph   Graph    `json:"graph"`
	Prev    ts.Ts    `json:"prev"`
	Epoch   ts.Ts    `json:"epoch"`
	Entries int      `json:"entries"`
	Bytes   int64    `json:"bytes"`
	Files   []string `json:"files,omitempty"` // sorted files; none: one record
}

// Seal makes the changes of an epoch durable and keeps them invisible until
// Apply. Prev is the graph's sealed epoch before, or what the store shows. The
// deltas are any number a table (one a shard), with no key in two of them.
func (s *Store) Seal(ctx context.Context, g Graph, prev, epoch ts.Ts, deltas []*Delta) (Sealed, error) {
	c := s.at(g)
	if prev != c.sealed || epoch <= prev {
		return Sealed{}, weirerr.New(weirerr.WrongState, "an epoch %s after %s cannot be sealed: the last one is %s", epoch, prev, c.sealed).
			With("database", g.Database).With("graph", g.Part)
	}
	sealed := Sealed{Graph: g, Prev: prev, Epoch: epoch}
	for _, d := range deltas {
		sealed.Entries += d.n
		sealed.Bytes += int64(d.bytes)
	}
	var err error
	if sealed.Bytes > int64(s.opts.StageBytes) {
		err = s.sealFiles(ctx, &sealed, deltas)
	} else {
		err = s.sealRecord(&sealed, deltas)
	}
	if err != nil {
		return Sealed{}, err
	}
	s.move(g, func(c *chain) { c.sealed = epoch })
	return sealed, nil
}

// The staged record of an epoch:
//
//	prev(8)  'r'  { table(4) len entries }…        the changes themselves
//	prev(8)  'f'  names, separated by newlines     the sorted files that have them, and the mark
const (
	stagedRecord = 'r'
	stagedFiles  = 'f'
)

func (s *Store) sealRecord(sealed *Sealed, deltas []*Delta) error {
	value := make([]byte, 0, int(sealed.Bytes)+16*len(deltas)+16)
	value = binary.BigEndian.AppendUint64(value, uint64(sealed.Prev))
	value = append(value, stagedRecord)
	for _, d := range deltas {
		value = binary.BigEndian.AppendUint32(value, d.Table)
		value = binary.AppendUvarint(value, uint64(d.bytes))
		for _, b := range d.blocks[:d.used] {
			value = append(value, b...)
		}
	}
	return name.Error(s.db.Set(stagedKey(sealed.Graph, sealed.Epoch), value, pebble.Sync))
}

func (s *Store) sealFiles(ctx context.Context, sealed *Sealed, deltas []*Delta) error {
	var err error
	if sealed.Files, err = s.writeFiles(ctx, sealed, deltas); err != nil {
		return errors.Join(err, s.removeFiles(sealed.Files))
	}
	value := binary.BigEndian.AppendUint64(nil, uint64(sealed.Prev))
	value = append(value, stagedFiles)
	value = append(value, strings.Join(sealed.Files, "\n")...)
	return name.Error(s.db.Set(stagedKey(sealed.Graph, sealed.Epoch), value, pebble.Sync))
}

// staged is a staged record, read.
type staged struct {
	epoch, prev ts.Ts
	files       []string
	deltas      []deltaIter // when there are no files
}

func decodeStaged(epoch ts.Ts, value []byte) (st staged, err error) {
	bad := weirerr.New(weirerr.StoreCorrupt, "the sealed epoch %s does not decode", epoch)
	if len(value) < 9 {
		return st, bad
	}
	st.epoch, st.prev = epoch, ts.Ts(binary.BigEndian.Uint64(value))
	kind, body := value[8], value[9:]
	switch kind {
	case stagedFiles:
		st.files = strings.Split(string(body), "\n")
		return st, nil
	case stagedRecord:
	default:
		return st, bad
	}
	for len(body) > 0 {
		if len(body) < 5 {
			return st, bad
		}
		d := deltaIter{table: binary.BigEndian.Uint32(body)}
		n, w := binary.Uvarint(body[4:])
		if w <= 0 || n > uint64(len(body)-4-w) {
			return st, bad
		}
		d.rest = body[4+w : 4+w+int(n)]
		body = body[4+w+int(n):]
		st.deltas = append(st.deltas, d)
	}
	return st, nil
}

// stagedOf reads a graph's staged records, in order. Deltas are borrowed until fn returns.
func (s *Store) stagedOf(g Graph, fn func(st staged) error) error {
	return each(s.db, stagedGraph(g), func(key, value []byte) error {
		if len(key) != 8 {
			return weirerr.New(weirerr.StoreCorrupt, "a sealed epoch of the state store does not decode").With("path", s.dir)
		}
		st, err := decodeStaged(ts.Ts(binary.BigEndian.Uint64(key)), value)
		if err != nil {
			return err
		}
		return fn(st)
	})
}

// errNotStaged says that a sealed epoch is gone.
func (s *Store) errNotStaged(g Graph, epoch ts.Ts) error {
	return weirerr.New(weirerr.StoreBehind, "the state store does not have the sealed epoch %s", epoch).
		With("path", s.dir).With("database", g.Database).With("graph", g.Part).
		Hint("%s", name.Restore)
}

func (g Graph) String() string { return fmt.Sprintf("%d/%d", g.Database, g.Part) }
