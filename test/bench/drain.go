package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/test/rig"
)

func measureBulk(ctx context.Context, l *lab) error {
	return l.drain(ctx, load{"bulk", l.rows(1_000_000), bulk}, "rows in 1,000-row transactions", "rows/s", 0.9)
}

func measureSingle(ctx context.Context, l *lab) error {
	return l.drain(ctx, load{"single", l.rows(200_000), single}, "single-row transactions", "transactions/s", 0.9)
}

func measureLarge(ctx context.Context, l *lab) error {
	return l.drain(ctx, load{"large", l.rows(1_000_000), large}, "rows in one transaction", "rows/s", 1.3)
}

// drain measures one backlog four ways: into the log and by pg_recvlogical, into
// a target and by native logical replication. All four have their slot before
// the backlog is written.
func (l *lab) drain(ctx context.Context, ld load, what, unit string, catchUpBar float64) (err error) {
	note("%s: %d %s", ld.name, ld.rows, what)
	source, target, err := l.freshPair(ctx, "drain_"+ld.name)
	if err != nil {
		return err
	}
	d := &drained{lab: l, load: ld, source: source, target: target, db: "drain_" + ld.name}
	defer func() { err = errors.Join(err, d.cleanUp(context.WithoutCancel(ctx))) }()
	for _, prepare := range []func(context.Context) error{d.preparePeers, d.prepareCapture, d.prepareFeed} {
		if err := prepare(ctx); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := ld.write(ctx, source, ld.rows); err != nil {
		return err
	}
	if d.end, err = finish(ctx, source); err != nil {
		return err
	}
	note("written in %.1f s, up to %s", time.Since(start).Seconds(), d.end)

	var runs [4]measured
	for i, run := range []func(context.Context) (measured, error){d.receive, d.capture, d.feed, d.native} {
		if runs[i], err = run(ctx); err != nil {
			return err
		}
	}
	rate := func(m measured) float64 { return float64(ld.rows) / m.wall.Seconds() }
	name := fmt.Sprintf("%d %s", ld.rows, what)
	return errors.Join(
		more("capture: "+name, rate(runs[1]), "pg_recvlogical", rate(runs[0]), unit, 0.9).senders(runs[1].sender, runs[0].sender).print(),
		more("catch-up: "+name, rate(runs[2]), "native logical replication", rate(runs[3]), unit, catchUpBar).senders(runs[2].sender, runs[3].sender).print(),
	)
}

// drained is one backlog with its four readers.
type drained struct {
	*lab
	load
	db, source, target string
	end                string    // position behind the backlog
	cap, full          *rig.Weir // without and with a changefeed
}

// measured is one way to drain a backlog.
type measured struct {
	wall   time.Duration
	sender float64 // walsender CPU seconds
}

// timed measures run, watching the sender of a slot.
func (d *drained) timed(ctx context.Context, slot string, run func() error) (measured, error) {
	watch := watchSender(ctx, d.src.URL(d.db), slot)
	start := time.Now()
	err := run()
	m := measured{wall: time.Since(start), sender: watch.stop()}
	note("%-14s %6.2f s wall, %5.2f s walsender", slot, m.wall.Seconds(), m.sender)
	return m, err
}

const (
	recvSlot, nativeSlot     = "bench_recv", "bench_native"
	capSource, fullSource    = "benchcap", "benchfull"
	nativeDatabase, feedName = "native_", "bench"
)

// preparePeers gives pg_recvlogical and a subscription their slots.
func (d *drained) preparePeers(ctx context.Context) error {
	err := errors.Join(d.src.Exec(ctx, d.db, "CREATE PUBLICATION bench_pub FOR TABLE load"),
		d.src.Exec(ctx, d.db, fmt.Sprintf("SELECT pg_create_logical_replication_slot('%s', 'pgoutput')", recvSlot)))
	if err != nil {
		return err
	}
	if _, err := d.dst.CreateDB(ctx, nativeDatabase+d.db); err != nil {
		return err
	}
	if err := d.dst.Exec(ctx, nativeDatabase+d.db, loadTable); err != nil {
		return err
	}
	return d.dst.Exec(ctx, nativeDatabase+d.db, fmt.Sprintf(`CREATE SUBSCRIPTION bench_sub
		CONNECTION 'host=127.0.0.1 port=%d dbname=%s user=postgres' PUBLICATION bench_pub
		WITH (enabled = false, create_slot = true, slot_name = '%s', copy_data = false)`, d.src.Port(), d.db, nativeSlot))
}

func (d *drained) prepareCapture(ctx context.Context) (err error) {
	if d.cap, err = d.weir(ctx, "cap"); err != nil {
		return err
	}
	if err = createSource(ctx, d.cap, capSource, d.source); err == nil {
		err = d.cap.Stop()
	}
	return err
}

func (d *drained) prepareFeed(ctx context.Context) (err error) {
	if d.full, err = d.weir(ctx, "full"); err != nil {
		return err
	}
	if err := createSource(ctx, d.full, fullSource, d.source); err != nil {
		return err
	}
	if err := createFeed(ctx, d.full, fullSource, d.target); err != nil {
		return err
	}
	return d.full.Stop()
}

// receive drains by pg_recvlogical into a file, with the options weir uses.
func (d *drained) receive(ctx context.Context) (measured, error) {
	tool, err := pgserver.Tool("pg_recvlogical")
	if err != nil {
		return measured{}, err
	}
	return d.timed(ctx, recvSlot, func() error {
		cmd := exec.CommandContext(ctx, tool, "-d", d.source, "--slot", recvSlot, "--start", "--no-loop",
			"-f", filepath.Join(d.dir, d.db+".recv"), "--endpos", d.end,
			"-o", "proto_version=2", "-o", "streaming=on", "-o", "publication_names=bench_pub")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("pg_recvlogical: %w\n%s", err, out)
		}
		return nil
	})
}

// capture drains by a weir without a changefeed: until its log is durable up to
// the end. The start of the process counts.
func (d *drained) capture(ctx context.Context) (measured, error) {
	m, err := d.timed(ctx, "%"+capSource+"%", func() error {
		if err := d.cap.Start(ctx); err != nil {
			return err
		}
		return awaitDurable(ctx, d.cap, capSource, d.end)
	})
	return m, errors.Join(err, d.cap.Stop())
}

// feed drains by a weir with a changefeed: until the target shows the marker.
func (d *drained) feed(ctx context.Context) (measured, error) {
	m, err := d.timed(ctx, "%"+fullSource+"%", func() error {
		if err := d.full.Start(ctx); err != nil {
			return err
		}
		return awaitMarker(ctx, d.target)
	})
	if err != nil {
		return m, err
	}
	return m, errors.Join(equalTo(ctx, d.source, d.target), d.full.Stop())
}

// native drains by a subscription: until its table shows the marker.
func (d *drained) native(ctx context.Context) (measured, error) {
	db := nativeDatabase + d.db
	return d.timed(ctx, nativeSlot, func() error {
		if err := d.dst.Exec(ctx, db, "ALTER SUBSCRIPTION bench_sub ENABLE"); err != nil {
			return err
		}
		return awaitMarker(ctx, d.dst.URL(db))
	})
}

// cleanUp lets the source forget the backlog.
func (d *drained) cleanUp(ctx context.Context) (err error) {
	for _, w := range []*rig.Weir{d.cap, d.full} {
		if w != nil {
			err = errors.Join(err, w.Kill())
		}
	}
	db := nativeDatabase + d.db
	_ = d.dst.Exec(ctx, db, "ALTER SUBSCRIPTION bench_sub DISABLE") // it may not be there
	_ = d.dst.Exec(ctx, db, "DROP SUBSCRIPTION bench_sub")
	return errors.Join(err, dropSlots(ctx, d.src, d.db))
}
