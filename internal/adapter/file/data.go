package file

import (
	"hash/crc32"
	"path/filepath"
	"time"

	"github.com/weirstream/weir/internal/feed"
)

// flushBytes is how much is collected before it is written.
const flushBytes = 256 << 10

// dataFile is the data file being written. Its record says what is in it, whether
// committed or not.
type dataFile struct {
	disk    disk
	path    string
	file    handle
	born    time.Time
	commits int
	record  record // File, Begin, Lines, Bytes, CRC32
	kept    int64  // bytes committed
	named   bool   // its name is durable
}

func createData(d disk, dir string, cfg *Config, begin feed.Position, term uint64, now time.Time) (*dataFile, error) {
	name := fileName(begin, term)
	path := filepath.Join(dir, name)
	f, err := d.Create(path, cfg.Mode)
	if err != nil {
		return nil, failed("create a data file", path, err)
	}
	return &dataFile{disk: d, path: path, file: f, born: now, record: record{File: name, Begin: placeOf(begin)}}, nil
}

// append writes whole lines.
func (f *dataFile) append(text []byte, lines int64) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := f.file.Write(text); err != nil {
		return failed("write the data file", f.path, err)
	}
	f.record.Lines += lines
	f.record.Bytes += int64(len(text))
	f.record.CRC32 = crc32.Update(f.record.CRC32, castagnoli, text)
	return nil
}

// sync makes what is written, and the file's name, durable.
func (f *dataFile) sync() error {
	if err := f.file.Sync(); err != nil {
		return failed("sync the data file", f.path, err)
	}
	if f.named {
		return nil
	}
	if err := f.disk.SyncDir(filepath.Dir(f.path)); err != nil {
		return failed("sync the directory", filepath.Dir(f.path), err)
	}
	f.named = true
	return nil
}

// full tells whether the file has reached a limit.
func (f *dataFile) full(cfg *Config, now time.Time) bool {
	return cfg.FileBytes > 0 && f.record.Bytes >= cfg.FileBytes || cfg.FileCommits > 0 && f.commits >= cfg.FileCommits ||
		cfg.FileAge > 0 && now.Sub(f.born) >= cfg.FileAge
}

// close lets go of the file and takes back what was never committed, so that readers
// which ignore the manifest do not see it. Nothing depends on it. By now a file
// of that name may be another owner's, and is left alone.
func (f *dataFile) close() {
	defer f.file.Close()
	ours, err := f.file.ID()
	_, there, err2 := f.disk.Stat(f.path)
	switch {
	case err != nil || err2 != nil || ours != there:
	case f.kept == 0:
		f.disk.Remove(f.path)
	case f.kept < f.record.Bytes:
		f.disk.Truncate(f.path, f.kept)
	}
}
