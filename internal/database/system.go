package database

import (
	"fmt"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/zset"
)

// SystemRelations tell what runs.
func SystemRelations() []*catalog.Relation {
	return []*catalog.Relation{
		pgcatalog.Define(12001, "pg_catalog", "weir_views", "id oid, name name, kind text, state text, epoch int8, epoch_time timestamptz, lag_ms int8, holder text, holder_since timestamptz, errors int8, state_bytes int8, message text"),
		pgcatalog.Define(12002, "pg_catalog", "weir_barriers", "database name, graph int8, prev int8, curr int8, kind text, command text, age_ms int8, waits_for text"),
		pgcatalog.Define(12003, "pg_catalog", "weir_view_errors", "view name, sqlstate text, message text, input text, count int8"),
	}
}

// SystemRows makes up the rows of one of SystemRelations; false for any other.
func (db *Database) SystemRows(rel *catalog.Relation) (*zset.Chunk, bool) {
	b := pgcatalog.NewBuilder(rel)
	switch rel.Name {
	case "weir_views":
		db.views(b)
	case "weir_barriers":
		db.barriers(b)
	case "weir_view_errors":
		db.viewErrors(b)
	default:
		return nil, false
	}
	return b.Chunk(), true
}

// stamp is a moment as SQL has it.
func stamp(t time.Time) datum.Timestamp { return datum.Timestamp(t.UnixMicro() - datum.EpochMicros) }

func (db *Database) views(b *pgcatalog.Builder) {
	epoch := db.o.Views.Epoch(db.o.ID)
	holder, since := db.holder()
	for _, j := range db.listed() {
		was, message := "running", ""
		switch {
		case j.rec.Failed != nil:
			was, message = "failed", j.rec.Failed.Message
		case j.rec.Creating:
			was = "creating"
		default:
			message = db.reshaped(&j.rec.Relation)
		}
		var bytes int64
		for _, t := range j.stateTables() {
			n, _ := db.o.State.TableBytes(db.o.ID, t)
			bytes += n
		}
		var from any
		if !since.IsZero() {
			from = stamp(since)
		}
		b.Row(j.rec.ID, j.rec.Name, string(j.rec.Kind), was, int64(epoch), stamp(epoch.Time()), time.Since(epoch.Time()).Milliseconds(),
			holder, from, db.errorCount(j), bytes, message)
	}
}

func (db *Database) listed() []*job {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.order()
}

// holder says what the committed epoch waits for, and since when.
func (db *Database) holder() (string, time.Time) {
	if why, since := db.o.Coordinator.Recovering(db.id); why != nil {
		return "recovery: " + why.Error(), since
	}
	for _, s := range db.o.Coordinator.Status() {
		if s.Database != db.id || len(s.InFlight) == 0 {
			continue
		}
		f := s.InFlight[0]
		return waits(f), f.Curr.Time()
	}
	return "", time.Time{}
}

// waits says what a barrier waits for.
func waits(f barrier.Flight) string {
	switch {
	case len(f.Workers) > 0:
		return fmt.Sprintf("worker %d computes it", f.Workers[0])
	case f.Committing:
		return "its commit"
	}
	return "the barrier before it"
}

func (db *Database) barriers(b *pgcatalog.Builder) {
	for _, s := range db.o.Coordinator.Status() {
		if s.Database != db.id {
			continue
		}
		for _, f := range s.InFlight {
			command := ""
			if f.Command != nil {
				command = f.Command.Do.String()
			}
			b.Row(db.o.Name, int64(f.Graph), int64(f.Prev), int64(f.Curr), f.Kind.String(), command, max(0, time.Since(f.Curr.Time()).Milliseconds()), waits(f))
		}
	}
}

// eachError calls fn with the row errors of a relation at the published epoch.
func (db *Database) eachError(j *job, fn func(c *zset.Chunk)) {
	if j.job.Job == nil || j.job.Failed == nil {
		return
	}
	pin, err := db.o.Views.Pin(db.o.ID)
	if err != nil {
		return
	}
	defer pin.Release() //nolint:errcheck // a snapshot that is given back
	_ = pin.Use(func(n *state.Snapshot) error {
		return n.Scan(db.o.ID, j.job.FailedIn, nil, nil, func(key, value []byte) bool {
			c := zset.NewChunk(j.job.Failed.Kinds, 1)
			if j.job.Failed.DecodeRow(key, value, c) == nil {
				fn(c)
			}
			return true
		})
	})
}

func (db *Database) errorCount(j *job) (n int64) {
	db.eachError(j, func(c *zset.Chunk) { n += c.Weight(0) })
	return n
}

func (db *Database) viewErrors(b *pgcatalog.Builder) {
	for _, j := range db.listed() {
		db.eachError(j, func(c *zset.Chunk) {
			b.Row(j.rec.Name, text(c, 0), text(c, 1), text(c, 2), c.Weight(0))
		})
	}
}

func text(c *zset.Chunk, col int) string { return strings.Clone(string(c.Cols[col].Bytes(0))) }
