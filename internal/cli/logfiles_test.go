package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

// writeLog makes a log with an ordinary and a large transaction and a marker.
func writeLog(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	log, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	channel, err := log.Channel("shop")
	if err != nil {
		t.Fatal(err)
	}
	defer channel.Close()
	w, err := channel.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	tuple := row.AppendNull(row.AppendValue(row.AppendTupleHeader(nil, 2), []byte("a\nb")))
	insert := row.AppendChange(nil, &row.Change{Op: row.Insert, Table: 7, Version: 1, New: tuple})
	large, err := w.Large()
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Part(9, append(insert, insert...)); err != nil {
		t.Fatal(err)
	}
	ref, err := large.Seal(nil)
	if err != nil {
		t.Fatal(err)
	}
	marker := backfill.Marker{Consumer: "cf1/1", Table: 7}
	var last = append([]*wal.Entry(nil),
		&wal.Entry{Kind: wal.KindTxn, Position: []byte{1, 2}, Xid: 9, Changes: insert},
		&wal.Entry{Kind: wal.KindTxn, Position: []byte{1, 3}, Xid: 10, Large: ref},
		&wal.Entry{Kind: wal.KindMarker, Changes: marker.Encode()})
	for _, e := range last {
		at, err := w.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WaitDurable(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLogFiles(t *testing.T) {
	dir := writeLog(t)
	reports, err := VerifyLocal(t.Context(), dir)
	if err != nil || len(reports) != 1 || !reports[0].OK || reports[0].Entries != 3 {
		t.Fatalf("%+v, %v", reports, err)
	}
	var got []LogEntry
	collect := func(e LogEntry) error { got = append(got, e); return nil }
	if err := InspectLocal(t.Context(), dir, LogSelection{Changes: true}, collect); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 {
		t.Fatalf("%d entries, want 3: %+v", len(got), got)
	}
	insert := `insert table 7 version 1 new ("a\nb", NULL)`
	if got[0].Position != "0102" || got[0].Count != 1 || got[0].Changes[0] != insert {
		t.Errorf("%+v", got[0])
	}
	if !got[1].Large || len(got[1].Changes) != 2 || got[1].Changes[1] != insert {
		t.Errorf("%+v", got[1])
	}
	if got[2].Kind != "marker" || !strings.Contains(got[2].Changes[0], "snapshot of cf1/1: table 7") {
		t.Errorf("%+v", got[2])
	}
	after := got[0].Ts
	got = nil
	if err := InspectLocal(t.Context(), dir, LogSelection{Channel: "shop", After: after}, collect); err != nil || len(got) != 2 || got[0].Changes != nil {
		t.Errorf("after the first: %+v, %v", got, err)
	}
	if err := InspectLocal(t.Context(), dir, LogSelection{Channel: "nobody"}, collect); err == nil {
		t.Error("a channel that is not there is no error")
	}
}

func TestDamagedLogFiles(t *testing.T) {
	dir := writeLog(t)
	segments, err := filepath.Glob(filepath.Join(dir, "*", "seg-*.wal"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, %v", segments, err)
	}
	text, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), "a\nb") // in the first entry
	if at < 0 {
		t.Fatal("the first entry is not found")
	}
	text[at] ^= 1
	if err := os.WriteFile(segments[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	reports, err := VerifyLocal(t.Context(), dir)
	if err != nil || reports[0].OK || len(reports[0].Faults) == 0 {
		t.Errorf("%+v, %v", reports, err)
	}
	damaged, entries := 0, 0
	err = InspectLocal(t.Context(), dir, LogSelection{}, func(e LogEntry) error {
		if e.Damage != "" {
			damaged++
		} else {
			entries++
		}
		return nil
	})
	if err != nil || damaged == 0 || entries != 2 {
		t.Errorf("%d damaged places, %d entries, %v; want some and 2", damaged, entries, err)
	}
}
