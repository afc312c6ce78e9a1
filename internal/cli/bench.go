package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/config"
)

// NexmarkRun is a run of a query of the Nexmark benchmark.
type NexmarkRun struct {
	Query        string
	Events       int64
	Rate         int64 // events a second of event time
	View         bool  // keep the result; else it goes into a blackhole
	NoCheckpoint bool
	Interval     time.Duration // of barriers
	Memory       int64         // bytes of state in memory; 0: as a server does
	Shards       int           // 0: the number of processors
	Dir          string        // for the run's directory
	Profile      string        // file for a profile of the processor time
}

// NexmarkReport is what was measured.
type NexmarkReport struct {
	Query           string  `json:"query"`
	Sink            string  `json:"sink"`
	Checkpoints     bool    `json:"checkpoints"`
	Events          int64   `json:"events"`
	EventRate       int64   `json:"event_rate"`
	Seconds         float64 `json:"seconds"`
	EventsPerSecond float64 `json:"events_per_second"`
	CPUSeconds      float64 `json:"cpu_seconds"`
	EventsPerCPU    float64 `json:"events_per_cpu_second"`
	LoopPerSecond   float64 `json:"generator_events_per_second"` // of a plain loop that makes and counts the same events
	LoopRatio       float64 `json:"ratio"`                       // events_per_second by it
	PeakRSSBytes    int64   `json:"peak_rss_bytes"`
	StateBytes      int64   `json:"state_bytes"`
	Barriers        int     `json:"barriers"`
	BarrierP50      float64 `json:"barrier_p50_ms"`
	BarrierP99      float64 `json:"barrier_p99_ms"`
	ResultRows      int64   `json:"result_rows"`
	ResultHash      string  `json:"result_hash"`
}

func (a *app) benchCommand() *cobra.Command {
	return group("bench", "Measure the engine on this machine", a.benchNexmark())
}

func (a *app) benchNexmark() *cobra.Command {
	run := NexmarkRun{Events: 2_000_000, Rate: 10_000, Interval: time.Second}
	memory, sink := config.Bytes(0), "blackhole"
	cmd := &cobra.Command{
		Use:   "nexmark --query q4",
		Short: "Run a query of the Nexmark benchmark over generated events",
		Long: `Run a query of the Nexmark benchmark over generated events: in this process, without a server, in a directory of its own
that is removed at the end. Durable checkpoints are taken while it runs. The time counts from the opening of the inputs to the commit of
the last event's epoch, generator included. The same events are made and counted by a plain loop first, for comparison.
The hash of the result depends on its rows alone: a blackhole and a view have the same.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case run.Query == "":
				return usage(cmd, errors.New("--query is needed: q0 to q22"))
			case sink != "blackhole" && sink != "view":
				return usage(cmd, errors.New("--sink is blackhole or view"))
			case run.Events < 1 || run.Rate < 1 || run.Rate > 1_000_000_000 || run.Shards < 0 || run.Shards > 256 || run.Interval < time.Millisecond:
				return usage(cmd, errors.New("--events, --rate, --shards and --interval must be positive, --shards 256 at most"))
			}
			run.View, run.Memory = sink == "view", int64(memory)
			report, err := a.BenchNexmark(cmd.Context(), run)
			if err != nil {
				return err
			}
			return a.show(report, func(w io.Writer) { printNexmark(w, &report) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&run.Query, "query", "", "the `QUERY`: q0-q5, q7-q9, q14-q22")
	f.Int64Var(&run.Events, "events", run.Events, "how many events: persons, auctions and bids together")
	f.Int64Var(&run.Rate, "rate", run.Rate, "events a second of event time: how many fall into a window")
	f.StringVar(&sink, "sink", sink, "blackhole, or view: keep the result as a materialized view does")
	f.BoolVar(&run.NoCheckpoint, "no-checkpoint", false, "make no state durable")
	f.DurationVar(&run.Interval, "interval", run.Interval, "of barriers")
	f.Var(sizeFlag{&memory}, "memory", "`SIZE` of the state that is held in memory, like 256MiB (default: as a server, a quarter of the memory)")
	f.IntVar(&run.Shards, "shards", 0, "slices by key that are computed at the same time (default: one a processor)")
	f.StringVar(&run.Dir, "dir", "", "`DIRECTORY` in which the run makes its own (default: the system's for temporary files)")
	f.StringVar(&run.Profile, "profile", "", "`FILE` for a profile of the processor time")
	return cmd
}

// sizeFlag reads sizes as the configuration file does.
type sizeFlag struct{ to *config.Bytes }

func (s sizeFlag) String() string {
	if s.to == nil {
		return ""
	}
	return s.to.String()
}

func (s sizeFlag) Set(text string) error { return s.to.UnmarshalText([]byte(text)) }

func (s sizeFlag) Type() string { return "SIZE" }

func printNexmark(w io.Writer, r *NexmarkReport) {
	pairs(w,
		"query", fmt.Sprintf("%s into a %s", r.Query, r.Sink),
		"events", fmt.Sprintf("%d in %.2f s: %.0f/s, %.0f per second of a processor", r.Events, r.Seconds, r.EventsPerSecond, r.EventsPerCPU),
		"a plain loop", fmt.Sprintf("%.0f/s; %.2f of it", r.LoopPerSecond, r.LoopRatio),
		"memory", size(r.PeakRSSBytes),
		"state on disk", size(r.StateBytes),
		"barriers", fmt.Sprintf("%d, p50 %.1f ms, p99 %.1f ms", r.Barriers, r.BarrierP50, r.BarrierP99),
		"result", fmt.Sprintf("%d rows, hash %s", r.ResultRows, r.ResultHash),
	)
}
