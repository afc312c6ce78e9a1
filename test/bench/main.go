package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/test/rig"
)

func main() {
	bin := flag.String("weir", "", "the weir binary (built when empty)")
	only := flag.String("only", "", "regular expression of the groups to run: "+groupNames())
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *bin, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// groups are measured in this order.
var groups = []struct {
	name string
	run  func(context.Context, *lab) error
}{
	{"machines", measureMachines},
	{"log", measureLog},
	{"bulk", measureBulk},
	{"single", measureSingle},
	{"large", measureLarge},
	{"snapshot", measureSnapshot},
	{"latency", measureLatency},
	{"memory", measureMemory},
}

func groupNames() (names string) {
	for i, g := range groups {
		if i > 0 {
			names += ", "
		}
		names += g.name
	}
	return names
}

func run(ctx context.Context, bin, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	l, err := newLab(ctx, bin)
	if err != nil {
		return err
	}
	defer l.close()
	for _, g := range groups {
		if !wanted.MatchString(g.name) {
			continue
		}
		if groupErr := g.run(ctx, l); groupErr != nil {
			// One figure that fails does not hide the others.
			err = errors.Join(err, fmt.Errorf("%s: %w", g.name, groupErr))
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", g.name, groupErr)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return err
}

// lab is what the measurements share.
type lab struct {
	bin      string
	dir      string
	scale    float64
	src, dst *pgserver.Server // started by servers
}

func newLab(ctx context.Context, bin string) (*lab, error) {
	l := &lab{scale: 1}
	if s := os.Getenv("BENCH_SCALE"); s != "" {
		var err error
		if l.scale, err = strconv.ParseFloat(s, 64); err != nil || l.scale <= 0 || l.scale > 10 {
			return nil, fmt.Errorf("BENCH_SCALE=%q: want a number above 0, at most 10", s)
		}
	}
	var err error
	if l.dir, err = os.MkdirTemp("", "weir-bench-"); err != nil {
		return nil, err
	}
	if bin == "" {
		l.bin, err = rig.Build(ctx, l.dir)
	} else {
		l.bin, err = filepath.Abs(bin)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// servers starts the source's and the target's PostgreSQL, once.
func (l *lab) servers() (err error) {
	if l.src != nil {
		return nil
	}
	options := pgserver.Options{Config: []string{
		"fsync=on", "shared_buffers=512MB", "max_wal_size=16GB", "checkpoint_timeout=30min", "autovacuum=off",
		"wal_sender_timeout=5min", "wal_receiver_timeout=5min",
	}}
	if l.src, err = pgserver.Start(options); err != nil {
		return err
	}
	if l.dst, err = pgserver.Start(options); err != nil {
		return errors.Join(err, l.src.Close())
	}
	return nil
}

func (l *lab) close() {
	var err error
	for _, s := range []*pgserver.Server{l.src, l.dst} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if err = errors.Join(err, os.RemoveAll(l.dir)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// rows shrinks a count by the scale.
func (l *lab) rows(n int) int { return max(1000, int(float64(n)*l.scale)) }

// note says on standard error what happens; standard output is for figures.
func note(format string, args ...any) { fmt.Fprintf(os.Stderr, "  "+format+"\n", args...) }
