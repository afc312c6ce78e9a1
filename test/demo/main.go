package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/test/rig"
)

func main() {
	bin := flag.String("weir", "", "the weir binary (built when empty)")
	rate := flag.Int("rate", 200, "transactions a second that the writer commits")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *bin, *rate); err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// runFor is RUN_SECONDS, 0 for until Ctrl-C.
func runFor() (time.Duration, error) {
	s := os.Getenv("RUN_SECONDS")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("RUN_SECONDS=%q: want a number of seconds above 0", s)
	}
	return time.Duration(n) * time.Second, nil
}

// run builds the stage, plays, and strikes it. ctx ends the play, not the ending.
func run(ctx context.Context, bin string, rate int) (err error) {
	length, err := runFor()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "weir-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if bin == "" {
		say("building weir")
		if bin, err = rig.Build(ctx, dir); err != nil {
			return err
		}
	} else if bin, err = filepath.Abs(bin); err != nil {
		return err
	}

	say("starting a private PostgreSQL with the databases shop and replica")
	srv, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	s := &stage{srv: srv, files: filepath.Join(dir, "files")}
	if err := s.openShop(ctx); err != nil {
		return err
	}
	say("  shop     %s", s.shop)
	say("  replica  %s", s.replica)

	say("starting weir serve on an empty data directory")
	if s.weir, err = rig.New(rig.Options{Bin: bin, DataDir: filepath.Join(dir, "weir-data")}); err != nil {
		return err
	}
	if err := s.weir.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.weir.Stop()) }()
	say("  http     %s", s.weir.Server())
	return s.play(ctx, rate, length)
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
