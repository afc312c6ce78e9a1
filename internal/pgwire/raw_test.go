package pgwire_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// raw is a client that speaks message by message.
type raw struct {
	t testing.TB
	*pgproto3.Frontend
	conn net.Conn
	key  pgproto3.BackendKeyData
}

// dial connects without a word.
func dial(t testing.TB, addr string) *raw {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return &raw{t: t, Frontend: pgproto3.NewFrontend(conn, conn), conn: conn}
}

// login connects and waits for the first ReadyForQuery.
func login(t testing.TB, addr string, version uint32) *raw {
	t.Helper()
	r := dial(t, addr)
	r.Send(&pgproto3.StartupMessage{ProtocolVersion: version, Parameters: map[string]string{"user": "root", "database": "dev"}})
	r.flush()
	for {
		switch m := r.receive().(type) {
		case *pgproto3.BackendKeyData:
			r.key = pgproto3.BackendKeyData{ProcessID: m.ProcessID, SecretKey: append([]byte(nil), m.SecretKey...)}
		case *pgproto3.ReadyForQuery:
			return r
		case *pgproto3.ErrorResponse:
			t.Fatalf("refused: %s %s", m.Code, m.Message)
		}
	}
}

func (r *raw) flush() {
	r.t.Helper()
	if err := r.Flush(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw) receive() pgproto3.BackendMessage {
	r.t.Helper()
	m, err := r.Receive()
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// say sends messages and gives the answers, in short, up to ReadyForQuery or the
// connection's end.
func (r *raw) say(messages ...pgproto3.FrontendMessage) string {
	r.t.Helper()
	for _, m := range messages {
		r.Send(m)
	}
	r.flush()
	return r.hear("Z")
}

// hear reads answers up to one that begins with the word last.
func (r *raw) hear(last string) string {
	r.t.Helper()
	var heard []string
	for {
		m, err := r.Receive()
		if err != nil {
			return strings.Join(append(heard, "closed"), " ")
		}
		heard = append(heard, short(m))
		if strings.HasPrefix(heard[len(heard)-1], last) {
			return strings.Join(heard, " ")
		}
	}
}

// nextAnswer asks another question, unless the connection was closed with the answers
// so far.
func (r *raw) nextAnswer(soFar string) string {
	if strings.HasSuffix(soFar, "closed") {
		return ""
	}
	return r.say(&pgproto3.Query{String: "select 1"})
}

// silent checks that nothing has come but what must come before a statement runs.
func (r *raw) silent() {
	r.t.Helper()
	_ = r.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	for {
		m, err := r.Receive()
		if err != nil {
			break
		}
		if s := short(m); s != "ParseComplete" && s != "BindComplete" {
			r.t.Error("there came", s)
		}
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(patience))
}

func short(m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.ReadyForQuery:
		return "Z" + string(m.TxStatus)
	case *pgproto3.ErrorResponse:
		return m.Severity + ":" + m.Code
	case *pgproto3.CommandComplete:
		return "<" + string(m.CommandTag) + ">"
	case *pgproto3.DataRow:
		var values []string
		for _, v := range m.Values {
			values = append(values, fmt.Sprintf("%q", v))
		}
		return "[" + strings.Join(values, ",") + "]"
	case *pgproto3.ParameterDescription:
		return fmt.Sprint("params", m.ParameterOIDs)
	case *pgproto3.RowDescription:
		var fields []string
		for _, f := range m.Fields {
			fields = append(fields, fmt.Sprintf("%s:%d/%d", f.Name, f.DataTypeOID, f.Format))
		}
		return "columns[" + strings.Join(fields, " ") + "]"
	case *pgproto3.CopyData:
		return fmt.Sprintf("d%q", m.Data)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
}

// copyInPieces runs a COPY FROM whose data comes n bytes a message.
func copyInPieces(t testing.TB, addr, query string, data []byte, n int) (pgconn.CommandTag, error) {
	t.Helper()
	r := login(t, addr, pgproto3.ProtocolVersion30)
	r.Send(&pgproto3.Query{String: query})
	r.flush()
	if got := r.hear("CopyIn"); got != "CopyInResponse" {
		return pgconn.CommandTag{}, fmt.Errorf("answered %s", got)
	}
	for len(data) > 0 {
		k := min(n, len(data))
		r.Send(&pgproto3.CopyData{Data: data[:k]})
		data = data[k:]
	}
	got := r.say(&pgproto3.CopyDone{})
	tag, ok := strings.CutSuffix(strings.TrimPrefix(got, "<"), "> ZI")
	if !ok {
		return pgconn.CommandTag{}, fmt.Errorf("answered %s", got)
	}
	return pgconn.NewCommandTag(tag), nil
}
