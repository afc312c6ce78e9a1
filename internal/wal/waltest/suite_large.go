package waltest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// testLarge writes a transaction in parts, aborts one, and lets one be orphaned.
func testLarge(t *testing.T, open Opener) {
	o := wal.Options{SegmentBytes: 32 << 10, ReadBytes: 32 << 10}
	l := open(o)
	c := channel(t, l, "ch")
	w := lead(t, c)
	var rec record
	some(t, w, &rec, 3, 10)
	ref := largeTxn(t, w, 40)
	if _, err := rec.append(w, wal.Entry{Kind: wal.KindTxn, Position: []byte("large"), Large: ref}); err != nil {
		t.Fatal(err)
	}
	orphan := largeTxn(t, w, 3)
	some(t, w, &rec, 60, 900)
	check(t, c, 0, rec.entries)
	checkParts(t, c, ref, 40)
	closeLog(t, l)
	l = open(o)
	defer func() { l.Close() }()
	c = channel(t, l, "ch")
	w = lead(t, c)
	check(t, c, 0, rec.entries)
	checkParts(t, c, ref, 40)
	if _, err := c.Parts(orphan); err == nil {
		t.Error("parts of an earlier term that no entry names are still there")
	}
	if _, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Large: &wal.LargeRef{Attempt: 12345, Bytes: 1}}); weirerr.CodeOf(err) != weirerr.InvalidArgument {
		t.Errorf("an entry whose parts do not exist: %v, want InvalidArgument", err)
	}
	lw, err := w.Large()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lw.Part(1, []byte("x")), lw.Abort()); err != nil {
		t.Errorf("abort: %v", err)
	}
	last := largeTxn(t, w, 30)
	for _, ref := range []*wal.LargeRef{last, largeTxn(t, w, 10)} {
		if _, err := rec.append(w, wal.Entry{Kind: wal.KindTxn, Position: []byte("larger"), Large: ref}); err != nil {
			t.Fatal(err)
		}
	}
	after := rec.entries[len(rec.entries)-1]
	if err := w.WaitDurable(soon(t), after.Ts); err != nil {
		t.Fatal(err)
	}
	before := c.Status().Bytes
	// Entries of few bytes: the segment that has them stays.
	if err := c.Truncate(after.Ts - 1); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []*wal.LargeRef{ref, last} {
		if _, err := c.Parts(gone); err == nil {
			t.Error("parts are still there after their entry was truncated")
		}
	}
	checkParts(t, c, after.Large, 10)
	if st := c.Status(); st.Bytes > before-ref.Bytes-last.Bytes {
		t.Errorf("%d bytes before truncation, %d after, parts of %d and %d", before, st.Bytes, ref.Bytes, last.Bytes)
	}
}

// largeTxn writes n parts of 20 kB of the sub-transactions 0, 1 and 2; 1 does not survive.
func largeTxn(t *testing.T, w wal.Writer, n int) *wal.LargeRef {
	t.Helper()
	lw, err := w.Large()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := lw.Part(uint64(i%3), part(i)); err != nil {
			t.Fatal(err)
		}
	}
	ref, err := lw.Seal([]uint64{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	if ref.Bytes < int64(n*20_000) {
		t.Errorf("%d parts of 20 kB have %d bytes", n, ref.Bytes)
	}
	return ref
}

func part(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%05d", i), 4_000) }

func checkParts(t *testing.T, c wal.Channel, ref *wal.LargeRef, n int) {
	t.Helper()
	p, err := c.Parts(ref)
	if err != nil {
		t.Error(err)
		return
	}
	defer p.Close()
	for i := range n {
		if i%3 == 1 {
			continue
		}
		sub, changes, err := p.Next()
		if err != nil || sub != uint64(i%3) || !bytes.Equal(changes, part(i)) {
			t.Errorf("part %d: sub-transaction %d, %d bytes, %v", i, sub, len(changes), err)
			return
		}
	}
	if _, _, err := p.Next(); err != io.EOF {
		t.Errorf("after the last part: %v, want EOF", err)
	}
}
