package control

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/ts"
)

// Sources runs what control has decided about sources. Its methods may be
// called concurrently for different names.
type Sources interface {
	// Probe connects to the upstream and says who it is. A fault that makes
	// capturing impossible is an error with its remedy. Nothing is changed there.
	Probe(ctx context.Context, s Source) (Upstream, error)
	// Start captures s, from where its log ends, and goes on by itself after
	// errors. It returns once the source is registered; what happens later is in Status.
	Start(ctx context.Context, s Source) error
	// Resync makes the source stream from now on with a new slot, whatever became
	// of the old one. Its changefeeds are told after that, by Changefeeds.Resync.
	Resync(ctx context.Context, s Source) error
	// Drop stops the source and removes what it made: slot, publications and
	// triggers upstream, its channel here. Idempotent. With force it goes on when the
	// upstream cannot be reached or refuses.
	Drop(ctx context.Context, s Source, force bool) error
	// Followed is an error, with a hint, while tables of a database follow the source: it
	// can then be neither dropped nor resynchronised.
	Followed(name string) error
	// Status of a source; false when it does not run here.
	Status(name string) (SourceStatus, bool)
	// Now is a Ts that everything committed upstream before the call lies at or
	// below, once the log has it.
	Now(ctx context.Context, name string) (ts.Ts, error)
	// Tables lists what the source captures.
	Tables(ctx context.Context, name string) ([]Table, error)
}

// Changefeeds runs what control has decided about changefeeds. Its methods may
// be called concurrently for different ids.
type Changefeeds interface {
	// Start runs cf in the state it was saved in; a new one in state normal.
	Start(ctx context.Context, cf Changefeed) error
	Pause(ctx context.Context, id string) error
	// Resume goes on from the checkpoint; overwrite, when not 0, replaces it.
	Resume(ctx context.Context, id string, overwrite ts.Ts) error
	// Update takes a new definition for the next run; the changefeed is stopped or failed.
	Update(ctx context.Context, cf Changefeed) error
	// Remove ends the changefeed and all it keeps: pin, saved state, snapshot rows. Idempotent.
	Remove(ctx context.Context, cf Changefeed) error
	// Resync snapshots all tables anew and reconciles the target, deletes included.
	Resync(ctx context.Context, id string) error
	// Status of a changefeed; false when it does not run here.
	Status(id string) (FeedStatus, bool)
	// Wait returns when the checkpoint is at or above t, or with an error when the
	// changefeed gets into a state that will not get there.
	Wait(ctx context.Context, id string, t ts.Ts) error
}

// Sink knows the URIs of one scheme.
type Sink interface {
	// Check tells whether uri (resolved) is well formed, can be reached and would
	// accept a changefeed with these options.
	Check(ctx context.Context, uri string, cfg *config.Changefeed) error
	// Describe lists, for a table of the source, why it cannot be delivered; empty when it can.
	Describe(t Table) string
}

// Log tells about the channels.
type Log interface {
	Channels() ([]ChannelStatus, error)
}

// ChannelStatus is one channel of the log.
type ChannelStatus struct {
	Channel      string `json:"channel"`
	Source       string `json:"source"`
	Term         uint64 `json:"term"`
	FirstTs      ts.Ts  `json:"first_ts"` // 0: empty
	LastTs       ts.Ts  `json:"last_ts"`  // of the newest durable entry
	ResolvedTs   ts.Ts  `json:"resolved_ts"`
	TruncatedTs  ts.Ts  `json:"truncated_ts"`  // entries at or below it may be gone
	CheckpointTs ts.Ts  `json:"checkpoint_ts"` // saved: what no consumer needs any more
	Bytes        int64  `json:"bytes"`
	Segments     int    `json:"segments"`
	Repaired     string `json:"repaired,omitempty"`
	// Holder is the pin that holds the checkpoint back; nil when nobody pins the channel.
	Holder *Pin `json:"holder"`
	// Pins are all claims, lowest first.
	Pins []Pin `json:"pins"`
}

// Pin is one consumer's claim on a channel.
type Pin struct {
	Owner string    `json:"owner"`
	Ts    ts.Ts     `json:"ts"`
	Since time.Time `json:"since"` // at this Ts
	Bytes int64     `json:"bytes"` // of the log that it keeps
}
