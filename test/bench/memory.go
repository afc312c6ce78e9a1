package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// measureMemory drains one huge transaction into a target and reads the peak of
// weir's resident memory.
func measureMemory(ctx context.Context, l *lab) (err error) {
	rows := l.rows(5_000_000)
	note("memory: one transaction of %d rows", rows)
	source, target, err := l.freshPair(ctx, "memory")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dropSlots(context.WithoutCancel(ctx), l.src, "memory")) }()
	w, err := l.weir(ctx, "memory")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Kill()) }()
	if err := createSource(ctx, w, "memory", source); err != nil {
		return err
	}
	if err := createFeed(ctx, w, "memory", target); err != nil {
		return err
	}
	start := time.Now()
	if err := large(ctx, source, rows); err != nil {
		return err
	}
	written := time.Now()
	if _, err := finish(ctx, source); err != nil {
		return err
	}
	if err := awaitMarker(ctx, target); err != nil {
		return err
	}
	note("written in %.1f s, delivered %.1f s after its commit", written.Sub(start).Seconds(), time.Since(written).Seconds())
	return errors.Join(equalTo(ctx, source, target),
		bound(fmt.Sprintf("peak RSS while a transaction of %d rows drains", rows), float64(peakRSS(w.Pid()))/(1<<20), 400, "MB").print())
}

// peakRSS is the largest resident size that a process had, in bytes.
func peakRSS(pid int) int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}
