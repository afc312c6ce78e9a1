package consistency

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
)

// capture has weir follow the bank's two tables, and returns when it shows whole transactions.
func (h *house) capture(upstream string) {
	h.t.Helper()
	u, err := url.Parse(upstream)
	check(h.t, err)
	password, _ := u.User.Password()
	h.exec(fmt.Sprintf(`CREATE SOURCE bank WITH (connector = 'postgres-cdc', hostname = '%s', port = '%s', username = '%s', password = '%s',
		database.name = 'bank')`, u.Hostname(), u.Port(), u.User.Username(), password))
	h.exec(`CREATE TABLE accounts (*) FROM bank TABLE 'public.accounts'`)
	h.exec(`CREATE TABLE ledger (*) FROM bank TABLE 'public.ledger'`)
}

// captured is a bank at a PostgreSQL that a weir captures while it is written.
func captured(t *testing.T) (*house, *pgtest.Server, *bank) {
	t.Helper()
	h := newHouse(t)
	up := pgtest.Start(t)
	b := &bank{url: up.CreateDB(t, "bank"), pause: 5 * time.Millisecond}
	up.Exec(t, "bank", tables+seed)
	b.start(3)
	h.capture(b.url)
	h.exec(views)
	return h, up, b
}

// ending stops the writers and judges what weir has of them.
func (h *house) ending(b *bank, w *watchers) {
	h.t.Helper()
	h.enough(b, w)
	written := b.stop(h.t)
	h.exec("SELECT weir_wait('bank')")
	w.stop(h.t)
	h.final(written)
}

// TestCapturedTables: transfers are transactions of a PostgreSQL.
func TestCapturedTables(t *testing.T) {
	t.Parallel()
	h, _, b := captured(t)
	w := watch(h.url())
	h.kill(pick(3, 50))
	h.ending(b, w)
}

// TestUpstreamDiesAndIsAway: readers go on meanwhile, and views follow by themselves when it is back.
func TestUpstreamDiesAndIsAway(t *testing.T) {
	t.Parallel()
	h, up, b := captured(t)
	w := watch(h.url())
	slowest := time.Duration(0)
	for range pick(2, 20) {
		time.Sleep(time.Duration(100+rand.IntN(1500)) * time.Millisecond) // any moment will do
		up.Kill()
		up.Restart(t)
		begin := time.Now()
		h.exec("SELECT weir_wait('bank')")
		slowest = max(slowest, h.within(begin))
	}
	begin := time.Now()
	check(t, up.Stop())
	if took := time.Since(begin); took > recovery {
		t.Errorf("the upstream could not shut down for %v", took)
	}
	read := w.count("reader 1")
	time.Sleep(pick(3*time.Second, 30*time.Second)) // it is away for that long
	if now := w.count("reader 1"); now == read {
		t.Error("nobody could read while the upstream was away")
	}
	up.Restart(t)
	begin = time.Now()
	h.exec("SELECT weir_wait('bank')")
	t.Logf("the views went on %v after the upstream was back, at most %v after it was killed", h.within(begin), slowest)
	h.ending(b, w)
}
