package barrier

import (
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// Barrier is one cut of one graph.
type Barrier struct {
	Database   Database
	Graph      Graph
	Attempt    Attempt
	Prev, Curr ts.Ts
	Kind       Kind
	// Command travels with the barrier: a created job takes part from it on, or
	// begins to read what is there at Curr; a dropped one leaves after it. Nil: none.
	Command *Command
	// Merge lists the graphs whose jobs are part of the main graph from this barrier on.
	Merge []Graph
}

// Effect is something the shell is to do.
type Effect interface{ effect() }

// The effects.
type (
	// Inject sends a barrier to workers, each of which answers Collected.
	Inject struct {
		Barrier
		Workers []Worker
	}
	// Commit makes a checkpoint of a graph the committed one: Prev -> Curr, by compare-and-set.
	Commit struct {
		Database   Database
		Graph      Graph
		Attempt    Attempt
		Prev, Curr ts.Ts
		Epochs     []ts.Ts // every epoch since Prev, Curr last
		Sealed     []Sealed
		// Commands whose barriers are among Epochs, in order; Merge likewise.
		Commands []*Command
		Merge    []Graph
	}
	// Reply answers a command.
	Reply struct {
		ID    CommandID
		Stage Stage
		Err   error // of StageFailed
	}
	// Reset ends an attempt: after Delay, drop all that workers hold of the
	// database, find its committed epoch, and answer Recovered with this Attempt.
	Reset struct {
		Database Database
		Attempt  Attempt
		Delay    time.Duration
		Err      error // why
	}
	// DropGraph ends a creating graph.
	DropGraph struct {
		Database Database
		Graph    Graph
		Attempt  Attempt
	}
	// Odd reports an event that made no sense and changed nothing.
	Odd struct {
		Event Event
		Why   string
	}
)

// Sealed is one worker's part of a checkpoint.
type Sealed struct {
	Worker Worker
	Part   any
}

// Stage is how far a command has come.
type Stage uint8

// Stages.
const (
	StageStarted   Stage = iota // its barrier is injected
	StageCollected              // what it did is committed
	StageFailed
)

func (Inject) effect()    {}
func (Commit) effect()    {}
func (Reply) effect()     {}
func (Reset) effect()     {}
func (DropGraph) effect() {}
func (Odd) effect()       {}
