package local

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

func faulty(t *testing.T, segment int64) (*crashFS, string, Options) {
	dir := t.TempDir()
	fs := newCrashFS(dir)
	return fs, dir, Options{Options: wal.Options{SegmentBytes: segment}, fs: fs, retry: 5 * time.Millisecond}
}

// eventually waits for a state that another goroutine brings about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 30 s: %s", what)
		}
	}
}

// TestFullDiskPauses fills the disk in each place where room is taken: appends say
// LogFull, what was buffered waits, and all goes on when there is room again.
func TestFullDiskPauses(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"write", "allocate", "create", "rename"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			fs, dir, o := faulty(t, 32<<10)
			l, c := open(t, dir, o)
			w := lead(t, c)
			var want []wal.Entry
			for i := range 10 {
				want = append(want, put(t, w, entryOf(i, 900)))
			}
			fs.setFail(func(op, name string) error {
				if op == place && name != controlFile { // which has its room for good
					return errNoSpace
				}
				return nil
			})
			var full error
			for i := 10; full == nil; i++ {
				e := entryOf(i, 900)
				if _, full = w.Append(&e); full == nil {
					want = append(want, e)
				}
				time.Sleep(time.Millisecond)
			}
			if weirerr.CodeOf(full) != weirerr.LogFull || !strings.Contains(c.Status().Stalled, "LogFull") {
				t.Fatalf("a full disk: %v, stalled %q", full, c.Status().Stalled)
			}
			if got, err := readAll(t, c, 0, nil); err != nil || len(got) == 0 {
				t.Errorf("reads wait for room: %d entries, %v", len(got), err)
			}
			if err := c.Truncate(want[3].Ts); err != nil {
				t.Errorf("truncation waits for room: %v", err)
			}
			fs.setFail(nil)
			if err := w.WaitDurable(within(t), want[len(want)-1].Ts); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the writer is still stalled", func() bool { return c.Status().Stalled == "" })
			want = append(want, put(t, w, entryOf(500, 100)))
			for range 2 {
				got, err := readAll(t, c, c.Status().Truncated, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := range got {
					if k := len(want) - len(got) + i; k < 0 || !same(&got[i], &want[k]) {
						t.Fatalf("entry %d of %d is wrong", i, len(got))
					}
				}
				if len(got) < len(want)-30 {
					t.Fatalf("%d of %d entries are there", len(got), len(want))
				}
				l.Close()
				l, c = open(t, dir, o)
			}
		})
	}
}

// TestFullDiskParts demands that a part refused for want of room can be written again.
func TestFullDiskParts(t *testing.T) {
	t.Parallel()
	fs, dir, o := faulty(t, 32<<10)
	_, c := open(t, dir, o)
	w := lead(t, c)
	lw, err := w.Large()
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int64
	fs.setFail(func(op, name string) error {
		if op == "write" && strings.HasSuffix(name, partExt) && refused.Add(1)%2 == 1 {
			return errNoSpace
		}
		return nil
	})
	again := func(call func() error) {
		for {
			if err := call(); weirerr.CodeOf(err) != weirerr.LogFull {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	for i := range 20 {
		again(func() error { return lw.Part(uint64(i), entryOf(i, 100_000).Changes) })
	}
	var ref *wal.LargeRef
	again(func() error { ref, err = lw.Seal(nil); return err })
	p, err := c.Parts(ref)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range 20 {
		if sub, changes, err := p.Next(); err != nil || sub != uint64(i) || string(changes) != string(entryOf(i, 100_000).Changes) {
			t.Fatalf("part %d: sub %d, %d bytes, %v", i, sub, len(changes), err)
		}
	}
	if refused.Load() < 4 {
		t.Errorf("the disk refused %d writes only", refused.Load())
	}
}

// TestFailedSyncIsUnknown fails a sync once: the writer ends with LogUnknown, nothing of
// the group is ever read, and the next term goes on.
func TestFailedSyncIsUnknown(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"commit", "rotation"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			fs, dir, o := faulty(t, 32<<10)
			l, c := open(t, dir, o)
			w := lead(t, c)
			want := []wal.Entry{put(t, w, entryOf(0, 900))}
			if place == "rotation" {
				for i := 1; c.lastSegment().end < 22<<10; i++ {
					want = append(want, put(t, w, entryOf(i, 900)))
				}
			}
			var syncs atomic.Int64
			fs.setFail(func(op, name string) error {
				if op == "sync" && (place == "commit" && strings.HasPrefix(name, "seg-") || place == "rotation" && name == nextFile && c.lastSegment().end > 20<<10) {
					syncs.Add(1)
					return errBadDisk
				}
				return nil
			})
			var lost wal.Entry
			var err error
			for i := 100; err == nil; i++ {
				lost = entryOf(i, 900)
				if _, err = w.Append(&lost); err == nil {
					err = w.WaitDurable(within(t), lost.Ts)
				}
				if err == nil {
					want = append(want, lost)
				}
			}
			if weirerr.CodeOf(err) != weirerr.LogUnknown {
				t.Fatalf("after a failed sync: %v, want LogUnknown", err)
			}
			if _, err := w.Append(&lost); weirerr.CodeOf(err) != weirerr.LogUnknown {
				t.Errorf("append after a failed sync: %v, want LogUnknown", err)
			}
			if place == "commit" && syncs.Load() != 1 {
				t.Errorf("%d syncs after the first failed", syncs.Load()-1)
			}
			fs.setFail(nil)
			want = append(want, put(t, lead(t, c), entryOf(200, 100)))
			for range 2 {
				got, err := readAll(t, c, 0, nil)
				if err != nil || len(got) != len(want) || !same(&got[len(got)-1], &want[len(want)-1]) {
					t.Fatalf("%d of %d entries, %v", len(got), len(want), err)
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				l, c = open(t, dir, o)
				if r := c.Status().Repaired; r != "" {
					t.Errorf("repaired after an ordered end: %s", r)
				}
			}
		})
	}
}

// TestMarkBeforeSync blocks a sync: nothing of its group may be durable or read.
func TestMarkBeforeSync(t *testing.T) {
	t.Parallel()
	_, c := open(t, scratch(t), lazy(1<<20))
	w := lead(t, c)
	want := put(t, w, entryOf(0, 100))
	gate := c.fs.(lazyFS).gate
	gate.Lock()
	e := entryOf(1, 100)
	at, err := w.Append(&e)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the syncer does not begin", w.busy)
	time.Sleep(20 * time.Millisecond) // it would be wrong by now if it ever is
	if d, _, _ := w.Durable(); d >= at || c.Status().Durable >= at || c.Status().Resolved >= at {
		t.Errorf("durable %s before the sync of %s", d, at)
	}
	if p, err := w.Promise(0); err != nil || c.Status().Resolved >= at {
		t.Errorf("resolved %s before %s is durable; promised %s, %v", c.Status().Resolved, at, p, err)
	}
	if got, err := readAll(t, c, 0, nil); err != nil || len(got) != 1 || !same(&got[0], &want) {
		t.Errorf("%d entries before the sync, %v", len(got), err)
	}
	gate.Unlock()
	if err := w.WaitDurable(within(t), at); err != nil {
		t.Fatal(err)
	}
	if st := c.Status(); st.Durable != at || st.Resolved <= at {
		t.Errorf("after the sync: %+v", st)
	}
}

// TestCloseOnFullDisk must not hang.
func TestCloseOnFullDisk(t *testing.T) {
	t.Parallel()
	fs, dir, o := faulty(t, 32<<10)
	l, c := open(t, dir, o)
	w := lead(t, c)
	want := put(t, w, entryOf(0, 100))
	fs.setFail(func(op, name string) error {
		if op == "write" && name != controlFile {
			return errNoSpace
		}
		return nil
	})
	e := entryOf(1, 100)
	if _, err := w.Append(&e); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); weirerr.CodeOf(errors.Unwrap(err)) != weirerr.LogFull && weirerr.CodeOf(err) != weirerr.LogFull {
		t.Errorf("close on a full disk: %v", err)
	}
	if err := w.WaitDurable(within(t), e.Ts); err == nil {
		t.Error("an entry that was never written is durable")
	}
	fs.setFail(nil)
	_, c = open(t, dir, o)
	if got, err := readAll(t, c, 0, nil); err != nil || len(got) != 1 || !same(&got[0], &want) {
		t.Errorf("%d entries, %v", len(got), err)
	}
}
