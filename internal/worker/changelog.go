package worker

import (
	"encoding/binary"
	"slices"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// A changelog is a table of the store, of a graph in which a job is created: by how much
// the relations that it reads have changed, epoch by epoch. The main graph seals it with
// its own state; the creating graph removes what it has committed. So a job goes on
// after a restart where it was, and what it has not followed yet takes no memory.
//
//	0 epoch(8)                     prev(8) { relation(4) }…          what the epoch has
//	1 epoch(8) relation(4) n(4)    { weight (varint) row, exact }…   a block of rows
const (
	logLink = 0
	logRows = 1
)

// blockRows is how many rows make a block.
const blockRows = 4 << 10

// changelogOf is the table's id: above those of jobs.
func changelogOf(part uint32) uint32 { return 1<<31 | part }

func logKey(kind byte, epoch ts.Ts) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, uint64(epoch))
}

// logged is what an epoch puts into a changelog.
type logged struct {
	part      uint32           // whose changelog
	tail      *tail            // of a creating graph; nil: the outbox
	relations []dataflow.JobID // whose changes it has, ascending
	rows      map[dataflow.JobID]*zset.Chunk
}

// fill writes an epoch's entries.
func (l *logged) fill(d *state.Delta, prev, epoch ts.Ts) {
	value := binary.BigEndian.AppendUint64(nil, uint64(prev))
	for _, id := range l.relations {
		value = binary.BigEndian.AppendUint32(value, uint32(id))
	}
	d.Add(logKey(logLink, epoch), value)
	for _, id := range l.relations {
		c := l.rows[id]
		if c == nil {
			continue
		}
		key := binary.BigEndian.AppendUint32(logKey(logRows, epoch), uint32(id))
		for i, n := 0, uint32(0); i < c.N; n++ {
			value = value[:0]
			for last := min(i+blockRows, c.N); i < last; i++ {
				value = binary.AppendVarint(value, c.Weight(i))
				value = zset.AppendExactRow(value, c.Cols, i)
			}
			d.Add(binary.BigEndian.AppendUint32(slices.Clip(key), n), value)
		}
	}
}

// changes reads the rows by which a relation has changed in an epoch, a block at a time.
func changes(n *state.Snapshot, g state.Graph, epoch ts.Ts, id dataflow.JobID, kinds []zset.Kind, fn func(c *zset.Chunk) error) error {
	low := binary.BigEndian.AppendUint32(logKey(logRows, epoch), uint32(id))
	high := binary.BigEndian.AppendUint32(logKey(logRows, epoch), uint32(id)+1)
	var failed error
	err := n.Scan(g.Database, changelogOf(g.Part), low, high, func(_, value []byte) bool {
		var c *zset.Chunk
		if c, failed = decodeBlock(value, kinds); failed == nil {
			failed = fn(c)
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

func errBlock() error {
	return weirerr.New(weirerr.StoreCorrupt, "changes of a relation that are to be followed do not decode")
}

func decodeBlock(b []byte, kinds []zset.Kind) (*zset.Chunk, error) {
	c := zset.NewChunk(kinds, blockRows)
	for len(b) > 0 {
		weight, n := binary.Varint(b)
		if n <= 0 {
			return nil, errBlock()
		}
		rest, err := zset.DecodeExactRow(c.Cols, b[n:])
		if err != nil {
			return nil, err
		}
		c.AppendWeight(weight)
		b = rest
	}
	return c, nil
}

// links lists the epochs that a changelog has, after one and up to another; nil when
// they do not follow each other from there to here.
func links(n *state.Snapshot, g state.Graph, after, upTo ts.Ts) ([]*shown, error) {
	var all []*shown
	at, bad := after, false
	err := n.Scan(g.Database, changelogOf(g.Part), logKey(logLink, after+1), logKey(logLink, upTo+1), func(key, value []byte) bool {
		if bad = len(key) != 9 || len(value) < 8 || len(value)%4 != 0; bad {
			return false
		}
		s := &shown{at: ts.Ts(binary.BigEndian.Uint64(key[1:])), prev: ts.Ts(binary.BigEndian.Uint64(value))}
		for rest := value[8:]; len(rest) > 0; rest = rest[4:] {
			s.relations = append(s.relations, dataflow.JobID(binary.BigEndian.Uint32(rest)))
		}
		if s.prev != at {
			return false
		}
		all, at = append(all, s), s.at
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case bad:
		return nil, weirerr.New(weirerr.StoreCorrupt, "an epoch that a job being created is to follow does not decode").With("graph", g)
	case at != upTo:
		return nil, nil
	}
	return all, nil
}

// trim removes the epochs up to one from a changelog.
func (w *Worker) trim(g state.Graph, upTo ts.Ts) error {
	for _, kind := range []byte{logLink, logRows} {
		if err := w.o.Store.Trim(g.Database, changelogOf(g.Part), []byte{kind}, logKey(kind, upTo+1)); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes what the store has of a creating graph that was dropped for good,
// or has joined; but not the job's tables.
func (w *Worker) Forget(g state.Graph) error {
	if err := w.o.Store.Forget(g); err != nil {
		return err
	}
	return w.o.Store.DropTables(g.Database, []uint32{changelogOf(g.Part)})
}
