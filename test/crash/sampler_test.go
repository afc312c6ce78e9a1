package crash

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// sampler reads the total at the target again and again, each time in one
// snapshot, as a user's report would.
type sampler struct {
	consistent atomic.Bool // set once the target is known to be consistent
	samples    atomic.Int64
	cancel     context.CancelFunc
	wait       sync.WaitGroup

	mu    sync.Mutex
	wrong []string
}

func startSampler(url string) *sampler {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sampler{cancel: cancel}
	s.wait.Go(func() {
		for ctx.Err() == nil {
			s.session(ctx, url) // ends with its server; the next one comes
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	return s
}

func (s *sampler) session(ctx context.Context, url string) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for ctx.Err() == nil {
		counts := s.consistent.Load() // before the snapshot is taken
		var total int64
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
			var a, b int64
			err := tx.QueryRow(ctx, "SELECT coalesce(sum(balance), 0) FROM acct_a").Scan(&a)
			if err == nil {
				err = tx.QueryRow(ctx, "SELECT coalesce(sum(balance), 0) FROM acct_b").Scan(&b)
			}
			total = a + b
			return err
		})
		if err != nil {
			return
		}
		if counts {
			s.samples.Add(1)
			if total != totalMoney {
				s.mu.Lock()
				s.wrong = append(s.wrong, fmt.Sprintf("%d at %s", total, time.Now().Format(time.StampMilli)))
				s.mu.Unlock()
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (s *sampler) stop() (samples int64, wrong []string) {
	s.cancel()
	s.wait.Wait()
	return s.samples.Load(), s.wrong
}
