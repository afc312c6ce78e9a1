package bench

import (
	"context"
	"fmt"

	"github.com/weirstream/weir/internal/cli"
)

// ForCommand runs what the command line asks for.
func ForCommand(ctx context.Context, r cli.NexmarkRun) (cli.NexmarkReport, error) {
	res, err := Nexmark(ctx, Options{
		Query: r.Query, Events: r.Events, Rate: r.Rate, View: r.View, NoCheckpoint: r.NoCheckpoint, Interval: r.Interval,
		Memory: r.Memory, Shards: r.Shards, Dir: r.Dir, Profile: r.Profile,
	})
	if err != nil {
		return cli.NexmarkReport{}, err
	}
	sink := "blackhole"
	if r.View {
		sink = "view"
	}
	rate := float64(res.Events) / res.Elapsed.Seconds()
	loop := float64(res.Events) / res.Loop.Seconds()
	return cli.NexmarkReport{
		Query: r.Query, Sink: sink, Checkpoints: !r.NoCheckpoint, Events: res.Events, EventRate: r.Rate,
		Seconds: res.Elapsed.Seconds(), EventsPerSecond: rate, CPUSeconds: res.CPU.Seconds(),
		EventsPerCPU: float64(res.Events) / res.CPU.Seconds(), LoopPerSecond: loop, LoopRatio: rate / loop,
		PeakRSSBytes: res.PeakRSS, StateBytes: res.State, Barriers: res.Barriers, BarrierP50: res.P50, BarrierP99: res.P99,
		ResultRows: res.Rows, ResultHash: fmt.Sprintf("%016x", res.Hash),
	}, nil
}
