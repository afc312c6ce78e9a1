package state

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

var main1 = Graph{Database: 1}

// model is what a store ought to show: key (with its table) to value.
type model map[string]string

func modelKey(table uint32, key string) string { return fmt.Sprintf("%d/%s", table, key) }

// change makes deltas of random changes over two tables and two shards, and
// applies them to a copy of the model.
func change(rnd *rand.Rand, m model, n int) ([]*Delta, model) {
	m = maps.Clone(m)
	type entry struct {
		key, value string
		deleted    bool
	}
	byDelta := map[[2]uint32]map[string]entry{}
	for range n {
		table, key := uint32(1+rnd.IntN(2)), fmt.Sprintf("%c%03d", 'a'+rune(rnd.IntN(8)), rnd.IntN(40))
		at := [2]uint32{table, uint32(key[3] % 2)}
		if byDelta[at] == nil {
			byDelta[at] = map[string]entry{}
		}
		e := entry{key: key, value: fmt.Sprintf("%d-%s", rnd.IntN(1000), bytes.Repeat([]byte("x"), rnd.IntN(50)))}
		if e.deleted = rnd.IntN(3) == 0; e.deleted {
			delete(m, modelKey(table, key))
		} else {
			m[modelKey(table, key)] = e.value
		}
		byDelta[at][key] = e
	}
	var deltas []*Delta
	for at, entries := range byDelta {
		d := NewDelta(at[0])
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if e := entries[key]; e.deleted {
				d.Add([]byte(key), nil)
			} else {
				d.Add([]byte(key), []byte(e.value))
			}
		}
		deltas = append(deltas, d)
	}
	return deltas, m
}

func open(t testing.TB, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open("/state", Options{fs: fs, StageBytes: 2000, fileBytes: 1500})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shown(t testing.TB, s *Store) model {
	t.Helper()
	n, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer n.Release()
	return shownBy(t, n)
}

func shownBy(t testing.TB, n *Snapshot) model {
	t.Helper()
	m := model{}
	for table := uint32(1); table <= 2; table++ {
		last := ""
		err := n.Scan(1, table, nil, nil, func(key, value []byte) bool {
			if string(key) <= last {
				t.Fatalf("%q follows %q", key, last)
			}
			last = string(key)
			m[modelKey(table, last)] = string(value)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func same(t testing.TB, what string, got, want model) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for k := range want {
		if got[k] != want[k] {
			t.Fatalf("%s: %s is %q, want %q (%d and %d entries)", what, k, got[k], want[k], len(got), len(want))
		}
	}
	t.Fatalf("%s: %d entries, want %d", what, len(got), len(want))
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSealIsInvisibleAndApplyShowsIt(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{10, 400} { // one record, sorted files
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		s := open(t, vfs.NewMem())
		deltas, m1 := change(rnd, model{}, n)
		first, err := s.Seal(ctx, main1, 0, 10, deltas)
		ok(t, err)
		if (len(first.Files) > 1) != (n == 400) {
			t.Errorf("%d changes in %d files", n, len(first.Files))
		}
		more, m2 := change(rnd, m1, n)
		second, err := s.Seal(ctx, main1, 10, 20, more)
		ok(t, err)
		same(t, "sealed", shown(t, s), model{})
		if err := s.Apply(ctx, second); weirerr.CodeOf(err) != weirerr.WrongState {
			t.Errorf("out of order: %v", err)
		}
		ok(t, s.Apply(ctx, first))
		old, err := s.Snapshot()
		ok(t, err)
		ok(t, s.Apply(ctx, first))
		same(t, "applied", shown(t, s), m1)
		ok(t, s.Apply(ctx, second))
		same(t, "applied again", shown(t, s), m2)
		same(t, "an old snapshot", shownBy(t, old), m1)
		if old.Applied(main1) != 10 || s.Applied(main1) != 20 {
			t.Errorf("applied %s and %s", old.Applied(main1), s.Applied(main1))
		}
		ok(t, old.Release())
		ok(t, s.Close())
	}
}

// TestCrash breaks the store off after every step of a random history, with any
// part of what was not synced lost. WEIR_SOAK=1 takes more histories.
func TestCrash(t *testing.T) {
	histories := uint64(40)
	if os.Getenv("WEIR_SOAK") != "" {
		histories = 400
	}
	for seed := range histories {
		rnd := rand.New(rand.NewPCG(seed, 7))
		c := crasher{t: t, rnd: rnd, fs: vfs.NewCrashableMem(), states: map[ts.Ts]model{0: {}}}
		c.s = open(t, c.fs)
		for range 25 {
			c.step()
		}
		ok(t, c.s.Close())
	}
}

// crasher drives one store: it seals, commits and applies in order, some behind the other.
type crasher struct {
	t         *testing.T
	rnd       *rand.Rand
	fs        *vfs.MemFS
	s         *Store
	sealed    []Sealed
	committed ts.Ts
	applied   int // of sealed
	states    map[ts.Ts]model
}

func (c *crasher) last() ts.Ts {
	if len(c.sealed) == 0 {
		return 0
	}
	return c.sealed[len(c.sealed)-1].Epoch
}

func (c *crasher) step() {
	ctx := context.Background()
	switch c.rnd.IntN(4) {
	case 0:
		c.seal(ctx)
	case 1: // commit the next one
		for _, s := range c.sealed {
			if s.Epoch > c.committed {
				c.committed = s.Epoch
				break
			}
		}
	case 2:
		if c.applied < len(c.sealed) && c.sealed[c.applied].Epoch <= c.committed {
			ok(c.t, c.s.Apply(ctx, c.sealed[c.applied]))
			c.applied++
		}
	case 3:
		c.crash(ctx)
	}
}

func (c *crasher) seal(ctx context.Context) {
	prev := c.last()
	n := 10
	if c.rnd.IntN(2) == 0 {
		n = 300
	}
	deltas, m := change(c.rnd, c.states[prev], n)
	s, err := c.s.Seal(ctx, main1, prev, prev+ts.Ts(1+c.rnd.IntN(5)), deltas)
	ok(c.t, err)
	c.sealed = append(c.sealed, s)
	c.states[s.Epoch] = m
}

func (c *crasher) crash(ctx context.Context) {
	lost := rand.New(rand.NewPCG(c.rnd.Uint64(), 1))
	fs := c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.rnd.IntN(101), RNG: lost})
	ok(c.t, c.s.Close())
	c.fs, c.s = fs, open(c.t, fs)
	if at := c.s.Applied(main1); at > c.committed {
		c.t.Fatalf("shows %s, committed is %s", at, c.committed)
	} else {
		same(c.t, "as it opened", shown(c.t, c.s), c.states[at])
	}
	ok(c.t, c.s.Recover(ctx, main1, c.committed))
	same(c.t, "recovered", shown(c.t, c.s), c.states[c.committed])
	c.sealed = slices.DeleteFunc(c.sealed, func(s Sealed) bool { return s.Epoch > c.committed })
	c.applied = len(c.sealed)
	if left, err := c.fs.List("/state/" + stageDir); err == nil {
		for _, f := range left {
			if leftover(c.s, f) {
				c.t.Fatalf("%s is left", f)
			}
		}
	}
}

// leftover: a sealed file of an epoch that was discarded. Those of applied epochs
// may be there until the next Open.
func leftover(s *Store, file string) bool {
	var db, part, n int
	var epoch uint64
	k, _ := fmt.Sscanf(file, "%d-%d-%d-%d.sst", &db, &part, &epoch, &n)
	return k == 4 && ts.Ts(epoch) > s.Applied(main1)
}

func TestStoreBehind(t *testing.T) {
	ctx := context.Background()
	s := open(t, vfs.NewMem())
	defer s.Close()
	rnd := rand.New(rand.NewPCG(3, 3))
	deltas, _ := change(rnd, model{}, 10)
	sealed, err := s.Seal(ctx, main1, 0, 10, deltas)
	ok(t, err)
	if err := s.Recover(ctx, main1, 11); weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Errorf("committed 11, sealed 10: %v", err)
	}
	ok(t, s.Apply(ctx, sealed))
	if err := s.Recover(ctx, main1, 11); weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Errorf("committed 11, applied 10: %v", err)
	}
	if err := s.Recover(ctx, main1, 9); weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Errorf("committed 9, applied 10: %v", err)
	}
	if err := s.Apply(ctx, Sealed{Graph: main1, Prev: 10, Epoch: 12}); weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Errorf("not staged: %v", err)
	}
	if _, err := s.Seal(ctx, main1, 9, 12, nil); weirerr.CodeOf(err) != weirerr.WrongState {
		t.Errorf("a seal that does not follow: %v", err)
	}
	ok(t, s.Recover(ctx, main1, 10))
}

func TestGroupsAndTables(t *testing.T) {
	ctx := context.Background()
	s := open(t, vfs.NewMem())
	defer s.Close()
	d, e := NewDelta(7), NewDelta(8)
	for _, k := range []string{"a|1", "a|2", "b|1", "d|", "d|1"} {
		d.Add([]byte(k), []byte("v"+k))
		e.Add([]byte(k), []byte("w"+k))
	}
	sealed, err := s.Seal(ctx, main1, 0, 5, []*Delta{d, e})
	ok(t, err)
	ok(t, s.Apply(ctx, sealed))
	var got []string
	groups := [][]byte{[]byte("a|"), []byte("b|"), []byte("c|"), []byte("d|"), []byte("e|")}
	r := s.Reader()
	ok(t, r.Groups(1, 7, groups, func(g []byte, entries func(func(k, v []byte) bool)) {
		got = append(got, string(g)+":")
		entries(func(k, v []byte) bool { got = append(got, fmt.Sprintf("%s=%s", k, v)); return string(g) != "a|" })
	}))
	ok(t, r.Close())
	if want := "[a|: 1=va|1 b|: 1=vb|1 c|: d|: =vd| 1=vd|1 e|:]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	n, err := s.Snapshot()
	ok(t, err)
	defer n.Release()
	if v, found, err := n.Get(1, 8, []byte("b|1"), nil); !found || err != nil || string(v) != "wb|1" {
		t.Errorf("%q %v %v", v, found, err)
	}
	if _, found, _ := n.Get(2, 8, []byte("b|1"), nil); found {
		t.Error("another database's")
	}
	if tables, err := s.Tables(1); err != nil || !slices.Equal(tables, []uint32{7, 8}) {
		t.Errorf("tables %v %v", tables, err)
	}
	ok(t, s.DropTables(1, []uint32{7}))
	for table, want := range map[uint32]bool{7: false, 8: true, 9: false} {
		if has, err := s.Has(1, table); has != want || err != nil {
			t.Errorf("table %d: %v %v", table, has, err)
		}
	}
	if tables, err := s.Tables(1); err != nil || !slices.Equal(tables, []uint32{8}) {
		t.Errorf("tables %v %v after one was dropped", tables, err)
	}
	if _, found, _ := n.Get(1, 7, []byte("b|1"), nil); !found {
		t.Error("a snapshot lost what was dropped later")
	}
	ok(t, s.Forget(main1))
	if len(s.Graphs()) != 0 || s.Applied(main1) != 0 {
		t.Error("forgotten, and still there")
	}
}

func TestMalformedRecordsAreErrors(t *testing.T) {
	d := NewDelta(3)
	d.Add([]byte("key"), []byte("value"))
	whole := append([]byte{0, 0, 0, 0, 0, 0, 0, 1, 'r', 0, 0, 0, 3, byte(d.bytes)}, d.blocks[0]...)
	for n := range whole {
		st, err := decodeStaged(5, whole[:n])
		if err == nil && n != 9 { // a record of no delta
			t.Errorf("cut at %d decodes to %v", n, st)
		}
	}
	for i := range d.blocks[0] {
		bad := deltaIter{table: 3, rest: bytes.Clone(d.blocks[0])}
		bad.rest[i] = 0xff
		_ = merge([]deltaIter{bad}, func(uint32, []byte, []byte) error { return nil }) // no panic
	}
}
