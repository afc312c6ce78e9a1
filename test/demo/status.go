package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/test/rig"
)

// watch prints a status line a second until ctx ends.
func (s *stage) watch(ctx context.Context, w *writer) error {
	stats, err := pgx.Connect(ctx, s.srv.URL("postgres"))
	if err != nil {
		return err
	}
	defer stats.Close(context.WithoutCancel(ctx))
	shown, err := s.connectSQL(ctx)
	if err != nil {
		return err
	}
	defer shown.Close(context.WithoutCancel(ctx))
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last, lastWritten, lastArrived := time.Now(), w.rows.Load(), int64(0)
	if lastArrived, err = arrived(ctx, stats); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.weir.Ended():
			return errors.New("weir has ended by itself")
		case <-tick.C:
		}
		now, written := time.Now(), w.rows.Load()
		got, err := arrived(ctx, stats)
		var parts [3]string
		for i, cf := range []string{toReplica, toFiles} {
			if err == nil {
				parts[i], err = s.describe(ctx, cf)
			}
		}
		if err == nil {
			parts[2], err = glance(ctx, shown)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		seconds := now.Sub(last).Seconds()
		say("%s  shop %5.0f rows/s → replica %6.0f rows/s │ %s │ %s │ %s", now.Format(time.TimeOnly),
			float64(written-lastWritten)/seconds, float64(got-lastArrived)/seconds, parts[0], parts[1], parts[2])
		last, lastWritten, lastArrived = now, written, got
	}
}

// describe says in a few words how a changefeed is and what holds it.
func (s *stage) describe(ctx context.Context, name string) (string, error) {
	f, err := s.weir.Feed(ctx, name)
	if err != nil {
		return "", err
	}
	if f.Error != nil && f.State != "normal" {
		return "", fmt.Errorf("changefeed %s is %s: %s %s", name, f.State, f.Error.Code, f.Error.Message)
	}
	return name + ": " + words(&f), nil
}

func words(f *rig.Feed) string {
	if !f.Consistent() {
		text := "snapshot"
		if f.Snapshot != nil {
			text = fmt.Sprintf("snapshot %d of %d rows", f.Snapshot.RowsDone, f.Snapshot.RowsTotal)
		}
		return text + held(f)
	}
	lag := time.Since(f.CheckpointTs.Time()).Round(10 * time.Millisecond)
	return fmt.Sprintf("lag %v", max(0, lag)) + held(f)
}

// held names what the checkpoint waits for.
func held(f *rig.Feed) string {
	if f.Holder == nil || f.Holder.Stage == "" {
		return ""
	}
	age := max(0, time.Since(f.Holder.Since).Round(time.Second))
	if f.Holder.Table == "" {
		return fmt.Sprintf(", %s for %v", strings.ReplaceAll(f.Holder.Stage, "-", " "), age)
	}
	return fmt.Sprintf(", held by %s in stage %s for %v", f.Holder.Table, f.Holder.Stage, age)
}

// arrived counts the row changes that the replica has committed, by its own
// statistics.
func arrived(ctx context.Context, conn *pgx.Conn) (n int64, err error) {
	err = conn.QueryRow(ctx, `SELECT tup_inserted + tup_updated + tup_deleted FROM pg_stat_database WHERE datname = 'replica'`).Scan(&n)
	return n, err
}
