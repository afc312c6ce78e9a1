package pgwire_test

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/pgwire"
)

func parse(name, text string, types ...uint32) *pgproto3.Parse {
	return &pgproto3.Parse{Name: name, Query: text, ParameterOIDs: types}
}

func bind(portal, statement string, formats []int16, values ...string) *pgproto3.Bind {
	b := &pgproto3.Bind{DestinationPortal: portal, PreparedStatement: statement, ResultFormatCodes: formats}
	for _, v := range values {
		b.Parameters = append(b.Parameters, []byte(v))
	}
	return b
}

func execute(portal string, rows uint32) *pgproto3.Execute {
	return &pgproto3.Execute{Portal: portal, MaxRows: rows}
}

var (
	syncNow  = &pgproto3.Sync{}
	describe = func(kind byte, name string) *pgproto3.Describe {
		return &pgproto3.Describe{ObjectType: kind, Name: name}
	}
)

// TestConversations: what is said, and what must be answered.
func TestConversations(t *testing.T) {
	type messages = []pgproto3.FrontendMessage
	query := func(s string) *pgproto3.Query { return &pgproto3.Query{String: s} }
	for name, c := range map[string]struct {
		say  messages
		want string
	}{
		"an empty query":      {messages{query(" ; ")}, "EmptyQueryResponse ZI"},
		"a script":            {messages{query("select 1; insert 1 a; count")}, `columns[c1:23/0] ["1"] <SELECT 1> <INSERT 0 1> columns[count:20/0] ["1"] <SELECT 1> ZI`},
		"a script that fails": {messages{query("select 1; fail 22012 x; select 2")}, `columns[c1:23/0] ["1"] <SELECT 1> ERROR:22012 ZI`},
		"an extended query": {messages{parse("", "select $1, 2", 25), bind("", "", nil, "x"), describe('P', ""), execute("", 0), syncNow},
			`ParseComplete BindComplete columns[c1:25/0 c2:23/0] ["x","2"] <SELECT 1> ZI`},
		"binary results": {messages{parse("", "select $1, 2", 23), bind("", "", []int16{0, 1}, "7"), execute("", 0), syncNow},
			`ParseComplete BindComplete ["7","\x00\x00\x00\x02"] <SELECT 1> ZI`},
		"an empty statement": {messages{parse("", ""), bind("", "", nil), describe('P', ""), execute("", 0), syncNow},
			"ParseComplete BindComplete NoData EmptyQueryResponse ZI"},
		"describing a statement": {messages{parse("s", "select $2::bool, $1", 23), describe('S', "s"), syncNow}, "ParseComplete params[23 16] columns[c1:16/0 c2:23/0] ZI"},
		"a limit of rows": {messages{parse("", "rows 4"), bind("p", "", nil), execute("p", 2), execute("p", 2), execute("p", 2), syncNow},
			`ParseComplete BindComplete ["1","row 1"] ["2","row 2"] PortalSuspended ["3","row 3"] ["4","row 4"] PortalSuspended <SELECT 0> ZI`},
		"a portal that is complete": {messages{parse("", "insert 1 a"), bind("p", "", nil), execute("p", 0), execute("p", 0), syncNow},
			"ParseComplete BindComplete <INSERT 0 1> ERROR:55000 ZI"},
		"rows again": {messages{parse("", "rows 1"), bind("p", "", nil), execute("p", 0), execute("p", 0), syncNow},
			`ParseComplete BindComplete ["1","row 1"] <SELECT 1> <SELECT 0> ZI`},
		"an error skips to Sync": {messages{parse("", "selekt"), bind("", "", nil), execute("", 0), query("select 1"), &pgproto3.Flush{}, syncNow, query("select 1")},
			`ERROR:42601 ZI`},
		"an unknown statement": {messages{bind("", "nothing", nil), syncNow}, "ERROR:26000 ZI"},
		"an unknown portal":    {messages{execute("nothing", 0), syncNow}, "ERROR:34000 ZI"},
		"a statement that was closed": {messages{parse("s", "select 1"), &pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Close{ObjectType: 'S', Name: "s"}, describe('S', "s"), syncNow},
			"ParseComplete CloseComplete CloseComplete ERROR:26000 ZI"},
		"a portal that was closed": {messages{parse("", "select 1"), bind("p", "", nil), &pgproto3.Close{ObjectType: 'P', Name: "p"}, execute("p", 0), syncNow},
			"ParseComplete BindComplete CloseComplete ERROR:34000 ZI"},
		"a portal and the end of its transaction": {messages{parse("s", "rows 9"), bind("p", "s", nil), execute("p", 1), parse("", "commit"), bind("", "", nil), execute("", 0), execute("p", 1), syncNow},
			`ParseComplete BindComplete ["1","row 1"] PortalSuspended ParseComplete BindComplete <COMMIT> ERROR:34000 ZI`},
		"a name that is taken":            {messages{parse("s", "select 1"), parse("s", "select 1"), syncNow}, "ParseComplete ERROR:42P05 ZI"},
		"too few parameters":              {messages{parse("", "select $1, $2"), bind("", "", nil, "x"), syncNow}, "ParseComplete ERROR:08P01 ZI"},
		"a format of no kind":             {messages{parse("", "select 1"), bind("", "", []int16{7}), syncNow}, "ParseComplete ERROR:22023 ZI"},
		"formats that do not fit":         {messages{parse("", "select 1"), bind("", "", []int16{0, 0}), syncNow}, "ParseComplete ERROR:08P01 ZI"},
		"a type without binary form":      {messages{parse("", "select '1.2.3.4'::inet"), bind("", "", []int16{1}), execute("", 0), syncNow}, "ParseComplete BindComplete ERROR:42883 ZI"},
		"a value that is not of its type": {messages{parse("", "select $1", 23), bind("", "", nil, "x"), syncNow}, "ParseComplete ERROR:22P02 ZI"},
		"a function call":                 {messages{&pgproto3.FunctionCall{Function: 1}, syncNow}, "ERROR:0A000 ZI"},
		"a failed transaction": {messages{parse("", "begin"), bind("", "", nil), execute("", 0), parse("", "fail 22012 x"), bind("", "", nil), execute("", 0), syncNow},
			"ParseComplete BindComplete <BEGIN> ParseComplete BindComplete ERROR:22012 ZE"},
		"COPY in an extended query": {messages{parse("", "copy from text"), bind("", "", nil), describe('P', ""), execute("", 0), &pgproto3.CopyData{Data: []byte("1\ta\n")}, &pgproto3.CopyDone{}, syncNow},
			"ParseComplete BindComplete NoData CopyInResponse <COPY 1> ZI"},
		"COPY that fails": {messages{query("copy from text"), &pgproto3.CopyData{Data: []byte("x\n")}, &pgproto3.CopyData{Data: []byte("1\ta\n")}, &pgproto3.CopyDone{}},
			"CopyInResponse ERROR:22P04 ZI"},
		"COPY out":            {messages{query("insert 1 a; copy to text")}, `<INSERT 0 1> CopyOutResponse d"1\ta\n" CopyDone <COPY 1> ZI`},
		"a password too late": {messages{&pgproto3.PasswordMessage{Password: "x"}}, "FATAL:08P01 closed"},
		"a query amid a COPY": {messages{query("copy from text"), query("select 1")}, "CopyInResponse FATAL:08P01 closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, addr := serve(t, newWorld(), nil)
			r := login(t, addr, pgproto3.ProtocolVersion30)
			if got := r.say(c.say...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			// Nothing more was said: the next answer is that to the next question.
			if got := r.nextAnswer(c.want); strings.HasPrefix(got, "Z") {
				t.Errorf("one ReadyForQuery too many: %s", got)
			}
		})
	}
}

func TestAfterAnErrorEverythingGoesOn(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	for range 3 {
		if got := r.say(parse("", "selekt"), bind("", "", nil), syncNow); got != "ERROR:42601 ZI" {
			t.Fatal(got)
		}
		if got := r.say(&pgproto3.Query{String: "select 1"}); got != `columns[c1:23/0] ["1"] <SELECT 1> ZI` {
			t.Fatal(got)
		}
	}
	r.Send(&pgproto3.Terminate{})
	r.flush()
	if _, err := r.Receive(); err == nil {
		t.Error("the connection is open")
	}
}

func TestFlushSendsWhatThereIs(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	r := login(t, addr, pgproto3.ProtocolVersion30)
	r.Send(parse("", "select 1"))
	r.Send(&pgproto3.Flush{})
	r.flush()
	if got := r.hear("ParseComplete"); got != "ParseComplete" {
		t.Error(got)
	}
}

func TestVersions(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	if r := login(t, addr, pgproto3.ProtocolVersion30); len(r.key.SecretKey) != 4 {
		t.Errorf("a key of %d bytes", len(r.key.SecretKey))
	}
	if r := login(t, addr, pgproto3.ProtocolVersion32); len(r.key.SecretKey) != 32 {
		t.Errorf("a key of %d bytes", len(r.key.SecretKey))
	}
	for version, want := range map[uint32]string{3<<16 | 9: "NegotiateProtocolVersion AuthenticationOk", 2 << 16: "FATAL:0A000 closed", 4 << 16: "FATAL:0A000 closed"} {
		r := dial(t, addr)
		packet(t, r, version, "user\x00root\x00database\x00dev\x00_pq_.x\x001\x00\x00")
		if got := r.hear("AuthenticationOk"); got != want {
			t.Errorf("%x: %s", version, got)
		}
	}
}

// packet sends a packet without a type.
func packet(t testing.TB, r *raw, code uint32, body string) {
	t.Helper()
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	b = append(binary.BigEndian.AppendUint32(b, code), body...)
	if _, err := r.conn.Write(b); err != nil {
		t.Fatal(err)
	}
}

func TestStartupIsRefused(t *testing.T) {
	_, addr := serve(t, newWorld(), func(c *pgwire.Config) { c.StartupTimeout = 300 * time.Millisecond })
	for body, want := range map[string]string{
		"user\x00nobody\x00database\x00dev\x00\x00":         "FATAL:28000 closed",
		"database\x00dev\x00\x00":                           "FATAL:28000 closed",
		"user\x00root\x00database\x00other\x00\x00":         "AuthenticationOk FATAL:3D000 closed",
		"user\x00root\x00replication\x00database\x00\x00":   "FATAL:0A000 closed",
		"user\x00root\x00client_encoding\x00latin1\x00\x00": "FATAL:0A000 closed",
		"user\x00root":                 "FATAL:08P01 closed",
		"":                             "FATAL:08P01 closed",
		"user\x00root\x00\x00\x00\x00": "FATAL:08P01 closed",
		"user\x00root\x00database\x00dev\x00client_encoding\x00'utf-8'\x00\x00": "AuthenticationOk ParameterStatus",
	} {
		r := dial(t, addr)
		packet(t, r, pgproto3.ProtocolVersion30, body)
		if got := r.hear("ParameterStatus"); got != want {
			t.Errorf("%q: %s, want %s", body, got, want)
		}
	}
	for _, bytes := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x04", "\xff\xff\xff\xff\x00\x00\x00\x00", ""} {
		r := dial(t, addr)
		if _, err := io.WriteString(r.conn, bytes); err != nil {
			t.Fatal(err)
		}
		if got := r.hear("Z"); got != "closed" { // at once or when its time is over
			t.Errorf("%q: %s", bytes, got)
		}
	}
}

func TestLimits(t *testing.T) {
	_, addr := serve(t, newWorld(), func(c *pgwire.Config) { c.MaxConnections, c.MaxMessage = 2, 1000 })
	r := login(t, addr, pgproto3.ProtocolVersion30)
	if got := r.say(&pgproto3.Query{String: "select '" + strings.Repeat("x", 1000) + "'"}); got != "FATAL:54000 closed" {
		t.Error(got)
	}
	a, b := connect(t, addr), connect(t, addr)
	r = dial(t, addr)
	packet(t, r, pgproto3.ProtocolVersion30, "user\x00root\x00database\x00dev\x00\x00")
	if got := r.hear("Z"); got != "AuthenticationOk FATAL:53300 closed" {
		t.Error(got)
	}
	if count(t, a)+count(t, b) != 0 {
		t.Error("there are rows")
	}
	r = dial(t, addr)
	if _, err := r.conn.Write([]byte("\x00\x00\x00\x08\x04\xd2\x16\x2f\x00")); err != nil { // a request for TLS, and more
		t.Fatal(err)
	}
}

func TestUnknownMessages(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	for _, bytes := range []string{"?\x00\x00\x00\x04", "Q\x00\x00\x00\x02", "Q\xff\xff\xff\xff", "B\x00\x00\x00\x05x", "P\x00\x00\x00\x06x\x00"} {
		r := login(t, addr, pgproto3.ProtocolVersion30)
		if _, err := io.WriteString(r.conn, bytes); err != nil {
			t.Fatal(err)
		}
		if got := r.hear("Z"); got != "FATAL:08P01 closed" {
			t.Errorf("%q: %s", bytes, got)
		}
	}
}
