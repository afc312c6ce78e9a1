package worker

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/zset"
)

// TestJobsComeAndGoAtBarriers: a job sees what follows its barrier, a dropped one
// leaves with those that read it, and the others do not notice.
func TestJobsComeAndGoAtBarriers(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	first, in := tallyJob(2, nil, -1)
	s.start(Job{first, []Input{s.input(in)}})
	s.traffic(1, 500)
	s.checkpoint()
	late, lateIn := tallyJob(5, nil, -1)
	over, _ := tallyJob(6, late, -1)
	s.barrier(barrier.Checkpoint, func(b *Barrier) {
		b.Attach = []Job{{late, []Input{s.input(lateIn)}}, {Job: over}}
	})
	s.collect(true)
	before := s.expected(s.cut())
	last := s.traffic(2, 500)
	for s.committed < last {
		s.checkpoint()
	}
	want := s.expected(s.cut())
	s.same("the first", s.shown(first), want)
	for k, v := range before { // the late one has only what came after
		w := want[k]
		if want[k] = [2]int64{w[0] - v[0], w[1] - v[1]}; want[k] == [2]int64{} {
			delete(want, k)
		}
	}
	s.same("the late one", s.shown(late), want)
	if err := s.worker.Commit(context.Background(), graphID, s.committed); err == nil {
		t.Error("committed twice")
	}
	shown := s.shown(over)
	s.barrier(barrier.Checkpoint, func(b *Barrier) { b.Detach = []dataflow.JobID{late.ID} })
	s.collect(true)
	last = s.traffic(3, 500)
	for s.committed < last {
		s.checkpoint()
	}
	s.same("the first, alone", s.shown(first), s.expected(s.cut()))
	s.same("what read the dropped one stands still", s.shown(over), shown)
}

// TestAFailingJobTakesItsReadersAlong, and nothing else.
func TestAFailingJobTakesItsReadersAlong(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	good, goodIn := tallyJob(2, nil, -1)
	bad, badIn := tallyJob(3, nil, 123)
	over, _ := tallyJob(4, bad, -1)
	s.start(Job{good, []Input{s.input(goodIn)}}, Job{bad, []Input{s.input(badIn)}}, Job{Job: over})
	s.append(change{key: 1, value: 2, weight: 1})
	s.checkpoint()
	before := s.shown(bad)
	last := s.append(change{key: 123, value: 2, weight: 1}, change{key: 124, value: 2, weight: 1})
	var faults []dataflow.Fault
	for s.committed < last {
		faults = append(faults, s.checkpoint().Faults...)
	}
	if len(faults) != 2 || faults[0].Job != 3 || faults[1].Job != 4 || faults[1].Cause != 3 {
		t.Fatalf("faults %v", faults)
	}
	last = s.traffic(1, 100)
	for s.committed < last {
		if c := s.checkpoint(); len(c.Faults) > 0 {
			t.Errorf("faults again: %v", c.Faults)
		}
	}
	s.same("the good one", s.shown(good), s.expected(s.cut()))
	s.same("the bad one stands where it stood", s.shown(bad), before)
}

// TestABadChangeEndsItsTableAlone: what does not decode is the table's fault.
func TestABadChangeEndsItsTableAlone(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	good, goodIn := tallyJob(2, nil, -1)
	bad, badIn := tallyJob(3, nil, -1)
	other := s.input(badIn)
	other.Table.ID = tableID + 1
	s.start(Job{good, []Input{s.input(goodIn)}}, Job{bad, []Input{other}})
	tuple := row.AppendValue(row.AppendValue(row.AppendTupleHeader(nil, 2), []byte("one")), []byte("2"))
	entry := row.AppendChange(nil, &row.Change{Op: row.Insert, Table: tableID + 1, Version: 1, New: tuple})
	last := s.entry(&wal.Entry{Kind: wal.KindTxn, Changes: appendChange(entry, change{key: 1, value: 2, weight: 1})},
		[]change{{key: 1, value: 2, weight: 1}})
	var faults []dataflow.Fault
	for s.committed < last {
		faults = append(faults, s.checkpoint().Faults...)
	}
	if len(faults) != 1 || faults[0].Job != 3 {
		t.Fatalf("faults %v", faults)
	}
	s.same("the good one", s.shown(good), s.expected(s.cut()))
}

// TestALargeTransactionIsInOneEpoch, however many steps it takes.
func TestALargeTransactionIsInOneEpoch(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	j, in := tallyJob(2, nil, -1)
	s.start(Job{j, []Input{s.input(in)}})
	for range 10 {
		last := s.large(20, 2000)
		s.barrier(barrier.Checkpoint, func(b *Barrier) { b.Curr = max(last, b.Prev+1) })
		s.collect(true)
		s.same("whole", s.shown(j), s.expected(s.cut()))
	}
}

// large logs a transaction in parts.
func (s *stand) large(parts, rows int) ts.Ts {
	s.t.Helper()
	w, err := s.writer.Large()
	s.ok(err)
	var all []change
	for part := range parts {
		var buf []byte
		for i := range rows {
			c := change{key: int64(part*10 + i%10), value: 1, weight: 1}
			all = append(all, c)
			buf = appendChange(buf, c)
		}
		s.ok(w.Part(0, buf))
	}
	ref, err := w.Seal(nil)
	s.ok(err)
	return s.entry(&wal.Entry{Kind: wal.KindTxn, Large: ref}, all)
}

// TestStreamGoesOnFromItsPosition: over restarts it gives every event once.
func TestStreamGoesOnFromItsPosition(t *testing.T) {
	s := newStand(t, Options{Shards: 3})
	const end = 1_000_000
	build := func() Job {
		j, in := tallyJob(2, nil, -1)
		j.Root.In[0].Via = dataflow.Exchange{Kind: dataflow.ByHash, Cols: []int{0}}
		return Job{j, []Input{{Node: in, Stream: &Stream{Name: "numbers", End: end, Fill: numbers}}}}
	}
	j := build()
	s.start(j)
	at := int64(0)
	for rounds := 0; at < end; rounds++ {
		time.Sleep(time.Millisecond) // so that some of it is in each epoch; the assertion does not depend on it
		c := s.checkpoint()
		s.ok(json.Unmarshal(c.Positions["numbers"], &at))
		want := totals{}
		for n := range at {
			v := want[n%100]
			want[n%100] = [2]int64{v[0] + 1, v[1] + n}
		}
		s.same("counted", s.shown(j.Job), want)
		if rounds%5 == 4 {
			s.barrier(barrier.Checkpoint, nil)
			s.collect(false)
			s.worker.Drop(graphID)
			j = build()
			s.start(j)
		}
	}
}

// numbers are the events' own numbers, by their last two digits.
func numbers(from, to int64) *zset.Chunk {
	c := zset.NewChunk([]zset.Kind{zset.Int, zset.Int}, int(to-from))
	for n := from; n < to; n++ {
		c.Cols[0].AppendInt(n % 100)
		c.Cols[1].AppendInt(n)
		c.AppendWeight(1)
	}
	return c
}

// TestFollowersGetWhatChanges: the start plus the deltas is the view.
func TestFollowersGetWhatChanges(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	j, in := tallyJob(2, nil, -1)
	s.start(Job{j, []Input{s.input(in)}})
	s.traffic(1, 300)
	s.checkpoint()
	f := s.views.Follow(1, view.Relation(j.ID), 1<<20)
	defer f.Close()
	s.checkpoint()
	s.traffic(2, 300)
	s.checkpoint()
	p, err := f.Start(context.Background())
	s.ok(err)
	begun := p.Epoch()
	s.ok(p.Release())
	got := s.expected(begun)
	for i := range 5 {
		s.traffic(uint64(i), 300)
		s.checkpoint()
		for {
			d, err := f.Next(context.Background())
			s.ok(err)
			follow(got, d.Rows)
			if d.Epoch == s.committed {
				break
			}
		}
		s.same("followed", got, s.shown(j))
	}
}

// follow applies a delta of a tally's rows: deletes first, as an update is one of each.
func follow(m totals, c *zset.Chunk) {
	if c == nil {
		return
	}
	order := make([]int, c.N)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(c.Weight(a) - c.Weight(b)) })
	for _, i := range order {
		if k := c.Cols[0].Ints[i]; c.Weight(i) < 0 {
			delete(m, k)
		} else {
			m[k] = [2]int64{c.Cols[1].Ints[i], c.Cols[2].Ints[i]}
		}
	}
}

// TestDropIsSilent: nothing is reported of a graph after Drop.
func TestDropIsSilent(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		j, in := tallyJob(2, nil, -1)
		s.start(Job{j, []Input{s.input(in)}})
		s.traffic(rnd.Uint64(), 50)
		for range 3 {
			s.barrier(barrier.Checkpoint, nil)
		}
		for range rnd.IntN(3) {
			s.collect(false)
		}
		s.worker.Drop(graphID)
		for len(s.reports) > 0 {
			<-s.reports
		}
		s.barrier(barrier.Checkpoint, nil)
		s.ok(s.writer.WaitDurable(t.Context(), s.traffic(1, 50))) // as long as a seal takes
		if len(s.reports) > 0 {
			t.Fatalf("%v is reported of a graph that was dropped", <-s.reports)
		}
	}
}
