package pgwire_test

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// waits is told when a statement waits.
func waits(t testing.TB, w *world) {
	t.Helper()
	select {
	case <-w.waiting:
	case <-time.After(patience):
		t.Fatal("no statement waits")
	}
}

func (w *world) sessions() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open
}

// eventually waits until yes is true.
func eventually(t testing.TB, what string, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !yes(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("in vain waited until ", what)
		}
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			return
		}
	}
}

// sendCancel asks to cancel what the session with a key runs.
func sendCancel(t testing.TB, addr string, process uint32, secret []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	b, err := (&pgproto3.CancelRequest{ProcessID: process, SecretKey: secret}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a cancel request is answered: %d %v", n, err)
	}
}

func TestAStatementIsCanceled(t *testing.T) {
	w := newWorld()
	s, addr := serve(t, w, nil)
	for _, version := range []uint32{pgproto3.ProtocolVersion30, pgproto3.ProtocolVersion32} {
		r := login(t, addr, version)
		for _, statement := range []pgproto3.FrontendMessage{&pgproto3.Query{String: "wait"}, parse("", "wait")} {
			r.Send(statement)
			if _, extended := statement.(*pgproto3.Parse); extended {
				r.Send(bind("", "", nil))
				r.Send(execute("", 0))
				r.Send(syncNow)
			}
			r.flush()
			waits(t, w)
			wrong := append([]byte(nil), r.key.SecretKey...)
			wrong[0]++
			sendCancel(t, addr, r.key.ProcessID, wrong)
			sendCancel(t, addr, r.key.ProcessID, nil)
			sendCancel(t, addr, r.key.ProcessID+1, r.key.SecretKey)
			r.silent()
			sendCancel(t, addr, r.key.ProcessID, r.key.SecretKey)
			if got := r.hear("Z"); !strings.HasSuffix(got, "ERROR:57014 ZI") {
				t.Error(got)
			}
		}
		// Between statements a cancel does nothing.
		sendCancel(t, addr, r.key.ProcessID, r.key.SecretKey)
		if got := r.say(&pgproto3.Query{String: "select 1"}); got != `columns[c1:23/0] ["1"] <SELECT 1> ZI` {
			t.Error(got)
		}
		r.Send(&pgproto3.Query{String: "wait"})
		r.flush()
		waits(t, w)
		if !s.Cancel(r.key.ProcessID) || s.Cancel(0) {
			t.Error("no such session")
		}
		if got := r.hear("Z"); got != "ERROR:57014 ZI" {
			t.Error(got)
		}
	}
}

func TestPgxCancelsByItsContext(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	conn := connect(t, addr)
	ctx, cancel := context.WithCancel(within(t))
	go func() {
		<-w.waiting
		cancel()
	}()
	if _, err := conn.Exec(ctx, "wait"); err == nil {
		t.Error("it ended by itself")
	}
	eventually(t, "the session is closed", func() bool { return w.sessions() == 0 })
}

func TestACopyIsCanceled(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	r.Send(&pgproto3.Query{String: "copy from text"})
	r.Send(&pgproto3.CopyData{Data: []byte("1\ta\n2\t")})
	r.flush()
	r.hear("CopyIn")
	sendCancel(t, addr, r.key.ProcessID, r.key.SecretKey)
	if got := r.hear("Z"); got != "ERROR:57014 ZI" {
		t.Error(got)
	}
	if got := r.say(&pgproto3.CopyData{Data: []byte("b\n")}, &pgproto3.CopyDone{}, &pgproto3.Query{String: "count"}); got != `columns[count:20/0] ["0"] <SELECT 1> ZI` {
		t.Error(got)
	}
}

func TestAStatementEndsWhenItsClientIsGone(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	for _, text := range []string{"wait", "live 5", "copy from text"} {
		r := login(t, addr, pgproto3.ProtocolVersion30)
		r.Send(&pgproto3.Query{String: text})
		r.flush()
		if text == "copy from text" {
			r.hear("CopyIn")
		} else {
			waits(t, w)
		}
		r.conn.Close()
		eventually(t, "the session of "+text+" is closed", func() bool { return w.sessions() == 0 })
	}
}

// TestAByteThatComesWhileWatchedIsKept: the client's next message comes while a long
// statement runs.
func TestAByteThatComesWhileWatchedIsKept(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	for range 3 {
		r.Send(&pgproto3.Query{String: "wait"})
		r.flush()
		waits(t, w)
		<-time.After(300 * time.Millisecond) // now the server reads ahead
		r.Send(&pgproto3.Query{String: "select 1"})
		r.flush()
		sendCancel(t, addr, r.key.ProcessID, r.key.SecretKey)
		if got := r.hear("Z"); got != "ERROR:57014 ZI" {
			t.Fatal(got)
		}
		if got := r.hear("Z"); got != `columns[c1:23/0] ["1"] <SELECT 1> ZI` {
			t.Fatal(got)
		}
	}
}

func TestLiveRowsComeAtOnce(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	r.Send(&pgproto3.Query{String: "live 5"})
	r.flush()
	if got := r.hear(`["5"`); got != `columns[i:23/0 t:25/0] ["1","row 1"] ["2","row 2"] ["3","row 3"] ["4","row 4"] ["5",""]` {
		t.Error(got)
	}
	waits(t, w)
	sendCancel(t, addr, r.key.ProcessID, r.key.SecretKey)
	if got := r.hear("Z"); got != "ERROR:57014 ZI" {
		t.Error(got)
	}
}

func TestAPanicEndsItsConnectionAlone(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	other := connect(t, addr)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	if got := r.say(&pgproto3.Query{String: "panic"}); got != "FATAL:XX000 closed" {
		t.Error(got)
	}
	if count(t, other) != 0 || w.sessions() != 1 {
		t.Error(w.sessions())
	}
}

func TestAClientThatDoesNotReadHoldsUpNobody(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	r.Send(&pgproto3.Query{String: "rows 5000000"})
	r.flush()
	if n := count(t, connect(t, addr)); n != 0 {
		t.Error(n)
	}
	last := int64(-1)
	eventually(t, "the server waits for its client", func() bool {
		<-time.After(200 * time.Millisecond)
		given := w.given.Load()
		stands := given == last && given > 0
		last = given
		return stands
	})
	if last > 3_000_000 { // what the sockets hold, and no more
		t.Errorf("%d rows wait in memory", last)
	}
	r.conn.Close()
	eventually(t, "its session is closed", func() bool { return w.sessions() <= 1 })
}

func TestShutdown(t *testing.T) {
	w := newWorld()
	s, addr := serve(t, w, nil)
	idle, busy, amid := login(t, addr, pgproto3.ProtocolVersion30), login(t, addr, pgproto3.ProtocolVersion30), login(t, addr, pgproto3.ProtocolVersion30)
	copying := login(t, addr, pgproto3.ProtocolVersion30)
	busy.Send(&pgproto3.Query{String: "wait"})
	busy.flush()
	waits(t, w)
	amid.Send(parse("", "insert 1 a"))
	amid.Send(bind("", "", nil))
	amid.Send(execute("", 0))
	amid.Send(&pgproto3.Flush{})
	amid.flush()
	amid.hear("<INSERT")
	copying.Send(&pgproto3.Query{String: "copy from text"})
	copying.flush()
	copying.hear("CopyIn")

	ctx, now := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		s.Shutdown(ctx)
		close(ended)
	}()
	if got := idle.hear("Z"); got != "FATAL:57P01 closed" {
		t.Errorf("idle: %s", got)
	}
	if got := amid.say(syncNow); got != "ZI" {
		t.Errorf("amid a query: %s", got)
	}
	if got := amid.hear("Z"); got != "FATAL:57P01 closed" {
		t.Errorf("after it: %s", got)
	}
	if got := copying.say(&pgproto3.CopyData{Data: []byte("2\tb\n")}, &pgproto3.CopyDone{}); got != "<COPY 1> ZI" {
		t.Errorf("amid a COPY: %s", got)
	}
	if _, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		t.Error("a client came in")
	}
	now()
	if got := busy.hear("Z"); got != "FATAL:57P01 closed" {
		t.Errorf("busy: %s", got)
	}
	<-ended
	if got := w.table(); got != `1 "a";2 "b";` {
		t.Error(got)
	}
}

func TestShutdownWaitsForAStatement(t *testing.T) {
	w := newWorld()
	s, addr := serve(t, w, nil)
	conn := connect(t, addr)
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "wait", pgx.QueryExecModeSimpleProtocol)
		done <- err
	}()
	waits(t, w)
	ended := make(chan struct{})
	go func() {
		s.Shutdown(context.Background())
		close(ended)
	}()
	eventually(t, "the listener is closed", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	select {
	case <-ended:
		t.Error("it did not wait")
	default:
	}
	s.Cancel(conn.PgConn().PID())
	if err := <-done; state(err) != "57014" {
		t.Error(err)
	}
	<-ended
}
