package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

var errFull = fmt.Errorf("write: %w", syscall.ENOSPC)

var testSchema = &row.Schema{Table: 7, Version: 1, Namespace: "public", Name: "t", Identity: row.IdentityDefault,
	Columns: []row.Column{{ID: 1, Name: "id", Type: datum.OIDInt8, Typmod: -1, Key: true}}}

// item is an insert with the given id in the transaction at ts.
func item(id int, at ts.Ts) feed.Item {
	t := row.AppendValue(row.AppendTupleHeader(nil, 1), fmt.Append(nil, id))
	return feed.Item{Change: row.Change{Op: row.Insert, Table: 7, Version: 1, New: t}, Schema: testSchema,
		Txn: &feed.Txn{Ts: at, Xid: uint64(at), CommitUs: int64(at) * 1000, Position: []byte{0, 0, 0, 0, 0, 0, 0, byte(at)}}}
}

// history is what upstream did: transaction at Ts i+1 has sizes[i] changes, numbered on.
type history struct{ sizes []int }

// piece is a unit of Write and Commit.
type piece struct {
	items []feed.Item
	pos   feed.Position
}

// pieces gives all of the history after pos, as a feed would: batches of whole
// transactions, and large transactions in parts of two changes.
func (h history) pieces(pos feed.Position, ok bool) (out []piece) {
	id := 0
	for i, n := range h.sizes {
		at := ts.Ts(i + 1)
		for k := 1; k <= n; k++ {
			id++
			here := feed.Position{Ts: at, Offset: uint64(k)}
			if k == n {
				here.Offset = 0
			}
			if ok && !pos.Less(here) {
				continue
			}
			if len(out) == 0 || len(out[len(out)-1].items) == 2 {
				out = append(out, piece{})
			}
			p := &out[len(out)-1]
			p.items, p.pos = append(p.items, item(id, at)), here
		}
	}
	return out
}

func (h history) total() (n int) {
	for _, s := range h.sizes {
		n += s
	}
	return n
}

func testConfig() Config {
	c, err := Parse("file:///data?file_commits=3&resolved=2s")
	if err != nil {
		panic(err)
	}
	return c
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// ticking is a clock that moves a second with every look.
func ticking() func() time.Time {
	now := time.Unix(1_700_000_000, 0)
	return func() time.Time { now = now.Add(time.Second); return now }
}

func lane(term uint64) feed.Lane {
	return feed.Lane{Cluster: "c", Changefeed: "cf", Incarnation: 1, Term: term}
}

const laneTestDir = "/data/cf/incarnation-1/lane-0"

// deliver opens a sink and delivers what is left, until done or an error.
func deliver(d disk, h history, term uint64, each func(feed.Position)) error {
	ctx := context.Background()
	s := newSink(testConfig(), d, ticking(), quiet())
	pos, ok, err := s.Open(ctx, lane(term))
	defer s.Close(ctx)
	if err != nil {
		return err
	}
	for _, p := range h.pieces(pos, ok) {
		if err := s.Write(ctx, p.items); err != nil {
			return err
		}
		if err := s.Commit(ctx, p.pos); err != nil {
			return err
		}
		each(p.pos)
		if p.pos.Offset == 0 {
			if err := s.Resolved(ctx, p.pos); err != nil {
				return err
			}
		}
	}
	return nil
}

// drain reads what there is and returns the ids of events; it checks resolved lines.
func drain(t *testing.T, r *Reader, got []int) []int {
	t.Helper()
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatalf("reading: %v", err)
		}
		var id, at int
		if n, _ := fmt.Sscanf(string(line), `{"resolved":"%d"`, &at); n == 1 {
			continue
		}
		if _, err := fmt.Sscanf(string(line), `{"before":null,"after":{"id":%d}`, &id); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		got = append(got, id)
	}
}

func wantAll(t *testing.T, got []int, n int, what string) {
	t.Helper()
	want := make([]int, n)
	for i := range want {
		want[i] = i + 1
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: got ids %v, want 1 to %d each once", what, got, n)
	}
}

var crashHistory = history{sizes: []int{1, 1, 5, 1, 3, 1, 1, 1, 2, 1}}

// undisturbed counts the calls of a run without a crash.
func undisturbed(t *testing.T) *memDisk {
	d := newMemDisk()
	if err := deliver(d, crashHistory, 1, func(feed.Position) {}); err != nil {
		t.Fatal(err)
	}
	r := newReader(d, laneTestDir)
	wantAll(t, drain(t, r, nil), crashHistory.total(), "no crash")
	return d
}

// crashAt runs until the call dies, with a reader that looks after every commit and
// once more after the crash, then continues on after(dead) under the next term.
// The reader goes on, and a second one begins anew: both see each line once.
func crashAt(t *testing.T, call, partial int, after func(*memDisk) *memDisk, what string) {
	t.Helper()
	d := newMemDisk()
	d.dieAt, d.partial = call, partial
	r := newReader(&alive{d}, laneTestDir)
	var got []int
	var committed feed.Position
	err := deliver(d, crashHistory, 1, func(p feed.Position) {
		got = drain(t, r, got)
		committed = p
	})
	if err != nil && !errors.Is(err, errCrash) {
		t.Fatalf("%s: %v", what, err)
	}
	got = drain(t, r, got)
	next := after(d)
	s := newSink(testConfig(), next, ticking(), quiet())
	pos, ok, err := s.Open(context.Background(), lane(2))
	if err != nil {
		t.Fatalf("%s: open after the crash: %v", what, err)
	}
	if committed.Ts > 0 && (!ok || pos.Less(committed)) {
		t.Fatalf("%s: position %v after the crash, %v was committed", what, pos, committed)
	}
	if len(got) < linesAt(committed) {
		t.Fatalf("%s: the reader saw %d lines of %d committed", what, len(got), linesAt(committed))
	}
	s.Close(context.Background())
	if err := deliver(next, crashHistory, 3, func(feed.Position) {}); err != nil {
		t.Fatalf("%s: going on: %v", what, err)
	}
	r.disk, r.file = next, nil
	wantAll(t, drain(t, r, got), crashHistory.total(), what+", reader across the crash")
	wantAll(t, drain(t, newReader(next, laneTestDir), nil), crashHistory.total(), what)
	checkOrphans(t, next, what)
}

// linesAt counts the changes at or below a position.
func linesAt(p feed.Position) (n int) {
	for i, size := range crashHistory.sizes {
		switch at := ts.Ts(i + 1); {
		case at < p.Ts || at == p.Ts && p.Offset == 0:
			n += size
		case at == p.Ts:
			n += int(p.Offset)
		}
	}
	return n
}

// checkOrphans: a reader that ignores the manifest sees, at the end, just what counts.
func checkOrphans(t *testing.T, d *memDisk, what string) {
	t.Helper()
	m, err := parseManifest(manifestName, d.names[filepath.Join(laneTestDir, manifestName)].data, false)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, f := range m.files {
		counts[f.File] = f.Bytes
	}
	for name, f := range d.names {
		if base := filepath.Base(name); strings.HasSuffix(base, dataSuffix) && base != manifestName && counts[base] != int64(len(f.data)) {
			t.Fatalf("%s: %s has %d bytes, %d count", what, base, len(f.data), counts[base])
		}
	}
}

// alive lets a reader look at the disk of a dead process.
type alive struct{ *memDisk }

func (a *alive) OpenRead(path string) (readHandle, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f := a.names[path]; f != nil {
		return &memHandle{a.memDisk, f}, nil
	}
	return nil, fmt.Errorf("%s is not there", path)
}

func (a *alive) ReadFile(path string) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f := a.names[path]; f != nil {
		return slices.Clone(f.data), nil
	}
	return nil, syscall.ENOENT
}

// TestKillAtEveryCallAndByte: kill -9 keeps all that was written.
func TestKillAtEveryCallAndByte(t *testing.T) {
	t.Parallel()
	whole := undisturbed(t)
	for call := 1; call <= whole.calls; call++ {
		for partial := 0; partial <= whole.writes[call]; partial += stride(call) {
			crashAt(t, call, partial, (*memDisk).revive, fmt.Sprintf("kill at call %d, byte %d", call, partial))
		}
	}
}

// stride is 1 for every tenth call, which a byte's place in a record or a line does
// not depend on; the others are sampled.
func stride(call int) int {
	if call%10 == 0 && !testing.Short() {
		return 1
	}
	return 37
}

// TestPowerCutAtEveryCall: a power cut keeps what was synced, and any part of the rest.
func TestPowerCutAtEveryCall(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	keeps := map[string]func(int) int{
		"nothing": func(int) int { return 0 }, "all": func(n int) int { return n },
		"some": func(n int) int { return rnd.IntN(n + 1) },
	}
	t.Parallel()
	for call := 1; call <= undisturbed(t).calls; call++ {
		for name, keep := range keeps {
			for _, keepNames := range []bool{true, false} {
				for _, partial := range []int{0, 100, 1 << 20} {
					crashAt(t, call, partial, func(d *memDisk) *memDisk { return d.powerCut(keepNames, keep) },
						fmt.Sprintf("power cut at call %d, byte %d, %s unsynced kept, names %v", call, partial, name, keepNames))
				}
			}
		}
	}
}

// Many crashes one after another, each where it hits.
func TestCrashesInARow(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for round := range 150 {
		d := newMemDisk()
		for term := uint64(1); ; term++ {
			d.dieAt, d.partial, d.calls = 1+rnd.IntN(40), rnd.IntN(600), 0
			err := deliver(d, crashHistory, term, func(feed.Position) {})
			if err == nil {
				break
			}
			if !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			if rnd.IntN(2) == 0 {
				d = d.powerCut(rnd.IntN(2) == 0, func(n int) int { return rnd.IntN(n + 1) })
			} else {
				d = d.revive()
			}
			if term > 10_000 {
				t.Fatal("no progress")
			}
		}
		d.dieAt = 0
		wantAll(t, drain(t, newReader(d, laneTestDir), nil), crashHistory.total(), fmt.Sprint("round ", round))
	}
}
