package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/ts"
)

const (
	nextFile = "next.tmp" // a segment in the making
	partsDir = "parts"
	partExt  = ".part"
)

func segName(no uint64) string { return fmt.Sprintf("seg-%016d.wal", no) }

func partName(attempt uint64) string { return fmt.Sprintf("%016x%s", attempt, partExt) }

// segment is what a channel knows of one segment file.
type segment struct {
	no   uint64
	head fileHead
	summary
	end     int64 // readable and durable up to here, in bytes
	markAt  int64 // where the last mark lies; 0 when there is none, or it is not known
	sealed  bool
	missing uint64 // when not 0, the files from no up to this one are gone
}

// lastTs is the newest Ts the segment proves.
func (s *segment) lastTs() ts.Ts { return max(s.last, s.head.last) }

// gap describes missing segments as damage.
func (s *segment) gap(before ts.Ts) *damage {
	what := "the segment's file is missing"
	if s.missing > s.no {
		what = fmt.Sprintf("the files of the segments %d to %d are missing", s.no, s.missing)
	}
	return &damage{file: segName(s.no), what: what, before: before}
}

// listSegments gives the numbers of the segment files in dir, sorted.
func listSegments(dir string) ([]uint64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var nos []uint64
	for _, e := range entries {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".wal"), "seg-")
		if no, err := strconv.ParseUint(digits, 10, 64); ok && err == nil && e.Name() == segName(no) {
			nos = append(nos, no)
		}
	}
	slices.Sort(nos)
	return nos, nil
}

// openSealed learns a sealed segment from its header and footer alone. When they do
// not add up it scans the file, and says what is damaged.
func openSealed(fs fsys, dir, channel string, no uint64) (*segment, []damage, error) {
	f, err := fs.Open(filepath.Join(dir, segName(no)), os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, nil, err
	}
	salt := segmentSalt(channel, no)
	b := make([]byte, segHeader)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	head, fault := decodeHead(b, segMagic, salt)
	if fault == headTooNew {
		return nil, nil, tooNew(channel, segName(no))
	}
	sum, ok, err := readFooter(f, salt, size)
	if err != nil {
		return nil, nil, err
	}
	if ok && fault == headGood {
		return &segment{no: no, head: head, summary: sum, end: size, sealed: true}, nil, nil
	}
	s, err := newScanner(f, channel, no, false)
	if err != nil {
		return nil, nil, err
	}
	if err := s.run(); err != nil {
		return nil, nil, err
	}
	return &segment{no: no, head: s.head, summary: s.sum, end: size, sealed: true}, s.damages, nil
}

// readFooter reads the footer that the trailer at the file's end points to.
func readFooter(f file, salt uint32, size int64) (summary, bool, error) {
	if size < segHeader+2*frameHeader {
		return summary{}, false, nil
	}
	cur := cursor{r: f, salt: salt, limit: size, off: size - frameHeader}
	t, err := cur.read(frameHeader)
	if err == errBad || err == nil && t.kind != kindTrailer {
		return summary{}, false, nil
	}
	if err != nil {
		return summary{}, false, err
	}
	if cur.off = int64(t.ts); cur.off < segHeader || cur.off >= size {
		return summary{}, false, nil
	}
	foot, err := cur.read(int(size - cur.off))
	if err == errBad || err == nil && foot.kind != kindFooter {
		return summary{}, false, nil
	}
	if err != nil {
		return summary{}, false, err
	}
	sum, ok := decodeSummary(foot.body)
	return sum, ok && foot.end() == t.off, nil
}
