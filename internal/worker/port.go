package worker

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal"
)

// Options of a Worker.
type Options struct {
	Store *state.Store
	Views *view.Views
	Logs  Logs
	// Report is told what became of barriers, in order for each graph. It must not
	// block, nor call the Worker.
	Report func(Report)
	Log    *slog.Logger // nil: silence
	// Shards is how many slices every graph has, each with a goroutine: the number of processors.
	Shards int
	// Memory is the budget, in bytes, of the state held in memory: 512 MiB.
	Memory int64
	// Step bounds a graph's turn: 10 ms.
	Step time.Duration
	// Full is told, once in an epoch of a main graph, that its end would take End: a barrier
	// is due, of an epoch that is at least the given one. Until it comes, input may have to wait. It
	// must not block, nor call the Worker. nil: epochs are as long as barriers are apart.
	Full func(state.Graph, ts.Ts)
	// Held is told, at the end of every epoch, how much state is held in memory, in bytes. nil: nobody.
	Held func(bytes int64)
	// End is how long the end of an epoch may take, from its barrier to its commit: 100 ms.
	End time.Duration

	piece int   // rows of relations read in an epoch, at least, when there are so many: 128 Ki
	most  int64 // bytes of them, at most: 64 MiB
	chase int64 // events of a stream, likewise, at least: 1 Mi
}

// Logs opens the channels that inputs read.
type Logs interface {
	Channel(name string) (wal.Channel, error)
	// Promise has the channel's writer raise its clock past t, so that readers learn
	// soon that they have everything up to t. It does not block.
	Promise(name string, t ts.Ts) error
}

// Spec is a graph as it is opened.
type Spec struct {
	Graph     state.Graph
	Attempt   barrier.Attempt
	Committed ts.Ts // the epoch it stands at
	// Positions are Collected's of that epoch.
	Positions Positions
	// Jobs in an order in which each comes after those it reads. Their tables are in
	// the store, as of Committed.
	Jobs []Job
	// Reads, of a creating graph (Graph.Part is the job's id, Jobs has it alone): the
	// relations that the job reads. The main graph is open.
	Reads []Read
	// Taps, of the main graph: relations that jobs in creating graphs read. These graphs
	// are opened before the first barrier, and go on where they were.
	Taps []dataflow.JobID
}

// Read is a relation of the main graph that a job being created reads: the rows that are
// there, then what changes. When the relation is not part of the main graph yet, that
// is waited for.
type Read struct {
	// Job is the relation's, whose Root the job being created reads. Its rows are in
	// the store, as Stored says.
	Job *dataflow.Job
	// Stream, when the store does not have the rows: where they come from in the main
	// graph too. It is read from its beginning up to the main graph's position.
	Stream *Stream
}

// Job is a job with the inputs of its own.
type Job struct {
	*dataflow.Job
	Inputs []Input
}

// Input says where the rows of an input node come from. One of the pointers is set.
type Input struct {
	Node   *dataflow.Node
	Table  *Table
	Stream *Stream
}

// Positions tell, by name, where the inputs stand that the epoch alone does not tell of.
type Positions map[string]json.RawMessage

// Barrier is a cut of one graph.
type Barrier struct {
	Graph      state.Graph
	Attempt    barrier.Attempt
	Prev, Curr ts.Ts
	Kind       barrier.Kind
	// Detach are jobs that leave after the epoch, with those that read them; then
	// Attach are new ones, without state, that take part from the next epoch on.
	Detach []dataflow.JobID
	Attach []Job
	// Merge are jobs, each created in a graph of its own that stands at Prev, committed:
	// they take part in the main graph from this epoch on. Their graphs end.
	Merge []Job
}

// Report is Collected or Failed.
type Report interface{ report() }

// Collected says that a graph has finished an epoch.
type Collected struct {
	Graph   state.Graph
	Attempt barrier.Attempt
	Curr    ts.Ts
	// Sealed is what the commit has to name; nil unless Curr is a checkpoint.
	Sealed    *state.Sealed
	Positions Positions
	// Faults are jobs that failed in this epoch. Their state stays as it was before.
	Faults []dataflow.Fault
	// Walked, of a creating graph: the job has all rows that were there before, as of
	// Curr, and only follows from now on.
	Walked bool
}

// Failed says that a graph cannot go on.
type Failed struct {
	Graph   state.Graph
	Attempt barrier.Attempt
	Err     error
}

func (*Collected) report() {}
func (*Failed) report()    {}
