package consistency

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// bank are the writers of transfers, at weir or upstream.
type bank struct {
	url     string
	settle  string // what makes a new session see all that is durable; empty: nothing
	pause   time.Duration
	cancel  context.CancelFunc
	wait    sync.WaitGroup
	mu      sync.Mutex
	written map[int64]int64 // by writer: transfers that were acknowledged
	faults  []string
}

// start lets n writers write until stop.
func (b *bank) start(n int) {
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.written = cancel, map[int64]int64{}
	for w := range int64(n) {
		b.wait.Go(func() {
			for ctx.Err() == nil {
				err := once(ctx, b.url, func(ctx context.Context, conn *pgx.Conn) error { return b.session(ctx, conn, w+1) })
				if err != nil && ctx.Err() == nil && !lost(err) {
					b.fault("writer %d: %v", w+1, err)
					return
				}
				select {
				case <-ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
}

func (b *bank) fault(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// total is how many transfers were acknowledged.
func (b *bank) total() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return sum(b.written)
}

// stop ends the writers and gives what each has written.
func (b *bank) stop(t *testing.T) map[int64]int64 {
	t.Helper()
	b.cancel()
	b.wait.Wait()
	for _, f := range b.faults {
		t.Error(f)
	}
	return b.written
}

// session writes transfers one after another. What was acknowledged is there when it begins.
func (b *bank) session(ctx context.Context, conn *pgx.Conn, writer int64) error {
	if b.settle != "" {
		if _, err := conn.Exec(ctx, b.settle); err != nil {
			return err
		}
	}
	var last int64
	err := conn.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM ledger WHERE writer = $1", writer).Scan(&last)
	if err != nil {
		return err
	}
	b.mu.Lock()
	known := b.written[writer]
	b.mu.Unlock()
	last = max(last-writer*idSpace, 0)
	if last != known && last != known+1 { // one may have got through without an answer
		b.fault("writer %d: %d transfers were acknowledged, %d are there", writer, known, last)
	}
	for ctx.Err() == nil {
		b.mu.Lock()
		b.written[writer] = last
		b.mu.Unlock()
		switch err := transfer(context.WithoutCancel(ctx), conn, writer, last+1); {
		case err == nil:
			last++
		case !errors.Is(err, errAgain):
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(b.pause):
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written[writer] = last
	return nil
}

// errAgain: the transfer did not take place.
var errAgain = errors.New("rolled back")

// transfer moves money in both tables. One in twenty is rolled back at its end.
func transfer(ctx context.Context, conn *pgx.Conn, writer, seq int64) error {
	from, to, amount := rand.IntN(accounts), rand.IntN(accounts), 1+rand.IntN(20)
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	type move struct{ id, by int }
	moves := []move{{from, -amount}, {to, amount}}
	slices.SortFunc(moves, func(a, b move) int { return a.id - b.id }) // or writers would wait for each other
	for _, m := range moves {
		if err == nil {
			_, err = tx.Exec(ctx, "UPDATE accounts SET balance = balance + $2 WHERE id = $1", m.id, m.by)
		}
	}
	if err == nil {
		_, err = tx.Exec(ctx, "INSERT INTO ledger VALUES ($1, $2, $3, $4, $5)", writer*idSpace+seq, writer, from, to, amount)
	}
	var e *pgconn.PgError
	switch {
	case err == nil && rand.IntN(20) == 0:
		err = errAgain
		fallthrough
	case errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01"):
		if undone := tx.Rollback(ctx); undone != nil {
			return undone
		}
		return errAgain
	case err != nil:
		return err
	}
	return tx.Commit(ctx)
}
