package worker

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// follow has the main graph and those that follow it make some epochs.
func (c *creator) follow(epochs int) {
	c.t.Helper()
	for i := range epochs {
		c.traffic(uint64(1000+i), 20)
		c.barrier(barrier.Checkpoint, nil)
		c.quiet()
		c.step()
		c.quiet()
	}
}

// TestAWalkGoesOnWhereItWas, also when the main graph had gone on; but when what has
// changed was not logged it begins anew, also after a second restart.
func TestAWalkGoesOnWhereItWas(t *testing.T) {
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, created := standCreator(t, Options{Shards: 2, most: 2000}, table)
			c.traffic(1, 4000)
			c.follow(1)
			c.create(created[sumID])
			c.follow(4)
			m := c.makes[sumID]
			at := c.cursorOf(m, baseID).Cursor
			if at == nil || m.cut != c.committed {
				t.Fatalf("at %x after 4 epochs, cut %s of %s", at, m.cut, c.committed)
			}
			goesOn := func(crash bool) {
				t.Helper()
				c.restart(crash)
				c.follow(1)
				p := c.cursorOf(m, baseID)
				if !p.Done && string(p.Cursor) <= string(at) {
					t.Errorf("it began anew: at %x, before %x", p.Cursor, at)
				}
				c.same("walked so far", c.contents(m.job), c.behind(m, m.reads[0].Job))
				at = p.Cursor
			}
			goesOn(true)
			for i := range 3 { // the main graph alone
				c.traffic(uint64(i), 30)
				c.checkpoint()
				c.cuts[c.committed] = c.cut()
				goesOn(i == 1)
			}
			c.noTaps = true
			c.restart(true)
			c.restart(false)
			c.follow(2)
			if next := c.cursorOf(m, baseID).Cursor; string(next) >= string(at) {
				t.Errorf("it went on at %x, though changes behind %x are lost", next, at)
			}
			c.same("walked so far, anew", c.contents(m.job), c.behind(m, m.reads[0].Job))
		})
	}
}

// TestAGraphThatIsOpenedAgainAlone begins anew, if the main graph has gone on: somebody else
// has its changes collected, but they were not kept for it.
func TestAGraphThatIsOpenedAgainAlone(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2, most: 3000}, tables["changes at the end"])
	c.traffic(1, 4000)
	f := c.views.Follow(1, view.Relation(baseID), 1<<20)
	defer f.Close()
	c.follow(1)
	c.create(created[sumID])
	c.follow(4)
	c.worker.Drop(ownGraph(sumID))
	c.traffic(2, 500)
	c.checkpoint()
	c.cuts[c.committed] = c.cut()
	c.openGraph(sumID)
	c.follow(2)
	m := c.makes[sumID]
	c.same("walked so far", c.contents(m.job), c.behind(m, m.reads[0].Job))
}

// TestWhatChangesAtTheCursor belongs to what was walked.
func TestWhatChangesAtTheCursor(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2, most: 3000}, tables["changes at the end"])
	c.traffic(1, 4000)
	c.follow(1)
	c.create(created[sumID])
	c.follow(2)
	m := c.makes[sumID]
	for range 3 {
		row := zset.NewChunk([]zset.Kind{zset.Int, zset.Int}, 1)
		_, err := zset.DecodeExactRow(row.Cols, c.cursorOf(m, baseID).Cursor[arrange.PrefixLen:])
		c.ok(err)
		c.append(change{key: row.Cols[0].Ints[0], value: row.Cols[1].Ints[0], weight: 1})
		c.follow(1)
		c.same("walked so far", c.contents(m.job), c.behind(m, m.reads[0].Job))
	}
}

// TestAViewOverAViewThatIsBeingCreated waits for it, reads it by key, and joins.
func TestAViewOverAViewThatIsBeingCreated(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2, most: 4000}, tables["changes as they come"])
	c.traffic(1, 2000)
	c.follow(1)
	c.create(created[sumID])
	c.create(created[overID])
	sum, over := created[sumID].job, created[overID].job
	for steps := 0; len(c.makes) > 0; steps++ {
		c.traffic(uint64(steps), 30)
		if jobs := c.ready(); len(jobs) > 0 {
			if jobs[0].ID == overID && c.makes[sumID] != nil {
				t.Fatal("the view over the view is ready before the view")
			}
			c.merge(jobs)
		} else {
			c.follow(1)
		}
		if steps > 1000 {
			t.Fatal("not created in 1000 epochs")
		}
	}
	for i := range 5 {
		c.traffic(uint64(i), 100)
		c.follow(1)
		want := c.expected(c.cut())
		c.same("the view", c.shown(sum), want)
		c.same("the view over it", c.shown(over), counts(want))
	}
}

// TestAMergeThatIsNotCommitted changes nothing.
func TestAMergeThatIsNotCommitted(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2}, tables["changes as they come"])
	c.traffic(1, 500)
	c.follow(1)
	c.create(created[sumID])
	c.follow(3)
	c.awaitRead(c.traffic(2, 50))
	jobs := c.ready()
	if len(jobs) != 1 {
		t.Fatal("not walked after 3 epochs")
	}
	c.barrier(barrier.Checkpoint, func(b *Barrier) { b.Merge = jobs })
	c.take(false)
	sum := c.restart(true)[sumID].job
	c.follow(1)
	c.awaitRead(c.traffic(3, 50))
	if jobs = c.ready(); len(jobs) != 1 {
		t.Fatal("not walked any more")
	}
	c.merge(jobs)
	c.same("joined", c.shown(sum), c.expected(c.cut()))
	c.restart(true, sumID)
	c.follow(2)
	c.same("after a restart", c.shown(sum), c.expected(c.cut()))
	if graphs := c.store.Graphs(); len(graphs) != 1 {
		t.Errorf("the store knows of %v", graphs)
	}
}

// TestDroppedWhileItIsCreated: nothing of it stays in the worker, the main graph goes on, and the
// same job may be created again.
func TestDroppedWhileItIsCreated(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2, most: 3000}, tables["changes at the end"])
	c.traffic(1, 2000)
	c.follow(1)
	logged := func() bool {
		ids, err := c.store.Tables(1)
		c.ok(err)
		return slices.Contains(ids, changelogOf(uint32(sumID)))
	}
	for range 3 {
		c.create(created[sumID])
		c.follow(3)
		c.traffic(2, 100)
		c.barrier(barrier.Checkpoint, nil)
		c.take(true)
		c.step() // dropped while it is at work
		c.worker.Drop(ownGraph(sumID))
		c.ok(c.worker.Forget(ownGraph(sumID)))
		for len(c.reports) > 0 {
			<-c.reports
		}
		delete(c.makes, sumID)
		if logged() {
			t.Error("its changelog stays")
		}
		if n := len(c.worker.followers(1)); n > 0 {
			t.Fatalf("%d graphs still follow", n)
		}
	}
	c.follow(2)
	if taps := c.worker.graph(graphID).taps; len(taps) > 0 {
		t.Errorf("%v is collected for nobody", taps)
	}
	c.create(created[sumID])
	for !c.makes[sumID].walked {
		c.follow(1)
	}
	c.merge(c.ready())
	c.same("created in the end", c.shown(created[sumID].job), c.expected(c.cut()))
}

// TestTheMainGraphDoesNotWait: a graph that lags has, later, all it has missed, and
// leaves nothing of it behind.
func TestTheMainGraphDoesNotWait(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2}, tables["changes at the end"])
	c.traffic(1, 500)
	c.follow(1)
	c.create(created[sumID])
	c.follow(3)
	m := c.makes[sumID]
	if !m.walked {
		t.Fatal("not walked after 3 epochs")
	}
	logged := func() bool {
		ids, err := c.store.Tables(1)
		c.ok(err)
		return slices.Contains(ids, changelogOf(uint32(sumID)))
	}
	c.traffic(77, 5000) // more than a block
	for round := range 2 {
		for i := range 30 {
			c.traffic(uint64(i), 100)
			c.checkpoint()
			c.cuts[c.committed] = c.cut()
		}
		if !logged() {
			t.Error("nothing is logged")
		}
		if round == 1 {
			c.restart(true)
		}
		c.step()
		c.quiet()
		c.same("caught up", c.contents(m.job), c.expected(c.cuts[m.cut]))
	}
	if logged() {
		t.Error("what was followed is still logged")
	}
}

// TestACreationBehindSealedEpochs begins to read where its changes begin to be logged.
func TestACreationBehindSealedEpochs(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2, most: 2000}, tables["changes at the end"])
	c.traffic(1, 3000)
	f := c.views.Follow(1, view.Relation(baseID), 1<<20) // has them collected, but not logged
	defer f.Close()
	c.follow(2)
	var sealed []*Collected
	for i := range waiting {
		c.traffic(uint64(i), 100)
		c.barrier(barrier.Checkpoint, nil)
		sealed = append(sealed, c.take(false))
	}
	c.create(created[sumID])
	for _, e := range sealed {
		c.committed, c.positions = e.Curr, e.Positions
		c.cuts[e.Curr] = c.cut()
		c.ok(c.worker.Commit(t.Context(), graphID, e.Curr))
		c.step()
		c.quiet()
		m := c.makes[sumID]
		c.same("walked so far", c.contents(m.job), c.behind(m, m.reads[0].Job))
	}
	for m := c.makes[sumID]; !m.walked; {
		c.follow(1)
		c.same("walked so far", c.contents(m.job), c.behind(m, m.reads[0].Job))
	}
}

// TestAChangelogWithAGap is of no use.
func TestAChangelogWithAGap(t *testing.T) {
	c, _ := standCreator(t, Options{Shards: 1}, tables["changes at the end"])
	g := ownGraph(sumID)
	l := &logged{relations: []dataflow.JobID{baseID}}
	d := state.NewDelta(changelogOf(g.Part))
	for i, prev := range []ts.Ts{100, 110, 125} { // (110, 120], but then (125, 130]
		l.fill(d, prev, ts.Ts(110+10*i))
	}
	c.ok(c.store.Begin(g, 100, nil))
	sealed, err := c.store.Seal(t.Context(), g, 100, 130, []*state.Delta{d})
	c.ok(err)
	c.ok(c.store.Apply(t.Context(), sealed))
	n, err := c.store.Snapshot()
	c.ok(err)
	defer n.Release()
	for upTo, want := range map[ts.Ts]int{100: 0, 110: 1, 120: 2, 130: 0, 140: 0} {
		if got, err := links(n, g, 100, upTo); err != nil || len(got) != want {
			t.Errorf("up to %d: %d epochs, want %d; %v", upTo, len(got), want, err)
		}
	}
}

// TestARelationThatFailsTakesWhatIsCreatedOverItAlong, and nothing else.
func TestARelationThatFailsTakesWhatIsCreatedOverItAlong(t *testing.T) {
	c, created := standCreator(t, Options{Shards: 2}, tables["changes at the end"])
	c.traffic(1, 100)
	c.follow(1)
	c.create(created[sumID])
	c.follow(2)
	c.append(change{key: 1, value: 1, weight: -100}) // more than there are
	c.barrier(barrier.Checkpoint, nil)
	if got := c.take(true); len(got.Faults) != 1 || got.Faults[0].Job != baseID {
		t.Fatalf("faults of the main graph: %v", got.Faults)
	}
	c.step()
	got := c.take(true)
	if len(got.Faults) != 1 || got.Faults[0].Job != sumID || got.Faults[0].Cause != baseID || got.Walked {
		t.Fatalf("faults: %v, walked %v", got.Faults, got.Walked)
	}
	c.barrier(barrier.Checkpoint, nil)
	c.take(true)
	c.step()
	if got = c.take(true); len(got.Faults) > 0 || got.Walked {
		t.Errorf("again: %v, walked %v", got.Faults, got.Walked)
	}
}

// streamTotals is what a tally over a stream's first events has.
func streamTotals(at int64) totals {
	want := totals{}
	for n := range at {
		v := want[n%100]
		want[n%100] = [2]int64{v[0] + 1, v[1] + n}
	}
	return want
}

// TestAViewOverAStream reads it from its beginning, meets the main graph, and joins in the
// midst of an epoch.
func TestAViewOverAStream(t *testing.T) {
	c := &creator{stand: newStand(t, Options{Shards: 3, chase: 10_000}), cuts: map[ts.Ts]ts.Ts{}, makes: map[dataflow.JobID]*making{}}
	var ready atomic.Int64
	stream := &Stream{Name: "numbers", Fill: numbers, Ready: func(time.Time) int64 { return ready.Load() }}
	c.build = func() ([]Job, map[dataflow.JobID]blueprint) {
		base, in, err := dataflow.Stream(baseID, "numbers", 20)
		c.ok(err)
		sum := sums(sumID, base)
		return []Job{{base, []Input{{Node: in, Stream: stream}}}}, map[dataflow.JobID]blueprint{sumID: {sum, []Read{{base, stream}}}}
	}
	main, created := c.build()
	c.start(main...)
	position := func(p Positions) (at int64) {
		if p["numbers"] != nil {
			c.ok(json.Unmarshal(p["numbers"], &at))
		}
		return at
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	ready.Store(400_000)
	for position(c.positions) < ready.Load() {
		c.barrier(barrier.Checkpoint, nil)
		c.take(true)
	}
	c.create(created[sumID])
	sum := created[sumID].job
	for len(c.makes) > 0 {
		ready.Add(rnd.Int64N(5000))
		c.follow(1)
		m := c.makes[sumID]
		c.same("read so far", c.contents(sum), streamTotals(position(m.positions)))
		if rnd.IntN(3) == 0 {
			sum = c.restart(rnd.IntN(2) == 0)[sumID].job
			continue
		}
		if jobs := c.ready(); len(jobs) > 0 {
			ready.Add(30_000)
			c.merge(jobs)
		}
	}
	for range 5 {
		ready.Add(20_000)
		c.same("joined", c.shown(sum), streamTotals(position(c.positions)))
		c.follow(1)
	}
	sum = c.restart(true, sumID)[sumID].job
	c.follow(1)
	c.same("after a restart", c.shown(sum), streamTotals(position(c.positions)))
}
