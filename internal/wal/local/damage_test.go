package local

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// sample is a small log of several segments, as it lies on disk.
type sample struct {
	dir     string
	entries []wal.Entry
	segs    []*segment
}

// newSample writes entries, several to a group now and then, into segments of the given
// size, and ends in order or as a kill would.
func newSample(t *testing.T, segment int64, segments int, inOrder bool) *sample {
	t.Helper()
	dir := scratch(t)
	l, c := open(t, dir, lazy(segment))
	w := lead(t, c)
	var s sample
	for i := 0; c.Status().Segments < segments || segment > 1 && c.lastSegment().count < 5; i++ {
		if i%4 == 3 {
			s.entries = append(s.entries, putGroups(t, w, entryOf(i, 300), entryOf(1000+i, 700), entryOf(2000+i, 90))...)
			continue
		}
		s.entries = append(s.entries, put(t, w, entryOf(i, 100+i%7*300)))
	}
	s.segs = append(s.segs, c.segs...)
	if inOrder {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.dir = copyDir(t, dir)
	return &s
}

// checkDamaged opens a damaged copy. It demands a typed error that names its
// neighbours, at most one entry unreadable, no wrong read, and appends that go on.
func (s *sample) checkDamaged(t *testing.T, dir, what string) {
	t.Helper()
	report, err := Verify(dir)
	if err != nil {
		t.Fatalf("%s: verify: %v", what, err)
	}
	if !report.Damaged() {
		t.Fatalf("%s: verify finds no damage: %+v", what, report)
	}
	l, err := Open(dir, lazy(32<<10))
	if err != nil {
		t.Fatalf("%s: open: %v", what, err)
	}
	defer l.Close()
	c, err := l.LocalChannel("ch")
	if err != nil {
		t.Fatalf("%s: channel: %v", what, err)
	}
	got, err := readAll(t, c, 0, nil)
	if weirerr.CodeOf(err) != weirerr.LogCorrupt {
		t.Fatalf("%s: read %d of %d entries, error %v; want LogCorrupt (repaired: %s)", what, len(got), len(s.entries), err, c.Status().Repaired)
	}
	before := ts.Ts(0)
	for i := range got {
		if !same(&got[i], &s.entries[i]) {
			t.Fatalf("%s: entry %d is wrong: %s", what, i, got[i].Position)
		}
		before = got[i].Ts
	}
	if before != 0 && !strings.Contains(err.Error(), "after_ts "+before.String()) {
		t.Fatalf("%s: the error does not name the entry before, %s: %v", what, before, err)
	}
	w := lead(t, c)
	want := append(append([]wal.Entry{}, s.entries...), put(t, w, entryOf(5000, 200)))
	reports := 0
	got, err = readAll(t, c, 0, func(*weirerr.Error) { reports++ })
	if err != nil || reports == 0 {
		t.Fatalf("%s: reading past damage: %v, %d reports", what, err, reports)
	}
	missing := 0
	for i := range want {
		if k := i - missing; k < len(got) && same(&got[k], &want[i]) {
			continue
		}
		missing++
	}
	if missing > 1 || len(got) != len(want)-missing {
		t.Fatalf("%s: %d entries of %d are unreadable", what, missing, len(want))
	}
}

// flip damages one bit of a copy of the sample, in scratch, and checks it.
func (s *sample) flip(t *testing.T, scratch, file string, off int64, bit int) {
	t.Helper()
	os.RemoveAll(scratch)
	copyTo(t, s.dir, scratch)
	damageFile(t, filepath.Join(chDir(scratch), file), func(b []byte) []byte {
		b[off] ^= 1 << bit
		return b
	})
	s.checkDamaged(t, scratch, fmt.Sprintf("%s, offset %d, bit %d", file, off, bit))
}

// TestFlippedBitOfEveryByte flips a bit of every byte of the frames, and of many bytes of the
// header, of small segments: the first, a middle one and the last.
func TestFlippedBitOfEveryByte(t *testing.T) {
	t.Parallel()
	for _, inOrder := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed in order %v", inOrder), func(t *testing.T) {
			t.Parallel()
			s, dir := newSample(t, 1, 5, inOrder), filepath.Join(scratch(t), "copy")
			rnd := rand.New(rand.NewSource(1))
			for _, seg := range []*segment{s.segs[0], s.segs[3], s.segs[4]} {
				for off := int64(0); off < seg.end; off++ {
					if off > 48 && off < segHeader-8 && rnd.Intn(800) != 0 || raceEnabled && rnd.Intn(40) != 0 {
						continue // most of the header is zeros under one checksum
					}
					s.flip(t, dir, segName(seg.no), off, rnd.Intn(8))
				}
			}
		})
	}
}

// TestFlippedBitAnywhere flips random bits in segments of many groups.
func TestFlippedBitAnywhere(t *testing.T) {
	t.Parallel()
	for _, inOrder := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed in order %v", inOrder), func(t *testing.T) {
			t.Parallel()
			s, dir := newSample(t, 32<<10, 3, inOrder), filepath.Join(scratch(t), "copy")
			rnd := rand.New(rand.NewSource(2))
			for range 200 / slower(5) {
				seg := s.segs[rnd.Intn(3)]
				s.flip(t, dir, segName(seg.no), segHeader+rnd.Int63n(seg.end-segHeader), rnd.Intn(8))
			}
		})
	}
}

// TestFlippedByteInLastGroup overwrites bytes of the last group and its mark wholly.
func TestFlippedByteInLastGroup(t *testing.T) {
	t.Parallel()
	s, dir := newSample(t, 32<<10, 1, false), filepath.Join(scratch(t), "copy")
	seg := s.segs[0]
	for off := seg.end - 1500; off < seg.end; off += 3 * int64(slower(10)) {
		os.RemoveAll(dir)
		copyTo(t, s.dir, dir)
		damageFile(t, filepath.Join(chDir(dir), segName(seg.no)), func(b []byte) []byte {
			b[off] ^= 0xff
			return b
		})
		s.checkDamaged(t, dir, fmt.Sprintf("offset %d of %d", off, seg.end))
	}
}
