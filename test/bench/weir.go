package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/test/rig"
)

// weir starts an installation on an empty data directory.
func (l *lab) weir(ctx context.Context, name string) (*rig.Weir, error) {
	dir := filepath.Join(l.dir, fmt.Sprintf("%s-%d", name, time.Now().UnixNano()))
	w, err := rig.New(rig.Options{Bin: l.bin, DataDir: dir})
	if err != nil {
		return nil, err
	}
	return w, w.Start(ctx)
}

// createSource creates a source and returns when it streams.
func createSource(ctx context.Context, w *rig.Weir, name, url string) error {
	if _, err := w.CLI(ctx, "source", "create", name, "--url", url); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		s, err := sourceStatus(ctx, w, name)
		if err == nil && s.State == "streaming" {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("source %s does not stream after a minute: %s %s (%w)", name, s.State, s.Waits, errors.Join(err, ctx.Err()))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// createFeed creates the changefeed and returns when its target is consistent.
func createFeed(ctx context.Context, w *rig.Weir, source, target string) error {
	if _, err := w.CLI(ctx, "changefeed", "create", feedName, "--source", source, "--tables", "public.load", "--sink", target); err != nil {
		return err
	}
	_, err := w.AwaitFeed(ctx, feedName, drainLimit, func(f rig.Feed) bool { return f.Consistent() })
	return err
}

type sourceState struct {
	State    string `json:"state"`
	Waits    string `json:"waits"`
	Position string `json:"position"`
}

func sourceStatus(ctx context.Context, w *rig.Weir, name string) (sourceState, error) {
	var s struct {
		Status sourceState `json:"status"`
	}
	err := w.Get(ctx, "/api/weir/sources/"+name, &s)
	return s.Status, err
}

// awaitDurable returns when the log has everything up to a position.
func awaitDurable(ctx context.Context, w *rig.Weir, source, position string) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	end := lsn(position)
	for {
		s, err := sourceStatus(ctx, w, source)
		if err == nil && lsn(s.Position) >= end {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("source %s is at %s, not at %s: %w", source, s.Position, position, errors.Join(err, ctx.Err()))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// lsn reads PostgreSQL's X/Y; 0 when it is none.
func lsn(s string) uint64 {
	hi, lo, ok := strings.Cut(s, "/")
	h, err1 := strconv.ParseUint(hi, 16, 32)
	l, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err1 != nil || err2 != nil {
		return 0
	}
	return h<<32 | l
}

// equalTo fails unless both databases have the same rows.
func equalTo(ctx context.Context, source, target string) error {
	diffs, err := rig.Compare(ctx, source, target, "public.load")
	if err == nil && !diffs[0].Equal() {
		err = errors.New(diffs[0].String())
	}
	return err
}

// dropSlots drops the slots of a database, whose readers have ended or end now.
func dropSlots(ctx context.Context, srv *pgserver.Server, db string) error {
	var err error
	for range 50 {
		err = srv.Exec(ctx, db, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database() AND active;
			SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database() AND NOT active`)
		if err == nil {
			err = srv.Exec(ctx, db, `DO $$ BEGIN IF EXISTS (SELECT FROM pg_replication_slots WHERE database = current_database()) THEN
				RAISE 'slots are left'; END IF; END $$`)
		}
		if err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}
