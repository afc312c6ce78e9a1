package pgwire_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/pgwire"
)

// pipes is a listener whose clients are in this process.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// local makes a pipe's end seem to be on this host.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// encode is the bytes of messages after startup.
func encode(messages ...pgproto3.FrontendMessage) []byte {
	var b []byte
	for _, m := range messages {
		b, _ = m.Encode(b)
	}
	return b
}

// FuzzMessages sends bytes of any kind after a good startup. The server answers or
// closes; it does not panic, hang or keep a session.
func FuzzMessages(f *testing.F) {
	for _, b := range [][]byte{
		encode(&pgproto3.Query{String: "select 1, 'a'::int4[]; rows 5; fail 22012 x"}),
		encode(parse("s", "select $1::int4, $2::numeric", 0, 1700), bind("p", "s", []int16{1}, "1", "2"), describe('P', "p"), describe('S', "s"), execute("p", 1), execute("p", 0), syncNow),
		encode(&pgproto3.Query{String: "copy from csv"}, &pgproto3.CopyData{Data: []byte("1,\"a\"\n2,")}, &pgproto3.CopyDone{}, &pgproto3.Query{String: "copy to binary"}),
		encode(&pgproto3.Query{String: "copy from binary"}, &pgproto3.CopyData{Data: binaryRows(3)}, &pgproto3.CopyFail{Message: "x"}),
		encode(&pgproto3.Query{String: "begin"}, &pgproto3.Close{ObjectType: 'S'}, &pgproto3.FunctionCall{}, &pgproto3.Flush{}, &pgproto3.Terminate{}),
		{'Q', 0xff, 0xff, 0xff, 0xff}, {'d', 0, 0, 0, 4, 'p', 0, 0, 0, 4},
	} {
		f.Add(b)
	}
	w := newWorld()
	l := newPipes()
	s := pgwire.New(pgwire.Config{Opener: w, Users: w, MaxMessage: 1 << 16, Log: quiet()})
	go func() { _ = s.Serve(l) }()
	f.Cleanup(func() { s.Shutdown(context.Background()) })
	startup := encode(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "root"}})
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("wait")) || bytes.Contains(data, []byte("live")) || bytes.Contains(data, []byte("panic")) || bytes.Contains(data, []byte("rows")) && !bytes.Contains(data, []byte("rows 5")) {
			t.Skip("it would wait, as asked")
		}
		talk(t, l, append(bytes.Clone(startup), data...))
		w.mu.Lock()
		w.rows = nil
		w.mu.Unlock()
	})
}

// FuzzStartup sends bytes of any kind from the beginning.
func FuzzStartup(f *testing.F) {
	long := binary.BigEndian.AppendUint32(nil, 8)
	f.Add(binary.BigEndian.AppendUint32(long, 80877103))
	f.Add(encode(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "anna", "options": `-c a=b\ c --d-e=f`}},
		&pgproto3.SASLInitialResponse{AuthMechanism: "SCRAM-SHA-256", Data: []byte("n,,n=,r=abc")}, &pgproto3.SASLResponse{Data: []byte("c=biws,r=abc,p=YQ==")}))
	f.Add(encode(&pgproto3.CancelRequest{ProcessID: 1, SecretKey: []byte("abcd")}))
	w := withPassword(f)
	l := newPipes()
	s := pgwire.New(pgwire.Config{Opener: w, Users: w, Log: quiet()})
	go func() { _ = s.Serve(l) }()
	f.Cleanup(func() { s.Shutdown(context.Background()) })
	f.Fuzz(func(t *testing.T, data []byte) { talk(t, l, data) })
}

// talk sends bytes, says that no more come, and reads to the end.
func talk(t *testing.T, l *pipes, data []byte) {
	client, server := net.Pipe()
	_ = client.SetDeadline(time.Now().Add(patience))
	l.conns <- local{server}
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, client)
		read <- err
	}()
	_, err := client.Write(data)
	if err == nil {
		// A pipe cannot be half closed: a message of a type that does not exist ends it.
		_, err = client.Write([]byte{0xff, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Fatalf("the server does not read on: %q", data)
	}
	client.Close()
	<-read
}
