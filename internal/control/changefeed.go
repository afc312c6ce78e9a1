package control

import (
	"time"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
)

// Start says where a new changefeed begins.
type Start string

// Where a new changefeed begins: with a snapshot of its tables, with what is
// committed from now on, or after a Ts of the log.
const (
	StartInitial Start = "initial"
	StartNow     Start = "now"
	StartTs      Start = "ts"
)

// State is a changefeed's state.
type State string

// States of a changefeed.
const (
	StateNormal   State = "normal"   // progressing
	StateWarning  State = "warning"  // progressing, but retrying after an error
	StatePending  State = "pending"  // waiting before the next attempt
	StateFailed   State = "failed"   // needs a person
	StateStopped  State = "stopped"  // paused
	StateFinished State = "finished" // reached its target Ts
	StateRemoved  State = "removed"
)

// Running tells whether the changefeed delivers, or will again by itself.
func (s State) Running() bool {
	return s == StateNormal || s == StateWarning || s == StatePending
}

// Changefeed is the definition of a changefeed.
type Changefeed struct {
	ID string `json:"id"`
	// Incarnation grows each time the name is created anew.
	Incarnation uint64   `json:"incarnation"`
	Source      string   `json:"source"`
	Tables      []string `json:"tables,omitempty"` // rules; none: every table of the source
	// SinkURI is stored as given, perhaps as a reference.
	SinkURI   string            `json:"sink_uri"`
	Config    config.Changefeed `json:"config"`
	Start     Start             `json:"start"`
	StartTs   ts.Ts             `json:"start_ts,omitempty"`  // with StartTs
	TargetTs  ts.Ts             `json:"target_ts,omitempty"` // 0: for ever
	CreatedAt time.Time         `json:"created_at"`
	Version   string            `json:"creator_version"`
	Intent    Intent            `json:"intent,omitempty"`
	// Of is set for relations of a database; Source is then OutboxOf of it.
	Of *Relations `json:"of,omitempty"`
}

// Relations are tables and views of a database, as CREATE CHANGEFEED named them.
type Relations struct {
	Database  string   `json:"database"`
	Name      string   `json:"name"`      // of the changefeed in SQL
	IDs       []uint32 `json:"relations"` // in the database's catalog
	Statement string   `json:"statement"` // masked
}

// OutboxOf is the source that a database is for its changefeeds: no source that a user
// creates has a dot in its name.
func OutboxOf(database string) string { return database + ".views" }

// CreateChangefeed is the request to create a changefeed. An empty ID gets a
// generated one; an empty Source means the only one there is.
type CreateChangefeed struct {
	ID       string
	Source   string
	Tables   []string
	SinkURI  string
	Config   config.Changefeed
	Start    Start // empty: initial
	StartTs  ts.Ts
	TargetTs ts.Ts
	Of       *Relations // nil: tables of a source
}

// UpdateChangefeed is the request to change a changefeed. Nil means: as it is.
type UpdateChangefeed struct {
	Tables   *[]string
	SinkURI  *string
	TargetTs *ts.Ts
	// Configure changes the options it wants to change.
	Configure func(*config.Changefeed) error
}

// FeedStatus is what a running changefeed tells of itself.
type FeedStatus struct {
	State          State            `json:"state"`
	CheckpointTs   ts.Ts            `json:"checkpoint_ts"`
	ResolvedTs     ts.Ts            `json:"resolved_ts"`
	ConsistentFrom ts.Ts            `json:"consistent_from"` // 0: not yet
	StartTs        ts.Ts            `json:"start_ts"`
	LastSyncedTs   ts.Ts            `json:"last_synced_ts"` // of the last change delivered
	PinTs          ts.Ts            `json:"pin_ts"`
	PinBytes       int64            `json:"pin_bytes"`
	Error          *Failure         `json:"error"`
	RetryAt        time.Time        `json:"retry_at,omitzero"`
	Holder         Holder           `json:"holder"`
	Snapshot       Snapshot         `json:"snapshot"`
	Tables         []TableStatus    `json:"tables"` // under snapshot
	TableIDs       []uint64         `json:"table_ids"`
	Counters       map[string]int64 `json:"counters"`
}

// Holder says what the checkpoint waits for, and since when.
type Holder struct {
	Table string    `json:"table"`
	Stage string    `json:"stage"`
	Since time.Time `json:"since"`
	Waits string    `json:"waits,omitempty"`
}

// Snapshot sums up the initial snapshot. ETA is in seconds, -1 when unknown.
type Snapshot struct {
	RowsDone  int64 `json:"rows_done"`
	RowsTotal int64 `json:"rows_total"` // estimate
	Tables    int   `json:"tables"`     // not complete yet
	ETA       int64 `json:"eta"`
}

// TableStatus is the progress of one table under snapshot.
type TableStatus struct {
	Table     string    `json:"table"`
	Stage     string    `json:"stage"`
	Since     time.Time `json:"since"`
	RowsDone  int64     `json:"rows_done"`
	RowsTotal int64     `json:"rows_total"`
	Waits     string    `json:"waits,omitempty"`
}

// ChangefeedInfo is a changefeed as doors show it: sink masked, status added.
type ChangefeedInfo struct {
	Changefeed
	Status FeedStatus
}

func (cf Changefeed) info(status FeedStatus) ChangefeedInfo {
	cf.SinkURI = secret.Mask(cf.SinkURI)
	cf.Tables = nonNil(cf.Tables)
	return ChangefeedInfo{Changefeed: cf, Status: status}
}
