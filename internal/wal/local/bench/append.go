package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

// Config of a comparison of durable appends.
type Config struct {
	Dir     string        // both stores are made below it
	Writers int           // goroutines, each of which waits for its own append
	Bytes   int           // of one append's payload
	Rounds  int           // of each side
	Round   time.Duration // how long one takes
}

// Result of a comparison: medians over the rounds.
type Result struct {
	Log, Pebble       float64 // durable appends a second
	LogP99, PebbleP99 time.Duration
}

// Ratio is how many times faster the log is.
func (r Result) Ratio() float64 { return r.Log / r.Pebble }

// Appends measures the log's durable appends beside Pebble's synced commits.
func Appends(ctx context.Context, cfg Config) (Result, error) {
	l, err := local.Open(filepath.Join(cfg.Dir, "log"), local.Options{})
	if err != nil {
		return Result{}, err
	}
	defer l.Close()
	c, err := l.Channel("bench")
	if err != nil {
		return Result{}, err
	}
	w, err := c.Lead(ctx)
	if err != nil {
		return Result{}, err
	}
	db, err := pebble.Open(filepath.Join(cfg.Dir, "pebble"), &pebble.Options{Logger: silent{}})
	if err != nil {
		return Result{}, err
	}
	defer db.Close()
	var log, peb side
	for range cfg.Rounds {
		err := log.round(cfg, func(payload []byte, _ uint64) error {
			t, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Changes: payload})
			if err != nil {
				return err
			}
			return w.WaitDurable(ctx, t)
		})
		if err != nil {
			return Result{}, fmt.Errorf("log: %w", err)
		}
		err = peb.round(cfg, func(payload []byte, n uint64) error {
			b := db.NewBatch()
			defer b.Close()
			var key [8]byte
			binary.BigEndian.PutUint64(key[:], n)
			if err := b.Set(key[:], payload, nil); err != nil {
				return err
			}
			return b.Commit(pebble.Sync)
		})
		if err != nil {
			return Result{}, fmt.Errorf("pebble: %w", err)
		}
	}
	return Result{Log: median(log.rates), Pebble: median(peb.rates), LogP99: median(log.p99s), PebbleP99: median(peb.p99s)}, nil
}

// side gathers the rounds of one store.
type side struct {
	next  atomic.Uint64
	rates []float64
	p99s  []time.Duration
}

func (s *side) round(cfg Config, op func(payload []byte, n uint64) error) error {
	var wg sync.WaitGroup
	times := make([][]time.Duration, cfg.Writers)
	errs := make([]error, cfg.Writers)
	began := time.Now()
	for i := range cfg.Writers {
		wg.Go(func() {
			payload := make([]byte, cfg.Bytes)
			rand.New(rand.NewSource(int64(i))).Read(payload)
			for at := time.Now(); at.Sub(began) < cfg.Round && errs[i] == nil; {
				errs[i] = op(payload, s.next.Add(1))
				now := time.Now()
				times[i] = append(times[i], now.Sub(at))
				at = now
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	s.rates = append(s.rates, float64(len(all))/took.Seconds())
	s.p99s = append(s.p99s, all[len(all)*99/100])
	return nil
}

func median[T float64 | time.Duration](v []T) T {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

type silent struct{}

func (silent) Infof(string, ...any)         {}
func (silent) Errorf(string, ...any)        {}
func (silent) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
