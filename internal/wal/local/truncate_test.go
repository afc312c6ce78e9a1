package local

import (
	"os"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// TestTruncatedParts truncates large transactions whose commits share a segment with one that
// stays, dies before their parts are deleted, and demands that all who look take it for what it is.
func TestTruncatedParts(t *testing.T) {
	dir := t.TempDir()
	l, c := open(t, dir, lazy(1<<20))
	w := lead(t, c)
	var at []ts.Ts
	var paths []string
	for i := range 4 {
		ref := largeOf(t, w, i)
		paths = append(paths, c.partPath(ref.Attempt))
		e := wal.Entry{Kind: wal.KindTxn, Position: []byte{byte(i)}, Large: ref}
		if _, err := w.Append(&e); err != nil {
			t.Fatal(err)
		}
		at = append(at, e.Ts)
	}
	if err := w.WaitDurable(within(t), at[3]); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Truncate(at[1]); err != nil {
		t.Fatal(err)
	}
	there := func(want ...bool) {
		t.Helper()
		for i, path := range paths {
			if _, err := os.Stat(path); (err == nil) != want[i] {
				t.Errorf("parts of transaction %d: %v, to be there: %v", i, err, want[i])
			}
		}
	}
	there(false, false, true, true)
	if c.Status().Segments != 1 {
		t.Fatal("their segment is gone")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths[1], left, 0o600); err != nil { // as if it had died before
		t.Fatal(err)
	}
	report, err := Verify(dir)
	if err != nil || report.Damaged() || len(report.Channels[0].Findings) > 0 || report.Channels[0].Attempts != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	var shown []ts.Ts
	err = Inspect(dir, "ch", 0, func(i Item) error {
		shown = append(shown, i.Entry.Ts)
		return nil
	})
	if err != nil || len(shown) != 2 || shown[0] != at[2] {
		t.Errorf("shown: %v, %v", shown, err)
	}
	_, c = open(t, dir, lazy(1<<20))
	got, err := readAll(t, c, at[1], nil)
	if err != nil || len(got) != 2 {
		t.Errorf("%d entries are left: %v", len(got), err)
	}
	if err := c.Truncate(at[2]); err != nil {
		t.Fatal(err)
	}
	there(false, false, false, true)
}
