package postgres

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// counting takes the stream, counts and forgets; everything is durable at once.
type counting struct{ *recorder }

func (c counting) Changes(txn, sub uint64, changes []byte) error {
	c.calls++
	return nil
}
func (c counting) Abort(txn, sub uint64) error { return nil }
func (c counting) Commit(txn uint64, position []byte, us int64) error {
	return c.Alive(position)
}

// BenchmarkCaptureAgainstRecvlogical streams one backlog twice, by us and by
// pg_recvlogical into a file, and reports both times and the walsender's CPU
// seconds. WEIR_BENCH_ROWS sets its size, 200000 rows by default.
func BenchmarkCaptureAgainstRecvlogical(b *testing.B) {
	rows := 200_000
	if n, err := strconv.Atoi(os.Getenv("WEIR_BENCH_ROWS")); err == nil {
		rows = n
	}
	srv, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = srv.Close() })
	for i, load := range []struct{ name, sql string }{
		{"1000-row-txns", fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP INSERT INTO a SELECT g, 'some text of row ' || g, now() FROM generate_series(i * 1000, i * 1000 + 999) g; COMMIT; END LOOP; END $$`, rows/1000)},
		{"1-row-txns", fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP INSERT INTO a VALUES (i, 'some text of row ' || i, now()); COMMIT; END LOOP; END $$`, rows/5)},
		{"one-txn", fmt.Sprintf(`INSERT INTO a SELECT g, 'some text of row ' || g, now() FROM generate_series(1, %d) g`, rows)},
	} {
		b.Run(load.name, func(b *testing.B) {
			url, err := srv.CreateDB(b.Context(), fmt.Sprintf("b%d_%d", i, time.Now().UnixNano()))
			if err != nil {
				b.Fatal(err)
			}
			db := dial(b, url)
			exec(b, db, `CREATE TABLE a (id int PRIMARY KEY, v text, at timestamptz)`)
			cfg := testConfig(b, url, "public.*")
			cfg.NoEventTrigger = true
			s := newSource(b, cfg)
			start, _, err := s.Prepare(b.Context(), nil)
			if err != nil {
				b.Fatal(err)
			}
			exec(b, db, `SELECT pg_create_logical_replication_slot('peer', 'pgoutput')`, `SET synchronous_commit = off`, load.sql, `CHECKPOINT`)
			for b.Loop() {
				ours, oursCPU, client := measureOurs(b, s, start)
				theirs, theirsCPU := measurePeer(b, url, s)
				b.ReportMetric(ours.Seconds(), "ours-s")
				b.ReportMetric(theirs.Seconds(), "peer-s")
				b.ReportMetric(theirs.Seconds()/ours.Seconds(), "ratio")
				b.ReportMetric(oursCPU, "walsender-ours-s")
				b.ReportMetric(theirsCPU, "walsender-peer-s")
				b.ReportMetric(client, "client-cpu-s")
			}
			exec(b, db, `SELECT pg_drop_replication_slot('peer')`)
		})
	}
}

// watchSender follows the walsender of a slot and gives its CPU seconds when asked.
func watchSender(s *Source, slot string) (cpu func() float64) {
	stop, out := make(chan struct{}), make(chan float64)
	go func() {
		pid, last := 0, 0.0
		for {
			select {
			case <-stop:
				out <- last
				return
			case <-time.After(20 * time.Millisecond):
			}
			if pid == 0 {
				_ = s.control.do(context.Background(), func(ctx context.Context, conn *pgx.Conn) error {
					return conn.QueryRow(ctx, `SELECT COALESCE(active_pid, 0) FROM pg_replication_slots WHERE slot_name = $1`, slot).Scan(&pid)
				})
			}
			last = max(last, pgserver.CPUSeconds(pid))
		}
	}()
	return func() float64 { close(stop); return <-out }
}

func ownCPU() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func measureOurs(b *testing.B, s *Source, from []byte) (took time.Duration, sender, client float64) {
	rec := counting{newRecorder(b)}
	now, err := s.Now(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	done := make(chan error, 1)
	cpu := watchSender(s, s.Slot())
	began, before := time.Now(), ownCPU()
	go func() { done <- s.Stream(ctx, from, rec) }()
	for !rec.reached(now) {
		select {
		case err := <-done:
			b.Fatal(err)
		case <-time.After(2 * time.Millisecond):
		}
	}
	took, client = time.Since(began), ownCPU()-before
	sender = cpu()
	cancel()
	<-done
	return took, sender, client
}

func measurePeer(b *testing.B, url string, s *Source) (time.Duration, float64) {
	tool, err := pgserver.Tool("pg_recvlogical")
	if err != nil {
		b.Skip(err)
	}
	now, err := s.Now(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	end, _ := LSNOf(now)
	cmd := osexec.Command(tool, "-d", url, "-S", "peer", "--start", "--no-loop", "-E", end.String(), "-f", filepath.Join(b.TempDir(), "out"),
		"-o", "proto_version=2", "-o", "streaming=on", "-o", fmt.Sprintf(`publication_names="%s","%[1]s_keyless"`, s.Slot()))
	cpu := watchSender(s, "peer")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	sender := cpu()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return took, sender
}
