package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"maps"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
	"github.com/weirstream/weir/internal/zset"
)

var graphID = state.Graph{Database: 1}

const tableID row.TableID = 77

// totals is a tally's contents: count and sum by key.
type totals map[int64][2]int64

// stand is a worker over a real log and store, with a coordinator of a few lines.
type stand struct {
	t       testing.TB
	log     *local.Log
	channel wal.Channel
	writer  wal.Writer
	store   *state.Store
	views   *view.Views
	worker  *Worker
	options Options
	jobs    []Job
	dirs    [2]string
	stage   int                  // bytes
	source  *sourcetest.Upstream // of the channel shop

	reports chan Report
	attempt barrier.Attempt
	at      ts.Ts // the last barrier injected
	flight  int

	mu        sync.Mutex
	committed ts.Ts
	positions Positions
	history   []change // appended, by Ts
}

// change is one row of a transaction.
type change struct {
	at         ts.Ts
	key, value int64
	weight     int64
}

func newStand(t testing.TB, o Options) *stand {
	t.Helper()
	s := &stand{t: t, options: o, stage: 20000, dirs: [2]string{t.TempDir(), t.TempDir()}}
	s.open()
	t.Cleanup(s.close)
	return s
}

func (s *stand) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stand) open() {
	var err error
	s.log, err = local.Open(s.dirs[0], local.Options{})
	s.ok(err)
	s.channel, err = s.log.Channel("dml")
	s.ok(err)
	s.writer, err = s.channel.Lead(context.Background())
	s.ok(err)
	s.store, err = state.Open(s.dirs[1], state.Options{StageBytes: s.stage})
	s.ok(err)
	s.views = view.New(view.Options{})
	s.reports = make(chan Report, 1000)
	o := s.options
	o.Store, o.Views, o.Logs = s.store, s.views, s
	o.Report = func(r Report) { s.reports <- r }
	s.worker = New(o)
}

func (s *stand) close() {
	s.worker.Close()
	s.ok(s.views.Close())
	s.ok(s.store.Close())
	s.ok(s.writer.Close())
	s.ok(s.log.Close())
}

// Channel and Promise implement Logs.
func (s *stand) Channel(name string) (wal.Channel, error) {
	if name == "shop" {
		return s.source.Log, nil
	}
	return s.channel, nil
}

func (s *stand) Promise(name string, t ts.Ts) error {
	w := s.writer
	if name == "shop" {
		w = s.source.Writer
	}
	_, err := w.Promise(t)
	return err
}

// input binds a job's node to the own table.
func (s *stand) input(n *dataflow.Node) Input {
	types := []datum.TypeRef{datum.Ref(datum.OIDInt8), datum.Ref(datum.OIDInt8)}
	return Input{Node: n, Table: &Table{Channel: "dml", ID: tableID, Key: []int{0}, Decode: Own(types)}}
}

// start opens the graph at what is committed.
func (s *stand) start(jobs ...Job) {
	s.t.Helper()
	s.jobs = jobs
	s.attempt++
	s.flight, s.at = 0, s.committed
	for len(s.reports) > 0 {
		<-s.reports
	}
	s.ok(s.worker.Open(context.Background(), Spec{
		Graph: graphID, Attempt: s.attempt, Committed: s.committed, Positions: s.positions, Jobs: jobs,
	}))
}

// append logs a transaction of changes; a key's row is (key, value).
func (s *stand) append(changes ...change) ts.Ts {
	s.t.Helper()
	var buf []byte
	for _, c := range changes {
		buf = appendChange(buf, c)
	}
	return s.entry(&wal.Entry{Kind: wal.KindTxn, Changes: buf}, changes)
}

// entry appends an entry, and remembers what is in it before anybody can see it.
func (s *stand) entry(e *wal.Entry, changes []change) ts.Ts {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.writer.Append(e)
	s.ok(err)
	for _, c := range changes {
		c.at = at
		s.history = append(s.history, c)
	}
	return at
}

func appendChange(buf []byte, c change) []byte {
	t := row.AppendTupleHeader(nil, 2)
	t = row.AppendValue(t, strconv.AppendInt(nil, c.key, 10))
	t = row.AppendValue(t, strconv.AppendInt(nil, c.value, 10))
	if c.weight < 0 {
		return row.AppendChange(buf, &row.Change{Op: row.Delete, Table: tableID, Version: 1, OldKind: row.OldFull, Old: t})
	}
	return row.AppendChange(buf, &row.Change{Op: row.Insert, Table: tableID, Version: 1, New: t})
}

// barrier injects the next one.
func (s *stand) barrier(kind barrier.Kind, with func(b *Barrier)) ts.Ts {
	b := Barrier{Graph: graphID, Attempt: s.attempt, Prev: s.at, Curr: max(s.at+1, ts.FromTime(time.Now())), Kind: kind}
	if with != nil {
		with(&b)
	}
	s.at = b.Curr
	s.flight++
	s.worker.Inject(b)
	return b.Curr
}

// collect waits for the next report, and commits a checkpoint.
func (s *stand) collect(commit bool) *Collected {
	s.t.Helper()
	select {
	case r := <-s.reports:
		c, good := r.(*Collected)
		if !good {
			s.t.Fatalf("the graph failed: %v", r.(*Failed).Err)
		}
		s.flight--
		if c.Sealed != nil && commit {
			s.mu.Lock()
			s.committed, s.positions = c.Curr, c.Positions
			s.mu.Unlock()
			s.ok(s.worker.Commit(context.Background(), graphID, c.Curr))
			if at := s.views.Epoch(1); at != c.Curr {
				s.t.Fatalf("shown is %s, committed is %s", at, c.Curr)
			}
		}
		return c
	case <-time.After(60 * time.Second):
		s.t.Fatal("no report for 60 s")
		return nil
	}
}

// checkpoint cuts, collects and commits.
func (s *stand) checkpoint() *Collected {
	s.t.Helper()
	for s.barrier(barrier.Checkpoint, nil); s.flight > 1; {
		s.collect(true)
	}
	return s.collect(true)
}

// cut is how far the channel was read for the committed epoch.
func (s *stand) cut() ts.Ts {
	at := s.committed
	if raw := s.positions["channel/dml"]; raw != nil {
		var ahead channelPosition
		s.ok(json.Unmarshal(raw, &ahead))
		at = max(at, ahead.Ts)
	}
	return at
}

// expected is what a tally over the log has at a cut.
func (s *stand) expected(cut ts.Ts) totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := totals{}
	for _, c := range s.history {
		if c.at > cut {
			continue
		}
		v := m[c.key]
		m[c.key] = [2]int64{v[0] + c.weight, v[1] + c.weight*c.value}
	}
	maps.DeleteFunc(m, func(_ int64, v [2]int64) bool { return v[0] == 0 })
	return m
}

// counts is what a tally of a tally has.
func counts(m totals) totals {
	c := totals{}
	for k, v := range m {
		w := c[v[0]]
		c[v[0]] = [2]int64{w[0] + 1, w[1] + k}
	}
	return c
}

// shown is what readers see of a job.
func (s *stand) shown(j *dataflow.Job) totals {
	s.t.Helper()
	p, err := s.views.Pin(1)
	s.ok(err)
	defer p.Release()
	m := totals{}
	s.ok(p.Use(func(n *state.Snapshot) error {
		return n.Scan(1, j.FirstTable, nil, nil, func(key, value []byte) bool {
			v := zset.NewVec(zset.Int, 1)
			if _, err := zset.DecodeKey(v, key[arrange.PrefixLen:], zset.Order{}); err != nil {
				s.t.Error(err)
			}
			m[v.Ints[0]] = [2]int64{int64(binary.BigEndian.Uint64(value)), int64(binary.BigEndian.Uint64(value[8:]))}
			return true
		})
	}))
	return m
}

func (s *stand) same(what string, got, want totals) {
	s.t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for k, v := range want {
		if got[k] != v {
			s.t.Fatalf("%s: key %d has %v, want %v (%d and %d keys)", what, k, got[k], v, len(got), len(want))
		}
	}
	s.t.Fatalf("%s: %d keys, want %d", what, len(got), len(want))
}
