package database

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/sql"
)

// lockWait bounds how long a writer waits for another transaction. Two that wait for
// each other end by it too.
const lockWait = 30 * time.Second

// tableLock serialises the writers of one table.
type tableLock chan struct{}

func newTableLock() tableLock { return make(tableLock, 1) }

// lock takes the lock, or fails as PostgreSQL does for lock_timeout.
func (l tableLock) lock(ctx context.Context, rel *catalog.Relation) error {
	select {
	case l <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(lockWait)
	defer timer.Stop()
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return &sql.Error{
			Code: sql.LockNotAvailable, Pos: -1,
			Message: "canceling statement due to lock timeout: another transaction is writing table \"" + rel.Name + "\"",
			Hint:    "End that transaction, or try again. A transaction holds the tables it has written until it ends.",
		}
	}
}

func (l tableLock) unlock() { <-l }
