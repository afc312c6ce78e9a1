package sourcetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// Outcome waits until the reading has ended.
func (u *Upstream) Outcome(ctx context.Context, _ string, read uint64) (ts.Ts, bool, error) {
	for {
		u.Mu.Lock()
		result, known := u.results[read]
		settle := u.settle
		u.Mu.Unlock()
		if known {
			return result.side, result.ok, nil
		}
		select {
		case <-settle:
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
}

// Jobs says what snapshots are asked for.
func (u *Upstream) Jobs() string {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	var text strings.Builder
	for _, c := range slices.Sorted(maps.Keys(u.jobs)) {
		fmt.Fprintf(&text, "%s wants %v done %v; ", c, u.jobs[c].wanted, u.jobs[c].done)
	}
	return text.String()
}

// Channel implements reconcile.Source.
func (u *Upstream) Channel() wal.Channel { return u.Log }

// Side implements reconcile.Source.
func (u *Upstream) Side(consumer string) (wal.Channel, error) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	return u.job(consumer).side, nil
}

func (u *Upstream) job(consumer string) *snapshotJob {
	j := u.jobs[consumer]
	if j == nil {
		j = &snapshotJob{wanted: map[row.TableID]backfill.Request{}, done: map[row.TableID]int{}}
		j.side, j.w = u.channel("side-" + fmt.Sprintf("%x", consumer))
		u.jobs[consumer] = j
	}
	return j
}

// Schema implements reconcile.Source.
func (u *Upstream) Schema(id row.TableID, version uint32) (*row.Schema, error) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	if s := u.shapes[shapeKey{id, version}]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("no version %d of table %d", version, id)
}

// Tables implements reconcile.Source.
func (u *Upstream) Tables() []*row.Schema {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	var all []*row.Schema
	for _, id := range slices.Sorted(maps.Keys(u.Relations)) {
		all = append(all, u.Relations[id].Shape)
	}
	return all
}

// Backfill implements reconcile.Source.
func (u *Upstream) Backfill(_ context.Context, consumer string, requests []backfill.Request) error {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	j := u.job(consumer)
	for _, r := range requests {
		if was, ok := j.wanted[r.Table]; ok && was.Attempt == r.Attempt {
			continue
		}
		j.wanted[r.Table] = r
		j.done[r.Table] = 0 // chunks placed already are placed again, and dropped by the consumer
	}
	return nil
}

// CancelBackfill implements reconcile.Source.
func (u *Upstream) CancelBackfill(consumer string) error {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	delete(u.jobs, consumer)
	return nil
}

// Progress implements reconcile.Source.
func (u *Upstream) Progress(consumer string) []backfill.Progress {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	var all []backfill.Progress
	if j := u.jobs[consumer]; j != nil {
		for _, id := range slices.Sorted(maps.Keys(j.wanted)) {
			all = append(all, backfill.Progress{
				Table: id, Name: u.Relations[id].Shape.FullName(), RowsDone: int64(j.done[id] * chunkRows), RowsTotal: 100,
			})
		}
	}
	return all
}

// Locate implements reconcile.Source.
func (u *Upstream) Locate(_ context.Context, _ row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	out := make([]int, len(keys))
	for i, k := range keys {
		for _, b := range bounds {
			if string(b) < string(k) {
				out[i]++
			}
		}
	}
	return out, nil
}

// Fetch implements reconcile.Source.
func (u *Upstream) Fetch(_ context.Context, shape *row.Schema, key row.Tuple) (row.Tuple, bool, error) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	u.fetches++
	t, ok := u.Relations[shape.Table].Rows[Values(key)[0]]
	if !ok {
		return nil, false, nil
	}
	return Tuple(Values(row.Tuple(t))[:len(shape.Columns)]...), true, nil
}

// State implements reconcile.Source.
func (u *Upstream) State() (string, time.Time) { return "", time.Time{} }
