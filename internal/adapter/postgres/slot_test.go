package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/internal/weirerr"
)

func expectCode(t *testing.T, err error, want weirerr.Code) {
	t.Helper()
	var e *weirerr.Error
	if weirerr.CodeOf(err) != want || !errors.As(err, &e) || e.Remedy == "" {
		t.Errorf("got %v, want %s with a remedy", err, want)
	}
}

func TestSlotFaultsAreTyped(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	exec(t, db, `INSERT INTO a VALUES (1)`)
	c.sync()
	position := c.rec.Durable()
	if err := c.end(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	start, created, err := c.Prepare(t.Context(), position)
	if err != nil || created || string(start) != string(position) {
		t.Errorf("resume: %x %v %v", start, created, err)
	}
	early := LSN(1 << 20).Position()
	_, _, err = c.Prepare(t.Context(), early)
	expectCode(t, err, weirerr.SlotAhead)
	expectCode(t, c.Stream(t.Context(), early, c.rec), weirerr.SlotAhead)
	_, _, err = c.Prepare(t.Context(), LSN(1<<50).Position())
	expectCode(t, err, weirerr.UpstreamIdentity)

	exec(t, db, fmt.Sprintf(`SELECT pg_drop_replication_slot('%s')`, c.Slot()))
	_, _, err = c.Prepare(t.Context(), position)
	expectCode(t, err, weirerr.SlotMissing)
	expectCode(t, c.Stream(t.Context(), position, c.rec), weirerr.SlotMissing)

	// Made anew by somebody else: it begins above what we have.
	exec(t, db, `INSERT INTO a VALUES (2)`, fmt.Sprintf(`SELECT pg_create_logical_replication_slot('%s', 'pgoutput')`, c.Slot()))
	_, _, err = c.Prepare(t.Context(), position)
	expectCode(t, err, weirerr.SlotAhead)
	// Without a position the slot is taken as it is.
	if start, created, err := c.Prepare(t.Context(), nil); err != nil || created || len(start) != 8 {
		t.Errorf("%x %v %v", start, created, err)
	}
	exec(t, db, fmt.Sprintf(`SELECT pg_drop_replication_slot('%s')`, c.Slot()), fmt.Sprintf(`SELECT pg_create_physical_replication_slot('%s')`, c.Slot()))
	_, _, err = c.Prepare(t.Context(), nil)
	expectCode(t, err, weirerr.UpstreamIdentity)
}

func TestSlotInUseIsWaitedForAndThenReported(t *testing.T) {
	t.Parallel()
	srv, err := pgserver.Start(pgserver.Options{Config: []string{"wal_sender_timeout=1s"}})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	url, err := srv.CreateDB(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	exec(t, dial(t, url), `CREATE TABLE a (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	c.sync()
	second, err := New(testConfig(t, url, "public.*"), c.log)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	expectCode(t, second.Stream(t.Context(), c.rec.Durable(), newRecorder(t)), weirerr.SlotInUse)
	// One that leaves is succeeded at once.
	ctx, cancel := context.WithCancel(t.Context())
	rec, done := newRecorder(t), make(chan error, 1)
	go func() { done <- second.Stream(ctx, c.rec.Durable(), rec) }()
	_ = c.end()
	now, err := second.Now(ctx)
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the second to take over", func() bool { return rec.reached(now) })
	cancel()
	<-done
}

func TestSlotInvalidatedIsTyped(t *testing.T) {
	t.Parallel()
	srv, err := pgserver.Start(pgserver.Options{Config: []string{"max_slot_wal_keep_size=1MB", "max_wal_size=32MB", "min_wal_size=32MB"}})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	url, err := srv.CreateDB(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY)`, `CREATE TABLE junk (v text)`)
	c := startCapture(t, testConfig(t, url, "public.a"))
	c.sync()
	position := c.rec.Durable()
	_ = c.end()
	await(t, "the slot to be invalidated", func() bool {
		exec(t, db, `INSERT INTO junk SELECT repeat(md5(g::text), 50) FROM generate_series(1, 20000) g`, `SELECT pg_switch_wal()`, `CHECKPOINT`)
		st, err := c.slotState(t.Context())
		return err == nil && st.Lost
	})
	_, _, err = c.Prepare(t.Context(), position)
	expectCode(t, err, weirerr.SlotInvalidated)
	expectCode(t, c.Stream(t.Context(), position, c.rec), weirerr.SlotInvalidated)
}

func TestServerFaultsAreTyped(t *testing.T) {
	t.Parallel()
	srv, err := pgserver.Start(pgserver.Options{Config: []string{"wal_level=replica", "max_replication_slots=1", "max_wal_senders=1"}})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	url, err := srv.CreateDB(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	s := newSource(t, testConfig(t, url, "public.*"))
	_, _, err = s.Prepare(t.Context(), nil)
	expectCode(t, err, weirerr.UpstreamConfig)
	for _, bad := range []string{strings.Replace(url, "/a?", "/nowhere?", 1), strings.Replace(url, "postgres@", "nobody@", 1)} {
		if bad == url {
			continue
		}
		wrong, err := New(testConfig(t, bad, "public.*"), s.log)
		if err != nil {
			t.Fatal(err)
		}
		_, err = wrong.Identity(t.Context())
		if code := weirerr.CodeOf(err); code != weirerr.UpstreamConfig && code != weirerr.UpstreamRights {
			t.Errorf("%v", err)
		}
		_ = wrong.Close()
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	_, err = s.Identity(t.Context())
	if weirerr.CodeOf(err) != weirerr.UpstreamUnreachable || weirerr.FlagsOf(err).FailFast {
		t.Errorf("%v", err)
	}
}

func TestNoMoreSlots(t *testing.T) {
	t.Parallel()
	srv, err := pgserver.Start(pgserver.Options{Config: []string{"max_replication_slots=1", "max_wal_senders=2"}})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	url, err := srv.CreateDB(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY)`, `SELECT pg_create_physical_replication_slot('other')`)
	s := newSource(t, testConfig(t, url, "public.*"))
	_, _, err = s.Prepare(t.Context(), nil)
	expectCode(t, err, weirerr.UpstreamConfig)
	if err == nil || !strings.Contains(err.Error(), "max_replication_slots") {
		t.Error(err)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	s := newSource(t, testConfig(t, newDB(t), "public.*"))
	id, err := s.Identity(t.Context())
	if err != nil || len(id.System) < 10 || id.Timeline != 1 || id.Database == "" || id.Version == "" {
		t.Fatalf("%+v %v", id, err)
	}
}

// An idle database between busy neighbours: its slot moves all the same, and never
// past what is durable.
func TestSlotOfAnIdleDatabaseMoves(t *testing.T) {
	t.Parallel()
	url, neighbour := newDB(t), dial(t, newDB(t))
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY)`)
	cfg := testConfig(t, url, "public.*")
	cfg.Heartbeat, cfg.AckEvery = 100*time.Millisecond, 50*time.Millisecond
	c := startCapture(t, cfg)
	c.sync()
	exec(t, neighbour, `CREATE TABLE n AS SELECT g FROM generate_series(1, 10000) g`)
	var text string
	if err := neighbour.QueryRow(t.Context(), `SELECT pg_current_wal_lsn()::text`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	end, _ := ParseLSN(text)
	confirmed := func() LSN {
		st, err := c.slotState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return st.Confirmed
	}
	await(t, "the slot to pass the neighbour's WAL", func() bool { return confirmed() >= end })

	// What is not durable is not acknowledged.
	c.rec.mu.Lock()
	c.rec.hold = true
	held, _ := LSNOf(c.rec.durable)
	c.rec.mu.Unlock()
	exec(t, db, `INSERT INTO a SELECT g FROM generate_series(1, 1000) g`)
	now, _ := c.Now(t.Context())
	beats := c.slotBeats()
	await(t, "some heartbeats", func() bool { return c.slotBeats() > beats+5 })
	if got := confirmed(); got > held {
		t.Errorf("acknowledged %s, durable is %s", got, held)
	}
	c.rec.mu.Lock()
	c.rec.hold = false
	c.rec.mu.Unlock()
	end, _ = LSNOf(now)
	await(t, "the slot to pass what is durable again", func() bool { return confirmed() >= end })
}

// slotBeats counts what the stream delivered.
func (c *captured) slotBeats() int {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	return c.rec.beats
}

// The server shuts down at once although we read from it, and the stream goes on
// after it was killed.
func TestServerStopsAndIsKilled(t *testing.T) {
	t.Parallel()
	srv, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	url, err := srv.CreateDB(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	exec(t, dial(t, url), `CREATE TABLE a (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	c.sync()
	began := time.Now()
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the shutdown took %s", took)
	}
	if err := <-c.done; weirerr.CodeOf(err) != weirerr.UpstreamUnreachable {
		t.Errorf("%v", err)
	}
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	c.restart()
	db := dial(t, url)
	exec(t, db, `INSERT INTO a VALUES (1)`)
	c.sync()
	if err := srv.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-c.done; weirerr.CodeOf(err) != weirerr.UpstreamUnreachable {
		t.Errorf("%v", err)
	}
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	c.restart()
	exec(t, dial(t, url), `INSERT INTO a VALUES (2)`)
	c.sync()
	expectLines(t, c.rec.lines(1), "I a (1)", "I a (2)")
}

func TestDropLeavesNothing(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	c.sync()
	if err := c.Drop(t.Context()); err != nil { // while it streams
		t.Fatal(err)
	}
	if err := <-c.done; err == nil {
		t.Error("the stream goes on")
	}
	var left int
	err := db.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pg_replication_slots WHERE slot_name = $1) + (SELECT count(*) FROM pg_publication)
		+ (SELECT count(*) FROM pg_event_trigger) + (SELECT count(*) FROM pg_namespace WHERE nspname = 'weir') + (SELECT count(*) FROM pg_proc WHERE proname LIKE 'weir%')`, c.Slot()).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d things are left, %v", left, err)
	}
	if err := c.Drop(t.Context()); err != nil {
		t.Error(err)
	}
}
