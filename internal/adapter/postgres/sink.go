package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// SinkConfig says how to deliver to a target. Empty choices mean the defaults.
type SinkConfig struct {
	URL string // a connection string; env:NAME and file:PATH as for a source
	// SchemaPolicy is evolve (default: the target follows the source), ignore
	// (it keeps its shape; columns it lacks are left out) or fail.
	SchemaPolicy string
	// Merge is net (default: in a batch the last state of a key wins) or none.
	Merge string
	// Triggers is replica (session_replication_role = replica: ordinary triggers
	// and foreign keys of the target rest, only those marked ENABLE ALWAYS or
	// REPLICA fire) or fire. Empty: replica where the role may set it.
	Triggers string
	// NoCreate leaves it to the user to create tables: a missing one is an error.
	NoCreate bool
	// Reconcile makes a chunk of a snapshot replace what the target has in its key
	// range, deletes included: for a resync.
	Reconcile bool
	// Schemas maps a source's schema to the target's; others keep their name, with
	// SchemaPrefix before it.
	Schemas      map[string]string
	SchemaPrefix string
}

// Choices of SinkConfig.
const (
	PolicyEvolve    = "evolve"
	PolicyIgnore    = "ignore"
	PolicyFail      = "fail"
	MergeNet        = "net"
	MergeNone       = "none"
	TriggersFire    = "fire"
	TriggersReplica = "replica"
)

// resolvedEvery is how often a position that moves without data is written.
const resolvedEvery = 10 * time.Second

// Sink delivers one lane to a PostgreSQL server, exactly once: it implements
// feed.Sink.
//
//	Write ─► piece ─► applier (one goroutine, one connection) ─► BEGIN … data …
//	Commit ────────────────────────────────────────────────► position by CAS, COMMIT
//
// Writes are collected into pieces that are applied while the next is collected.
// A piece is applied set by set, netted by key, and sent ahead of the answer to
// the one before, also behind a commit. One that the target refuses is rolled
// back and replayed, change by change if need be, so that only a row that is
// really bad fails; what was sent behind it follows. A change of shape, a
// truncate and a chunk that must look at the target wait until all is answered.
//
// Invariants:
//   - data and position are in one transaction, and the position only moves from
//     where this owner left it, under this owner's term;
//   - pieces are applied in the order of Write;
//   - a row inserted upstream is inserted once, an update never becomes a delete
//     and an insert: triggers at the target count what happened.
type Sink struct {
	cfg  SinkConfig
	log  *slog.Logger
	lane feed.Lane
	work *worker // nil until Open and after Close

	piece  *piece // being collected
	shapes map[shapeID]*shape
}

type shapeID struct {
	table   row.TableID
	version uint32
}

var (
	_ feed.Sink       = (*Sink)(nil)
	_ feed.Reconciler = (*Sink)(nil)
	_ feed.Pipelined  = (*Sink)(nil)
)

// NewSink makes a sink; nothing happens until Open.
func NewSink(cfg SinkConfig, log *slog.Logger) *Sink {
	if cfg.SchemaPolicy == "" {
		cfg.SchemaPolicy = PolicyEvolve
	}
	if cfg.Merge == "" {
		cfg.Merge = MergeNet
	}
	return &Sink{cfg: cfg, log: log, shapes: map[shapeID]*shape{}}
}

// Open implements feed.Sink.
func (s *Sink) Open(ctx context.Context, lane feed.Lane) (feed.Position, bool, error) {
	if s.work != nil {
		return feed.Position{}, false, weirerr.New(weirerr.WrongState, "the sink is open").With("changefeed", lane.Changefeed)
	}
	a := &applier{cfg: s.cfg, log: s.log.With("changefeed", lane.Changefeed, "lane", lane.Lane), lane: lane}
	if err := a.open(ctx); err != nil {
		a.close(ctx)
		return feed.Position{}, false, err
	}
	clear(s.shapes)
	s.lane, s.work = lane, startWorker(a)
	s.piece = s.work.blank()
	return a.pos, a.placed, nil
}

// Write implements feed.Sink.
func (s *Sink) Write(ctx context.Context, items []feed.Item) error {
	if err := s.ready(); err != nil {
		return err
	}
	for i := range items {
		it := &items[i]
		if it.Change.Op == row.Truncate || it.Change.Op == row.SchemaChange {
			if err := s.reshape(ctx, it); err != nil {
				return err
			}
			continue
		}
		sh, err := s.shapeOf(it)
		if err != nil {
			return err
		}
		if s.piece.full() || !s.piece.fits(sh) || !s.piece.chunk.same(it) {
			if err := s.seal(ctx); err != nil {
				return err
			}
		}
		s.piece.take(it, sh)
	}
	return s.work.failed()
}

// reshape applies an item that changes more than rows, after all before it. It
// waits, since the item is only borrowed.
func (s *Sink) reshape(ctx context.Context, it *feed.Item) error {
	if err := s.seal(ctx); err != nil {
		return err
	}
	sh, err := s.shapeOf(it)
	if err != nil {
		return err
	}
	return s.work.do(ctx, func(ctx context.Context, a *applier) error {
		if it.Change.Op == row.Truncate {
			return a.noteTruncate(ctx, it, sh)
		}
		return a.changeSchema(ctx, it, sh)
	})
}

// shapeOf is our copy of an item's schema.
func (s *Sink) shapeOf(it *feed.Item) (*shape, error) {
	if it.Schema == nil {
		return nil, weirerr.New(weirerr.InvalidArgument, "a change without its schema").With("table", it.Change.Table)
	}
	id := shapeID{it.Schema.Table, it.Schema.Version}
	sh, ok := s.shapes[id]
	if !ok {
		sh = newShape(it.Schema)
		s.shapes[id] = sh
	}
	return sh, nil
}

// BeginChunk implements feed.Reconciler: the chunk may have no rows.
func (s *Sink) BeginChunk(ctx context.Context, schema *row.Schema, chunk *feed.ChunkRange) error {
	if err := s.ready(); err != nil {
		return err
	}
	if err := s.seal(ctx); err != nil {
		return err
	}
	sh, err := s.shapeOf(&feed.Item{Schema: schema})
	if err != nil {
		return err
	}
	return s.work.put(ctx, job{begin: newChunkRef(chunk, sh)})
}

// seal hands the collected piece over and begins another.
func (s *Sink) seal(ctx context.Context) error {
	if s.piece.empty() {
		return nil
	}
	next, err := s.work.piece(ctx, s.piece)
	if err != nil {
		return err
	}
	s.piece = next
	return nil
}

// Commit implements feed.Sink.
func (s *Sink) Commit(ctx context.Context, pos feed.Position) error {
	done := make(chan error, 1)
	if err := s.CommitAhead(ctx, pos, func(err error) { done <- err }); err != nil {
		return err
	}
	return s.work.await(ctx, done)
}

// CommitAhead implements feed.Pipelined.
func (s *Sink) CommitAhead(ctx context.Context, pos feed.Position, done func(error)) error {
	if err := s.ready(); err != nil {
		return err
	}
	if err := s.seal(ctx); err != nil {
		return err
	}
	return s.work.put(ctx, job{commit: &commit{pos: pos, done: done}})
}

// Resolved implements feed.Sink: the position is written now and then.
func (s *Sink) Resolved(ctx context.Context, pos feed.Position) error {
	if err := s.ready(); err != nil {
		return err
	}
	if !s.piece.empty() {
		return weirerr.New(weirerr.WrongState, "written and not committed").With("changefeed", s.lane.Changefeed)
	}
	return s.work.do(ctx, func(ctx context.Context, a *applier) error { return a.resolved(ctx, pos) })
}

// Close implements feed.Sink: what is not committed is rolled back. Commits under
// way are waited for, for a while.
func (s *Sink) Close(ctx context.Context) error {
	if s.work == nil {
		return nil
	}
	s.work.stop(ctx)
	s.work = nil
	return nil
}

// ready tells whether the sink can be used: it is open and has not failed.
func (s *Sink) ready() error {
	if s.work == nil {
		return weirerr.New(weirerr.WrongState, "the sink is not open")
	}
	return s.work.failed()
}
