package worker

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
	queries "github.com/weirstream/weir/test/nexmark"
)

// benchEvents is how many events a run has.
const benchEvents = 1_000_000

// BenchmarkNexmark runs queries over the generator's streams into a sink, with a
// checkpoint every 250 ms, generator included.
func BenchmarkNexmark(b *testing.B) {
	b.Run("generator", func(b *testing.B) {
		gen := nexmark.New(nexmark.Config{})
		for range b.N {
			for at := int64(0); at < benchEvents; at += mostBlock {
				for _, t := range []nexmark.Table{nexmark.Person, nexmark.Auction, nexmark.Bid} {
					gen.Fill(t, at, at+mostBlock)
				}
			}
		}
		b.ReportMetric(float64(b.N)*benchEvents/b.Elapsed().Seconds(), "events/s")
	})
	for _, n := range queries.Queries() {
		b.Run(fmt.Sprint("q", n), func(b *testing.B) {
			used := 0.0
			for range b.N {
				used += benchQuery(b, queries.Stream(n))
			}
			b.ReportMetric(float64(b.N)*benchEvents/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(b.N)*benchEvents/used, "events/cpu-s") // of use where others load the machine
		})
	}
}

// benchCatalog has the three streams.
func benchCatalog(b *testing.B) *catalog.Catalog {
	cat, err := catalog.New("dev")
	for _, t := range []nexmark.Table{nexmark.Person, nexmark.Auction, nexmark.Bid} {
		if err == nil {
			cat, _, err = cat.With(catalog.Relation{
				Kind: catalog.KindSource, Schema: "public", Name: string(t), Columns: nexmark.Columns(t), AppendOnly: true,
			})
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return cat
}

// benchJob compiles a query over the streams.
func benchJob(b *testing.B, query string) Job {
	q, err := parser.ParseQuery(query)
	if err != nil {
		b.Fatal(err)
	}
	p, err := plan.Bind(benchCatalog(b), expr.Builtins(), q, plan.Options{View: true, Parse: parser.ParseQuery})
	if err != nil {
		b.Fatal(err)
	}
	j, err := dataflow.CompileSink(1000, "bench", 1, p.Root, dataflow.Options{Env: &expr.Env{Zone: time.UTC}, Relation: func(*catalog.Relation) (*dataflow.Node, error) {
		return dataflow.NewInput("stream", dataflow.Partition{}), nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	gen := nexmark.New(nexmark.Config{})
	job := Job{Job: j}
	for _, in := range j.Inputs {
		t := nexmark.Table(in.Relation.Name)
		job.Inputs = append(job.Inputs, Input{Node: in.Node, Stream: &Stream{
			Name: in.Relation.Name, End: benchEvents, Fill: func(from, to int64) *zset.Chunk { return gen.Fill(t, from, to) },
		}})
	}
	return job
}

// cpu is the processor time that the process has used, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func benchQuery(b *testing.B, query string) (used float64) {
	b.StopTimer()
	s := &stand{t: b, options: Options{Shards: 2}, dirs: [2]string{b.TempDir(), b.TempDir()}}
	s.open()
	defer s.close()
	job := benchJob(b, query)
	before := cpu()
	b.StartTimer()
	s.start(job)
	for done := false; !done; {
		time.Sleep(250 * time.Millisecond)
		c := s.checkpoint()
		done = true
		for _, in := range job.Inputs {
			done = done && string(c.Positions[in.Stream.Name]) == fmt.Sprint(benchEvents)
		}
	}
	b.StopTimer()
	return cpu() - before
}
