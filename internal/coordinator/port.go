package coordinator

import (
	"context"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// Database is what a database does for its barriers.
type Database interface {
	// Inject begins an epoch of a graph. It does not block; the answer is a Report
	// of Collected, or of Failed.
	Inject(b barrier.Barrier)
	// Commit makes an epoch the committed one, then visible to readers. After an
	// error the outcome is unknown, and Reset finds out.
	Commit(ctx context.Context, c *barrier.Commit) error
	// Reset ends all that is under way and brings state to the committed epoch. What
	// an earlier attempt still reports must carry that attempt.
	Reset(ctx context.Context, attempt barrier.Attempt) (State, error)
	// DropGraph ends a creating graph. It does not block.
	DropGraph(g barrier.Graph)
}

// State is what Reset found.
type State struct {
	Committed ts.Ts
	Jobs      []barrier.Job
	Creating  []barrier.Resume
}
