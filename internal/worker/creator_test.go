package worker

import (
	"context"
	"encoding/binary"
	"maps"
	"time"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// creator is a stand that also creates jobs in graphs of their own, as the barrier
// machine does: each follows the committed epochs of the main graph and joins it.
type creator struct {
	*stand
	cuts   map[ts.Ts]ts.Ts // how far the channel was read, by committed epoch
	makes  map[dataflow.JobID]*making
	build  func() (main []Job, created map[dataflow.JobID]blueprint)
	noTaps bool // the next restart does not say who reads what
}

// blueprint is a job to be created.
type blueprint struct {
	job   *dataflow.Job
	reads []Read
}

// making is a job being created.
type making struct {
	blueprint
	cut       ts.Ts
	positions Positions
	walked    bool
	flight    bool
}

func ownGraph(id dataflow.JobID) state.Graph { return state.Graph{Database: 1, Part: uint32(id)} }

// create begins the creation of a job at the committed epoch.
func (c *creator) create(b blueprint) {
	c.makes[b.job.ID] = &making{blueprint: b, cut: c.committed}
	c.openGraph(b.job.ID)
}

func (c *creator) openGraph(id dataflow.JobID) {
	c.t.Helper()
	m := c.makes[id]
	c.ok(c.worker.Open(context.Background(), Spec{
		Graph: ownGraph(id), Attempt: c.attempt, Committed: m.cut, Positions: m.positions, Jobs: []Job{{Job: m.job}}, Reads: m.reads,
	}))
}

// take waits for a report and commits what it is about.
func (c *creator) take(commit bool) *Collected {
	c.t.Helper()
	var r Report
	select {
	case r = <-c.reports:
	case <-time.After(60 * time.Second):
		c.t.Fatal("no report for 60 s")
	}
	got, good := r.(*Collected)
	if !good {
		c.t.Fatalf("a graph failed: %v", r.(*Failed).Err)
	}
	switch {
	case got.Graph == graphID:
		c.flight--
		if !commit {
			break
		}
		c.committed, c.positions = got.Curr, got.Positions
		c.cuts[got.Curr] = c.cut()
		c.ok(c.worker.Commit(context.Background(), graphID, got.Curr))
	default:
		m := c.makes[dataflow.JobID(got.Graph.Part)]
		if m.flight = false; !commit {
			break
		}
		m.cut, m.positions, m.walked = got.Curr, got.Positions, m.walked || got.Walked
		c.ok(c.worker.Commit(context.Background(), got.Graph, got.Curr))
	}
	return got
}

// step lets every job being created follow what is committed.
func (c *creator) step() {
	for id, m := range c.makes {
		if !m.flight && m.cut < c.committed {
			m.flight = true
			c.worker.Inject(Barrier{Graph: ownGraph(id), Attempt: c.attempt, Prev: m.cut, Curr: c.committed, Kind: barrier.Checkpoint})
		}
	}
}

func (c *creator) busy() bool {
	for _, m := range c.makes {
		if m.flight {
			return true
		}
	}
	return c.flight > 0
}

// quiet takes all reports.
func (c *creator) quiet() {
	c.t.Helper()
	for c.busy() {
		c.take(true)
	}
}

// ready lists the jobs that stand where the main graph stands, which is quiet.
func (c *creator) ready() []Job {
	c.t.Helper()
	c.quiet()
	c.step()
	c.quiet()
	var jobs []Job
	for _, m := range c.makes {
		if m.walked {
			jobs = append(jobs, Job{Job: m.job})
		}
	}
	return jobs
}

// merge has jobs join the main graph.
func (c *creator) merge(jobs []Job) {
	c.t.Helper()
	c.barrier(barrier.Checkpoint, func(b *Barrier) { b.Merge = jobs })
	c.take(true)
	for _, j := range jobs {
		delete(c.makes, j.ID)
	}
}

// restart loses what is not committed, and goes on with new jobs; those created have joined.
func (c *creator) restart(crash bool, joined ...dataflow.JobID) map[dataflow.JobID]blueprint {
	c.t.Helper()
	if crash {
		c.mu.Lock() // who writes waits
		c.close()
		c.open()
		c.mu.Unlock()
	} else {
		for id := range c.makes {
			c.worker.Drop(ownGraph(id))
		}
		c.worker.Drop(graphID)
	}
	for len(c.reports) > 0 {
		<-c.reports
	}
	main, created := c.build()
	for _, id := range joined {
		main = append(main, Job{Job: created[id].job})
	}
	c.attempt++
	c.flight, c.at = 0, c.committed
	var taps []dataflow.JobID
	for id := range c.makes {
		for _, r := range created[id].reads {
			taps = append(taps, r.Job.ID)
		}
	}
	if c.noTaps {
		taps, c.noTaps = nil, false
	}
	c.ok(c.worker.Open(context.Background(), Spec{
		Graph: graphID, Attempt: c.attempt, Committed: c.committed, Positions: c.positions, Jobs: main, Taps: taps,
	}))
	for id, m := range c.makes {
		m.blueprint, m.flight, m.walked = created[id], false, false
		c.openGraph(id)
	}
	return created
}

// contents are a tally's, of the store as it is.
func (c *creator) contents(j *dataflow.Job) totals {
	c.t.Helper()
	n, err := c.store.Snapshot()
	c.ok(err)
	defer n.Release()
	m := totals{}
	c.ok(n.Scan(1, j.FirstTable, nil, nil, func(key, value []byte) bool {
		v := zset.NewVec(zset.Int, 1)
		if _, err := zset.DecodeKey(v, key[arrange.PrefixLen:], zset.Order{}); err != nil {
			c.t.Error(err)
		}
		m[v.Ints[0]] = [2]int64{int64(binary.BigEndian.Uint64(value)), int64(binary.BigEndian.Uint64(value[8:]))}
		return true
	}))
	return m
}

// behind is what a tally over the part of a table that was walked has.
func (c *creator) behind(m *making, table *dataflow.Job) totals {
	c.t.Helper()
	at, err := places(m.positions)
	c.ok(err)
	p := at[table.ID]
	c.mu.Lock()
	defer c.mu.Unlock()
	want := totals{}
	row := zset.NewChunk(table.Stored.Kinds, 1)
	for _, h := range c.history {
		if h.at > c.cuts[m.cut] {
			continue
		}
		for k, x := range []int64{h.key, h.value} {
			row.Cols[k].Reset()
			row.Cols[k].AppendInt(x)
		}
		if p.Done || string(table.Stored.AppendGroup(nil, row, 0)) <= string(p.Cursor) && p.Cursor != nil {
			v := want[h.key]
			want[h.key] = [2]int64{v[0] + h.weight, v[1] + h.weight*h.value}
		}
	}
	maps.DeleteFunc(want, func(_ int64, v [2]int64) bool { return v == [2]int64{} })
	return want
}

// rowsTable is an own table of (key, value), of which rows may be equal: its root
// gives changes at the end of an epoch.
func (s *stand) rowsTable(id dataflow.JobID) Job {
	j, in, err := dataflow.Exact(id, "rows", uint32(id)*10, op.MaterializeConfig{Kinds: []zset.Kind{zset.Int, zset.Int}})
	s.ok(err)
	input := s.input(in)
	input.Table.Key = []int{0, 1}
	return Job{j, []Input{input}}
}

// liveTable is the same as one that follows an upstream: its root gives changes as they come.
func (s *stand) liveTable(id dataflow.JobID) Job {
	cfg := op.UpsertConfig{Kinds: []zset.Kind{zset.Int, zset.Int}, OldRows: true}
	j, err := dataflow.CompileTable(id, "live", uint32(id)*10, cfg)
	s.ok(err)
	input := s.input(j.Inputs[0].Node)
	rows := input.Table.Decode
	input.Table.Key = []int{1, 2}
	input.Table.Decode = func() Decoder { return &liveDecoder{rows(), cfg.InputKinds()} }
	return Job{j, []Input{input}}
}

// liveDecoder makes an Upsert's input of exact changes.
type liveDecoder struct {
	rows  Decoder
	kinds []zset.Kind
}

func (d *liveDecoder) Kinds() []zset.Kind { return d.kinds }

func (d *liveDecoder) Decode(c *row.Change, out *zset.Chunk) error {
	one := zset.NewChunk(d.rows.Kinds(), 1)
	if err := d.rows.Decode(c, one); err != nil {
		return err
	}
	kind := int64(op.UpsertInsert)
	if one.Weight(0) < 0 {
		kind = op.UpsertDelete
	}
	out.Cols[0].AppendInt(kind)
	for k := range 2 {
		out.Cols[1+k].AppendFrom(one.Cols[k], 0)
		out.Cols[3+k].AppendFrom(one.Cols[k], 0)
	}
	out.Cols[5].AppendNull()
	out.AppendWeight(1)
	return nil
}

// sums tallies a table, and keeps the rows by key as a view does.
func sums(id dataflow.JobID, over *dataflow.Job) *dataflow.Job {
	j, _ := tallyJob(id, nil, -1)
	j.Nodes = j.Nodes[1:]
	j.Reads = []dataflow.JobID{over.ID}
	tally := j.Nodes[0]
	tally.In = []dataflow.In{{From: over.Root, Via: dataflow.Exchange{Kind: dataflow.ByHash, Cols: []int{0}}}}
	cfg := op.MaterializeConfig{Kinds: []zset.Kind{zset.Int, zset.Int, zset.Int}, Key: []int{0}}
	rows := &dataflow.Node{
		What: "rows", In: []dataflow.In{{From: tally}}, Part: dataflow.Partition{Kind: dataflow.Hashed, Cols: []int{0}},
		Make: func(int, int) (op.Operator, error) { return op.NewMaterialize(cfg), nil },
	}
	j.Nodes, j.Root, j.TableCount = append(j.Nodes, rows), rows, 2
	j.Stored, j.StoredIn = &op.Stored{Kinds: cfg.Kinds, Key: cfg.Key}, j.FirstTable+1
	return j
}

// cursorOf is how far a creation has come.
func (c *creator) cursorOf(m *making, id dataflow.JobID) place {
	at, err := places(m.positions)
	c.ok(err)
	return at[id]
}
