package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/test/rig"
)

// stage is everything the demo plays with.
type stage struct {
	srv           *pgserver.Server
	weir          *rig.Weir
	shop, replica string // URLs
	files         string // directory of the file changefeed
}

// The two changefeeds.
const toReplica, toFiles = "replica", "files"

// deliveryLimit is how long the end may take to catch up.
const deliveryLimit = 2 * time.Minute

// play runs the shop for a while (0: until ctx ends), then judges.
func (s *stage) play(ctx context.Context, rate int, length time.Duration) error {
	say("\nopening the shop: %d transactions a second, and what a user types:", rate)
	w := startWriter(s.shop, rate)
	if err := s.define(ctx); err != nil {
		_ = w.stop() // the first error is the one to tell
		return fmt.Errorf("%w\n%s", err, s.weir.Log())
	}
	if length > 0 {
		say("\nrunning for %v", length)
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, length)
		defer end()
	} else {
		say("\nrunning until Ctrl-C")
	}
	watchErr := s.watch(ctx, w)
	if err := w.stop(); err != nil {
		return err
	}
	if watchErr != nil {
		return fmt.Errorf("%w\n%s", watchErr, s.weir.Log())
	}
	// Ctrl-C has ended ctx; the judgement takes the time it takes.
	return s.judge(context.Background(), w)
}

// define creates what weir is to do: some by SQL, some by its command line.
func (s *stage) define(ctx context.Context) error {
	if err := s.createSource(ctx); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"changefeed", "create", toReplica, "--source", "shop", "--tables", "public.*", "--sink", s.replica},
		{"changefeed", "create", toFiles, "--source", "shop", "--tables", "public.*", "--sink", "file://" + s.files},
	} {
		say("  weir %s", strings.Join(args, " "))
		if _, err := s.weir.CLI(ctx, args...); err != nil {
			return err
		}
	}
	return s.createViews(ctx)
}

// judge compares what left the shop with what arrived.
func (s *stage) judge(ctx context.Context, w *writer) error {
	say("\nclosing the shop after %d transactions with %d row changes; waiting until all is delivered", w.commits.Load(), w.rows.Load())
	for _, cf := range []string{toReplica, toFiles} {
		start := time.Now()
		if err := s.weir.Wait(ctx, cf, deliveryLimit); err != nil {
			return fmt.Errorf("%w\n%s", err, s.weir.Log())
		}
		say("  %-8s delivered within %v", cf, time.Since(start).Round(time.Millisecond))
	}
	say("weir changefeed verify %s", toReplica)
	out, err := s.weir.CLI(ctx, "changefeed", "verify", toReplica)
	if err != nil {
		return err
	}
	say("  %s", strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "\n  "))

	say("comparing both databases row by row, EXCEPT ALL both ways")
	diffs, err := rig.Compare(ctx, s.shop, s.replica, shopTables...)
	if err != nil {
		return err
	}
	equal := true
	for i := range diffs {
		say("  %s", diffs[i].String())
		equal = equal && diffs[i].Equal()
	}
	say("reading the files line by line")
	summary, err := checkFiles(ctx, s.files, s.shop)
	if err != nil {
		return err
	}
	say("  %s", summary)
	say("comparing the views with the same queries on the shop")
	if err := s.checkViews(ctx); err != nil {
		return fmt.Errorf("%w\n%s", err, s.weir.Log())
	}
	if !equal {
		return fmt.Errorf("the replica differs from the shop; weir's log ends:\n%s", s.weir.Log())
	}
	say("\nequal: every row arrived, once, and the views are what their queries say")
	return nil
}
