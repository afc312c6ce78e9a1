package captures

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// channel is what the HTTP port tells about a channel of the log.
type channel struct {
	Channel  string
	Bytes    int64
	Segments int
	Pins     []struct{ Owner string }
}

// channels are the log's, by name.
func (s *stand) channels() map[string]channel {
	s.t.Helper()
	var all struct{ Items []channel }
	s.check(s.weir.Get(s.within(), "/api/weir/log", &all))
	by := map[string]channel{}
	for _, c := range all.Items {
		by[c.Channel] = c
	}
	return by
}

// snapshots lists the channels of snapshots on the disk.
func (s *stand) snapshots() (names []string) {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.weir.DataDir(), "log"))
	s.check(err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "snapshot-") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestTheLogIsKeptForTablesAndNoLonger: what the database's epochs hold is truncated, what they
// do not hold stays over a restart; the last DROP gives the claim up.
func TestTheLogIsKeptForTablesAndNoLonger(t *testing.T) {
	s := newStand(t, shop)
	s.exec(create)
	const owner, name = "database/dev", "source-shop"
	rewrite := "UPDATE orders SET note = repeat(md5(random()::text), 20)"
	for range 2 {
		s.upstream(rewrite)
	}
	s.until("truncated behind the database", func() bool { return s.channels()[name].Segments <= 2 })
	if pins := s.channels()[name].Pins; len(pins) != 1 || pins[0].Owner != owner {
		t.Errorf("the channel is claimed by %v, want %s alone", pins, owner)
	}
	s.check(s.weir.Kill())
	s.up.Exec(t, "shop", rewrite)
	s.serve()
	s.upstream(rewrite)
	s.same("SELECT * FROM orders ORDER BY id")
	s.until("truncated after a restart", func() bool { return s.channels()[name].Segments <= 2 })
	s.until("without snapshots that are over", func() bool { return len(s.snapshots()) == 0 })

	s.exec("DROP TABLE customers")
	if pins := s.channels()[name].Pins; len(pins) != 1 {
		t.Errorf("with one table left the channel is claimed by %v", pins)
	}
	s.exec("DROP TABLE orders")
	if pins := s.channels()[name].Pins; len(pins) != 0 {
		t.Errorf("without tables the channel is claimed by %v", pins)
	}
}

// TestDropLeavesNothing: neither here nor upstream, a table dropped amid its snapshot included.
func TestDropLeavesNothing(t *testing.T) {
	s := newStand(t, shop+"INSERT INTO visits SELECT 'v', i FROM generate_series(1, 400000) i; ALTER TABLE visits ADD id serial PRIMARY KEY;")
	s.exec(create)
	s.exec("CREATE MATERIALIZED VIEW spent AS " + spent)
	if out, err := s.weir.CLI(t.Context(), "source", "drop", "shop"); err == nil {
		t.Errorf("the source of tables was dropped by the command line: %s", out)
	}

	began := make(chan struct{})
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		defer close(began)
		conn, err := pgx.Connect(ctx, "postgres://root@"+s.weir.SQLAddr()+"/dev?sslmode=disable")
		if err == nil {
			_, _ = conn.Exec(ctx, "CREATE TABLE visits (*) FROM shop TABLE 'public.visits'")
			_ = conn.Close(context.Background())
		}
	}()
	s.until("creating visits", func() bool { return strings.Contains(s.query("SELECT name FROM weir_views"), "visits") })
	giveUp()
	<-began
	s.exec("DROP TABLE visits")
	s.until("without snapshots", func() bool { return len(s.snapshots()) == 0 })

	if e := s.fails("DROP SOURCE shop"); e.Code != "2BP01" {
		t.Errorf("DROP SOURCE with tables: %v", e)
	}
	s.exec("DROP SOURCE shop CASCADE")
	s.want("SELECT name FROM weir_views", "")
	if _, there := s.channels()["source-shop"]; there {
		t.Error("the source's channel is left")
	}
	up := s.up.Conn(t, "shop")
	for _, what := range []string{"pg_replication_slots", "pg_publication", "pg_event_trigger"} {
		left, err := rows(s.within(), up, "SELECT count(*)::text FROM "+what)
		s.check(err)
		if left[0] != "0" {
			t.Errorf("upstream %s %s are left", left[0], what)
		}
	}
	s.exec("DROP SOURCE IF EXISTS shop")
}
