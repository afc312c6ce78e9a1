package flow

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

const oneTable = `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT i, 'v' FROM generate_series(1, 100) i;`

func TestPauseKeepsThePlaceAndResumeGoesOn(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	p.cli(t, "changefeed", "pause", "db")
	p.await(t, "db", func(f rig.Feed) bool { return f.State == "stopped" })
	srv.Exec(t, p.from, "UPDATE t SET v = 'while paused'; DELETE FROM t WHERE id = 1")
	p.delivered(t, "files") // the other one goes on
	if got := p.value(t, "SELECT count(*)::text FROM t WHERE v = 'v'"); got != "100" {
		t.Errorf("a paused changefeed delivers: %s rows are as before", got)
	}
	p.cli(t, "changefeed", "resume", "db")
	p.delivered(t, "db")
	p.equal(t, "public.t")
	p.cli(t, "changefeed", "remove", "db")
	if why := p.refused(t, "changefeed", "query", "db"); !strings.Contains(why, "NotFound") {
		t.Errorf("a removed changefeed answers %s", why)
	}
}

func TestFiltersChooseTables(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable+"CREATE TABLE secret (id int PRIMARY KEY); INSERT INTO secret VALUES (1)")
	p.cli(t, "source", "create", "src", "--url", p.source)
	p.cli(t, "changefeed", "create", "db", "--source", "src", "--tables", "public.*,!public.secret", "--sink", p.target)
	p.await(t, "db", func(f rig.Feed) bool { return f.Consistent() })
	srv.Exec(t, p.from, "INSERT INTO secret VALUES (2); INSERT INTO t VALUES (1000, 'x')")
	p.delivered(t, "db")
	p.equal(t, "public.t")
	if got := p.value(t, "SELECT (to_regclass('public.secret') IS NULL)::text"); got != "true" {
		t.Error("the secret table is at the target")
	}
}

func TestStartNowDeliversOnlyWhatComes(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.cli(t, "source", "create", "src", "--url", p.source)
	p.cli(t, "changefeed", "create", "db", "--source", "src", "--start", "now", "--sink", p.target)
	srv.Exec(t, p.from, "INSERT INTO t VALUES (1000, 'new')")
	p.delivered(t, "db")
	if got := p.value(t, "SELECT string_agg(id::text, ' ') FROM t"); got != "1000" {
		t.Errorf("the target has rows %s, want 1000", got)
	}
}

func TestTargetTsFinishes(t *testing.T) {
	p := newPair(t, oneTable)
	p.cli(t, "source", "create", "src", "--url", p.source)
	end := time.Now().Add(4 * time.Second)
	p.cli(t, "changefeed", "create", "db", "--source", "src", "--target-ts", fmt.Sprint(uint64(end.UnixMilli())<<18), "--sink", p.target)
	p.await(t, "db", func(f rig.Feed) bool { return f.Consistent() })
	srv.Exec(t, p.from, "INSERT INTO t VALUES (1000, 'before the end')")
	<-time.After(time.Until(end) + time.Second)
	srv.Exec(t, p.from, "INSERT INTO t VALUES (1001, 'after the end')")
	f := p.await(t, "db", func(f rig.Feed) bool { return f.State == "finished" })
	if f.CheckpointTs != rig.Ts(uint64(end.UnixMilli())<<18) {
		t.Errorf("finished at %d, the target was %d", f.CheckpointTs, uint64(end.UnixMilli())<<18)
	}
	if got := p.value(t, "SELECT string_agg(id::text, ' ') FROM t WHERE id >= 1000"); got != "1000" {
		t.Errorf("the target has rows %s beside the first, want 1000", got)
	}
}

func TestVerifyNamesTheKeysThatDiffer(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	p.cli(t, "changefeed", "verify", "db")
	srv.Exec(t, p.to, "UPDATE t SET v = 'tampered' WHERE id = 17; DELETE FROM t WHERE id = 23; INSERT INTO t VALUES (7777, 'extra')")
	out, err := p.weir.CLI(t.Context(), "changefeed", "verify", "db")
	text := string(out)
	if err != nil {
		text += err.Error()
	} else {
		t.Error("verify of a target that differs exits with 0")
	}
	for _, key := range []string{"17", "23", "7777"} {
		if !strings.Contains(text, key) {
			t.Errorf("verify does not name key %s:\n%s", key, text)
		}
	}
}

func TestSigtermAndRestartRepeatNothing(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	for i := range 3 {
		srv.Exec(t, p.from, fmt.Sprintf("INSERT INTO t VALUES (%d, 'round')", 1000+i))
		p.delivered(t, "db", "files")
		start := time.Now()
		if err := p.weir.Stop(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("SIGTERM took %v", took)
		}
		if err := p.weir.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.delivered(t, "db", "files")
	p.equal(t, "public.t")
	lines := map[string]int{}
	err := rig.ReadLines(p.files, func(l *rig.Line) error {
		lines[string(l.After)]++
		return nil
	})
	if err != nil || len(lines) != 103 {
		t.Errorf("%d different lines (%v), want 103", len(lines), err)
	}
	for line, n := range lines {
		if n != 1 {
			t.Errorf("%d times: %s", n, line)
		}
	}
}

func TestLogStatusVerifyAndInspect(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	srv.Exec(t, p.from, "INSERT INTO t VALUES (1000, 'the last')")
	p.delivered(t, "db", "files")
	var status json.RawMessage
	if err := p.weir.JSON(t.Context(), &status, "log", "status"); err != nil || !strings.Contains(string(status), "checkpoint_ts") {
		t.Errorf("log status: %v %s", err, status)
	}
	if err := p.weir.Stop(); err != nil {
		t.Fatal(err)
	}
	if out, err := p.weir.Run(t.Context(), "log", "verify", "--data-dir", p.weir.DataDir()); err != nil {
		t.Errorf("log verify of a sound log: %v %s", err, out)
	}
	if out, err := p.weir.Run(t.Context(), "log", "inspect", "--data-dir", p.weir.DataDir()); err != nil || len(out) == 0 {
		t.Errorf("log inspect: %v, %d bytes", err, len(out))
	}
	if err := p.weir.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestDataDirectoryOfANewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	p := newPair(t, "")
	if err := p.weir.Stop(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.weir.DataDir(), "FORMAT")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(text), `"version":1`, `"version":999`, 1)
	if newer == string(text) {
		t.Fatalf("no version in %s", text)
	}
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.weir.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "FormatTooNew") {
		t.Errorf("a newer data directory: %v", err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.weir.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestCheckNamesEachFaultWithItsRemedy(t *testing.T) {
	t.Parallel()
	bad := pgtest.Start(t, pgtest.Config("wal_level=replica", "max_replication_slots=0"))
	bad.CreateDB(t, "shop")
	p := newPair(t, oneTable)
	out, err := p.weir.Run(t.Context(), "check", "--url", bad.URL("shop"))
	text := string(out)
	if err == nil {
		t.Error("check of a server that cannot be captured exits with 0")
	} else {
		text += err.Error()
	}
	for _, word := range []string{"wal_level", "max_replication_slots"} {
		if !strings.Contains(text, word) {
			t.Errorf("check does not name %s:\n%s", word, text)
		}
	}
	if out, err := p.weir.Run(t.Context(), "check", "--url", p.source); err != nil {
		t.Errorf("check of a good server: %v\n%s", err, out)
	}
	if why := p.refused(t, "source", "create", "bad", "--url", bad.URL("shop")); !strings.Contains(why, "UpstreamConfig") {
		t.Errorf("source create on a server that cannot be captured: %s", why)
	}
}

func TestSourceDropLeavesNothingUpstream(t *testing.T) {
	t.Parallel()
	p := newPair(t, oneTable)
	p.feed(t)
	if why := p.refused(t, "source", "drop", "src"); !strings.Contains(why, "WrongState") {
		t.Errorf("dropping a source in use: %s", why)
	}
	p.cli(t, "changefeed", "remove", "db")
	p.cli(t, "changefeed", "remove", "files")
	p.cli(t, "source", "drop", "src")
	var left string
	err := srv.Conn(t, p.from).QueryRow(t.Context(), `SELECT concat_ws(' ',
		(SELECT string_agg(slot_name, ' ') FROM pg_replication_slots WHERE database = current_database()),
		(SELECT string_agg(pubname, ' ') FROM pg_publication), (SELECT string_agg(evtname, ' ') FROM pg_event_trigger),
		(SELECT string_agg(nspname, ' ') FROM pg_namespace WHERE nspname ~ 'weir'))`).Scan(&left)
	if err != nil || left != "" {
		t.Errorf("left upstream: %s %v", left, err)
	}
}
