package file

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/weirerr"
)

// written is a lane of some commits in real files, its clean manifest and newest data file.
func written(t *testing.T) (g *target, manifestPath, dataPath string) {
	t.Helper()
	g = newTarget(t, "?file_commits=2&resolved=0")
	s, _, _ := g.open(t, lane(1))
	for i := 1; i <= 5; i++ {
		put(t, s, at(uint64(i), 0), item(i, 0))
	}
	s.Close(context.Background())
	dir := filepath.Join(g.cfg.Dir, "cf/incarnation-1/lane-0")
	files := g.files(t)
	return g, filepath.Join(dir, manifestName), filepath.Join(dir, files[len(files)-1])
}

func readAll(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o640); err != nil {
		t.Fatal(err)
	}
}

// A real manifest that ends at any byte is a manifest of fewer commits; going on from
// there completes the history.
func TestARealManifestCutAtEveryByte(t *testing.T) {
	g, path, data := written(t)
	whole, line := readAll(t, path), readAll(t, data)
	step := 1
	if testing.Short() {
		step = 29
	}
	for n := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1; n < len(whole); n += step {
		write(t, path, whole[:n])
		write(t, data, line)
		s, pos, ok := g.open(t, lane(2))
		if !ok || pos != at(4, 0) && !(pos == at(5, 0) && n == len(whole)-1) {
			t.Fatalf("cut at %d of %d: position %v, %v", n, len(whole), pos, ok)
		}
		if pos == at(4, 0) {
			put(t, s, at(5, 0), item(5, 0))
		}
		s.Close(context.Background())
		wantAll(t, drain(t, g.reader(t), nil), 5, "cut")
	}
}

// Bytes behind what counts, of a crash, are cut; bytes missing from it are damage.
func TestARealDataFileOfAnyLength(t *testing.T) {
	g, manifestPath, data := written(t)
	m, whole := readAll(t, manifestPath), readAll(t, data)
	for _, n := range []int{0, 1, len(whole) - 1} {
		write(t, data, whole[:n])
		s := New(g.cfg, g.clock.now, quiet())
		if _, _, err := s.Open(context.Background(), lane(2)); weirerr.CodeOf(err) != weirerr.TargetConflict {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
		if err := readError(g.reader(t)); weirerr.CodeOf(err) != weirerr.TargetConflict {
			t.Errorf("the reader, %d of %d bytes: %v", n, len(whole), err)
		}
		write(t, manifestPath, m)
	}
	for _, tail := range []string{"\n", `{"before":`, string(make([]byte, 5000)), string(whole)} {
		write(t, data, append(bytes.Clone(whole), tail...))
		wantAll(t, drain(t, g.reader(t), nil), 5, "before the repair")
		s, pos, _ := g.open(t, lane(2))
		s.Close(context.Background())
		if got := readAll(t, data); pos != at(5, 0) || !bytes.Equal(got, whole) {
			t.Errorf("position %v, %d bytes left of %d", pos, len(got), len(whole))
		}
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	s, pos, ok := g.open(t, lane(2))
	if !ok || pos != at(5, 0) {
		t.Errorf("a consumed file was deleted: position %v, %v", pos, ok)
	}
	s.Close(context.Background())
}

func readError(r *Reader) error {
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// A flipped bit in what counts is an error, in the manifest and in the data; never
// another line, never a missing one.
func TestAFlippedBitIsFound(t *testing.T) {
	g, manifestPath, data := written(t)
	for _, path := range []string{manifestPath, data} {
		whole := readAll(t, path)
		for i := range whole {
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << (i % 8)
			write(t, path, bad)
			err := readError(g.reader(t))
			// The last newline of the manifest may read as a record not yet committed.
			if path == manifestPath && i == len(whole)-1 && err == nil {
				continue
			}
			if weirerr.CodeOf(err) != weirerr.TargetConflict {
				t.Fatalf("%s, byte %d of %d: %v", filepath.Base(path), i, len(whole), err)
			}
		}
		write(t, path, whole)
	}
	wantAll(t, drain(t, g.reader(t), nil), 5, "restored")
}

// The newline behind the newest commit is written after its sync: whatever a power
// cut, or a bad disk, makes of it, the commit stands.
func TestADamagedLastNewlineLosesNoCommit(t *testing.T) {
	for _, tail := range []string{"", "\x0b", "\x00", "\x00\x00\x00\x00"} {
		g := newTarget(t, "?resolved=0")
		s, _, _ := g.open(t, lane(1))
		put(t, s, at(1, 0), item(1, 1))
		path := s.ledger.path()
		s.Close(context.Background())
		text := readAll(t, path)
		write(t, path, append(text[:len(text)-1], tail...))
		s, pos, ok := g.open(t, lane(2))
		if !ok || pos != at(1, 0) {
			t.Fatalf("tail %q: position %v, %v", tail, pos, ok)
		}
		put(t, s, at(2, 0), item(2, 2))
		wantAll(t, drain(t, g.reader(t), nil), 2, "tail")
	}
}

func TestANewerManifestIsRefused(t *testing.T) {
	g, path, _ := written(t)
	text := readAll(t, path)
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	r, _ := parseRecord(first)
	r.Format++
	write(t, path, append(append(appendRecord(nil, &r), '\n'), rest...))
	if err := readError(g.reader(t)); weirerr.CodeOf(err) != weirerr.FormatTooNew {
		t.Errorf("reader: %v", err)
	}
	if _, _, err := New(g.cfg, g.clock.now, quiet()).Open(context.Background(), lane(5)); weirerr.CodeOf(err) != weirerr.FormatTooNew {
		t.Errorf("sink: %v", err)
	}
}

func TestARecordsOrderIsChecked(t *testing.T) {
	laneRecord := record{Kind: kindLane, Format: 1, Cluster: "c"}
	commit := func(term, ts uint64) record { return record{Kind: kindCommit, Term: term, End: placeAt(ts, 0)} }
	for name, records := range map[string][]record{
		"no lane": {commit(1, 1)}, "two lanes": {laneRecord, laneRecord}, "back": {laneRecord, commit(1, 2), commit(1, 1)},
		"older owner": {laneRecord, {Kind: kindTerm, Term: 2}, commit(1, 1)}, "unknown": {laneRecord, {Kind: "note", Term: 1}},
		"no position": {laneRecord, {Kind: kindCommit, Term: 1}},
	} {
		var text []byte
		for i := range records {
			text = append(appendRecord(text, &records[i]), '\n')
		}
		if _, err := parseManifest("m", text, true); weirerr.CodeOf(err) != weirerr.TargetConflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the bytes: no panic, and what is read is written and read again the same.
func FuzzManifest(f *testing.F) {
	m := &manifest{}
	for _, r := range []record{
		{Kind: kindLane, Format: 1, Cluster: "c", Changefeed: "cf", Incarnation: 1}, {Kind: kindTerm, Term: 1},
		{Kind: kindCommit, Term: 1, End: placeAt(5, 1), File: fileName(feed.Position{}, 1), Begin: placeAt(0, 0), Lines: 1, Bytes: 9, CRC32: 7, LSN: 3},
		{Kind: kindCommit, Term: 1, End: placeAt(6, 0)},
	} {
		m.add(&r)
	}
	f.Add(m.text(), true)
	f.Add(m.text()[:300], false)
	f.Fuzz(func(t *testing.T, text []byte, owner bool) {
		m, err := parseManifest("m", text, owner)
		if err != nil || m.lane.Kind == "" {
			return
		}
		again, err := parseManifest("m", m.text(), false)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, m.text(), err)
		}
		p, ok := m.position()
		q, ok2 := again.position()
		if p != q || ok != ok2 || again.term != m.term || len(again.files) != len(m.files) || again.lane != m.lane {
			t.Fatalf("%+v is read as %+v", m, again)
		}
	})
}
