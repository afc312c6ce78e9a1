package worker

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// outbox is the changelog of what leaves a database by changefeeds: sealed with the main
// graph's epochs, so what is committed is there, once, until it was published.
type outbox struct {
	mu    sync.Mutex
	since map[dataflow.JobID]ts.Ts // of relations that leave: all changes after this epoch are there; 0: not yet
}

// outboxPart is the part whose changelog is the outbox: above the ids of jobs.
const outboxPart = 1<<31 - 1

// outbox is a database's, made when it is first asked for.
func (w *Worker) outbox(database uint32) *outbox {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.outboxes[database]
	if o == nil {
		o = &outbox{since: map[dataflow.JobID]ts.Ts{}}
		w.outboxes[database] = o
	}
	return o
}

// Leave says which relations of a database leave it: their changes are put into the outbox,
// from the next checkpoint on for those that are new.
func (w *Worker) Leave(database uint32, relations []dataflow.JobID) {
	o := w.outbox(database)
	o.mu.Lock()
	defer o.mu.Unlock()
	since := map[dataflow.JobID]ts.Ts{}
	for _, id := range relations {
		since[id] = o.since[id]
	}
	o.since = since
}

// Leaves tells after which epoch all changes of a relation are put into the outbox; 0: not yet.
func (w *Worker) Leaves(database uint32, relation dataflow.JobID) ts.Ts {
	o := w.outbox(database)
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.since[relation]
}

// wanted lists the relations that leave, ascending.
func (o *outbox) wanted() (all []dataflow.JobID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.since {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// arm notes that changes after an epoch are collected of relations. Those of epochs before were
// perhaps collected for somebody else, but are not in the outbox.
func (o *outbox) arm(taps map[dataflow.JobID]ts.Ts, from ts.Ts) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, since := range o.since {
		if _, on := taps[id]; on && since == 0 {
			o.since[id] = from
		}
	}
}

// log is what an epoch that follows prev puts into the outbox; nil: nothing.
func (o *outbox) log(prev ts.Ts, rows map[view.Relation]*zset.Chunk) *logged {
	l := &logged{part: outboxPart, rows: map[dataflow.JobID]*zset.Chunk{}}
	for _, id := range o.wanted() {
		o.mu.Lock()
		since := o.since[id]
		o.mu.Unlock()
		if c := rows[view.Relation(id)]; c != nil && since != 0 && since <= prev {
			l.relations = append(l.relations, id)
			l.rows[id] = goneFirst(c)
		}
	}
	if l.relations == nil {
		return nil
	}
	return l
}

// goneFirst orders rows so that those that have gone come first: whoever pairs them with what
// takes their place need not hold both.
func goneFirst(c *zset.Chunk) *zset.Chunk {
	sel := make([]int32, 0, c.N)
	for _, gone := range []bool{true, false} {
		for i := range c.N {
			if c.Weight(i) < 0 == gone {
				sel = append(sel, int32(i))
			}
		}
	}
	return c.Gather(sel)
}

// Outbox reads the changes that a snapshot has in the outbox of a database, of epochs after
// one and up to another: by epoch, then by relation, a block at a time, rows that have gone before
// those that have come. Relations without kinds are passed over.
func Outbox(n *state.Snapshot, database uint32, after, upTo ts.Ts, kinds func(dataflow.JobID) []zset.Kind,
	fn func(epoch ts.Ts, relation dataflow.JobID, c *zset.Chunk) error,
) error {
	var failed error
	err := n.Scan(database, changelogOf(outboxPart), logKey(logRows, after+1), logKey(logRows, upTo+1), func(key, value []byte) bool {
		if len(key) != 17 {
			failed = errBlock()
			return false
		}
		epoch, id := ts.Ts(binary.BigEndian.Uint64(key[1:])), dataflow.JobID(binary.BigEndian.Uint32(key[9:]))
		of := kinds(id)
		if of == nil {
			return true
		}
		var c *zset.Chunk
		if c, failed = decodeBlock(value, of); failed == nil {
			failed = fn(epoch, id, c)
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// TrimOutbox forgets what was published: the epochs up to one.
func (w *Worker) TrimOutbox(database uint32, upTo ts.Ts) error {
	return w.trim(state.Graph{Database: database, Part: outboxPart}, upTo)
}
