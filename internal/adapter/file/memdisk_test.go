package file

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
)

// errCrash is what every call returns from the moment of the crash on.
var errCrash = errors.New("the process is dead")

// memDisk is a file system that knows what a power cut would leave: of every file
// the bytes of its last sync, of every directory the names of its last sync, and of
// the rest any part. It dies at a given call.
type memDisk struct {
	mu      sync.Mutex
	inodes  uint64
	names   map[string]*inode
	durable map[string]*inode // names as of the last SyncDir

	calls   int         // made so far
	writes  map[int]int // bytes of those that were writes
	dieAt   int         // the call that does not happen; 0: none
	partial int         // bytes of it that do, when it is a write
	full    bool
}

type inode struct {
	id     uint64
	data   []byte
	synced int
}

func newMemDisk() *memDisk {
	return &memDisk{names: map[string]*inode{}, durable: map[string]*inode{}, writes: map[int]int{}}
}

// step counts a call that changes something; an error when the process is dead.
func (d *memDisk) step() error {
	if d.dieAt > 0 && d.calls >= d.dieAt {
		return errCrash
	}
	d.calls++
	if d.dieAt > 0 && d.calls >= d.dieAt {
		return errCrash
	}
	return nil
}

// revive is the disk as the next process finds it after kill -9.
func (d *memDisk) revive() *memDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := newMemDisk()
	n.inodes = d.inodes
	copied := map[*inode]*inode{}
	clone := func(f *inode) *inode {
		if copied[f] == nil {
			copied[f] = &inode{f.id, bytes.Clone(f.data), f.synced}
		}
		return copied[f]
	}
	for name, f := range d.names {
		n.names[name] = clone(f)
	}
	for name, f := range d.durable {
		n.durable[name] = clone(f)
	}
	return n
}

// powerCut is the disk after the machine lost power: keep tells how many of n
// unsynced bytes survive of a file; names go back to the last sync when !keepNames.
func (d *memDisk) powerCut(keepNames bool, keep func(n int) int) *memDisk {
	n := d.revive()
	if !keepNames {
		n.names = map[string]*inode{}
		for name, f := range n.durable {
			n.names[name] = f
		}
	}
	cut := map[*inode]bool{}
	for _, name := range slices.Sorted(mapKeys(n.names)) {
		if f := n.names[name]; !cut[f] {
			cut[f] = true
			f.data = f.data[:f.synced+keep(len(f.data)-f.synced)]
			f.synced = len(f.data)
		}
	}
	n.durable = map[string]*inode{}
	for name, f := range n.names {
		n.durable[name] = f
	}
	return n
}

func mapKeys(m map[string]*inode) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (d *memDisk) MkdirAll(string) error { return nil }

func (d *memDisk) Create(path string, _ fs.FileMode) (handle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return nil, err
	}
	if d.names[path] != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	}
	d.inodes++
	f := &inode{id: d.inodes}
	d.names[path] = f
	return &memHandle{d, f}, nil
}

func (d *memDisk) find(path string) (*inode, error) {
	if d.dieAt > 0 && d.calls >= d.dieAt {
		return nil, errCrash
	}
	if f := d.names[path]; f != nil {
		return f, nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func (d *memDisk) OpenRead(path string) (readHandle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.find(path)
	if err != nil {
		return nil, err
	}
	return &memHandle{d, f}, nil
}

func (d *memDisk) ReadFile(path string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.find(path)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(f.data), nil
}

func (d *memDisk) ReadDir(dir string) (names []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.names {
		if filepath.Dir(name) == dir {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *memDisk) Stat(path string) (int64, uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.find(path)
	if err != nil {
		return 0, 0, err
	}
	return int64(len(f.data)), f.id, nil
}

func (d *memDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	f, err := d.find(from)
	if err != nil {
		return err
	}
	delete(d.names, from)
	d.names[to] = f
	return nil
}

func (d *memDisk) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.find(path); err != nil {
		return err
	}
	if err := d.step(); err != nil {
		return err
	}
	delete(d.names, path)
	return nil
}

func (d *memDisk) Truncate(path string, size int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	f, err := d.find(path)
	if err != nil {
		return err
	}
	f.data = f.data[:size]
	f.synced = min(f.synced, int(size))
	return nil
}

func (d *memDisk) SyncDir(string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	d.durable = map[string]*inode{}
	for name, f := range d.names {
		d.durable[name] = f
	}
	return nil
}

func (d *memDisk) Lock(context.Context, string) (func(), error) { return func() {}, nil }

type memHandle struct {
	d *memDisk
	f *inode
}

func (h *memHandle) Write(p []byte) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.d.full {
		return 0, errFull
	}
	if err := h.d.step(); err != nil {
		n := 0
		if h.d.calls == h.d.dieAt {
			n = min(h.d.partial, len(p))
			h.d.calls++ // only the first call after death leaves a part
		}
		h.f.data = append(h.f.data, p[:n]...)
		return n, err
	}
	h.d.writes[h.d.calls] = len(p)
	h.f.data = append(h.f.data, p...)
	return len(p), nil
}

func (h *memHandle) Sync() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.d.step(); err != nil {
		return err
	}
	h.f.synced = len(h.f.data)
	return nil
}

func (h *memHandle) ID() (uint64, error) { return h.f.id, nil }

func (h *memHandle) Close() error { return nil }

func (h *memHandle) ReadAt(p []byte, off int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if off > int64(len(h.f.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
