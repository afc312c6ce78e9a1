package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

const (
	accounts row.TableID = 1
	journal  row.TableID = 2
)

// shop is a stand whose input are two tables of an upstream: accounts with a key, and
// journal without one, which only grows.
type shop struct {
	*stand
	states map[uint64]map[row.TableID][]string // the tables' rows after each transaction
	jobs   map[row.TableID]*dataflow.Job
	joined map[row.TableID]bool // tables to check; nil: both, when they have settled
	life   int
}

func newShop(t *testing.T, seed uint64, o Options) *shop {
	s := &shop{stand: newStand(t, o), states: map[uint64]map[row.TableID][]string{}}
	s.source = sourcetest.New(t, seed)
	s.source.Create(accounts, "accounts", true)
	s.source.Create(journal, "journal", false)
	return s
}

// captured is the job of one table.
func (s *shop) captured(id row.TableID) Job {
	s.t.Helper()
	cfg := op.UpsertConfig{Kinds: []zset.Kind{zset.Bytes, zset.Bytes, zset.Bytes}, Key: []int{0}}
	by := []int{1}
	if id == journal {
		cfg.Key, by = nil, []int{1, 2, 3}
	}
	var cols []CapturedColumn
	for i, name := range []string{"id", "a", "b"} {
		cols = append(cols, CapturedColumn{Attribute: int32(i + 1), Upstream: datum.OIDText, Name: name, Type: datum.Ref(datum.OIDText)})
	}
	j, err := dataflow.CompileTable(dataflow.JobID(id), fmt.Sprint("table ", id), uint32(id)*10, cfg)
	s.ok(err)
	if s.jobs == nil {
		s.jobs = map[row.TableID]*dataflow.Job{}
	}
	s.jobs[id] = j
	shapes := func(version uint32) (*row.Schema, error) { return s.source.Schema(id, version) }
	return Job{j, []Input{{Node: j.Inputs[0].Node, Table: &Table{
		Channel: "shop", ID: id, Key: by, Decode: Captured(cfg, cols, shapes),
		Capture: &Capture{Source: s.source, Consumer: fmt.Sprint("table", id)},
	}}}}
}

// rows are what readers see of a table, sorted.
func (s *shop) rows(id row.TableID) []string {
	s.t.Helper()
	p, err := s.views.Pin(1)
	s.ok(err)
	defer p.Release()
	j := s.jobs[id]
	c := zset.NewChunk(j.Stored.Kinds, 0)
	s.ok(p.Use(func(n *state.Snapshot) error {
		return n.Scan(1, j.StoredIn, nil, nil, func(key, value []byte) bool {
			s.ok(j.Stored.DecodeRow(key, value, c))
			return true
		})
	}))
	var all []string
	for i := range c.N {
		var v []string
		for _, col := range c.Cols {
			if col.Null(i) {
				v = append(v, "")
			} else {
				v = append(v, string(col.Bytes(i)))
			}
		}
		for range c.Weight(i) {
			all = append(all, strings.Join(v, "|"))
		}
	}
	slices.Sort(all)
	return all
}

// commit makes a transaction upstream, and remembers what the tables hold then.
func (s *shop) commit(large bool, do func(x *sourcetest.Txn)) {
	s.source.Commit(large, do)
	s.source.Mu.Lock()
	defer s.source.Mu.Unlock()
	state := map[row.TableID][]string{}
	for id, t := range s.source.Relations {
		for _, r := range t.Rows {
			state[id] = append(state[id], strings.Join(sourcetest.Values(row.Tuple(r))[:3], "|"))
		}
		slices.Sort(state[id])
	}
	s.states[s.source.Xid] = state
}

// random is one transaction over both tables.
func (s *shop) random(r *rand.Rand) {
	s.commit(r.IntN(8) == 0, func(x *sourcetest.Txn) {
		for range 1 + r.IntN(5) {
			s.act(r, x)
		}
	})
}

func (s *shop) act(r *rand.Rand, x *sourcetest.Txn) {
	rows := s.source.Relations[accounts].Rows
	keys := slices.Sorted(maps.Keys(rows))
	pick := func() string { return keys[r.IntN(len(keys))] }
	more := make([]string, len(s.source.Relations[accounts].Shape.Columns)-3) // columns that came later
	fresh := sourcetest.KeyName(r.IntN(120))
	_, taken := rows[fresh]
	switch k := r.IntN(20); {
	case k < 3:
		x.Insert(journal, fmt.Sprint("entry", r.IntN(50)), "x", "")
	case len(keys) == 0 || k < 9 && !taken:
		if !taken {
			x.Insert(accounts, append([]string{fresh, fmt.Sprint(r.IntN(100)), "large"}, more...)...)
		}
	case k < 14:
		key := pick()
		x.Update(accounts, key, append([]string{key, fmt.Sprint(r.IntN(100)), []string{"~", "other", ""}[r.IntN(3)]}, more...)...)
	case k < 16 && !taken: // the key changes, so the large value is sent
		x.Update(accounts, pick(), append([]string{fresh, fmt.Sprint(r.IntN(100)), "moved"}, more...)...)
	case k < 19:
		x.Delete(accounts, pick())
	case r.IntN(12) == 0:
		x.Truncate(accounts)
	case r.IntN(6) == 0:
		x.Widen(accounts)
	}
}

// settled tells whether no snapshot is under way at the committed epoch.
func (s *shop) settled() bool {
	var at channelPosition
	if raw := s.positions["channel/shop"]; raw != nil {
		s.ok(json.Unmarshal(raw, &at))
	}
	if len(at.Snapshots) < 2 {
		return false
	}
	for consumer, raw := range at.Snapshots {
		var st snapshotState
		s.ok(json.Unmarshal(raw, &st))
		c := backfill.NewConsumer(consumer)
		s.ok(c.Restore(st.Consumer))
		if !c.Idle() {
			return false
		}
	}
	return true
}

// last is the newest transaction of the channel up to a Ts.
func (s *shop) last(upTo ts.Ts) (xid uint64) {
	rd, err := s.source.Log.Read(0)
	s.ok(err)
	defer rd.Close()
	for end := s.source.Log.Status().Resolved; ; {
		in, err := rd.Next(context.Background())
		s.ok(err)
		for _, e := range in.Entries {
			if e.Kind == wal.KindTxn && e.Ts <= upTo {
				xid = e.Xid
			}
		}
		if in.Resolved >= end {
			return xid
		}
	}
}

// check compares every committed epoch, once the snapshots have settled, with the
// tables as they were after the last transaction of its cut.
func (s *shop) check() {
	s.t.Helper()
	if s.joined == nil && !s.settled() || s.joined != nil && len(s.joined) == 0 {
		return
	}
	at := s.committed
	var p channelPosition
	s.ok(json.Unmarshal(s.positions["channel/shop"], &p))
	want := s.states[s.last(max(at, p.Ts))]
	for _, id := range []row.TableID{accounts, journal} {
		if s.joined != nil && !s.joined[id] {
			continue
		}
		if got := s.rows(id); !slices.Equal(got, want[id]) {
			s.t.Fatalf("table %d at %s:\n%v\nwant\n%v", id, at, got, want[id])
		}
	}
}

// TestCapturedTablesAreTheirUpstream: by snapshot and stream at once, on every epoch
// from where the snapshots have settled, over restarts, on 1 to 3 shards.
func TestCapturedTablesAreTheirUpstream(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, seed, Options{Shards: 1 + int(seed%3), Memory: int64(seed%2) << 30})
			r := rand.New(rand.NewPCG(seed, 5))
			for range 40 {
				s.random(r)
			}
			s.source.Pump(-1)
			s.start(s.captured(accounts), s.captured(journal))
			placing, done := make(chan struct{}), make(chan struct{})
			go s.place(placing, done)
			checked := 0
			for round := range 60 {
				for range r.IntN(6) {
					s.random(r)
				}
				s.source.Pump(r.IntN(8))
				if c := s.checkpoint(); len(c.Faults) > 0 {
					t.Fatal(c.Faults)
				}
				s.check()
				if s.settled() {
					checked++
				}
				if round%20 == 11 {
					s.barrier(barrier.Checkpoint, nil)
					s.collect(false)
					s.worker.Drop(graphID)
					s.start(s.captured(accounts), s.captured(journal))
				}
			}
			s.source.Pump(-1)
			for deadline := time.Now().Add(60 * time.Second); checked == 0 || !s.settled(); checked++ {
				if time.Now().After(deadline) {
					t.Fatalf("the snapshots have not settled in 60 s: %s, %s", s.source.Jobs(), s.positions["channel/shop"])
				}
				s.commit(false, func(*sourcetest.Txn) {}) // the heartbeat after a snapshot
				s.source.Pump(-1)
				s.checkpoint()
			}
			s.checkpoint()
			s.check()
			close(placing)
			<-done
		})
	}
}

// place reads chunks while it may.
func (s *shop) place(stop, done chan struct{}) {
	defer close(done)
	for {
		select {
		case <-stop:
			return
		default:
			if !s.source.Place() {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// TestAColumnThatGoesEndsItsTable, and nothing else.
func TestAColumnThatGoesEndsItsTable(t *testing.T) {
	s := newShop(t, 1, Options{Shards: 2})
	s.start(s.captured(accounts), s.captured(journal))
	placing, done := make(chan struct{}), make(chan struct{})
	go s.place(placing, done)
	defer func() { close(placing); <-done }()
	for !s.settled() {
		s.commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "tick", "", "") })
		s.source.Pump(-1)
		s.checkpoint()
	}
	s.commit(false, func(x *sourcetest.Txn) { x.Widen(accounts); x.Insert(accounts, "k001", "1", "2", "3") })
	s.source.Pump(-1)
	s.checkpoint()
	s.check()
	s.source.Mu.Lock()
	shape := *s.source.Relations[accounts].Shape
	s.source.Mu.Unlock()
	shape.Version++
	shape.Columns = slices.Delete(slices.Clone(shape.Columns), 1, 2)
	text, err := json.Marshal(&shape)
	s.ok(err)
	changes := row.AppendChange(nil, &row.Change{Op: row.SchemaChange, Table: accounts, Version: shape.Version, Schema: text})
	at, err := s.source.Writer.Append(&wal.Entry{Kind: wal.KindTxn, Xid: 1 << 40, Changes: changes})
	s.ok(err)
	var faults []dataflow.Fault
	for s.committed < at {
		faults = append(faults, s.checkpoint().Faults...)
	}
	if len(faults) != 1 || faults[0].Job != dataflow.JobID(accounts) || weirerr.CodeOf(faults[0].Err) != weirerr.ColumnGone ||
		!strings.Contains(faults[0].Err.Error(), "column a") {
		t.Fatalf("faults %v", faults)
	}
	before := len(s.rows(journal))
	s.commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "tock", "", "") })
	s.source.Pump(-1)
	s.checkpoint()
	if n := len(s.rows(journal)); n != before+1 {
		t.Errorf("the other table has %d rows, want %d", n, before+1)
	}
}
