package file

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/weirstream/weir/internal/feed"
)

// ledger is an owner's hold on the manifest file: it appends records by compare
// and set.
type ledger struct {
	disk disk
	dir  string
	mode fs.FileMode
	term uint64
	m    *manifest
	file handle
	id   uint64 // of the file, and its size, as we left it
	size int64
}

func (l *ledger) path() string     { return filepath.Join(l.dir, manifestName) }
func (l *ledger) lockPath() string { return filepath.Join(l.dir, "lock") }

// open takes the lane over: it reads the manifest, fences older terms by putting
// a manifest with ours in its place, and clears away what does not count.
func (l *ledger) open(ctx context.Context, lane feed.Lane) error {
	if err := l.disk.MkdirAll(l.dir); err != nil {
		return failed("make the directory", l.dir, err)
	}
	unlock, err := l.disk.Lock(ctx, l.lockPath())
	if err != nil {
		return failed("lock the lane", l.lockPath(), err)
	}
	defer unlock()
	if l.m, err = l.read(); err != nil {
		return err
	}
	if err := l.adopt(lane); err != nil {
		return err
	}
	if err := l.rewrite(); err != nil {
		return err
	}
	return l.clear()
}

func (l *ledger) read() (*manifest, error) {
	text, err := l.disk.ReadFile(l.path())
	if errors.Is(err, fs.ErrNotExist) {
		return &manifest{}, nil
	}
	if err != nil {
		return nil, failed("read the manifest", l.path(), err)
	}
	return parseManifest(l.path(), text, true)
}

// adopt checks that the manifest is this lane's and not a newer owner's.
func (l *ledger) adopt(lane feed.Lane) error {
	ours := record{Kind: kindLane, Format: formatVersion, Cluster: lane.Cluster, Changefeed: lane.Changefeed,
		Incarnation: lane.Incarnation, Lane: lane.Lane}
	if l.m.lane.Kind == "" {
		l.m.lane = ours
	}
	if l.m.lane != ours {
		return damaged(l.path(), "the directory belongs to changefeed %q of cluster %q, incarnation %d, lane %d",
			l.m.lane.Changefeed, l.m.lane.Cluster, l.m.lane.Incarnation, l.m.lane.Lane).
			Hint("choose another directory, or move this one away")
	}
	if l.m.term > lane.Term {
		return fenced(l.path(), lane.Term, l.m.term)
	}
	l.m.term, l.term = lane.Term, lane.Term
	return nil
}

// rewrite puts a fresh manifest in place of the old. Whoever has the old one open
// finds that it is no longer the manifest.
func (l *ledger) rewrite() error {
	l.close()
	tmp := l.path() + ".new"
	if err := l.disk.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("write the manifest", tmp, err)
	}
	f, err := l.disk.Create(tmp, l.mode)
	if err != nil {
		return failed("write the manifest", tmp, err)
	}
	l.file = f
	text := l.m.text()
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		l.id, err = f.ID()
	}
	if err == nil {
		err = l.disk.Rename(tmp, l.path())
	}
	if err == nil {
		err = l.disk.SyncDir(l.dir)
	}
	l.size = int64(len(text))
	return failed("write the manifest", l.path(), err)
}

// clear removes data files that no record names, and cuts the newest to what
// counts. Nothing depends on it but readers that ignore the manifest.
func (l *ledger) clear() error {
	names, err := l.disk.ReadDir(l.dir)
	if err != nil {
		return failed("list the directory", l.dir, err)
	}
	counts := map[string]bool{manifestName: true}
	for i := range l.m.files {
		counts[l.m.files[i].File] = true
	}
	for _, name := range names {
		if counts[name] || !strings.HasSuffix(name, dataSuffix) {
			continue
		}
		if err := l.disk.Remove(filepath.Join(l.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed("remove an unfinished data file", filepath.Join(l.dir, name), err)
		}
	}
	if n := len(l.m.files); n > 0 {
		return l.cut(&l.m.files[n-1])
	}
	return nil
}

func (l *ledger) cut(r *record) error {
	path := filepath.Join(l.dir, r.File)
	size, _, err := l.disk.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // consumed and deleted
	case err != nil:
		return failed("look at the data file", path, err)
	case size < r.Bytes:
		return damaged(path, "the data file has %d bytes, %d were committed", size, r.Bytes)
	case size > r.Bytes:
		return failed("cut the data file", path, l.disk.Truncate(path, r.Bytes))
	}
	return nil
}

// commit appends a record, durably, if the manifest is as we left it. The newline
// behind it, written last, is what readers wait for.
func (l *ledger) commit(ctx context.Context, r *record) error {
	unlock, err := l.disk.Lock(ctx, l.lockPath())
	if err != nil {
		return failed("lock the lane", l.lockPath(), err)
	}
	defer unlock()
	if err := l.compare(); err != nil {
		return err
	}
	line := appendRecord(nil, r)
	if _, err = l.file.Write(line); err == nil {
		err = l.file.Sync()
	}
	if err == nil {
		_, err = l.file.Write([]byte{'\n'})
	}
	if err != nil {
		return failed("write the manifest", l.path(), err)
	}
	l.size += int64(len(line)) + 1
	if fault := l.m.add(r); fault != "" {
		return damaged(l.path(), "a commit was written after which the manifest %s", fault)
	}
	return nil
}

// compact rewrites the manifest if it is as we left it.
func (l *ledger) compact(ctx context.Context) error {
	unlock, err := l.disk.Lock(ctx, l.lockPath())
	if err != nil {
		return failed("lock the lane", l.lockPath(), err)
	}
	defer unlock()
	if err := l.compare(); err != nil {
		return err
	}
	return l.rewrite()
}

// compare tells who has touched the manifest since we did.
func (l *ledger) compare() error {
	size, id, err := l.disk.Stat(l.path())
	if err != nil {
		return failed("look at the manifest", l.path(), err)
	}
	if size == l.size && id == l.id {
		return nil
	}
	m, err := l.read()
	if err != nil {
		return err
	}
	if m.term > l.term {
		return fenced(l.path(), l.term, m.term)
	}
	return damaged(l.path(), "the manifest was changed by someone else")
}

func (l *ledger) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}
