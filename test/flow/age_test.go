package flow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A store that is set back to an older copy of itself is noticed at the next
// start, whichever of the two it is, and weir goes on with the right one.
func TestG8AStoreSetBackIsNoticed(t *testing.T) {
	t.Parallel()
	p := newPair(t, "CREATE TABLE t (id int PRIMARY KEY, v text)")
	p.feed(t)
	for _, store := range []string{"meta", "log"} {
		t.Run(store, func(t *testing.T) {
			dir := filepath.Join(p.weir.DataDir(), store)
			older, newer := filepath.Join(filepath.Dir(dir), "..", store+".older"), filepath.Join(filepath.Dir(dir), "..", store+".newer")
			if err := p.weir.Stop(); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if err := p.weir.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			srv.Exec(t, p.from, "INSERT INTO t SELECT coalesce(max(id), 0) + 1, 'x' FROM t")
			p.delivered(t, "db")
			if err := p.weir.Stop(); err != nil {
				t.Fatal(err)
			}
			swap(t, dir, newer, older)
			if err := p.weir.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "StoreBehind") {
				t.Errorf("an older copy of %s: %v", store, err)
			}
			if err := p.weir.Kill(); err != nil {
				t.Fatal(err)
			}
			swap(t, dir, older, newer)
			if err := p.weir.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.delivered(t, "db")
		})
	}
}

// swap moves what is at dir to aside, and puts what is at from there.
func swap(t *testing.T, dir, aside, from string) {
	t.Helper()
	if err := os.RemoveAll(aside); err != nil {
		t.Fatal(err)
	}
	for _, move := range [][2]string{{dir, aside}, {from, dir}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
}
