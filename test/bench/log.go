package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

const (
	appendBytes   = 1 << 10
	appendWriters = 128
)

// measureLog measures the log by itself, without PostgreSQL.
func measureLog(ctx context.Context, l *lab) error {
	return errors.Join(l.measureAppends(ctx), l.measureReopen(ctx))
}

// measureAppends compares durable appends with Pebble's synced commits, in
// alternating rounds of which the median counts.
func (l *lab) measureAppends(ctx context.Context) error {
	length := time.Duration(float64(4*time.Second) * min(1, max(l.scale, 0.25)))
	var ours, theirs []float64
	for round := range 3 {
		a, err := l.appendRate(ctx, filepath.Join(l.dir, fmt.Sprintf("log-%d", round)), length)
		if err != nil {
			return err
		}
		b, err := l.pebbleRate(ctx, filepath.Join(l.dir, fmt.Sprintf("pebble-%d", round)), length)
		if err != nil {
			return err
		}
		note("appends        %8.0f/s log, %8.0f/s Pebble", a, b)
		ours, theirs = append(ours, a), append(theirs, b)
	}
	return more(fmt.Sprintf("durable 1 KiB appends, %d writers", appendWriters), median(ours), "Pebble, synced commits", median(theirs), "appends/s", 1).print()
}

func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[len(sorted)/2]
}

// together calls one from all writers until the time is over, and returns calls
// a second.
func together(ctx context.Context, length time.Duration, one func(context.Context) error) (float64, error) {
	var calls atomic.Int64
	var failed sync.Once
	var err error
	var wait sync.WaitGroup
	start := time.Now()
	end := start.Add(length)
	for range appendWriters {
		wait.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				if oneErr := one(ctx); oneErr != nil {
					failed.Do(func() { err = oneErr })
					return
				}
				calls.Add(1)
			}
		})
	}
	wait.Wait()
	return float64(calls.Load()) / time.Since(start).Seconds(), err
}

func (l *lab) appendRate(ctx context.Context, dir string, length time.Duration) (rate float64, err error) {
	log, err := local.Open(dir, local.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	channel, err := log.Channel("bench")
	if err != nil {
		return 0, err
	}
	w, err := channel.Lead(ctx)
	if err != nil {
		return 0, err
	}
	payload := make([]byte, appendBytes)
	rate, err = together(ctx, length, func(ctx context.Context) error {
		t, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Changes: payload})
		if err != nil {
			return err
		}
		return w.WaitDurable(ctx, t)
	})
	return rate, errors.Join(err, w.Close())
}

func (l *lab) pebbleRate(ctx context.Context, dir string, length time.Duration) (rate float64, err error) {
	db, err := pebble.Open(dir, &pebble.Options{Logger: silent{}, MemTableSize: 64 << 20})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var next atomic.Uint64
	payload := make([]byte, appendBytes)
	return together(ctx, length, func(context.Context) error {
		return db.Set(fmt.Appendf(nil, "%016x", next.Add(1)), payload, pebble.Sync)
	})
}

// silent drops Pebble's chatter; a fatal message still ends the bench.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// measureReopen writes a gigabyte, closes and opens again.
func (l *lab) measureReopen(ctx context.Context) error {
	size := int64(float64(1<<30) * l.scale)
	dir := filepath.Join(l.dir, "reopen")
	if err := l.writeLog(ctx, dir, size); err != nil {
		return err
	}
	start := time.Now()
	log, err := local.Open(dir, local.Options{})
	if err != nil {
		return err
	}
	channel, err := log.Channel("bench")
	if err != nil {
		return errors.Join(err, log.Close())
	}
	took := time.Since(start)
	if got := channel.Status().Bytes; got < size {
		return errors.Join(fmt.Errorf("the reopened log has %d bytes of %d", got, size), log.Close())
	}
	return errors.Join(log.Close(),
		bound(fmt.Sprintf("reopening a log of %d MiB", size>>20), float64(took.Microseconds())/1000, 100, "ms").print())
}

func (l *lab) writeLog(ctx context.Context, dir string, size int64) (err error) {
	log, err := local.Open(dir, local.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	channel, err := log.Channel("bench")
	if err != nil {
		return err
	}
	w, err := channel.Lead(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	payload := make([]byte, 64<<10)
	for written := int64(0); written < size; written += int64(len(payload)) {
		t, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Changes: payload})
		if err == nil && written%(8<<20) == 0 {
			err = w.WaitDurable(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	durable, err := w.Promise(0)
	if err != nil {
		return err
	}
	return w.WaitDurable(ctx, durable)
}
