package database

import (
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// durable is the newest Ts in the channels that the database reads.
func (db *Database) durable() (at ts.Ts) {
	names := map[string]bool{ChannelName(db.o.Name): true}
	db.mu.Lock()
	for _, j := range db.jobs {
		for _, in := range j.job.Inputs {
			if in.Table != nil {
				names[in.Table.Channel] = true
			}
		}
	}
	db.mu.Unlock()
	for name := range names {
		if c, err := db.o.Logs.Channel(name); err == nil {
			at = max(at, c.Status().Durable)
		}
	}
	return at
}

// keepUp asks for a barrier when an epoch ends before what is durable, although that is of
// the future: after a restart a log's clock begins seconds ahead of ours, and barriers
// that go by ours would show nothing of it for so long.
func (db *Database) keepUp(epoch ts.Ts) {
	if at := db.durable(); at > epoch && at > ts.FromTime(time.Now()) {
		db.o.Coordinator.Report(barrier.Want{Database: db.id, At: at})
	}
}
