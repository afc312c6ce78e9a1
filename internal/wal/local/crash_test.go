package local

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// history is what the crash test knows of the log it writes.
type history struct {
	mu       sync.Mutex
	appended []wal.Entry
	acked    int   // how many of them are acknowledged
	kept     int   // from which on they must be there
	issued   ts.Ts // the highest Ts anybody has seen
}

// TestCrashAtEachSync takes what a disk may hold at each sync of a run, and opens it:
// nothing acknowledged is lost, what is there is a prefix of what was appended, and a
// new term's Ts are above all others.
func TestCrashAtEachSync(t *testing.T) {
	t.Parallel()
	root := scratch(t)
	fs := newCrashFS(root)
	var h history
	images := 0
	to := filepath.Join(scratch(t), "image")
	rnd := rand.New(rand.NewSource(7))
	var one sync.Mutex
	fs.onSync = func() {
		one.Lock()
		defer one.Unlock()
		for _, torn := range []int{-1, 1 << 20, 1, 3} {
			if torn > 0 && rnd.Intn(3) > 0 {
				continue
			}
			os.RemoveAll(to)
			h.mu.Lock()
			acked, kept, issued, appended := h.acked, h.kept, h.issued, h.appended[:len(h.appended):len(h.appended)]
			h.mu.Unlock()
			fs.crash(t, to, rnd, torn)
			if images++; !t.Failed() {
				checkImage(t, to, appended, acked, kept, issued, fmt.Sprintf("image %d, torn %d", images, torn))
			}
		}
	}
	l, err := Open(root, Options{Options: wal.Options{SegmentBytes: 24 << 10, ReadBytes: 4 << 10}, fs: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := l.LocalChannel("ch")
	if err != nil {
		t.Fatal(err)
	}
	for term := range 3 {
		w := lead(t, c)
		for i := range 39 / slower(3) {
			h.append(t, w, term*1000+i)
			if i%9 == 5 {
				h.promise(t, w)
			}
			if i%13 == 12 {
				h.truncate(t, c)
			}
		}
	}
	if images < 100/slower(3) {
		t.Errorf("only %d images were taken", images)
	}
}

func (h *history) append(t *testing.T, w *writer, i int) {
	t.Helper()
	e := entryOf(i, 50+i%5*400)
	if i%11 == 10 {
		e.Changes = nil
		e.Large = largeOf(t, w, i)
	}
	h.mu.Lock() // an image sees the entry as appended before it can be durable
	at, err := w.Append(&e)
	h.appended = append(h.appended, e)
	h.issued = max(h.issued, at)
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if i%3 == 1 { // the last of a term is waited for: the next term may drop what was not
		return
	}
	if err := w.WaitDurable(within(t), at); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.acked = len(h.appended)
	h.mu.Unlock()
}

func (h *history) promise(t *testing.T, w *writer) {
	t.Helper()
	p, err := w.Promise(0)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.issued = max(h.issued, p)
}

func (h *history) truncate(t *testing.T, c *Channel) {
	t.Helper()
	h.mu.Lock()
	upTo := h.appended[h.acked*2/3].Ts
	h.kept = h.acked*2/3 + 1
	h.mu.Unlock()
	if err := c.Truncate(upTo); err != nil {
		t.Fatal(err)
	}
}

func largeOf(t *testing.T, w *writer, i int) *wal.LargeRef {
	t.Helper()
	lw, err := w.Large()
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := lw.Part(uint64(n), fmt.Appendf(nil, "part %d of %d", n, i)); err != nil {
			t.Fatal(err)
		}
	}
	ref, err := lw.Seal(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// checkImage opens an image and holds it against the history.
func checkImage(t *testing.T, dir string, appended []wal.Entry, acked, kept int, issued ts.Ts, what string) {
	if _, err := os.Stat(chDir(dir)); err != nil {
		if acked > 0 {
			t.Errorf("%s: the channel is gone", what)
		}
		return
	}
	l, err := Open(dir, lazy(24<<10))
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer l.Close()
	c, err := l.LocalChannel("ch")
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	got, err := readAll(t, c, c.Status().Truncated, nil)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	first := 0
	for first < len(appended) && (len(got) == 0 && first < kept || len(got) > 0 && appended[first].Ts < got[0].Ts) {
		first++
	}
	if first > kept || first+len(got) < acked || first+len(got) > len(appended) {
		t.Errorf("%s: entries %d to %d are there; acknowledged are %d, kept from %d, appended %d", what, first, first+len(got), acked, kept, len(appended))
		return
	}
	for i := range got {
		if !same(&got[i], &appended[first+i]) {
			t.Errorf("%s: entry %d is wrong: %s at %s, want %s at %s", what, i, got[i].Position, got[i].Ts, appended[first+i].Position, appended[first+i].Ts)
			return
		}
		if got[i].Large != nil {
			if err := readParts(c.fs, c.dir, c.name, got[i].Large); err != nil {
				t.Errorf("%s: parts of entry %d: %v", what, i, err)
			}
		}
	}
	w, err := c.Lead(t.Context())
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if at, err := w.Append(&wal.Entry{Kind: wal.KindTxn}); err != nil || at <= issued {
		t.Errorf("%s: the new term issues %s, after %s was seen: %v", what, at, issued, err)
	}
}
