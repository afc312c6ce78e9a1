package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// TestClockSetBack reopens with the wall clock an hour back, in order and after a kill.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	for _, inOrder := range []bool{true, false} {
		dir, o := scratch(t), lazy(1<<20)
		now := newWall(&o)
		l, c := open(t, dir, o)
		w := lead(t, c)
		first := put(t, w, entryOf(0, 10))
		promised, err := w.Promise(0)
		if err != nil {
			t.Fatal(err)
		}
		ceiling := w.clock.Ceiling()
		if inOrder {
			l.Close()
		}
		dir = copyDir(t, dir)
		now.add(-time.Hour)
		l, c = open(t, dir, o)
		w = lead(t, c)
		second := put(t, w, entryOf(1, 10))
		if second.Ts <= promised || second.Ts <= first.Ts || !inOrder && second.Ts <= ceiling {
			t.Errorf("in order %v: %s issued after %s, promised %s, ceiling %s", inOrder, second.Ts, first.Ts, promised, ceiling)
		}
		if inOrder && second.Ts > promised+1 {
			t.Errorf("after an ordered end the clock starts at %s, far above %s", second.Ts, promised)
		}
		l.Close()
	}
}

// TestCeiling holds every Ts against the ceiling on disk.
func TestCeiling(t *testing.T) {
	t.Parallel()
	dir, o := scratch(t), lazy(1<<20)
	now := newWall(&o)
	_, c := open(t, dir, o)
	w := lead(t, c)
	check := func(at ts.Ts) {
		t.Helper()
		if ctl, err := readControl(osFS{}, chDir(dir), "ch"); err != nil || ctl.ceiling < at {
			t.Errorf("%s was issued above the ceiling %s: %v", at, ctl.ceiling, err)
		}
	}
	for i := range 20 {
		now.add(time.Duration(i) * time.Second)
		check(put(t, w, entryOf(i, 10)).Ts)
	}
	at, err := w.Promise(ts.FromTime(now.time().Add(30 * time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	check(at)
	if _, err := w.Promise(ts.Max); weirerr.CodeOf(err) != weirerr.InvalidArgument {
		t.Errorf("a promise for ever: %v, want InvalidArgument", err)
	}
}

// TestLocked opens a directory twice.
func TestLocked(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	l, _ := open(t, dir, lazy(1<<20))
	if _, err := Open(dir, lazy(1<<20)); weirerr.CodeOf(err) != weirerr.DataDirLocked {
		t.Errorf("a second process: %v, want DataDirLocked", err)
	}
	if _, err := Verify(dir); err != nil {
		t.Errorf("verify beside a running log: %v", err)
	}
	l.Close()
	l, err := Open(dir, lazy(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// TestModes checks that only the owner may read what the log holds.
func TestModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(scratch(t), "new")
	_, c := open(t, dir, lazy(1<<20))
	put(t, lead(t, c), entryOf(0, 10))
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := os.FileMode(0o600); err == nil && (d.IsDir() && info.Mode().Perm() != 0o700 || !d.IsDir() && info.Mode().Perm() != want) {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNewerFormat refuses what a newer weir wrote, and does not call it damaged.
func TestNewerFormat(t *testing.T) {
	t.Parallel()
	s := newSample(t, 1, 3, true)
	newer := func(copies, size int, salt uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			for at := 0; at < copies*size; at += size {
				b[at+8] = formatVersion + 1
				reseal(b[at:at+size], salt)
			}
			return b
		}
	}
	for name, change := range map[string]func([]byte) []byte{
		controlFile:                       newer(2, controlSlot, controlSalt("ch")),
		segName(1):                        newer(1, segHeader, segmentSalt("ch", 1)),
		segName(s.segs[len(s.segs)-1].no): newer(1, segHeader, segmentSalt("ch", s.segs[len(s.segs)-1].no)),
	} {
		dir := filepath.Join(scratch(t), "copy")
		s.change(t, dir, name, change)
		l, err := Open(dir, lazy(1))
		if err == nil {
			var c *Channel
			if c, err = l.LocalChannel("ch"); err == nil {
				_, err = readAll(t, c, 0, nil)
			}
			l.Close()
		}
		if weirerr.CodeOf(err) != weirerr.FormatTooNew {
			t.Errorf("%s of a newer format: %v", name, err)
		}
		if _, err := Verify(dir); weirerr.CodeOf(err) != weirerr.FormatTooNew {
			t.Errorf("verify %s of a newer format: %v", name, err)
		}
	}
}

// TestMissingSegments removes segment files.
func TestMissingSegments(t *testing.T) {
	t.Parallel()
	s := newSample(t, 1, 6, true)
	for _, gone := range [][]uint64{{1}, {3}, {3, 4}, {6}, {5, 6}, {1, 2, 3, 4, 5, 6}} {
		dir := filepath.Join(scratch(t), "copy")
		copyTo(t, s.dir, dir)
		for _, no := range gone {
			if err := os.Remove(filepath.Join(chDir(dir), segName(no))); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := Verify(dir); err != nil || !r.Damaged() {
			t.Errorf("%v are missing: verify says %+v, %v", gone, r, err)
		}
		l, c := open(t, dir, lazy(1))
		for range 2 {
			if got, err := readAll(t, c, 0, nil); weirerr.CodeOf(err) != weirerr.LogCorrupt || !strings.Contains(err.Error(), segName(gone[0])) {
				t.Errorf("%v are missing: read %d entries, %v", gone, len(got), err)
			}
			w := lead(t, c)
			e := put(t, w, entryOf(99, 10))
			if got, err := readAll(t, c, e.Ts-1, nil); err != nil || len(got) != 1 || !same(&got[0], &e) {
				t.Errorf("%v are missing: behind the gap %d entries, %v", gone, len(got), err)
			}
			l.Close()
			l, c = open(t, dir, lazy(1))
		}
		l.Close()
	}
}

// TestControlDamage flips bits of the control record: one copy is enough; both gone is
// a typed error, and so is a missing file.
func TestControlDamage(t *testing.T) {
	t.Parallel()
	s := newSample(t, 1, 3, true)
	for _, off := range []int{0, 9, 30, 200, controlSlot - 1, controlSlot, controlSlot + 50, 2*controlSlot - 1} {
		dir := filepath.Join(scratch(t), "copy")
		s.change(t, dir, controlFile, func(b []byte) []byte {
			b[off] ^= 4
			return b
		})
		l, c := open(t, dir, lazy(1))
		if got, err := readAll(t, c, 0, nil); err != nil || len(got) != len(s.entries) || !strings.Contains(c.Status().Repaired, "control") {
			t.Errorf("offset %d: %d entries, %v, repaired %q", off, len(got), err, c.Status().Repaired)
		}
		lead(t, c)
		l.Close()
		if _, c = open(t, dir, lazy(1)); c.Status().Repaired != "" {
			t.Errorf("offset %d: not healed: %s", off, c.Status().Repaired)
		}
	}
	for what, change := range map[string]func([]byte) []byte{
		"both copies": func(b []byte) []byte { b[100] ^= 1; b[controlSlot+100] ^= 1; return b },
		"zeros":       func(b []byte) []byte { return make([]byte, len(b)) },
		"empty":       func(b []byte) []byte { return nil },
	} {
		dir := filepath.Join(scratch(t), "copy")
		s.change(t, dir, controlFile, change)
		l, err := Open(dir, lazy(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Channel("ch"); weirerr.CodeOf(err) != weirerr.LogCorrupt {
			t.Errorf("control record, %s: %v, want LogCorrupt", what, err)
		}
		l.Close()
		n := 0
		if err := Inspect(dir, "ch", 0, func(it Item) error {
			if it.Entry != nil {
				n++
			}
			return nil
		}); err != nil || n != len(s.entries) {
			t.Errorf("control record, %s: inspect shows %d of %d entries, %v", what, n, len(s.entries), err)
		}
	}
}

// TestWitness keeps the caller's number over a close, a kill after ReserveAhead, and never lowers it.
func TestWitness(t *testing.T) {
	t.Parallel()
	dir, o := scratch(t), lazy(1<<20)
	o.ReserveAhead = 40 * time.Millisecond
	l, c := open(t, dir, o)
	w := lead(t, c)
	c.SetWitness(7)
	onDisk := func() uint64 {
		ctl, err := readControl(osFS{}, chDir(dir), "ch")
		if err != nil {
			t.Fatal(err)
		}
		return ctl.witness
	}
	eventually(t, "the witness is not on disk while entries are appended", func() bool {
		put(t, w, entryOf(0, 10))
		return onDisk() == 7
	})
	l.SetWitness(9)
	l.SetWitness(8)
	l.Close()
	if onDisk() != 9 {
		t.Errorf("after close the witness is %d, want 9", onDisk())
	}
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if v, err := l.Witness(); err != nil || v != 9 {
		t.Errorf("the witness of a log that no channel was opened of: %d, %v", v, err)
	}
}

// TestPartsDamage flips a bit of every byte of a parts file; and holds Lead back from deleting
// parts whose entry may be the damaged one.
func TestPartsDamage(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	l, c := open(t, dir, lazy(1<<20))
	w := lead(t, c)
	ref := largeOf(t, w, 1)
	e := wal.Entry{Kind: wal.KindTxn, Large: ref}
	put(t, w, e)
	orphan := largeOf(t, w, 2)
	dir = copyDir(t, dir)
	l.Close()
	path := filepath.Join(chDir(dir), partsDir, partName(ref.Attempt))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for off := range whole {
		b := append([]byte{}, whole...)
		b[off] ^= 1 << (off % 8)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readParts(osFS{}, chDir(dir), "ch", ref); weirerr.CodeOf(err) != weirerr.LogCorrupt {
			t.Fatalf("offset %d of the parts: %v, want LogCorrupt", off, err)
		}
	}
	for _, b := range [][]byte{whole[:len(whole)-1], append(whole[:len(whole):len(whole)], 0), nil} {
		os.WriteFile(path, b, 0o600)
		if r, err := Verify(dir); err != nil || !r.Damaged() {
			t.Errorf("parts of %d bytes, not %d: %+v, %v", len(b), len(whole), r, err)
		}
	}
	damageFile(t, filepath.Join(chDir(dir), segName(1)), func(b []byte) []byte {
		b[segHeader+40] ^= 1 // the commit entry itself
		return b
	})
	_, c = open(t, dir, lazy(1<<20))
	lead(t, c)
	if _, err := os.Stat(filepath.Join(chDir(dir), partsDir, partName(orphan.Attempt))); err != nil {
		t.Errorf("a damaged log deletes parts: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("parts are deleted although their entry may be the damaged one: %v", err)
	}
}

// TestStaleTerm reads a frame of an old term behind one of a newer: it is dropped.
func TestStaleTerm(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	l, c := open(t, dir, lazy(1<<20))
	lead(t, c)
	w := lead(t, c)
	want := put(t, w, entryOf(0, 10))
	c.mu.Lock()
	w.term = 1 // as if the writer of term 1 had got through to the disk
	c.mu.Unlock()
	put(t, w, entryOf(1, 10))
	c.mu.Lock()
	w.term = 2
	c.mu.Unlock()
	more := put(t, w, entryOf(2, 10))
	got, err := readAll(t, c, 0, nil)
	if err != nil || len(got) != 2 || !same(&got[0], &want) || !same(&got[1], &more) {
		t.Errorf("%d entries, %v; want the two of term 2", len(got), err)
	}
	l.Close()
}

// TestFlippedMark flips every bit of the last group's mark.
func TestFlippedMark(t *testing.T) {
	t.Parallel()
	s, dir := newSample(t, 32<<10, 1, false), filepath.Join(scratch(t), "copy")
	seg := s.segs[0]
	for bit := range int(seg.end-seg.markAt) * 8 / slower(7) {
		s.flip(t, dir, segName(1), seg.markAt+int64(bit/8), bit%8)
	}
}

// TestControlSetBack puts an older copy of the control record in place.
func TestControlSetBack(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	l, c := open(t, dir, lazy(1<<20))
	put(t, lead(t, c), entryOf(0, 10))
	older, err := os.ReadFile(filepath.Join(chDir(dir), controlFile))
	if err != nil {
		t.Fatal(err)
	}
	put(t, lead(t, c), entryOf(1, 10))
	l.Close()
	damageFile(t, filepath.Join(chDir(dir), controlFile), func([]byte) []byte { return older })
	l, err = Open(dir, lazy(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Channel("ch"); weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Errorf("an older control record: %v, want StoreBehind", err)
	}
	if r, err := Verify(dir); err != nil || !r.Damaged() {
		t.Errorf("an older control record: verify says %+v, %v", r, err)
	}
}
