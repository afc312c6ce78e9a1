package main

import (
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

// The shop itself works: it opens, sells, and comparing it with a stale copy
// of itself names what differs.
func TestShopSellsAndTheComparisonSeesIt(t *testing.T) {
	srv := pgtest.Start(t)
	s := &stage{srv: srv.Server}
	if err := s.openShop(t.Context()); err != nil {
		t.Fatal(err)
	}
	srv.Exec(t, "postgres", "CREATE DATABASE copy TEMPLATE shop")

	diffs, err := rig.Compare(t.Context(), s.shop, srv.URL("copy"), shopTables...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range diffs {
		if !diffs[i].Equal() || diffs[i].Source == 0 {
			t.Errorf("a fresh copy: %s", diffs[i].String())
		}
	}

	w := startWriter(s.shop, 500)
	deadline := time.Now().Add(30 * time.Second)
	for w.commits.Load() < 200 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if w.commits.Load() < 200 {
		t.Fatalf("only %d transactions in 30 s", w.commits.Load())
	}
	diffs, err = rig.Compare(t.Context(), s.shop, srv.URL("copy"), "public.orders")
	if err != nil {
		t.Fatal(err)
	}
	if diffs[0].Equal() || !strings.Contains(diffs[0].String(), "only at the source") {
		t.Errorf("a stale copy: %s", diffs[0].String())
	}
}
