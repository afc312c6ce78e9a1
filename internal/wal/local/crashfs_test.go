package local

import (
	"bytes"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// crashFS remembers what a disk would hold after a crash: the content of files at
// their last sync, and the names in directories at theirs. It also fails on demand.
type crashFS struct {
	osFS
	root string

	mu     sync.Mutex
	ids    map[string]int // current names
	disk   map[int][]byte // content at the last sync
	names  map[string]int // durable names
	last   int            // of the ids given out
	fail   func(op, name string) error
	onSync func() // called before and after each sync
}

func newCrashFS(root string) *crashFS {
	return &crashFS{root: root, ids: map[string]int{}, disk: map[int][]byte{}, names: map[string]int{}}
}

type crashFile struct {
	file
	fs   *crashFS
	path string
	id   int
}

func (c *crashFS) failing(op, path string) error {
	c.mu.Lock()
	fail := c.fail
	c.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(op, filepath.Base(path))
}

func (c *crashFS) setFail(fail func(op, name string) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = fail
}

func (c *crashFS) Open(path string, flag int) (file, error) {
	if flag&os.O_CREATE != 0 {
		if err := c.failing("create", path); err != nil {
			return nil, err
		}
	}
	f, err := c.osFS.Open(path, flag)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.ids[path]
	if !ok {
		c.last++
		id = c.last
		c.ids[path] = id
	}
	return &crashFile{f, c, path, id}, nil
}

func (c *crashFS) Rename(from, to string) error {
	if err := c.failing("rename", to); err != nil {
		return err
	}
	if err := c.osFS.Rename(from, to); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[to] = c.ids[from]
	delete(c.ids, from)
	return nil
}

func (c *crashFS) Remove(path string) error {
	if err := c.osFS.Remove(path); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ids, path)
	return nil
}

func (c *crashFS) SyncDir(dir string) error {
	c.hook()
	c.mu.Lock()
	for path := range c.names {
		if filepath.Dir(path) == dir {
			delete(c.names, path)
		}
	}
	for path, id := range c.ids {
		if filepath.Dir(path) == dir {
			c.names[path] = id
		}
	}
	c.mu.Unlock()
	c.hook()
	return nil
}

func (c *crashFS) hook() {
	if c.onSync != nil {
		c.onSync()
	}
}

// name is the file's path now: it may have been renamed since it was opened.
func (f *crashFile) name() string {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	for path, id := range f.fs.ids {
		if id == f.id {
			return path
		}
	}
	return f.path
}

func (f *crashFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.fs.failing("write", f.name()); err != nil {
		n := 0
		if len(b) > 100 { // a part of it lands
			n, _ = f.file.WriteAt(b[:len(b)/2], off)
		}
		return n, err
	}
	return f.file.WriteAt(b, off)
}

func (f *crashFile) Allocate(size int64) error {
	if err := f.fs.failing("allocate", f.name()); err != nil {
		return err
	}
	return f.file.Allocate(size)
}

func (f *crashFile) Sync() error {
	if err := f.fs.failing("sync", f.name()); err != nil {
		return err
	}
	f.fs.hook()
	b, err := content(f.file)
	if err != nil {
		return err
	}
	f.fs.mu.Lock()
	f.fs.disk[f.id] = b
	f.fs.mu.Unlock()
	f.fs.hook()
	return nil
}

func content(f file) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

// crash writes to dir what a disk may hold after a crash now. Unsynced names are there or
// not, unsynced sectors are old or new; with torn < 0 nothing unsynced is there.
func (c *crashFS) crash(t testing.TB, dir string, rnd *rand.Rand, torn int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]int{}
	for path, id := range c.names {
		if c.ids[path] == id || torn < 0 || rnd.Intn(2) == 0 {
			names[path] = id
		}
	}
	for path, id := range c.ids {
		if _, ok := names[path]; !ok && c.names[path] != id && torn >= 0 && rnd.Intn(2) == 0 {
			names[path] = id
		}
	}
	for path, id := range names {
		b := bytes.Clone(c.disk[id])
		if now, err := os.ReadFile(path); err == nil && c.ids[path] == id && torn >= 0 {
			b = mix(b, now, rnd, torn)
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, c.root))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(to, b, 0o600); err != nil {
			t.Error(err)
		}
	}
}

// mix takes each sector of b or of now; 1 in torn+1 stays old.
func mix(b, now []byte, rnd *rand.Rand, torn int) []byte {
	if rnd.Intn(2) == 0 || len(now) > len(b) {
		b = append(b, make([]byte, max(0, len(now)-len(b)))...)[:len(now)]
	}
	for at := 0; at < min(len(b), len(now)); at += sector {
		end := min(at+sector, len(b), len(now))
		if !bytes.Equal(b[at:end], now[at:end]) && rnd.Intn(torn+1) > 0 {
			copy(b[at:end], now[at:end])
		}
	}
	return b
}

var errNoSpace = &os.PathError{Op: "write", Path: "disk", Err: unix.ENOSPC}
var errBadDisk = &os.PathError{Op: "sync", Path: "disk", Err: unix.EIO}
