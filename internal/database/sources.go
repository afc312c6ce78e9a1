package database

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
)

// Sources are the captures of upstream databases.
type Sources interface {
	// Now returns when all that was committed upstream before the call is in the
	// source's channel, with a Ts that holds it.
	Now(ctx context.Context, source string) (ts.Ts, error)
	// At is a Ts of the source's channel that holds the position: waits for it.
	At(ctx context.Context, source, position string) (ts.Ts, error)
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
	if src == nil || src.Kind != catalog.KindSource {
		return nil, &sql.Error{Code: sql.UndefinedObject, Message: "the source of \"" + rec.Name + "\" does not exist", Pos: -1}
	}
	return nil, &sql.Error{Code: sql.FeatureNotSupported, Message: "tables that follow a source are not supported yet", Pos: -1}
}
