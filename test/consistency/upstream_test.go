package consistency

import (
	"fmt"
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

// TestCapturedTables: transfers are transactions of a PostgreSQL, which weir captures while
// they go on.
func TestCapturedTables(t *testing.T) {
	h := newHouse(t)
	up := pgtest.Start(t)
	bankURL := up.CreateDB(t, "bank")
	up.Exec(t, "bank", tables+seed)
	b := &bank{url: bankURL, pause: 5 * time.Millisecond}
	b.start(3)
	h.capture(bankURL)
	h.exec(views)
	w := watch(h.url())
	h.kill(pick(3, 50))
	written := b.stop(t)
	h.exec("SELECT weir_wait('bank')")
	w.stop(t)
	h.final(written)
}
