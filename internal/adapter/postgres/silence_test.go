package postgres

import (
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/weirerr"
)

// A server that is there and says nothing, though it was asked, is given up: its
// walsender is stopped, the connection stays.
func TestSilenceEndsTheStream(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE public.a (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, with(url, "sslmode=disable&options=-c%20wal_sender_timeout%3D2s"), "public.*"))
	exec(t, db, `INSERT INTO public.a VALUES (1)`)
	c.sync()
	var pid int
	if err := db.QueryRow(t.Context(), `SELECT active_pid::int4 FROM pg_replication_slots WHERE slot_name = $1`, c.Slot()).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	// A stream that is silent since there is nothing to say goes on.
	select {
	case err := <-c.done:
		t.Fatalf("the idle stream ended: %v", err)
	case <-time.After(4 * time.Second):
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	select {
	case err := <-c.done:
		wantCode(t, err, weirerr.UpstreamUnreachable, "said nothing")
	case <-time.After(30 * time.Second):
		t.Fatal("the stream waits for a server that says nothing")
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	exec(t, db, `INSERT INTO public.a VALUES (2)`)
	c.restart()
	c.sync()
}
