package flow

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lostSlot drops the source's slot and changes rows that no stream will tell of.
func (p *pair) lostSlot(t *testing.T) {
	t.Helper()
	srv.Exec(t, p.from, `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()`)
	srv.Exec(t, p.from, `DELETE FROM t WHERE id % 2 = 0; UPDATE t SET v = 'unseen' WHERE id < 20; INSERT INTO t VALUES (5000, 'unseen')`)
}

func TestResyncAfterALostSlot(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	if err := p.weir.Stop(); err != nil {
		t.Fatal(err)
	}
	p.lostSlot(t)
	if err := p.weir.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := ""
	for deadline := time.Now().Add(time.Minute); !strings.Contains(said, "SlotMissing"); {
		if time.Now().After(deadline) {
			t.Fatalf("G8: the slot is gone for a minute and the source does not say so: %s", said)
		}
		said = p.cli(t, "source", "query", "src", "-o", "json")
		<-time.After(50 * time.Millisecond)
	}
	p.cli(t, "source", "resync", "src")
	p.delivered(t, "db")
	p.equal(t, "public.t")
	srv.Exec(t, p.from, "UPDATE t SET v = 'seen'")
	p.delivered(t, "db")
	p.equal(t, "public.t")
}

// A lost data directory: source and changefeed are created anew on an empty one,
// and the target, which has rows that are gone by now, becomes equal.
func TestResyncAfterALostDataDirectory(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	if err := p.weir.Kill(); err != nil {
		t.Fatal(err)
	}
	p.lostSlot(t)
	p.serve(t, filepath.Join(t.TempDir(), "another"))
	p.cli(t, "source", "create", "src", "--url", p.source)
	p.cli(t, "changefeed", "create", "db", "--source", "src", "--sink", p.target)
	p.cli(t, "source", "resync", "src")
	p.delivered(t, "db")
	p.equal(t, "public.t")
}
