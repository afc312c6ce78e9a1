package database

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/worker"
)

// Sources are the captures of upstream databases.
type Sources interface {
	// Now returns when all that was committed upstream before the call is in the
	// source's channel, with a Ts that holds it.
	Now(ctx context.Context, source string) (ts.Ts, error)
	// At is a Ts of the source's channel that holds the position: waits for it.
	At(ctx context.Context, source, position string) (ts.Ts, error)
	// Reader gives a source that runs, to read its channel and snapshots.
	Reader(source string) (reconcile.Source, error)
	// Claim keeps a source's channel for a database from a Ts on, which it gives, and moves
	// the claim on with the database's Cut. 0: it is claimed already.
	Claim(ctx context.Context, source string, db *Database) (ts.Ts, error)
	// Gone forgets the snapshot of a table that followed one of the source, and with the
	// last one the claim. A source that does not run is no error.
	Gone(ctx context.Context, source string, db *Database, consumer string, last bool) error
}

// WaitUpstream returns when readers see everything that is committed upstream at a position
// (empty: at the moment of the call).
func (db *Database) WaitUpstream(ctx context.Context, source, position string) error {
	var at ts.Ts
	var err error
	if position == "" {
		at, err = db.o.Sources.Now(ctx, source)
	} else {
		at, err = db.o.Sources.At(ctx, source, position)
	}
	if err != nil {
		return err
	}
	return db.WaitFor(ctx, at)
}

// capturedTable keeps a table that follows one of a source.
func (db *Database) capturedTable(rec *relationRecord, id dataflow.JobID) (*job, error) {
	src := db.cat.Load().Get(rec.Source)
	if src == nil || src.Kind != catalog.KindSource || rec.Upstream == nil {
		return nil, &sql.Error{Code: sql.UndefinedObject, Message: "the source of \"" + rec.Name + "\" does not exist", Pos: -1}
	}
	reader, err := db.o.Sources.Reader(src.Name)
	if err != nil {
		return nil, err
	}
	rel := &rec.Relation
	cfg := op.UpsertConfig{Kinds: kinds(rel), Key: rel.Key, OldRows: len(rel.Key) == 0 && !rel.AppendOnly, Print: op.PrintRows(types(rel), time.UTC)}
	flow, err := dataflow.CompileTable(id, rec.Name, rec.FirstTable, cfg)
	if err != nil {
		return nil, err
	}
	table := rec.Upstream.Table
	cols := make([]worker.CapturedColumn, len(rel.Columns))
	for i, c := range rel.Columns {
		cols[i] = worker.CapturedColumn{Attribute: rec.Upstream.Attributes[i], Upstream: rec.Upstream.Types[i], Name: c.Name, Type: c.Type,
			Needed: func() bool { return db.needs(rel.ID, i) }}
	}
	shapes := func(version uint32) (*row.Schema, error) { return reader.Schema(table, version) }
	in := worker.Input{Node: flow.Inputs[0].Node, Table: &worker.Table{
		Channel: reader.Channel().Name(), ID: table, Key: inputKey(rel), Decode: worker.Captured(cfg, cols, shapes),
		Capture: &worker.Capture{Source: reader, Consumer: db.consumer(rel.ID)},
	}}
	return &job{rec: rec, job: worker.Job{Job: flow, Inputs: []worker.Input{in}}}, nil
}

// inputKey are the columns of an Upsert's input, which begins with the operation, that tell
// rows apart: the key's, or all.
func inputKey(rel *catalog.Relation) []int {
	var at []int
	for _, k := range rel.Key {
		at = append(at, k+1)
	}
	if at == nil {
		for k := range rel.Columns {
			at = append(at, k+1)
		}
	}
	return at
}

// consumer names the snapshot of a captured table at its source.
func (db *Database) consumer(id catalog.ID) string {
	return fmt.Sprintf("%s/%d/%d", db.o.Name, db.o.ID, id)
}

// claim keeps what a new relation needs of its source's channel: it reads what is after the
// epoch in which it is created.
func (db *Database) claim(ctx context.Context, rel *catalog.Relation) error {
	src := db.cat.Load().Get(rel.Source)
	if rel.Kind != catalog.KindCapture || src == nil {
		return nil
	}
	at, err := db.o.Sources.Claim(ctx, src.Name, db)
	if err != nil {
		return err
	}
	return db.WaitFor(ctx, at)
}

// claims goes on with the claims on all sources that tables follow.
func (db *Database) claims(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(db.followed(db.cat.Load()))) {
		if _, err := db.o.Sources.Claim(ctx, name, db); err != nil {
			db.log.Error("the database's claim on a source does not move", "source", name, "error", err)
		}
	}
}

// followed counts the tables that follow each source, by its name.
func (db *Database) followed(cat *catalog.Catalog) map[string]int {
	n := map[string]int{}
	for _, rel := range cat.List(catalog.KindCapture) {
		if src := cat.Get(rel.Source); src != nil {
			n[src.Name]++
		}
	}
	return n
}

// gone cleans up at the sources behind tables that a catalog had.
func (db *Database) gone(ctx context.Context, before *catalog.Catalog, ids []catalog.ID) {
	left := db.followed(db.cat.Load())
	for _, id := range ids {
		rel := before.Get(id)
		if rel == nil || rel.Kind != catalog.KindCapture {
			continue
		}
		name := before.Get(rel.Source).Name
		if err := db.o.Sources.Gone(ctx, name, db, db.consumer(id), left[name] == 0); err != nil {
			db.log.Error("cleaning up behind a table", "table", rel.Name, "source", name, "error", err)
		}
	}
}
