package feed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// TestCrashesDeliverOnce (G2): the feed is killed at random while transactions,
// snapshots, truncations, changes of shape and large transactions go on, and
// sink, store and pins fail now and then. The target applies strictly, so that
// a change delivered twice, or not at all, shows. WEIR_FEED_SEEDS sets how many
// histories.
func TestCrashesDeliverOnce(t *testing.T) {
	seeds := 8
	if s := os.Getenv("WEIR_FEED_SEEDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		seeds = n
	}
	for seed := range uint64(seeds) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			crashes(t, seed)
		})
	}
}

func crashes(t *testing.T, seed uint64) {
	r := newRig(t, seed)
	rng := rand.New(rand.NewPCG(seed, 99))
	r.target.faults = rand.New(rand.NewPCG(seed, 5))
	r.target.ahead = seed%2 == 1
	r.memory.faults = rand.New(rand.NewPCG(seed, 6))
	r.opts.BatchRows = 1 + rng.IntN(50)
	r.opts.SnapshotRows = 1 + rng.IntN(10)
	r.opts.Prefetch = 1 + rng.IntN(4)
	r.opts.SaveInterval = time.Millisecond
	if rng.IntN(2) == 0 {
		r.opts.encodeEvery = 1
	}
	r.Commit(false, func(x *sourcetest.Txn) {
		for i := range 110 {
			x.Insert(accounts, sourcetest.KeyName(i), "100", "large")
		}
		x.Insert(journal, "old", "", "")
	})
	r.Pump(-1)
	r.tryStart(t)
	for range 60 {
		for range rng.IntN(6) {
			r.workload(rng)
		}
		r.Pump(rng.IntN(8))
		if rng.IntN(6) == 0 {
			r.feed.kill()
			r.tryStart(t)
		}
		if rng.IntN(3) == 0 {
			time.Sleep(time.Duration(rng.IntN(4)) * time.Millisecond) // lets the feed be anywhere
		}
	}
	r.quiet()
	at := r.Settled()
	defer func() {
		if t.Failed() {
			t.Logf("wanted %s, status %+v\nerror %+v\nstate %s", at, r.feed.Status(), r.feed.Status().Error, r.feed.life.mark.state)
			t.Log(r.Jobs())
		}
	}()
	until(t, "delivered", func() bool {
		r.Commit(false, func(*sourcetest.Txn) {}) // the heartbeat after a snapshot
		r.Settled()
		if s := r.feed.Status(); s.State == "failed" {
			t.Fatalf("failed: %+v", s.Error)
		}
		s := r.feed.Status()
		return s.CheckpointTs >= at && s.Snapshot == nil || r.brokenTarget() != nil
	})
	r.equal(t)
}

func (r *rig) brokenTarget() error {
	r.target.mu.Lock()
	defer r.target.mu.Unlock()
	return r.target.broken
}

// quiet ends the faults.
func (r *rig) quiet() {
	r.target.mu.Lock()
	r.target.faults = nil
	r.target.mu.Unlock()
	r.memory.mu.Lock()
	r.memory.faults = nil
	r.memory.mu.Unlock()
}

// tryStart starts the feed; a store that fails is asked again.
func (r *rig) tryStart(t *testing.T) {
	t.Helper()
	for {
		f, err := New(t.Context(), r.opts)
		if err == nil {
			r.feed = f
			return
		}
	}
}

// workload commits one random transaction.
func (r *rig) workload(rng *rand.Rand) {
	large := rng.IntN(12) == 0
	r.Commit(large, func(x *sourcetest.Txn) {
		n := 1 + rng.IntN(4)
		if large {
			n = 30
		}
		for range n {
			r.statement(x, rng)
		}
		x.Insert(journal, "txn", strconv.FormatUint(r.Xid, 10), "")
	})
}

func (r *rig) statement(x *sourcetest.Txn, rng *rand.Rand) {
	rows := r.Relations[accounts].Rows
	width := len(r.Relations[accounts].Shape.Columns)
	full := func(key, b string) []string {
		v := make([]string, width)
		v[0], v[1], v[2] = key, strconv.Itoa(rng.IntN(1000)), b
		return v
	}
	key, other := sourcetest.KeyName(rng.IntN(140)), sourcetest.KeyName(rng.IntN(140))
	_, there := rows[key]
	_, taken := rows[other]
	switch p := rng.IntN(100); {
	case !there:
		x.Insert(accounts, full(key, "large")...)
	case p < 50:
		x.Update(accounts, key, full(key, "~")...)
	case p < 65 && !taken:
		x.Update(accounts, key, full(other, "~")...)
	case p < 95:
		x.Delete(accounts, key)
	case p < 97:
		x.Truncate(accounts)
	case p < 98 && width < 8:
		x.Widen(accounts)
	}
}

// TestRestartInTheMiddleOfAChunk: what is saved between two pieces of a chunk
// does not count the chunk as delivered.
func TestRestartInTheMiddleOfAChunk(t *testing.T) {
	r := newRig(t, 50)
	r.opts.SnapshotRows, r.opts.encodeEvery = 1, 1
	r.Commit(false, func(x *sourcetest.Txn) {
		for i := range 20 {
			x.Insert(accounts, sourcetest.KeyName(i), "100", "")
		}
	})
	r.Pump(-1)
	pieces := 0
	r.target.onCommit = func(tg *target, pos Position) {
		if pos.Offset == 0 {
			return
		}
		if pieces++; pieces == 3 {
			tg.hang = make(chan struct{})
		}
	}
	f := r.start(t)
	until(t, "the third piece is committed", func() bool {
		r.target.mu.Lock()
		defer r.target.mu.Unlock()
		return r.target.hang != nil
	})
	if err := f.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.kill()
	r.target.hang = nil
	f = r.start(t)
	if err := f.Resume(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	r.consistent(t)
	r.equal(t)
}

// TestWholeTransactions (G3): from ConsistentFrom on no commit shows half a
// transfer.
func TestWholeTransactions(t *testing.T) {
	r := newRig(t, 77)
	r.opts.BatchRows = 3
	r.Commit(false, func(x *sourcetest.Txn) {
		for i := range 100 {
			x.Insert(accounts, sourcetest.KeyName(i), "100", "")
		}
	})
	r.Pump(-1)
	f := r.start(t)
	rng := rand.New(rand.NewPCG(77, 1))
	totals := map[ts.Ts]int{}
	r.target.mu.Lock()
	r.target.onCommit = func(tg *target, pos Position) { totals[pos.Ts] = tg.total() }
	r.target.mu.Unlock()
	transfer := func() {
		r.Commit(rng.IntN(10) == 0, func(x *sourcetest.Txn) {
			a, b, n := rng.IntN(100), rng.IntN(100), rng.IntN(50)
			if a == b {
				return
			}
			r.move(x, sourcetest.KeyName(a), -n)
			r.move(x, sourcetest.KeyName(b), n)
		})
		r.Pump(rng.IntN(3))
	}
	until(t, "snapshot over", func() bool { transfer(); return f.Status().ConsistentFrom != 0 })
	for range 200 {
		transfer()
	}
	r.equal(t)
	from := f.Status().ConsistentFrom
	checked := 0
	for at, total := range totals {
		if at < from {
			continue
		}
		if checked++; total != 100*100 {
			t.Errorf("commit at %s (consistent from %s): total %d", at, from, total)
		}
	}
	if checked < 10 {
		t.Errorf("only %d commits after the snapshot", checked)
	}
}

func (r *rig) move(x *sourcetest.Txn, key string, by int) {
	v := sourcetest.Values(row.Tuple(r.Relations[accounts].Rows[key]))
	n, _ := strconv.Atoi(v[1])
	x.Update(accounts, key, key, strconv.Itoa(n+by), "")
}

func (t *target) total() int {
	sum := 0
	for _, r := range t.tables[accounts] {
		n, _ := strconv.Atoi(sourcetest.Values(row.Tuple(r))[1])
		sum += n
	}
	return sum
}
