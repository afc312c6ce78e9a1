package feed

import (
	"time"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Status is what a feed tells of itself.
type Status struct {
	Name        string `json:"name"`
	State       string `json:"state"` // normal, warning, pending, failed, stopped, finished, removed
	Incarnation uint64 `json:"incarnation"`
	Term        uint64 `json:"term"`
	StartTs     ts.Ts  `json:"start_ts"`
	TargetTs    ts.Ts  `json:"target_ts,omitempty"`
	// CheckpointTs: everything <= it is durable at the target.
	CheckpointTs ts.Ts `json:"checkpoint_ts"`
	// ResolvedTs: the source's log is complete up to here.
	ResolvedTs ts.Ts `json:"resolved_ts"`
	// ConsistentFrom: from this Ts on the target shows whole transactions only; 0
	// while a snapshot is under way.
	ConsistentFrom ts.Ts         `json:"consistent_from"`
	LastSyncedTs   ts.Ts         `json:"last_synced_ts"` // of the last change delivered by this process
	PinTs          ts.Ts         `json:"pin_ts"`
	PinBytes       int64         `json:"pin_bytes"` // of the log behind the pin
	Error          *Error        `json:"error"`
	RetryAt        time.Time     `json:"retry_at,omitzero"` // of the next attempt, while pending
	Holder         Holder        `json:"holder"`
	Snapshot       *Snapshot     `json:"snapshot,omitempty"` // nil when none is under way
	Statistics     Statistics    `json:"statistics"`
	CreatedAt      time.Time     `json:"created_at"`
	Tables         []TableStatus `json:"tables,omitempty"` // those under snapshot
}

// Error is the last error or warning of a feed.
type Error struct {
	At      time.Time     `json:"time"`
	Code    weirerr.Code  `json:"code"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
	Fields  []ErrorField  `json:"fields,omitempty"`
	Flags   weirerr.Flags `json:"-"`
}

// ErrorField names one thing the error is about.
type ErrorField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Holder says what the checkpoint waits for: a table (empty: none in
// particular), the stage it is in, and since when.
type Holder struct {
	Table string    `json:"table"`
	Stage string    `json:"stage"`
	Since time.Time `json:"since"`
	Waits string    `json:"waits,omitempty"` // more words, when there are any
}

// Snapshot sums up the snapshots under way.
type Snapshot struct {
	RowsDone  int64 `json:"rows_done"`
	RowsTotal int64 `json:"rows_total"` // estimate
	Tables    int   `json:"tables"`     // not complete yet
	// ETASeconds estimates what is left, in seconds; -1 when it cannot.
	ETASeconds int64 `json:"eta"`
}

// TableStatus is the progress of one table under snapshot.
type TableStatus struct {
	Table     row.TableID `json:"table_id"`
	Name      string      `json:"name"`
	Stage     string      `json:"stage"`
	Since     time.Time   `json:"since"`
	RowsDone  int64       `json:"rows_done"`
	RowsTotal int64       `json:"rows_total"`
	Waits     string      `json:"waits,omitempty"`
}

// Statistics count what this process delivered for the feed.
type Statistics struct {
	Inserts       int64 `json:"inserts"`
	Updates       int64 `json:"updates"`
	Deletes       int64 `json:"deletes"`
	Reads         int64 `json:"reads"` // rows of snapshots
	Truncates     int64 `json:"truncates"`
	SchemaChanges int64 `json:"schema_changes"`
	Bytes         int64 `json:"bytes"`
	Transactions  int64 `json:"transactions"` // upstream
	Commits       int64 `json:"commits"`      // at the target
}
