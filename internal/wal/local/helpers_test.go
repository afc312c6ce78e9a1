package local

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// lazyFS is the operating system's file system without syncs, for tests that open
// thousands of small logs. A sync waits while the gate is locked.
type lazyFS struct {
	osFS
	gate *sync.RWMutex
}

type lazyFile struct {
	file
	gate *sync.RWMutex
}

func (l lazyFS) Open(path string, flag int) (file, error) {
	f, err := l.osFS.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return lazyFile{f, l.gate}, nil
}

func (lazyFS) SyncDir(string) error { return nil }

func (f lazyFile) Sync() error {
	f.gate.RLock()
	defer f.gate.RUnlock()
	return nil
}

func lazy(segment int64) Options {
	return Options{Options: wal.Options{SegmentBytes: segment}, fs: lazyFS{gate: new(sync.RWMutex)}}
}

// within is a context that ends with a reason instead of hanging a test.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 30*time.Second, errors.New("nothing happened for 30 s"))
	t.Cleanup(cancel)
	return ctx
}

func open(t testing.TB, dir string, o Options) (*Log, *Channel) {
	t.Helper()
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c, err := l.LocalChannel("ch")
	if err != nil {
		t.Fatal(err)
	}
	return l, c
}

func lead(t testing.TB, c *Channel) *writer {
	t.Helper()
	w, err := c.Lead(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return w.(*writer)
}

// put appends an entry, waits for it, and returns it as a reader must show it.
func put(t testing.TB, w wal.Writer, e wal.Entry) wal.Entry {
	t.Helper()
	at, err := w.Append(&e)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WaitDurable(within(t), at); err != nil {
		t.Fatal(err)
	}
	return e
}

// putGroups appends entries, the first as one commit group, the others as the next.
func putGroups(t testing.TB, w *writer, entries ...wal.Entry) []wal.Entry {
	t.Helper()
	gate := w.c.fs.(lazyFS).gate
	gate.Lock()
	var last ts.Ts
	for i := range entries {
		at, err := w.Append(&entries[i])
		if err != nil {
			t.Fatal(err)
		}
		last = at
		for i == 0 && !w.busy() {
			runtime.Gosched()
		}
	}
	gate.Unlock()
	if err := w.WaitDurable(within(t), last); err != nil {
		t.Fatal(err)
	}
	return entries
}

// busy tells whether the syncer has taken a group.
func (w *writer) busy() bool {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return w.flushing != nil
}

// entryOf makes the i-th test entry: its payload has zeros, noise or both.
func entryOf(i, size int) wal.Entry {
	r := rand.New(rand.NewSource(int64(i)))
	changes := make([]byte, size)
	if i%3 != 1 {
		r.Read(changes)
	}
	if i%3 == 2 {
		clear(changes[:len(changes)/2])
	}
	return wal.Entry{Kind: wal.KindTxn, Position: fmt.Appendf(nil, "%08d", i), Xid: uint64(i), CommitUs: int64(i), Changes: changes}
}

func same(a, b *wal.Entry) bool {
	return a.Ts == b.Ts && a.Term == b.Term && a.Kind == b.Kind && bytes.Equal(a.Position, b.Position) && a.Xid == b.Xid &&
		a.CommitUs == b.CommitUs && bytes.Equal(a.Changes, b.Changes) && reflect.DeepEqual(a.Large, b.Large)
}

func clone(e *wal.Entry) wal.Entry {
	c := *e
	c.Position, c.Changes = bytes.Clone(e.Position), bytes.Clone(e.Changes)
	return c
}

// readAll reads what is durable now, until an error or the end.
func readAll(t testing.TB, c *Channel, after ts.Ts, past func(*weirerr.Error)) ([]wal.Entry, error) {
	t.Helper()
	r, err := c.read(after, past)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var got []wal.Entry
	for {
		_, moved, err := r.(*reader).place()
		if err != nil || moved != nil {
			return got, err
		}
		if err := r.(*reader).scan(); err != nil {
			return got, err
		}
		for i := range r.(*reader).out {
			got = append(got, clone(&r.(*reader).out[i]))
		}
	}
}

// scratch is a directory in memory where there is one: these tests copy many small files.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "weir-log-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(scratch(t), "copy")
	copyTo(t, from, to)
	return to
}

func copyTo(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func chDir(dir string) string { return channelDir(dir, "ch") }

// damageFile changes the bytes of one file.
func damageFile(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// reseal gives a head or control copy its checksum again.
func reseal(b []byte, salt uint32) {
	binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Update(salt, castagnoli, b[:len(b)-4]))
}

// wall is a wall clock that a test sets.
type wall struct{ us atomic.Int64 }

// newWall makes o read a clock that stands at the present.
func newWall(o *Options) *wall {
	w := &wall{}
	w.us.Store(time.Now().UnixMicro())
	o.now = w.time
	return w
}

func (w *wall) time() time.Time     { return time.UnixMicro(w.us.Load()) }
func (w *wall) add(d time.Duration) { w.us.Add(d.Microseconds()) }
