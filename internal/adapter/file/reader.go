package file

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/feed"
)

// Reader reads the committed lines of a lane, each once and in order, while an
// owner may be writing. Used by one goroutine.
type Reader struct {
	disk disk
	dir  string
	m    *manifest
	at   int // index into m.files of the file being read
	file readHandle
	off  int64  // bytes of it handed out
	sum  uint32 // their checksum
	buf  []byte // bytes read and not handed out; they begin at off
	size int    // of the next read
}

// OpenReader reads lane 0 of the newest incarnation of a changefeed below dir, the
// directory of the sink's URI.
func OpenReader(dir, changefeed string) (*Reader, error) {
	lane, err := laneDir(dir, changefeed, 0, 0)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(filepath.Dir(lane))
	names, err := osDisk{}.ReadDir(root)
	if err != nil {
		return nil, failed("list the directory", root, err)
	}
	newest, found := uint64(0), false
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimPrefix(name, "incarnation-"), 10, 64)
		if err == nil && (!found || n > newest) {
			newest, found = n, true
		}
	}
	if !found {
		return nil, failed("find an incarnation", root, fs.ErrNotExist)
	}
	if lane, err = laneDir(dir, changefeed, newest, 0); err != nil {
		return nil, err
	}
	return newReader(osDisk{}, lane), nil
}

func newReader(d disk, dir string) *Reader {
	return &Reader{disk: d, dir: dir, m: &manifest{}, size: 64 << 10}
}

// Next returns the next line, without its newline, borrowed until the following
// call. It is io.EOF when everything committed has been read; a later call sees
// what was committed since.
func (r *Reader) Next() ([]byte, error) {
	for {
		if n := bytes.IndexByte(r.buf, '\n'); n >= 0 {
			line := r.buf[:n]
			r.sum = crc32.Update(r.sum, castagnoli, r.buf[:n+1])
			r.buf = r.buf[n+1:]
			r.off += int64(n) + 1
			return line, nil
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// Position is that of the newest commit the reader knows, all of whose lines have
// been returned when Next has said io.EOF; false before the first.
func (r *Reader) Position() (feed.Position, bool) { return r.m.position() }

// Dir is the directory that is read.
func (r *Reader) Dir() string { return r.dir }

// Close lets go of the open file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// fill brings more committed bytes, from the next file or the next manifest if need be.
func (r *Reader) fill() error {
	left := r.committed() - r.off - int64(len(r.buf))
	switch {
	case left > 0:
		return r.read(int(min(left, int64(r.size))))
	case len(r.buf) > 0:
		return r.damaged("the committed part does not end with a line")
	case r.at < len(r.m.files) && r.sum != r.m.files[r.at].CRC32:
		return r.damaged("the checksum of the data is wrong")
	case r.at+1 < len(r.m.files):
		r.Close()
		r.at, r.off, r.sum = r.at+1, 0, 0
		return nil
	}
	return r.reload()
}

func (r *Reader) committed() int64 {
	if r.at < len(r.m.files) {
		return r.m.files[r.at].Bytes
	}
	return 0
}

func (r *Reader) damaged(what string) error {
	return damaged(filepath.Join(r.dir, r.m.files[r.at].File), "%s, at byte %d", what, r.off)
}

func (r *Reader) read(n int) error {
	path := filepath.Join(r.dir, r.m.files[r.at].File)
	if r.file == nil {
		f, err := r.disk.OpenRead(path)
		if err != nil {
			return failed("open the data file", path, err)
		}
		r.file = f
	}
	from := r.off + int64(len(r.buf))
	chunk := make([]byte, len(r.buf)+n)
	copy(chunk, r.buf)
	if _, err := r.file.ReadAt(chunk[len(r.buf):], from); errors.Is(err, io.EOF) {
		return damaged(path, "the data file ends before the %d bytes that were committed", r.committed())
	} else if err != nil {
		return failed("read the data file", path, err)
	}
	if len(r.buf) > 0 {
		r.size = min(2*r.size, 64<<20) // a line longer than a read
	}
	r.buf = chunk
	return nil
}

// reload reads the manifest again; io.EOF when it has nothing new.
func (r *Reader) reload() error {
	path := filepath.Join(r.dir, manifestName)
	text, err := r.disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && len(r.m.files) == 0 {
		return io.EOF
	}
	if err != nil {
		return failed("read the manifest", path, err)
	}
	m, err := parseManifest(path, text, false)
	if err != nil {
		return err
	}
	if len(m.files) < len(r.m.files) || r.at < len(r.m.files) && (m.files[r.at].File != r.m.files[r.at].File || m.files[r.at].Bytes < r.off) {
		return damaged(path, "the manifest has less than it had")
	}
	r.m = m
	if r.committed() == r.off && r.at+1 >= len(m.files) {
		return io.EOF
	}
	return nil
}
