package expr

import (
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Env is what an evaluation may depend on beside its input.
type Env struct {
	Now      datum.Timestamp // of the statement, microseconds; stable over it
	Zone     *time.Location  // the session's, or stored with the view
	Params   []*zset.Vec     // one value each
	User     string
	Database string
}

// RowError is what went wrong in one row of a chunk.
type RowError struct {
	Row int
	Err *sql.Error
}
