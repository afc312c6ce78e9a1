package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// latencyRate is how many transactions a second are committed.
const latencyRate = 500

// measureLatency commits single rows at a steady rate and looks at the target
// for them, every millisecond: first with a subscription, then with weir.
func measureLatency(ctx context.Context, l *lab) (err error) {
	count := max(2000, l.rows(10_000))
	note("latency: %d transactions at %d a second", count, latencyRate)
	source, target, err := l.freshPair(ctx, "latency")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dropSlots(context.WithoutCancel(ctx), l.src, "latency")) }()

	native, err := l.nativeLatency(ctx, source, count)
	if err != nil {
		return err
	}
	w, err := l.weir(ctx, "latency")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Kill()) }()
	if err := createSource(ctx, w, "latency", source); err != nil {
		return err
	}
	if err := createFeed(ctx, w, "latency", target); err != nil {
		return err
	}
	ours, err := paced(ctx, source, target, count, count)
	if err != nil {
		return err
	}
	for _, p := range []float64{0.50, 0.99} {
		name := fmt.Sprintf("latency commit to target, p%.0f at %d tx/s", p*100, latencyRate)
		err = errors.Join(err, less(name, quantile(ours, p), "native logical replication", quantile(native, p), "ms", 0).print())
	}
	return err
}

func (l *lab) nativeLatency(ctx context.Context, source string, count int) (latencies []float64, err error) {
	const db = "latency_native"
	target, err := l.dst.CreateDB(ctx, db)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(l.dst.Exec(ctx, db, loadTable), l.src.Exec(ctx, "latency", "CREATE PUBLICATION bench_pub FOR TABLE load")); err != nil {
		return nil, err
	}
	err = l.dst.Exec(ctx, db, fmt.Sprintf(`CREATE SUBSCRIPTION bench_sub CONNECTION 'host=127.0.0.1 port=%d dbname=latency user=postgres'
		PUBLICATION bench_pub WITH (slot_name = 'bench_latency', copy_data = false)`, l.src.Port()))
	if err != nil {
		return nil, err
	}
	// A subscription takes seconds to start: not before its first row has come.
	if _, err = finish(ctx, source); err == nil {
		err = awaitMarker(ctx, target)
	}
	if err == nil {
		latencies, err = paced(ctx, source, target, 0, count)
	}
	return latencies, errors.Join(err, l.dst.Exec(ctx, db, "DROP SUBSCRIPTION bench_sub"))
}

// paced commits rows first+1 … first+count and returns, in milliseconds, how
// long after its commit each was visible at the target.
func paced(ctx context.Context, source, target string, first, count int) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	committed := make([]time.Time, count)
	written := make(chan error, 1)
	go func() { written <- commitPaced(ctx, source, first, committed) }()
	seen, err := watchArrivals(ctx, target, first, count)
	if err = errors.Join(err, <-written); err != nil {
		return nil, err
	}
	latencies := make([]float64, count)
	for i := range latencies {
		latencies[i] = float64(seen[i].Sub(committed[i]).Microseconds()) / 1000
	}
	slices.Sort(latencies)
	return latencies, nil
}

// commitPaced notes for each row when its commit was acknowledged.
func commitPaced(ctx context.Context, url string, first int, committed []time.Time) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tick := time.NewTicker(time.Second / latencyRate)
	defer tick.Stop()
	for i := range committed {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if _, err := conn.Exec(ctx, "INSERT INTO load VALUES ($1, 1, 'latency', now(), 1)", first+i+1); err != nil {
			return err
		}
		committed[i] = time.Now()
	}
	return nil
}

// watchArrivals notes for each row when it was first seen. It asks every
// millisecond for rows above the highest seen; ids are committed in order.
func watchArrivals(ctx context.Context, url string, first, count int) ([]time.Time, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	seen := make([]time.Time, count)
	for have := 0; have < count; {
		var highest *int
		if err := conn.QueryRow(ctx, "SELECT max(id) FROM load WHERE id > $1", first+have).Scan(&highest); err != nil {
			return nil, err
		}
		now := time.Now()
		if highest != nil {
			for ; have < min(count, *highest-first); have++ {
				seen[have] = now
			}
		}
		time.Sleep(time.Millisecond)
	}
	return seen, nil
}

// quantile of sorted values.
func quantile(sorted []float64, p float64) float64 {
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}
