package database

import (
	"context"
	"fmt"
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
	// Claim keeps what is after at in the source's channel for a database, which moves
	// the claim on with its Cut.
	Claim(ctx context.Context, source string, db *Database, at ts.Ts) error
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
		cols[i] = worker.CapturedColumn{Attribute: rec.Upstream.Attributes[i], Name: c.Name, Type: c.Type}
	}
	shapes := func(version uint32) (*row.Schema, error) { return reader.Schema(table, version) }
	in := worker.Input{Node: flow.Inputs[0].Node, Table: &worker.Table{
		Channel: reader.Channel().Name(), ID: table, Key: inputKey(rel), Decode: worker.Captured(cfg, cols, shapes),
		Capture: &worker.Capture{Source: reader, Consumer: fmt.Sprintf("%s/%d/%d", db.o.Name, db.o.ID, rel.ID)},
	}}
	return &job{rec, worker.Job{Job: flow, Inputs: []worker.Input{in}}}, nil
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

// claim keeps what a new relation needs of its source's channel.
func (db *Database) claim(ctx context.Context, rel *catalog.Relation) error {
	src := db.cat.Load().Get(rel.Source)
	if rel.Kind != catalog.KindCapture || src == nil {
		return nil
	}
	return db.o.Sources.Claim(ctx, src.Name, db, db.Cut())
}
