package database

import (
	"context"
	"errors"
	"time"
)

var errRecovering = errors.New("the database is recovering")

// patience bounds how long a statement waits for a database that recovers: it takes
// moments after a start, and for ever when something is broken.
const patience = 15 * time.Second

// awake waits until the database runs, so that commands are taken.
func (db *Database) awake(ctx context.Context) error {
	if db.running() {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := db.Ready(wait)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return db.command(errRecovering)
}

// shown waits until there is an epoch to read.
func (db *Database) shown(ctx context.Context) error {
	if db.o.Views.Epoch(db.o.ID) != 0 {
		return nil
	}
	return db.awake(ctx)
}
