package local

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirstream/weir/internal/wal"
)

// places finds where the entries of the sample's last segment end.
func (s *sample) places(t *testing.T) (ends []int64, before int) {
	t.Helper()
	seg := s.segs[len(s.segs)-1]
	err := Inspect(s.dir, "ch", 0, func(it Item) error {
		if it.File != segName(seg.no) {
			before++
			return nil
		}
		ends = append(ends, it.Offset+frameSize(len(wal.AppendEntry(nil, it.Entry))))
		return nil
	})
	if err != nil || len(ends) == 0 {
		t.Fatalf("inspect: %v, %d entries", err, len(ends))
	}
	return ends, before
}

// checkTorn opens a copy with a changed tail: exactly want entries must be there, the
// cut reported if it should be, appends go on, and the next opening has nothing to repair.
func (s *sample) checkTorn(t *testing.T, dir string, want int, reported bool, what string) {
	t.Helper()
	if report, err := Verify(dir); err != nil || report.Damaged() {
		t.Fatalf("%s: verify: %v %+v", what, err, report)
	}
	high, durable, err := ReadHigh(dir, "ch")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	l, c := open(t, dir, lazy(32<<10))
	st := c.Status()
	if (st.Repaired != "") != reported {
		t.Fatalf("%s: repaired %q, want a report: %v", what, st.Repaired, reported)
	}
	if want > 0 && (!bytes.Equal(high, st.High) || durable != st.Durable || durable != s.entries[want-1].Ts || !bytes.Equal(high, s.entries[want-1].Position)) {
		t.Fatalf("%s: high %s at %s read offline, %s at %s when open", what, high, durable, st.High, st.Durable)
	}
	w := lead(t, c)
	expect := append(append([]wal.Entry{}, s.entries[:want]...), put(t, w, entryOf(9000, 300)))
	for range 2 {
		got, err := readAll(t, c, 0, nil)
		if err != nil || len(got) != len(expect) {
			t.Fatalf("%s: read %d entries, want %d: %v", what, len(got), len(expect), err)
		}
		for i := range got {
			if !same(&got[i], &expect[i]) {
				t.Fatalf("%s: entry %d is wrong", what, i)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		l, c = open(t, dir, lazy(32<<10))
		if st := c.Status(); st.Repaired != "" {
			t.Fatalf("%s: repaired again: %s", what, st.Repaired)
		}
	}
	l.Close()
}

func eachEnding(t *testing.T, segments int, run func(t *testing.T, s *sample, inOrder bool, dir, file string)) {
	for _, inOrder := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed in order %v", inOrder), func(t *testing.T) {
			t.Parallel()
			s := newSample(t, 32<<10, segments, inOrder)
			run(t, s, inOrder, filepath.Join(scratch(t), "copy"), segName(s.segs[len(s.segs)-1].no))
		})
	}
}

func (s *sample) change(t *testing.T, dir, file string, change func([]byte) []byte) {
	t.Helper()
	os.RemoveAll(dir)
	copyTo(t, s.dir, dir)
	damageFile(t, filepath.Join(chDir(dir), file), change)
}

// TestCutAnywhere cuts the last segment's file at many offsets, those of all ends included.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	eachEnding(t, 2, func(t *testing.T, s *sample, inOrder bool, dir, file string) {
		ends, before := s.places(t)
		end := s.segs[1].end
		cuts := []int64{0, 1, 100, segHeader - 1, segHeader, segHeader + 1, end - 1, end - 8, end - 30}
		for _, e := range ends {
			cuts = append(cuts, e-1, e, e+1, e+frameHeader)
		}
		rnd := rand.New(rand.NewSource(3))
		for range 60 / slower(10) {
			cuts = append(cuts, segHeader+rnd.Int63n(end-segHeader))
		}
		for _, cut := range cuts {
			s.change(t, dir, file, func(b []byte) []byte { return b[:cut] })
			want := before
			for _, e := range ends {
				if e <= cut {
					want++
				}
			}
			boundary := cut == segHeader
			for _, m := range s.marks(t) {
				boundary = boundary || cut == m
			}
			s.checkTorn(t, dir, want, inOrder || !boundary, fmt.Sprintf("cut at %d of %d", cut, end))
		}
	})
}

// marks finds where the groups of the last segment end.
func (s *sample) marks(t *testing.T) (ends []int64) {
	t.Helper()
	seg := s.segs[len(s.segs)-1]
	f, err := osFS{}.Open(filepath.Join(chDir(s.dir), segName(seg.no)), os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cur := cursor{r: f, salt: segmentSalt("ch", seg.no), limit: seg.end, off: segHeader}
	for {
		f, err := cur.read(scanBuffer)
		if err != nil {
			return ends
		}
		if f.kind == kindMark {
			ends = append(ends, f.end())
		}
	}
}

// TestZeroedTail zeroes the last segment from many offsets on.
func TestZeroedTail(t *testing.T) {
	t.Parallel()
	eachEnding(t, 2, func(t *testing.T, s *sample, inOrder bool, dir, file string) {
		ends, before := s.places(t)
		end := s.segs[1].end
		rnd := rand.New(rand.NewSource(4))
		for range 100 / slower(10) {
			from := segHeader + rnd.Int63n(end-segHeader)
			untouched, changed := from, 0 // the first byte that changes; how many bits do
			s.change(t, dir, file, func(b []byte) []byte {
				for _, c := range b[from:] {
					changed += bits.OnesCount8(c)
				}
				for untouched < end && b[untouched] == 0 {
					untouched++
				}
				clear(b[from:])
				return b
			})
			if changed == 1 {
				continue // that is a flipped bit
			}
			want := before
			for _, e := range ends {
				if e <= untouched {
					want++
				}
			}
			boundary := false
			for _, m := range s.marks(t) {
				boundary = boundary || from <= m && untouched >= m
			}
			s.checkTorn(t, dir, want, !boundary, fmt.Sprintf("zeros from %d of %d, seen from %d", from, end, untouched))
		}
	})
}

// TestExtendedTail appends garbage and zeros.
func TestExtendedTail(t *testing.T) {
	t.Parallel()
	eachEnding(t, 2, func(t *testing.T, s *sample, inOrder bool, dir, file string) {
		end := s.segs[1].end
		noise := make([]byte, 64)
		rand.New(rand.NewSource(5)).Read(noise)
		for what, tail := range map[string][]byte{"garbage": noise, "zeros": make([]byte, 4096)} {
			s.change(t, dir, file, func(b []byte) []byte { return append(b, tail...) })
			s.checkTorn(t, dir, len(s.entries), inOrder || what == "garbage", what+" behind the file")
			s.change(t, dir, file, func(b []byte) []byte { return append(b[:end], tail...) })
			s.checkTorn(t, dir, len(s.entries), inOrder || what == "garbage", what+" behind the last group")
		}
	})
}

// TestTornLastGroup leaves any subset of the last group's sectors unwritten, as a crash may.
func TestTornLastGroup(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	_, c := open(t, dir, lazy(1<<20))
	w := lead(t, c)
	s := &sample{}
	for i := range 5 {
		s.entries = append(s.entries, put(t, w, entryOf(i, 600)))
	}
	start := c.lastSegment().end
	group := putGroups(t, w, entryOf(5, 100), entryOf(6, 1500), entryOf(7, 40), entryOf(8, 2500), entryOf(9, 700))
	s.entries = append(s.entries, group...)
	s.segs, s.dir = c.segs, copyDir(t, dir)
	marks := s.marks(t)
	start = marks[len(marks)-2]
	ends, before := s.places(t)
	end, file := s.segs[0].end, segName(1)
	rnd := rand.New(rand.NewSource(6))
	to := filepath.Join(scratch(t), "copy")
	for round := range 200 / slower(5) {
		first := end // the first byte that changes
		s.change(t, to, file, func(b []byte) []byte {
			for at := start; at < end; {
				n := min(end, (at/sector+1)*sector) - at
				if rnd.Intn(4) == 0 {
					for i := at; i < at+n; i++ {
						if b[i] != 0 {
							first, b[i] = min(first, i), 0
						}
					}
				}
				at += n
			}
			return b
		})
		want := before
		for _, e := range ends {
			if e <= first {
				want++
			}
		}
		s.checkTorn(t, to, want, first < end, fmt.Sprintf("round %d, torn from %d of %d-%d", round, first, start, end))
	}
}
