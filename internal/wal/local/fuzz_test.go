package local

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzSegment opens a log whose last segment is any bytes: no panic, and what is read is
// what an earlier record said, since every record is under checksums.
func FuzzSegment(f *testing.F) {
	f.Add([]byte{}, uint16(0))
	f.Add([]byte("garbage that is longer than the header of a frame, by some bytes"), uint16(0))
	f.Add(appendFrame(nil, kindEntry, 1, 5, []byte{'T', 0, 0, 0, 0, 'x'}, segmentSalt("ch", 1), 0, segHeader), uint16(0))
	head := (&fileHead{no: 1, term: 1}).encode(segMagic, segmentSalt("ch", 1), segHeader)
	f.Fuzz(func(t *testing.T, body []byte, cut uint16) {
		dir := scratch(t)
		if err := os.MkdirAll(chDir(dir), 0o700); err != nil {
			t.Fatal(err)
		}
		c := control{seq: 1, firstSeg: 1, term: 1, ceiling: 1 << 60}
		copyOf := c.encode(controlSalt("ch"))
		seg := append(append([]byte{}, head...), body...)
		seg = seg[:max(0, len(seg)-int(cut))]
		if err := os.WriteFile(filepath.Join(chDir(dir), controlFile), append(copyOf, copyOf...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(chDir(dir), segName(1)), seg, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(dir); err != nil {
			t.Fatal(err)
		}
		l, ch := open(t, dir, lazy(32<<10))
		defer l.Close()
		before, _ := readAll(t, ch, 0, nil)
		e := put(t, lead(t, ch), entryOf(1, 10))
		got, err := readAll(t, ch, e.Ts-1, nil)
		if err != nil || len(got) != 1 || !same(&got[0], &e) {
			t.Fatalf("after %d entries the appended one is not there: %v", len(before), err)
		}
	})
}

// FuzzDecoders feeds the decoders of control record, head, mark, summary and resume point.
func FuzzDecoders(f *testing.F) {
	s := summary{count: 1, first: 2, last: 3, term: 4, high: []byte("h"), index: []indexPoint{{2, 3}}, attempts: []attemptRef{{1, 2, 3}}}
	f.Add(s.encode())
	f.Add((&resumePoint{no: 1, markAt: 2, end: 3, group: 4, sum: s}).encode())
	f.Add((&control{term: 1, high: []byte("x")}).encode(0))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, ok := decodeSummary(b); ok {
			if again, ok := decodeSummary(got.encode()); !ok || again.count != got.count || len(again.index) != len(got.index) {
				t.Fatal("a summary does not survive encoding")
			}
		}
		decodeResume(b)
		decodeMark(b)
		for _, size := range []int{partHeader, segHeader} {
			head := append(append([]byte{}, b...), make([]byte, size)...)[:size]
			reseal(head, 1)
			decodeHead(head, segMagic, 1)
			reseal(head, 1)
			if size == controlSlot {
				copy(head, controlMagic[:])
				reseal(head, 1)
				decodeControl(head, 1)
			}
		}
	})
}
