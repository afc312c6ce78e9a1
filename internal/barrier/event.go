package barrier

import (
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// Names. They are the catalog's and the cluster's; the machine only compares them.
type (
	Database  uint32
	Job       uint32
	Graph     uint32 // Main, or the id of the job that is being created in it
	Worker    uint32
	Attempt   uint64 // one life of a database between two failures; unique for ever
	CommandID uint64
)

// Main is a database's main graph.
const Main Graph = 0

// Kind is what a barrier does to state.
type Kind uint8

// Kinds of barrier.
const (
	Initial    Kind = iota // begins an attempt: nothing before it
	Plain                  // bounds work; nothing is kept
	Checkpoint             // state up to here is sealed, and will commit
)

// Config is how often a database has barriers. Zero values mean the system's.
type Config struct {
	Interval  time.Duration // between periodic barriers, 1 ms at least
	Frequency int           // every nth is a checkpoint
	Cap       int           // of barriers in flight, before periodic ones wait
}

// Event is something that happened.
type Event interface{ event() }

// The events.
type (
	// Tick lets time pass.
	Tick struct{}
	// AddDatabase makes a database known; it is recovered first.
	AddDatabase struct {
		Database Database
		Config   Config
	}
	// DropDatabase forgets a database and ends all it does.
	DropDatabase struct{ Database Database }
	// Configure changes a database's Config; System changes the default.
	Configure struct {
		Database Database
		System   bool
		Config   Config
	}
	// Command asks for something that a barrier does. Its ID was never used before.
	Command struct {
		ID       CommandID
		Database Database
		Do       Do
		// Jobs to create (one) or drop.
		Jobs []Job
		// Backfill: the job reads relations that hold rows already: it is created in a graph of its own.
		Backfill bool
	}
	// Want asks for a committed epoch that is at least At, soon.
	Want struct {
		Database Database
		At       ts.Ts
	}
	// Collected says that a worker has finished an epoch. Sealed is the worker's word for its part of the state.
	Collected struct {
		Database Database
		Graph    Graph
		Attempt  Attempt
		Worker   Worker
		Curr     ts.Ts
		Sealed   any
		// Done: the creating job of the graph has read all that was there before.
		Done bool
	}
	// Committed answers Commit. With Err the outcome is a failure of the database.
	Committed struct {
		Database Database
		Graph    Graph
		Attempt  Attempt
		Curr     ts.Ts
		Err      error
	}
	// Failed says that a database cannot go on.
	Failed struct {
		Database Database
		Attempt  Attempt
		Err      error
	}
	// WorkerUp and WorkerDown say which workers there are.
	WorkerUp   struct{ Worker Worker }
	WorkerDown struct {
		Worker Worker
		Err    error
	}
	// Recovered answers Reset: the database stands at Committed with these jobs.
	Recovered struct {
		Database  Database
		Attempt   Attempt
		Committed ts.Ts
		Jobs      []Job
		Creating  []Resume
	}
)

// Resume is a creating graph that goes on after a recovery.
type Resume struct {
	Graph Graph
	Cut   ts.Ts // its committed epoch
}

// Do is what a command does.
type Do uint8

// Commands.
const (
	Flush  Do = iota // nothing, but commit
	Create           // a job
	Drop             // jobs, also those being created
)

func (Tick) event()         {}
func (AddDatabase) event()  {}
func (DropDatabase) event() {}
func (Configure) event()    {}
func (Command) event()      {}
func (Want) event()         {}
func (Collected) event()    {}
func (Committed) event()    {}
func (Failed) event()       {}
func (WorkerUp) event()     {}
func (WorkerDown) event()   {}
func (Recovered) event()    {}
