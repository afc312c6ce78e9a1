package file

import (
	"context"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/weirerr"
)

func TestAnOlderOwnerIsFenced(t *testing.T) {
	g := newTarget(t, "")
	old, _, _ := g.open(t, lane(1))
	put(t, old, at(1, 0), item(1, 1))
	if err := old.Write(context.Background(), []feed.Item{item(99, 2)}); err != nil {
		t.Fatal(err)
	}
	if err := old.flush(); err != nil {
		t.Fatal(err)
	}
	next, pos, _ := g.open(t, lane(2))
	if pos != at(1, 0) {
		t.Fatalf("the new owner starts at %v", pos)
	}
	// The old one still writes, from the same position, before and after the new.
	if err := old.Write(context.Background(), []feed.Item{item(98, 2)}); err != nil {
		t.Fatal(err)
	}
	put(t, next, at(2, 0), item(2, 2))
	if err := old.flush(); err != nil {
		t.Fatal(err)
	}
	err := old.Commit(context.Background(), at(2, 0))
	if weirerr.CodeOf(err) != weirerr.TargetFenced {
		t.Fatalf("the older owner's commit: %v", err)
	}
	old.Close(context.Background())
	put(t, next, at(3, 0), item(3, 3))
	wantAll(t, drain(t, g.reader(t), nil), 3, "two owners")
	inTheWay(t, g, next)
	stale := New(g.cfg, g.clock.now, quiet())
	if _, _, err := stale.Open(context.Background(), lane(1)); weirerr.CodeOf(err) != weirerr.TargetFenced {
		t.Errorf("opening under an older term: %v", err)
	}
	if n := len(g.files(t)); n != 3 {
		t.Errorf("files %v: the fenced owner's is left", g.files(t))
	}
}

// inTheWay: an owner that begins a file after it was fenced does not hinder the next.
func inTheWay(t *testing.T, g *target, old *Sink) {
	t.Helper()
	old.data.close()
	old.data = nil
	next, _, _ := g.open(t, lane(3))
	if err := old.Write(context.Background(), []feed.Item{item(97, 4)}); err != nil {
		t.Fatal(err)
	}
	if err := old.flush(); err != nil {
		t.Fatal(err)
	}
	put(t, next, at(4, 0), item(4, 4))
	if err := old.Commit(context.Background(), at(4, 0)); weirerr.CodeOf(err) != weirerr.TargetFenced {
		t.Fatalf("the older owner's commit: %v", err)
	}
	old.Close(context.Background())
	wantAll(t, drain(t, g.reader(t), nil), 4, "three owners")
}

// Two installations with the same term, from a copied data directory.
func TestAnOwnerOfTheSameTermCannotCommitOverAnother(t *testing.T) {
	g := newTarget(t, "")
	a, _, _ := g.open(t, lane(1))
	if err := a.Write(context.Background(), []feed.Item{item(99, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := a.flush(); err != nil {
		t.Fatal(err)
	}
	b, _, _ := g.open(t, lane(1))
	put(t, b, at(1, 0), item(1, 1))
	if err := a.Commit(context.Background(), at(1, 0)); err == nil {
		t.Fatal("both owners committed")
	}
	a.Close(context.Background())
	put(t, b, at(2, 0), item(2, 2))
	wantAll(t, drain(t, g.reader(t), nil), 2, "same term")
}
