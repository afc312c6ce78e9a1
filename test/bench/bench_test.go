package main

import (
	"errors"
	"os"
	"testing"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// The peers' side of the bench works and measures something: each kind of
// backlog is drained by pg_recvlogical and by a subscription, with the
// processor time of their senders.
func TestPeersDrainEachBacklog(t *testing.T) {
	l := &lab{dir: t.TempDir(), scale: 0.01}
	t.Cleanup(func() {
		for _, s := range []*pgserver.Server{l.src, l.dst} {
			if s != nil {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for _, ld := range []load{{"bulk", 10_000, bulk}, {"single", 2_000, single}, {"large", 20_000, large}} {
		source, target, err := l.freshPair(t.Context(), "drain_"+ld.name)
		var missing *pgserver.MissingError
		if errors.As(err, &missing) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		d := &drained{lab: l, load: ld, source: source, target: target, db: "drain_" + ld.name}
		if err := d.preparePeers(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := ld.write(t.Context(), source, ld.rows); err != nil {
			t.Fatal(err)
		}
		if d.end, err = finish(t.Context(), source); err != nil {
			t.Fatal(err)
		}
		received, err := d.receive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		native, err := d.native(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if received.wall <= 0 || native.wall <= 0 || native.sender <= 0 {
			t.Errorf("%s: pg_recvlogical %+v, native %+v", ld.name, received, native)
		}
		if err := equalTo(t.Context(), source, l.dst.URL(nativeDatabase+d.db)); err != nil {
			t.Errorf("%s: the subscriber: %v", ld.name, err)
		}
		if err := d.cleanUp(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
