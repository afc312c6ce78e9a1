package file

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// clock is moved by hand.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

// target is a directory with a sink's configuration.
type target struct {
	cfg   Config
	clock *clock
}

func newTarget(t *testing.T, options string) *target {
	t.Helper()
	cfg, err := Parse("file://" + t.TempDir() + "/out" + options)
	if err != nil {
		t.Fatal(err)
	}
	return &target{cfg, &clock{time.Unix(1_700_000_000, 0)}}
}

func (g *target) open(t *testing.T, lane feed.Lane) (*Sink, feed.Position, bool) {
	t.Helper()
	s := New(g.cfg, g.clock.now, quiet())
	pos, ok, err := s.Open(context.Background(), lane)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s, pos, ok
}

func (g *target) reader(t *testing.T) *Reader {
	t.Helper()
	r, err := OpenReader(g.cfg.Dir, "cf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func (g *target) files(t *testing.T) (names []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(g.cfg.Dir, "cf/incarnation-1/lane-0/0*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		names = append(names, filepath.Base(name))
	}
	return names
}

func put(t *testing.T, s *Sink, pos feed.Position, items ...feed.Item) {
	t.Helper()
	if err := s.Write(context.Background(), items); err != nil {
		t.Fatalf("write: %v", err)
	}
	if err := s.Commit(context.Background(), pos); err != nil {
		t.Fatalf("commit at %v: %v", pos, err)
	}
}

func at(ts, offset uint64) feed.Position { return placeAt(ts, offset).position() }

func placeAt(ts, offset uint64) *place { return &place{ts, offset} }

func TestPositionsInsideATransaction(t *testing.T) {
	g := newTarget(t, "")
	s, _, ok := g.open(t, lane(1))
	if ok {
		t.Fatal("a fresh directory has no position")
	}
	put(t, s, at(5, 1), item(1, 5))
	put(t, s, at(5, 3), item(2, 5), item(3, 5))
	s.Close(context.Background())
	s, pos, ok := g.open(t, lane(2))
	if !ok || pos != at(5, 3) {
		t.Fatalf("position %v, %v", pos, ok)
	}
	put(t, s, at(5, 0), item(4, 5))
	put(t, s, at(6, 0), item(5, 6))
	r := g.reader(t)
	wantAll(t, drain(t, r, nil), 5, "pieces")
	if pos, ok := r.Position(); !ok || pos != at(6, 0) {
		t.Errorf("the reader is at %v, %v", pos, ok)
	}
	files := g.files(t)
	want := []string{"00000000000000000000-end-t1.ndjson", "00000000000000000005-000000000003-t2.ndjson"}
	if !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
}

func TestNamesSortAsPositionsDo(t *testing.T) {
	p := []feed.Position{at(0, 0), at(5, 1), at(5, 2), at(5, 10), at(5, 0), at(6, 1), at(1<<60, 0)}
	for i := 1; i < len(p); i++ {
		if a, b := fileName(p[i-1], 9), fileName(p[i], 10); a >= b {
			t.Errorf("%s comes after %s", a, b)
		}
	}
}

func TestCommitsMustMoveForward(t *testing.T) {
	g := newTarget(t, "")
	s, _, _ := g.open(t, lane(1))
	put(t, s, at(5, 0), item(1, 5))
	if err := s.Commit(context.Background(), at(5, 0)); err != nil {
		t.Errorf("a commit of nothing at the same position: %v", err)
	}
	for _, pos := range []feed.Position{at(5, 0), at(4, 0), at(5, 7)} {
		s, _, _ := g.open(t, lane(1))
		if err := s.Write(context.Background(), []feed.Item{item(9, 5)}); err != nil {
			t.Fatal(err)
		}
		err := s.Commit(context.Background(), pos)
		if weirerr.CodeOf(err) != weirerr.CheckpointStale {
			t.Errorf("commit at %v: %v", pos, err)
		}
		if err := s.Commit(context.Background(), at(6, 0)); weirerr.CodeOf(err) != weirerr.CheckpointStale {
			t.Errorf("a sink that failed goes on: %v", err)
		}
		s.Close(context.Background())
	}
	wantAll(t, drain(t, g.reader(t), nil), 1, "refused commits")
	if n := len(g.files(t)); n != 1 {
		t.Errorf("%d files are left of refused commits", n)
	}
}

func TestADirectoryBelongsToOneLane(t *testing.T) {
	g := newTarget(t, "")
	s, _, _ := g.open(t, lane(1))
	put(t, s, at(1, 0), item(1, 1))
	other := lane(9)
	other.Cluster = "another"
	_, _, err := New(g.cfg, g.clock.now, quiet()).Open(context.Background(), other)
	if weirerr.CodeOf(err) != weirerr.TargetConflict || !strings.Contains(err.Error(), `cluster "c"`) {
		t.Errorf("another cluster: %v", err)
	}
	resync := lane(2)
	resync.Incarnation = 2
	s2, _, ok := g.open(t, resync)
	if ok {
		t.Error("a new incarnation starts from nothing")
	}
	put(t, s2, at(9, 0), item(1, 9), item(2, 9))
	r := g.reader(t)
	if !strings.Contains(r.Dir(), "incarnation-2") {
		t.Errorf("the reader reads %s", r.Dir())
	}
	wantAll(t, drain(t, r, nil), 2, "newest incarnation")
}

func TestRotation(t *testing.T) {
	for options, wantFiles := range map[string]int{
		"?file_size=1024&resolved=0": 5, // a line has about 370 bytes
		"?file_commits=4&resolved=0": 3, "?file_age=2m&resolved=0": 5, "?resolved=0": 1,
	} {
		g := newTarget(t, options)
		s, _, _ := g.open(t, lane(1))
		r := g.reader(t)
		var got []int
		for i := 1; i <= 12; i++ {
			put(t, s, at(uint64(i), 0), item(i, 0))
			g.clock.advance(time.Minute)
			got = drain(t, r, got) // a reader that follows
		}
		wantAll(t, got, 12, options)
		wantAll(t, drain(t, g.reader(t), nil), 12, options)
		if files := g.files(t); len(files) < wantFiles-1 || len(files) > wantFiles {
			t.Errorf("%s: files %v, want %d", options, files, wantFiles)
		}
		text, err := os.ReadFile(filepath.Join(g.cfg.Dir, "cf/incarnation-1/lane-0", manifestName))
		if n := strings.Count(string(text), "\n"); err != nil || wantFiles > 1 && n > wantFiles+6 {
			t.Errorf("%s: the manifest has %d records after compaction, %v", options, n, err)
		}
	}
}

func TestWithoutLimitsThereIsOneFile(t *testing.T) {
	g := newTarget(t, "")
	g.cfg.FileBytes, g.cfg.FileCommits, g.cfg.FileAge, g.cfg.Resolved = 0, 0, 0, 0
	s, _, _ := g.open(t, lane(1))
	for i := 1; i <= 3; i++ {
		put(t, s, at(uint64(i), 0), item(i, 0))
	}
	if files := g.files(t); len(files) != 1 {
		t.Errorf("files %v", files)
	}
	wantAll(t, drain(t, g.reader(t), nil), 3, "no limits")
}

func lines(t *testing.T, r *Reader) (out []string) {
	t.Helper()
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
}

func TestResolvedLines(t *testing.T) {
	g := newTarget(t, "?resolved=10s")
	s, _, _ := g.open(t, lane(1))
	ms := func(n uint64) uint64 { return n << 18 }
	resolve := func(n uint64) {
		t.Helper()
		if err := s.Resolved(context.Background(), at(ms(n), 0)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s, at(ms(1), 0), item(1, 1))
	resolve(2) // too soon
	g.clock.advance(11 * time.Second)
	resolve(3)
	resolve(4) // too soon
	g.clock.advance(11 * time.Second)
	put(t, s, at(ms(5), 1), item(2, 5)) // inside a transaction: not yet
	put(t, s, at(ms(5), 0), item(3, 5)) // a busy stream has them too
	put(t, s, at(ms(6), 0), item(4, 6))
	want := []string{"1", `{"resolved":"786432","ts_ms":3}`, "2", "3", `{"resolved":"1310720","ts_ms":5}`, "4"}
	got := lines(t, g.reader(t))
	for i, line := range got {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
		if i < len(want) && !strings.Contains(line, `"after":{"id":`+want[i]+"}") && line != want[i] {
			t.Errorf("line %d is %s, want %s", i, line, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	resolve(7)
	s.Close(context.Background())
	if _, pos, _ := g.open(t, lane(2)); pos != at(ms(7), 0) {
		t.Errorf("Close kept the position %v, want %v", pos, at(ms(7), 0))
	}
}

func TestAnIdlePositionIsKeptWithoutResolvedLines(t *testing.T) {
	g := newTarget(t, "?resolved=0")
	s, _, _ := g.open(t, lane(1))
	put(t, s, at(1, 0), item(1, 1))
	g.clock.advance(time.Minute)
	if err := s.Resolved(context.Background(), at(100, 0)); err != nil {
		t.Fatal(err)
	}
	// Not by Close: the process is gone. And the second owner's manifest has it too.
	for term := range uint64(2) {
		if _, pos, _ := g.open(t, lane(2+term)); pos != at(100, 0) {
			t.Errorf("position %v", pos)
		}
	}
	if got := lines(t, g.reader(t)); len(got) != 1 {
		t.Errorf("lines %q", got)
	}
}

func TestAnIdlePositionSurvivesAPowerCut(t *testing.T) {
	d := newMemDisk()
	clock := &clock{}
	for term := range uint64(3) {
		s := newSink(testConfig(), d, clock.now, quiet())
		if _, _, err := s.Open(context.Background(), lane(1+term)); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(context.Background(), at(1+term, 0)); err != nil {
			t.Fatal(err)
		}
		d = d.powerCut(false, func(int) int { return 0 })
		m, err := parseManifest("m", d.names[filepath.Join(laneTestDir, manifestName)].data, true)
		if err != nil || m.last.End.position() != at(1+term, 0) {
			t.Fatalf("after term %d: %+v, %v", 1+term, m, err)
		}
	}
}

func TestTheSequenceOfCommitsGoesOnAfterARestart(t *testing.T) {
	g := newTarget(t, "")
	s, _, _ := g.open(t, lane(1))
	put(t, s, at(3, 0), item(1, 3))
	put(t, s, at(5, 1), item(2, 5))
	s.Close(context.Background())
	s, _, _ = g.open(t, lane(2))
	put(t, s, at(5, 0), item(3, 5))
	put(t, s, at(8, 0), item(4, 8))
	snap := item(5, 9)
	snap.Change.Op, snap.Txn.Snapshot = row.Read, true
	put(t, s, at(9, 0), snap)
	want := []string{`[null,\"3\"]`, `[\"3\",\"5\"]`, `[\"3\",\"5\"]`, `[\"5\",\"8\"]`, `[null,\"9\"]`}
	for i, line := range lines(t, g.reader(t)) {
		if !strings.Contains(line, `"sequence":"`+want[i]+`"`) {
			t.Errorf("line %d: %s, want sequence %s", i, line, want[i])
		}
		if snapshot := strings.Contains(line, `"snapshot":"incremental"`) && strings.Contains(line, `"op":"r"`); snapshot != (i == 4) {
			t.Errorf("line %d: %s", i, line)
		}
	}
}

func TestAKeyChangeIsTwoLinesAndASchemaChangeNone(t *testing.T) {
	g := newTarget(t, "")
	s, _, _ := g.open(t, lane(1))
	move := item(2, 1)
	move.Change.Op, move.Change.OldKind, move.Change.Old = row.Update, row.OldKey, item(1, 1).Change.New
	put(t, s, at(1, 0), feed.Item{Change: row.Change{Op: row.SchemaChange, Table: 7}, Schema: testSchema, Txn: move.Txn}, move)
	got := lines(t, g.reader(t))
	if len(got) != 2 || !strings.Contains(got[0], `"op":"d"`) || !strings.Contains(got[1], `"op":"c"`) {
		t.Errorf("lines %q", got)
	}
}

func TestABadRowNamesTableAndColumnAndCommitsNothing(t *testing.T) {
	g := newTarget(t, "")
	s, _, _ := g.open(t, lane(1))
	bad := item(1, 1)
	bad.Change.New = row.AppendValue(row.AppendTupleHeader(nil, 1), []byte("one"))
	err := s.Write(context.Background(), []feed.Item{item(1, 1), bad})
	if weirerr.CodeOf(err) != weirerr.BadRow || !strings.Contains(err.Error(), "table public.t, column id") {
		t.Errorf("got %v", err)
	}
	if err := s.Commit(context.Background(), at(1, 0)); weirerr.CodeOf(err) != weirerr.BadRow {
		t.Errorf("a commit after a refused row: %v", err)
	}
}

func TestAFullDiskIsRetriedAndNothingIsLost(t *testing.T) {
	d := newMemDisk()
	s := newSink(testConfig(), d, ticking(), quiet())
	ctx := context.Background()
	if _, _, err := s.Open(ctx, lane(1)); err != nil {
		t.Fatal(err)
	}
	put(t, s, at(1, 0), item(1, 1))
	d.full = true
	if err := s.Write(ctx, []feed.Item{item(2, 2)}); err != nil {
		t.Fatal(err)
	}
	err := s.Commit(ctx, at(2, 0))
	if weirerr.CodeOf(err) != weirerr.TargetFull || weirerr.FlagsOf(err).FailFast {
		t.Errorf("got %v", err)
	}
	s.Close(ctx)
	if _, _, err := s.Open(ctx, lane(1)); weirerr.CodeOf(err) != weirerr.TargetFull {
		t.Errorf("opening on a full disk: %v", err)
	}
	d.full = false
	if pos, _, err := s.Open(ctx, lane(1)); err != nil || pos != at(1, 0) {
		t.Fatalf("position %v, %v", pos, err)
	}
	put(t, s, at(2, 0), item(2, 2))
	wantAll(t, drain(t, newReader(d, laneTestDir), nil), 2, "full disk")
}

func TestErrorsAreTyped(t *testing.T) {
	for err, want := range map[error]weirerr.Code{
		syscall.ENOSPC: weirerr.TargetFull, syscall.EDQUOT: weirerr.TargetFull, syscall.EACCES: weirerr.TargetRights,
		syscall.EROFS: weirerr.TargetRights, syscall.ENOTDIR: weirerr.TargetConfig, syscall.EIO: weirerr.TargetUnreachable,
	} {
		if got := weirerr.CodeOf(failed("write", "/x", &os.PathError{Op: "write", Path: "/x", Err: err})); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
	file := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, _ := Parse("file://" + file)
	if _, _, err := New(cfg, time.Now, quiet()).Open(context.Background(), lane(1)); weirerr.CodeOf(err) != weirerr.TargetConfig {
		t.Errorf("a file in place of the directory: %v", err)
	}
}

func TestUseBeforeOpenAndAfterClose(t *testing.T) {
	g := newTarget(t, "")
	s := New(g.cfg, g.clock.now, quiet())
	ctx := context.Background()
	for range 2 {
		for _, err := range []error{s.Write(ctx, nil), s.Commit(ctx, at(1, 0)), s.Resolved(ctx, at(1, 0))} {
			if weirerr.CodeOf(err) != weirerr.WrongState {
				t.Errorf("got %v", err)
			}
		}
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		s, _, _ = g.open(t, lane(1))
		if _, _, err := s.Open(ctx, lane(1)); weirerr.CodeOf(err) != weirerr.WrongState {
			t.Errorf("opened twice: %v", err)
		}
		s.Close(ctx)
	}
}

func TestDataFilesHaveTheirMode(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	for options, want := range map[string]os.FileMode{"": 0o640, "?mode=600": 0o600} {
		g := newTarget(t, options)
		s, _, _ := g.open(t, lane(1))
		put(t, s, at(1, 0), item(1, 1))
		for _, name := range append(g.files(t), manifestName) {
			st, err := os.Stat(filepath.Join(g.cfg.Dir, "cf/incarnation-1/lane-0", name))
			if err != nil || st.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want %v", name, st.Mode(), err, want)
			}
		}
	}
}
