package consistency

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// verdict gathers what all watchers have seen.
type verdict struct {
	mu     sync.Mutex
	seen   map[string]int // by watcher: answers or epochs
	faults []string
}

func (v *verdict) saw(watcher string, faults []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen[watcher]++
	for _, f := range faults {
		v.faults = append(v.faults, watcher+": "+f)
	}
}

// count is how much a watcher has seen.
func (v *verdict) count(watcher string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen[watcher]
}

// What has to be there before the test shows anything.
const (
	transfers    = 100
	observations = 10
)

// enough: every kind of watcher has seen something.
func (v *verdict) enough() bool {
	for _, name := range []string{"reader 1", "reader 2", "subscriber of books", "epochs put together"} {
		if v.count(name) < observations {
			return false
		}
	}
	return true
}

// watchers look at weir all the time, whatever becomes of it.
type watchers struct {
	verdict
	url    string
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// watch starts two readers and the subscribers.
func watch(url string) *watchers {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watchers{verdict: verdict{seen: map[string]int{}}, url: url, cancel: cancel}
	for i := range 2 {
		r := &reader{name: fmt.Sprintf("reader %d", i+1), v: &w.verdict, last: map[int64]int64{}}
		w.keep(ctx, r.name, r.read)
	}
	w.keep(ctx, "subscriber of books", func(ctx context.Context, conn *pgx.Conn) error {
		return followBooks(ctx, conn, &w.verdict)
	})
	p := newPuzzle(&w.verdict)
	for _, relation := range puzzled {
		w.keep(ctx, "subscriber of "+relation, func(ctx context.Context, conn *pgx.Conn) error { return p.follow(ctx, conn, relation) })
	}
	return w
}

// keep runs do on a connection, and again on another when weir has ended.
func (w *watchers) keep(ctx context.Context, name string, do func(ctx context.Context, conn *pgx.Conn) error) {
	w.wait.Go(func() {
		for ctx.Err() == nil {
			if err := once(ctx, w.url, do); err != nil && ctx.Err() == nil && !lost(err) {
				w.saw(name, []string{err.Error()})
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

func once(ctx context.Context, url string, do func(ctx context.Context, conn *pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return do(ctx, conn)
}

// lost tells the end of a server from an answer of it.
func lost(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return strings.HasPrefix(e.Code, "57P") || strings.HasPrefix(e.Code, "08")
	}
	return true
}

// stop ends the watchers and gives what they saw.
func (w *watchers) stop(t *testing.T) {
	t.Helper()
	w.cancel()
	w.wait.Wait()
	for i, f := range w.faults {
		if i == 20 {
			t.Errorf("and %d more", len(w.faults)-i)
			break
		}
		t.Error(f)
	}
	t.Logf("observations: %v", w.seen)
}

// reader reads everything in one statement, again and again.
type reader struct {
	name string
	v    *verdict
	last map[int64]int64 // of each writer, what was seen: over restarts too
}

func (r *reader) read(ctx context.Context, conn *pgx.Conn) error {
	for ctx.Err() == nil {
		b := books{}
		var faults []string
		rows, err := conn.Query(ctx, everything+" UNION ALL "+anew)
		if err != nil {
			return err
		}
		var kind string
		var key, value int64
		_, err = pgx.ForEachRow(rows, []any{&kind, &key, &value}, func() error {
			if err := b.add(kind, key, value); err != nil {
				faults = append(faults, err.Error())
			}
			return nil
		})
		if err != nil {
			return err
		}
		for w, n := range r.last {
			if b["written"][w] < n {
				faults = append(faults, fmt.Sprintf("of writer %d there are %d rows, there were %d", w, b["written"][w], n))
			}
		}
		r.last = b["written"]
		r.v.saw(r.name, append(faults, b.check()...))
	}
	return nil
}
