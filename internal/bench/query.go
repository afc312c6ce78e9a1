package bench

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/worker"
	"github.com/weirstream/weir/internal/zset"
)

// streamName is the position that the streams share: they are at the same event.
const streamName = "nexmark"

// query is one of the benchmark's, compiled.
type query struct {
	job     worker.Job
	streams []nexmark.Table // that it reads
	digest  *digest         // of what reaches the blackhole
	// ended is closed when the last rows of all its inputs are made.
	ended chan struct{}
}

// text is a query by its name, q0 to q22.
func text(name string) (string, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(name), "q"))
	if err == nil {
		if text, ok := nexmark.Query(n); ok {
			return text, nil
		}
	}
	var all []string
	for _, n := range nexmark.Queries() {
		all = append(all, "q"+strconv.Itoa(n))
	}
	return "", weirerr.New(weirerr.InvalidArgument, "there is no query %q", name).Hint("the queries are %s", strings.Join(all, ", "))
}

// site is a catalog with the three streams.
func site() (*catalog.Catalog, error) {
	cat, err := catalog.New("dev")
	for _, t := range []nexmark.Table{nexmark.Person, nexmark.Auction, nexmark.Bid} {
		if err == nil {
			cat, _, err = cat.With(catalog.Relation{
				Kind: catalog.KindSource, Schema: catalog.Public, Name: string(t), Columns: nexmark.Columns(t), AppendOnly: true,
			})
		}
	}
	return cat, err
}

// compile makes the job of a query over a generator's first events.
func compile(name string, view bool, gen *nexmark.Generator, events int64) (*query, error) {
	body, err := text(name)
	if err != nil {
		return nil, err
	}
	cat, err := site()
	if err != nil {
		return nil, err
	}
	ast, err := parser.ParseQuery(body)
	if err != nil {
		return nil, err
	}
	p, err := plan.Bind(cat, expr.Builtins(), ast, plan.Options{View: true, Parse: parser.ParseQuery})
	if err != nil {
		return nil, err
	}
	q := &query{digest: &digest{}, ended: make(chan struct{})}
	o := dataflow.Options{
		Env: &expr.Env{Zone: time.UTC},
		Relation: func(*catalog.Relation) (*dataflow.Node, error) {
			return dataflow.NewInput("Stream", dataflow.Partition{}), nil
		},
		Sink: func(int) op.Operator { return &blackhole{hasher: hasher{to: q.digest}} },
	}
	if view {
		var key []int
		if unique := p.Root.Properties().Unique; len(unique) > 0 {
			key = unique[0]
		}
		q.job.Job, err = dataflow.CompileView(1, name, 1, p.Root, key, o)
	} else {
		q.job.Job, err = dataflow.CompileSink(1, name, 1, p.Root, o)
	}
	if err != nil {
		return nil, err
	}
	q.feed(gen, events)
	return q, nil
}

// feed connects the job's inputs with the generator.
func (q *query) feed(gen *nexmark.Generator, events int64) {
	left := &atomic.Int64{}
	left.Store(int64(len(q.job.Job.Inputs)))
	for _, in := range q.job.Job.Inputs {
		t := nexmark.Table(in.Relation.Name)
		q.streams = append(q.streams, t)
		fill := func(from, to int64) *zset.Chunk {
			if to == events && left.Add(-1) == 0 {
				defer close(q.ended)
			}
			return gen.Fill(t, from, to)
		}
		q.job.Inputs = append(q.job.Inputs, worker.Input{Node: in.Node, Stream: &worker.Stream{Name: streamName, End: events, Fill: fill}})
	}
}
