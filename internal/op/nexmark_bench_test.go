package op_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

const (
	benchEvents = 1_000_000
	stepEvents  = 4096
	epochSteps  = 50
)

// step is a piece of the event stream.
type step struct{ auction, bid *zset.Chunk }

// benchSteps generates the events that all benchmarks share, with columns added that a Project would compute:
// of bid 7 day, 8 price < 10000, 9 price < 1000000, 10 price above.
func benchSteps() (steps []step) {
	g := nexmark.New(nexmark.Config{Seed: 1})
	for at := int64(0); at < benchEvents; at += stepEvents {
		s := step{g.Fill(nexmark.Auction, at, at+stepEvents), g.Fill(nexmark.Bid, at, at+stepEvents)}
		day, ranks := zset.NewVec(zset.Bytes, 0), [3]*zset.Vec{}
		for k := range ranks {
			ranks[k] = zset.NewVec(zset.Int, 0)
		}
		for i := range s.bid.N {
			day.AppendString("2015-07-15")
			price := s.bid.Cols[2].Ints[i]
			ranks[0].AppendBool(price < 10_000)
			ranks[1].AppendBool(price >= 10_000 && price < 1_000_000)
			ranks[2].AppendBool(price >= 1_000_000)
		}
		s.bid.Cols = append(s.bid.Cols, day, ranks[0], ranks[1], ranks[2])
		steps = append(steps, s)
	}
	return steps
}

var (
	bidKinds     = append(kindsOfColumns(nexmark.Bid), zset.Bytes, zset.Int, zset.Int, zset.Int)
	auctionKinds = kindsOfColumns(nexmark.Auction)
)

func kindsOfColumns(t nexmark.Table) (kinds []zset.Kind) {
	for _, c := range nexmark.Columns(t) {
		kinds = append(kinds, zset.KindOf(c.Type.OID))
	}
	return kinds
}

// pipe is operators one after the other; the last one's output is dropped.
type pipe []op.Operator

func (p pipe) push(b *testing.B, port int, c *zset.Chunk) {
	p[0].Push(port, c)
	p.run(b)
}

func (p pipe) run(b *testing.B) {
	for {
		var out op.Output
		status := p[0].Run(&out, 8192)
		if status == op.Miss || out.Fault != nil {
			b.Fatal(status, out.Fault)
		}
		if len(p) > 1 {
			for _, c := range out.Chunks {
				p[1:].push(b, 0, c)
			}
		}
		if status == op.Done {
			return
		}
	}
}

func (p pipe) epoch(b *testing.B) (changes int) {
	for i := range p {
		p[i].Flush()
		p[i:].run(b)
	}
	for _, o := range p {
		for _, t := range o.Tables() {
			t.Changes(func(_, _ []byte) { changes++ })
			t.Sealed()
		}
	}
	return changes
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure runs the events through a pipe and reports CPU time (the collector's included) by input row.
func measure(b *testing.B, steps []step, build func() pipe, feed func(p pipe, s step) (rows int)) {
	b.Helper()
	var spent time.Duration
	rows, changes := 0, 0
	var bytes int64
	for b.Loop() {
		p := build()
		start := cpu()
		for i, s := range steps {
			rows += feed(p, s)
			if i%epochSteps == epochSteps-1 || i == len(steps)-1 {
				changes += p.epoch(b)
			}
		}
		spent += cpu() - start
		bytes = 0
		for _, o := range p {
			for _, t := range o.Tables() {
				bytes += t.Bytes()
			}
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(rows), "cpu-ns/row")
	b.ReportMetric(float64(changes)/float64(rows), "changes/row")
	b.ReportMetric(float64(bytes)/1e6, "state-MB")
	b.ReportMetric(0, "ns/op")
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func fnOf(kind expr.AggKind, arg, result uint32) *expr.Aggregate {
	return &expr.Aggregate{Kind: kind, Arg: datum.Ref(arg), Result: datum.Ref(result)}
}

func countOf(arg int, distinct bool, filter int) plan.Agg {
	return plan.Agg{Fn: fnOf(expr.AggCount, datum.OIDInt8, datum.OIDInt8), Arg: arg, Distinct: distinct, Filter: filter}
}

// between is the residual of q4 and q9: the bid came while the auction ran. Columns: auction's, then bid's.
type between struct{ from, to, at int }

func (r between) EvalFilter(in *zset.Chunk, _ *expr.Env) (sel []int32, _ []expr.RowError) {
	from, to, at := in.Cols[r.from].Ints, in.Cols[r.to].Ints, in.Cols[r.at].Ints
	for i := range in.N {
		if from[i] <= at[i] && at[i] <= to[i] {
			sel = append(sel, int32(i))
		}
	}
	return sel, nil
}

func joinAuctionBid(out []int, residual bool) op.Operator {
	c := op.JoinConfig{
		L:   op.JoinSide{Kinds: auctionKinds, Keys: []int{0}, AppendOnly: true},
		R:   op.JoinSide{Kinds: bidKinds, Keys: []int{0}, AppendOnly: true},
		Out: out,
	}
	if residual {
		c.Residual, c.ResidualCols = between{5, 6, 15}, []int{5, 6, 15}
	}
	return must(op.NewJoin(c))
}

func bids(p pipe, s step, b *testing.B) int {
	p.push(b, 0, s.bid)
	return s.bid.N
}

func both(p pipe, s step, b *testing.B) int {
	p.push(b, 0, s.auction)
	p.push(b, 1, s.bid)
	return s.auction.N + s.bid.N
}

func statistics(group []int) op.Operator {
	aggs := []plan.Agg{countOf(-1, false, -1)}
	for _, f := range []int{8, 9, 10} {
		aggs = append(aggs, countOf(-1, false, f))
	}
	for _, arg := range []int{1, 0} {
		for _, f := range []int{-1, 8, 9, 10} {
			aggs = append(aggs, countOf(arg, true, f))
		}
	}
	return must(op.NewAggregate(op.AggregateConfig{Kinds: bidKinds, Group: group, Aggs: aggs, AppendOnly: true}))
}

func top(kinds []zset.Kind, group []int, limit int64, rank, grows bool, order ...plan.SortKey) op.Operator {
	return op.NewTopN(op.TopNConfig{Kinds: kinds, Group: group, Limit: limit, EmitRank: rank, AppendOnly: grows, Order: order})
}

// nexmarkCase is the operators of a query, and what of the events they take.
type nexmarkCase struct {
	name  string
	build func() pipe
	feed  func(p pipe, s step, b *testing.B) int
}

func int8s(n int) []zset.Kind { return make([]zset.Kind, n) }

// windowed are the queries that join auctions with bids in time, and those over windows.
func windowed() []nexmarkCase {
	price := fnOf(expr.AggMax, datum.OIDInt8, datum.OIDInt8)
	return []nexmarkCase{
		{"q4", func() pipe {
			return pipe{
				joinAuctionBid([]int{0, 8, 12}, true),
				must(op.NewAggregate(op.AggregateConfig{Kinds: int8s(3), Group: []int{0, 1}, Aggs: []plan.Agg{{Fn: price, Arg: 2, Filter: -1}}, AppendOnly: true})),
				must(op.NewAggregate(op.AggregateConfig{Kinds: int8s(3), Group: []int{1}, Aggs: []plan.Agg{{Fn: fnOf(expr.AggAvg, datum.OIDInt8, datum.OIDNumeric), Arg: 2, Filter: -1}}})),
			}
		}, both},
		{"q5count", func() pipe {
			kinds := append(append([]zset.Kind{}, bidKinds...), zset.Int, zset.Int)
			return pipe{
				must(op.NewHop(op.HopConfig{Time: 5, Slide: 2e6, Size: 10e6})),
				must(op.NewAggregate(op.AggregateConfig{Kinds: kinds, Group: []int{0, 11}, Aggs: []plan.Agg{countOf(-1, false, -1)}, AppendOnly: true})),
				must(op.NewAggregate(op.AggregateConfig{Kinds: int8s(3), Group: []int{1}, Aggs: []plan.Agg{{Fn: price, Arg: 2, Filter: -1}}})),
			}
		}, bids},
		{"q7max", func() pipe {
			kinds := append(append([]zset.Kind{}, bidKinds...), zset.Int, zset.Int)
			return pipe{
				must(op.NewHop(op.HopConfig{Time: 5, Slide: 10e6, Size: 10e6})),
				must(op.NewAggregate(op.AggregateConfig{Kinds: kinds, Group: []int{11}, Aggs: []plan.Agg{{Fn: price, Arg: 2, Filter: -1}}, AppendOnly: true})),
			}
		}, bids},
		{"q9", func() pipe {
			kinds := append(append([]zset.Kind{}, auctionKinds[:9]...), zset.Int, zset.Int, zset.Int, zset.Int)
			return pipe{
				joinAuctionBid([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 15}, true),
				top(kinds, []int{0}, 1, false, true, plan.SortKey{Col: 11, Desc: true}, plan.SortKey{Col: 12}, plan.SortKey{Col: 10}),
			}
		}, both},
	}
}

// relations are the queries over groups of bids, and what relations cost.
func relations() []nexmarkCase {
	return []nexmarkCase{
		{"q15", func() pipe { return pipe{statistics([]int{7})} }, bids},
		{"q16", func() pipe { return pipe{statistics([]int{3, 7})} }, bids},
		{"q17", func() pipe {
			aggs := []plan.Agg{countOf(-1, false, -1)}
			for _, f := range []int{8, 9, 10} {
				aggs = append(aggs, countOf(-1, false, f))
			}
			for _, k := range []expr.AggKind{expr.AggMin, expr.AggMax, expr.AggAvg, expr.AggSum} {
				result := datum.OIDInt8
				if k == expr.AggAvg || k == expr.AggSum {
					result = datum.OIDNumeric
				}
				aggs = append(aggs, plan.Agg{Fn: fnOf(k, datum.OIDInt8, result), Arg: 2, Filter: -1})
			}
			return pipe{must(op.NewAggregate(op.AggregateConfig{Kinds: bidKinds, Group: []int{0, 7}, Aggs: aggs, AppendOnly: true}))}
		}, bids},
		{"q18", func() pipe {
			return pipe{top(bidKinds[:7], []int{1, 0}, 1, false, true, plan.SortKey{Col: 5, Desc: true})}
		}, bids},
		{"q19", func() pipe {
			return pipe{top(bidKinds[:7], []int{0}, 10, true, true, plan.SortKey{Col: 2, Desc: true})}
		}, bids},
		{"q20", func() pipe { return pipe{joinAuctionBid(nil, false)} }, both},
		{"distinct2", func() pipe {
			return pipe{op.NewDistinct(op.DistinctConfig{Kinds: int8s(2)})}
		}, func(p pipe, s step, b *testing.B) int {
			p.push(b, 0, &zset.Chunk{N: s.bid.N, Cols: s.bid.Cols[:2]})
			return s.bid.N
		}},
		{"count1", func() pipe {
			return pipe{must(op.NewAggregate(op.AggregateConfig{Kinds: bidKinds, Group: []int{1}, Aggs: []plan.Agg{countOf(-1, false, -1)}, AppendOnly: true}))}
		}, bids},
		{"materialize", func() pipe {
			return pipe{op.NewMaterialize(op.MaterializeConfig{Kinds: bidKinds[:7]})}
		}, func(p pipe, s step, b *testing.B) int {
			p.push(b, 0, &zset.Chunk{N: s.bid.N, Cols: s.bid.Cols[:7]})
			return s.bid.N
		}},
		{"upsert", func() pipe {
			return pipe{op.NewUpsert(op.UpsertConfig{Kinds: auctionKinds, Key: []int{0}})}
		}, func(p pipe, s step, b *testing.B) int {
			p.push(b, 0, changesOf(s.auction))
			return s.auction.N
		}},
	}
}

func BenchmarkNexmark(b *testing.B) {
	steps := benchSteps()
	for _, c := range append(windowed(), relations()...) {
		b.Run(c.name, func(b *testing.B) {
			measure(b, steps, c.build, func(p pipe, s step) int { return c.feed(p, s, b) })
		})
	}
}

// changesOf makes inserts of rows, as an Upsert takes them.
func changesOf(c *zset.Chunk) *zset.Chunk {
	ops, none, marks := zset.NewVec(zset.Int, c.N), zset.NewVec(zset.Int, c.N), zset.NewVec(zset.Bytes, c.N)
	for range c.N {
		ops.AppendInt(op.UpsertInsert)
		none.AppendNull()
		marks.AppendNull()
	}
	return &zset.Chunk{N: c.N, Cols: append(append([]*zset.Vec{ops}, c.Cols...), none, marks)}
}
