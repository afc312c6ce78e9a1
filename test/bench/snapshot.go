package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// measureSnapshot copies a table into a target with the same key: by weir,
// through its fsynced log, and by COPY out piped into COPY in.
func measureSnapshot(ctx context.Context, l *lab) (err error) {
	rows := l.rows(5_000_000)
	note("snapshot: %d rows", rows)
	source, target, err := l.freshPair(ctx, "snap")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dropSlots(context.WithoutCancel(ctx), l.src, "snap")) }()
	if err := large(ctx, source, rows); err != nil {
		return err
	}
	if err := errors.Join(execSQL(ctx, source, "ANALYZE load"), execSQL(ctx, source, "CHECKPOINT")); err != nil {
		return err
	}
	piped, err := l.copyPipe(ctx, source)
	if err != nil {
		return err
	}
	note("COPY | COPY   %6.2f s", piped.Seconds())

	w, err := l.weir(ctx, "snap")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Kill()) }()
	if err := createSource(ctx, w, "snap", source); err != nil {
		return err
	}
	start := time.Now()
	if err := createFeed(ctx, w, "snap", target); err != nil {
		return err
	}
	ours := time.Since(start)
	note("weir          %6.2f s, peak RSS %d MB", ours.Seconds(), peakRSS(w.Pid())>>20)
	rate := func(d time.Duration) float64 { return float64(rows) / d.Seconds() }
	return errors.Join(equalTo(ctx, source, target),
		more(fmt.Sprintf("snapshot: %d rows into an equal target", rows), rate(ours), "psql COPY | COPY", rate(piped), "rows/s", 0.8).print())
}

// copyPipe is how a person would copy the table.
func (l *lab) copyPipe(ctx context.Context, source string) (time.Duration, error) {
	target, err := l.dst.CreateDB(ctx, "snap_piped")
	if err != nil {
		return 0, err
	}
	if err := l.dst.Exec(ctx, "snap_piped", loadTable); err != nil {
		return 0, err
	}
	psql, err := pgserver.Tool("psql")
	if err != nil {
		return 0, err
	}
	out := exec.CommandContext(ctx, psql, "-X", "-d", source, "-c", "COPY load TO STDOUT")
	in := exec.CommandContext(ctx, psql, "-X", "-d", target, "-c", "COPY load FROM STDIN")
	var errOut bytes.Buffer
	out.Stderr, in.Stderr = &errOut, &errOut
	if in.Stdin, err = out.StdoutPipe(); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := errors.Join(in.Start(), out.Start()); err != nil {
		return 0, err
	}
	if err := errors.Join(in.Wait(), out.Wait()); err != nil {
		return 0, fmt.Errorf("psql: %w\n%s", err, errOut.String())
	}
	return time.Since(start), nil
}
