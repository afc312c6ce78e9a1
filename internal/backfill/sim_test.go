package backfill

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// The simulated upstream: one table of int keys under multi-version
// concurrency, a stream that lags behind its commits, chunk readers that run at
// any moment, and a consumer that is restarted from its saved state.

const (
	simTable = row.TableID(7)
	simKeys  = 24
	simChunk = 6 // keys a chunk
)

type simOp struct {
	op       row.Op
	old, new int // keys
	val      int
}

type simTxn struct {
	xid       uint64
	ops       []simOp
	committed bool
	position  []byte
}

// simRow is the chain of versions of one key, as (xid, value or -1 for deleted).
type simVersion struct {
	xid uint64
	val int
}

type sim struct {
	t    *testing.T
	rng  *rand.Rand
	xid  uint64
	lsn  uint64
	live map[int]int // committed state
	vers map[int][]simVersion
	open []*simTxn
	busy map[int]bool // keys locked by open transactions

	commits  []*simTxn // the upstream's commit order
	streamed int       // how many the channel has
	channel  []any     // *simTxn or *simMarker, Ts = index+1
	attempt  int
	taken    map[int]bool
	mirror   []map[int]int // committed state after each commit
	keyless  bool
}

type simMarker struct {
	Marker
	rows map[int]int
}

func lsn(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func keyTuple(k int) row.Tuple {
	return row.AppendValue(row.AppendTupleHeader(nil, 1), fmt.Appendf(nil, "%d", k))
}

func keyOf(t row.Tuple) int {
	it := t.Iter()
	it.Next()
	n := 0
	fmt.Sscan(string(it.Value), &n)
	return n
}

func (s *sim) begin() {
	if len(s.open) >= 4 {
		return
	}
	s.xid++
	s.open = append(s.open, &simTxn{xid: s.xid})
}

// write adds one operation to an open transaction, on keys nobody else holds.
func (s *sim) write() {
	if len(s.open) == 0 {
		return
	}
	tx := s.open[s.rng.IntN(len(s.open))]
	k, k2 := s.rng.IntN(simKeys), s.rng.IntN(simKeys)
	mine := map[int]int{}
	for _, o := range tx.ops {
		if o.op == row.Truncate {
			return
		}
		mine[o.old], mine[o.new] = 1, 1
	}
	if s.busy[k] && mine[k] == 0 || s.busy[k2] && mine[k2] == 0 {
		return
	}
	cur := maps.Clone(s.live)
	apply(nil, cur, tx.ops)
	_, has := cur[k]
	_, has2 := cur[k2]
	var o simOp
	switch v := s.rng.IntN(1000); {
	case !has:
		o = simOp{row.Insert, k, k, v}
	case s.rng.IntN(3) == 0:
		o = simOp{row.Delete, k, k, 0}
	case !has2 && k != k2 && s.rng.IntN(2) == 0:
		o = simOp{row.Update, k, k2, v}
	default:
		o = simOp{row.Update, k, k, v}
	}
	s.busy[o.old], s.busy[o.new] = true, true
	tx.ops = append(tx.ops, o)
}

// truncate is a transaction of its own that waits for all others (its lock).
func (s *sim) truncate() {
	if len(s.open) > 0 {
		return
	}
	s.xid++
	s.open = []*simTxn{{xid: s.xid, ops: []simOp{{op: row.Truncate}}}}
	s.commit()
}

func (s *sim) commit() {
	if len(s.open) == 0 {
		return
	}
	i := s.rng.IntN(len(s.open))
	tx := s.open[i]
	s.open = slices.Delete(s.open, i, i+1)
	s.lsn += 10
	tx.position = lsn(s.lsn)
	apply(nil, s.live, tx.ops)
	for _, o := range tx.ops {
		delete(s.busy, o.old)
		delete(s.busy, o.new)
		if o.op == row.Truncate {
			s.vers = map[int][]simVersion{} // not multi-version: old snapshots see an empty table
			continue
		}
		if o.op != row.Insert {
			s.vers[o.old] = append(s.vers[o.old], simVersion{tx.xid, -1})
		}
		if o.op != row.Delete {
			s.vers[o.new] = append(s.vers[o.new], simVersion{tx.xid, o.val})
		}
	}
	s.commits = append(s.commits, tx)
	s.mirror = append(s.mirror, maps.Clone(s.live))
}

func (s *sim) stream() {
	if s.streamed < len(s.commits) {
		s.channel = append(s.channel, s.commits[s.streamed])
		s.streamed++
	}
}

// chunk reads one chunk now and appends its marker later, when streamed transactions allow.
func (s *sim) chunk(c *Consumer) {
	want := c.Wants()
	if len(want) == 0 {
		return
	}
	if want[0].Attempt != s.attempt && s.rng.IntN(3) == 0 { // the capture learns of a new attempt late
		s.attempt, s.taken = want[0].Attempt, map[int]bool{}
	}
	size := simChunk - s.attempt%2*2 // another attempt, another plan
	chunks := simKeys / size
	if s.keyless {
		chunks = 1
	}
	i := s.rng.IntN(chunks)
	if s.taken[i] && s.rng.IntN(4) > 0 { // now and then a repetition, as after a crash
		return
	}
	v := Visibility{Xmin: s.xid + 1, Xmax: s.xid + 1}
	for _, tx := range s.open {
		v.Xip = append(v.Xip, tx.xid)
		v.Xmin = min(v.Xmin, tx.xid)
	}
	slices.Sort(v.Xip)
	m := &simMarker{rows: map[int]int{}}
	m.Marker = Marker{Consumer: c.ID(), Table: simTable, Attempt: s.attempt, Chunk: i, Visible: v, End: lsn(s.lsn + uint64(s.rng.IntN(5)))}
	lo, hi := i*size-1, i*size+size-1
	if i > 0 {
		m.Lo = keyTuple(lo)
	}
	if i < chunks-1 {
		m.Hi = keyTuple(hi)
	} else {
		hi = simKeys
	}
	for k, vs := range s.vers {
		if k <= lo || k > hi {
			continue
		}
		for _, ver := range vs {
			if v.Sees(ver.xid) {
				if ver.val < 0 {
					delete(m.rows, k)
				} else {
					m.rows[k] = ver.val
				}
			}
		}
	}
	for _, tx := range s.commits[:s.streamed] { // the capture's rule
		if !v.Sees(tx.xid) {
			return // read again later
		}
	}
	s.taken[i] = true
	s.channel = append(s.channel, m)
}

// apply executes ops strictly: what does not fit is a violation.
func apply(t *testing.T, state map[int]int, ops []simOp) {
	for _, o := range ops {
		_, hasOld := state[o.old]
		_, hasNew := state[o.new]
		bad := false
		switch o.op {
		case row.Insert:
			bad = hasNew
			state[o.new] = o.val
		case row.Delete:
			bad = !hasOld
			delete(state, o.old)
		case row.Update:
			bad = !hasOld || o.new != o.old && hasNew
			delete(state, o.old)
			state[o.new] = o.val
		case row.Truncate:
			clear(state)
		}
		if bad && t != nil {
			t.Fatalf("%c %d->%d does not fit the target's state %v", o.op, o.old, o.new, state)
		}
	}
}

// deliver runs entry i of the channel through the consumer into the target.
func (s *sim) deliver(c *Consumer, target map[int]int, i int) {
	at := ts.Ts(i + 1)
	switch e := s.channel[i].(type) {
	case *simMarker:
		if c.Marker(&e.Marker) {
			for k, v := range e.rows {
				if _, has := target[k]; has {
					s.t.Fatalf("chunk %d brings key %d, which the target has", e.Chunk, k)
				}
				target[k] = v
			}
		}
	case *simTxn:
		defer c.Settle(e.position, at)
		slot := func(k int) int {
			n := 0
			for _, b := range c.Bounds(simTable) {
				if keyOf(b) < k {
					n++
				}
			}
			return n
		}
		for _, o := range e.ops {
			if o.op == row.Truncate {
				c.Truncate(simTable, e.xid)
				apply(s.t, target, []simOp{o})
				continue
			}
			d := c.Decider(simTable)
			verdict := d.Insert(slot(o.old), e.xid&0xffffffff)
			if o.old != o.new {
				verdict = d.Update(slot(o.old), slot(o.new), e.xid&0xffffffff)
			}
			switch verdict {
			case Deliver:
				apply(s.t, target, []simOp{o})
			case DeliverDelete:
				apply(s.t, target, []simOp{{row.Delete, o.old, o.old, 0}})
			case DeliverInsert:
				apply(s.t, target, []simOp{{row.Insert, o.new, o.new, o.val}})
			}
		}
	}
}

// run returns how often target and source could be compared.
func (s *sim) run() (compared int) {
	c := NewConsumer("cf.1")
	c.Start(simTable)
	target := map[int]int{}
	commits, done := 0, 0
	for step := 0; step < 600; step++ {
		switch n := s.rng.IntN(100); {
		case n < 12:
			s.begin()
		case n < 50:
			s.write()
		case n < 65:
			s.commit()
		case n < 78:
			s.stream()
		case n < 84:
			s.chunk(c)
		case n < 86 && step > 50 && !s.keyless:
			s.truncate()
		case n < 98:
			if done == len(s.channel) {
				continue
			}
			s.deliver(c, target, done)
			if _, ok := s.channel[done].(*simTxn); ok {
				commits++
			}
			done++
			if from, ok := c.ConsistentFrom(); ok && ts.Ts(done) >= from && commits > 0 {
				compared++
				if !maps.Equal(target, s.mirror[commits-1]) {
					s.t.Fatalf("after entry %d the target is %v, the source was %v", done, target, s.mirror[commits-1])
				}
			}
		default: // restart from the saved state
			saved := c.State()
			c = NewConsumer("cf.1")
			if err := c.Restore(saved); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	return compared
}

func TestSimulation(t *testing.T) {
	compared := 0
	for seed := range uint64(2000) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := &sim{
				t: t, rng: rand.New(rand.NewPCG(seed, 1)), xid: 1<<32 - 20, live: map[int]int{}, // the 32-bit ids wrap
				vers: map[int][]simVersion{}, busy: map[int]bool{}, taken: map[int]bool{}, keyless: seed%8 == 0,
			}
			compared += s.run()
		})
	}
	if compared < 20_000 {
		t.Errorf("only %d comparisons in all: the simulation no longer reaches the consistent part", compared)
	}
}

func TestVisibilityExtendsNearest(t *testing.T) {
	v := Visibility{Xmin: 1<<32 + 5, Xmax: 1<<32 + 9, Xip: []uint64{1<<32 + 5, 1<<32 + 7}}
	for low, want := range map[uint64]bool{4: true, 5: false, 6: true, 7: false, 8: true, 9: false, 1<<32 - 1: true} {
		if got := v.Sees(low); got != want {
			t.Errorf("Sees(%d) = %v, want %v", low, got, want)
		}
	}
}
