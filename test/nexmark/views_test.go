package nexmark_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	events "github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
	"github.com/weirstream/weir/test/nexmark"
	"github.com/weirstream/weir/test/rig"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

// rate is low, so that the events reach over several windows.
const rate = 500

// gap, in nanoseconds, lets the stream run while views are created: some follow it
// from its beginning, others join it on the way.
const gap = 200_000

var streams = []events.Table{events.Person, events.Auction, events.Bid}

// dump writes the first events of a generator into the tables of nexmark.Schema.
func dump(t *testing.T, url string, count int64) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	check(t, err)
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the rows are there
	gen := events.New(events.Config{Rate: rate})
	for _, s := range streams {
		cols := events.Columns(s)
		var names []string
		for _, c := range cols {
			names = append(names, c.Name)
		}
		for at := int64(0); at < count; at += 10_000 {
			c := gen.Fill(s, at, min(at+10_000, count))
			_, err := conn.CopyFrom(ctx, pgx.Identifier{string(s)}, names, pgx.CopyFromSlice(c.N, func(i int) ([]any, error) {
				return values(c, cols, i), nil
			}))
			check(t, err)
		}
	}
	_, err = conn.Exec(ctx, "ANALYZE")
	check(t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// values is a row for pgx.
func values(c *zset.Chunk, cols []catalog.Column, i int) (row []any) {
	for k, v := range c.Cols {
		switch {
		case v.Kind == zset.Bytes:
			row = append(row, string(v.Bytes(i)))
		case cols[k].Type.OID == datum.OIDTimestamp:
			row = append(row, time.UnixMicro(v.Ints[i]+datum.EpochMicros).UTC())
		default:
			row = append(row, v.Ints[i])
		}
	}
	return row
}

// TestViewsOfTheGenerator keeps every query as a view of the streams, and compares it with
// PostgreSQL over the dumped events. WEIR_SOAK=1 takes more of them.
func TestViewsOfTheGenerator(t *testing.T) {
	t.Parallel()
	count := int64(20_000)
	if os.Getenv("WEIR_SOAK") != "" {
		count = 500_000
	}
	weir, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data")})
	check(t, err)
	t.Cleanup(func() {
		if err := weir.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", weir.Log())
		}
	})
	check(t, weir.Start(t.Context()))
	here := dial(t, "postgres://root@"+weir.SQLAddr()+"/dev?sslmode=disable", "weir")
	for _, s := range streams {
		exec(t, here, fmt.Sprintf(`CREATE SOURCE %[1]s WITH (connector = 'nexmark', nexmark.table.type = '%[1]s', nexmark.event.num = %[2]d,
			nexmark.event.rate = %[3]d, nexmark.min.event.gap.in.ns = %[4]d)`, s, count, rate, gap))
	}
	for _, n := range nexmark.Queries() {
		exec(t, here, fmt.Sprintf("CREATE MATERIALIZED VIEW q%d AS %s", n, nexmark.Stream(n)))
	}
	url := srv.CreateDB(t, "views")
	there := dial(t, url, "postgresql")
	exec(t, there, nexmark.Schema)
	dump(t, url, count)
	awaitBids(t, here, fmt.Sprint(exec(t, there, "SELECT count(*) FROM bid").Rows[0][0].Text))
	for _, n := range nexmark.Queries() {
		want, got := exec(t, there, nexmark.Batch(n)), exec(t, here, fmt.Sprintf("SELECT * FROM q%d", n))
		switch {
		case len(want.Rows) == 0:
			t.Errorf("q%d finds nothing", n)
		case !got.Rows.Matches(want.Rows.Lines(script.RowSort, 0), script.RowSort):
			t.Errorf("q%d: %d rows, want %d; %s", n, len(got.Rows), len(want.Rows), first(got.Rows, want.Rows))
		}
	}
}

// awaitBids waits until the views have all events: q0 has every bid, and all views
// are at one epoch.
func awaitBids(t *testing.T, c *play.Conn, want string) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		got := exec(t, c, "SELECT count(*) FROM q0").Rows[0][0].Text
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("q0 has %s bids of %s", got, want)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// first is an example of what two results differ in.
func first(got, want script.Rows) string {
	count := map[string]int{}
	for _, l := range want.Lines(script.RowSort, 0) {
		count[l]++
	}
	for _, l := range got.Lines(script.RowSort, 0) {
		count[l]--
	}
	for l, n := range count {
		if n != 0 {
			return fmt.Sprintf("%q is there %d times too few", l, n)
		}
	}
	return ""
}

func dial(t *testing.T, url, label string) *play.Conn {
	t.Helper()
	c, err := play.Dial(t.Context(), url, label)
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

func exec(t *testing.T, c *play.Conn, sql string) play.Result {
	t.Helper()
	r, err := c.Exec(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.Label, err, sql)
	}
	return r
}
