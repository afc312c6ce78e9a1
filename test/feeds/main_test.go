package feeds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

var (
	weirBin string         // under test, built once
	target  *pgtest.Server // of changefeeds
)

func TestMain(m *testing.M) { pgtest.Main(rig.Built(m, &weirBin), &target) }

// pick chooses between the short form of a test and the long one.
func pick[T any](short, long T) T {
	if os.Getenv("WEIR_SOAK") == "1" {
		return long
	}
	return short
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// limit bounds every wait: a test that takes longer has failed.
const limit = time.Minute

// house is a weir with a database at the target.
type house struct {
	*rig.Weir
	t  *testing.T
	db string // at the target
	to string // its URL
}

func newHouse(t *testing.T, db string) *house {
	t.Helper()
	w, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data")})
	check(t, err)
	h := &house{w, t, db, target.CreateDB(t, db)}
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.Log())
		}
	})
	check(t, w.Start(t.Context()))
	return h
}

func (h *house) url() string { return "postgres://root@" + h.SQLAddr() + "/dev?sslmode=disable" }

// sql runs statements at an address, on a connection of their own.
func sql(ctx context.Context, url, text string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has said all that matters
	_, err = conn.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol)
	return err
}

func (h *house) exec(text string) {
	h.t.Helper()
	check(h.t, sql(h.t.Context(), h.url(), text))
}

// rows reads a query's rows as text.
func (h *house) rows(url, query string) (all []string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	check(h.t, err)
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has said all that matters
	rows, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	check(h.t, err)
	for rows.Next() {
		values, err := rows.Values()
		check(h.t, err)
		all = append(all, fmt.Sprint(values...))
	}
	check(h.t, rows.Err())
	return all
}

// same waits until everything is delivered, and compares relations here and there.
func (h *house) same(feed string, queries ...string) {
	h.t.Helper()
	check(h.t, h.Wait(h.t.Context(), feed, limit))
	for _, q := range queries {
		here, there := h.rows(h.url(), q), h.rows(h.to, q)
		if fmt.Sprint(here) != fmt.Sprint(there) {
			h.t.Errorf("%s\n here  %d rows: %.600s\n there %d rows: %.600s", q, len(here), fmt.Sprint(here), len(there), fmt.Sprint(there))
		}
	}
}
