package pgwire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/pgwire"
)

// certificate makes one for 127.0.0.1 that signs itself.
func certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func withTLS(t testing.TB) func(*pgwire.Config) {
	return func(c *pgwire.Config) { c.TLS = &tls.Config{Certificates: []tls.Certificate{certificate(t)}} }
}

// far makes connections seem to come from another host.
type far struct{ net.Listener }

type farConn struct{ net.Conn }

func (l far) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return farConn{c}, err
}

func (farConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 1} }

// serveFar serves as if all clients came from another host.
func serveFar(t testing.TB, w *world, change func(*pgwire.Config)) string {
	t.Helper()
	s, _ := serve(t, w, change)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(far{l}) }()
	return l.Addr().String()
}

func withPassword(t testing.TB) *world {
	t.Helper()
	w := newWorld()
	v, err := pgwire.NewVerifier("sécret")
	if err != nil {
		t.Fatal(err)
	}
	w.users["anna"] = v
	return w
}

// login tries to connect and gives the SQLSTATE of the refusal, "<nil>" for none.
func try(t testing.TB, url string) string {
	t.Helper()
	conn, err := pgx.Connect(within(t), url)
	if err == nil {
		conn.Close(context.Background())
	}
	return state(err)
}

func TestWhoComesIn(t *testing.T) {
	w := withPassword(t)
	_, near := serve(t, w, withTLS(t))
	distant := serveFar(t, w, withTLS(t))
	plain := serveFar(t, w, func(c *pgwire.Config) { c.Insecure = true })
	const right, wrong = "anna:s%C3%A9cret@", "anna:secret@"
	for _, c := range []struct{ who, addr, mode, want string }{
		{"root@", near, "disable", "<nil>"}, {"root@", near, "require", "<nil>"}, {"nobody@", near, "disable", "28000"},
		{right, near, "disable", "<nil>"}, {right, near, "require", "<nil>"}, {wrong, near, "disable", "28P01"}, {wrong, near, "require", "28P01"},
		{right, distant, "disable", "28000"}, {right, distant, "require", "<nil>"}, {wrong, distant, "require", "28P01"},
		{"root:x@", distant, "require", "28P01"}, {"nobody:x@", distant, "require", "28P01"},
		{right, plain, "disable", "<nil>"}, {wrong, plain, "disable", "28P01"}, {"root:x@", plain, "disable", "28P01"},
	} {
		if got := try(t, "postgres://"+c.who+c.addr+"/dev?sslmode="+c.mode); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.who, c.mode, got, c.want)
		}
	}
}

func TestChannelBinding(t *testing.T) {
	w := withPassword(t)
	_, addr := serve(t, w, withTLS(t))
	if got := try(t, "postgres://anna:s%C3%A9cret@"+addr+"/dev?sslmode=require&channel_binding=require"); got != "<nil>" {
		t.Error(got)
	}
	for _, binding := range []string{"require", "prefer", "disable"} {
		out, err := psql(t, "host=127.0.0.1 port="+port(addr)+" user=anna password=sécret dbname=dev sslmode=require channel_binding="+binding, "select 1")
		if err != nil || !strings.Contains(out, "(1 row)") {
			t.Errorf("%s: %v %s", binding, err, out)
		}
	}
}

func TestTLSIsNotOffered(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	if got := try(t, "postgres://root@"+addr+"/dev?sslmode=prefer"); got != "<nil>" {
		t.Error(got)
	}
	if got := try(t, "postgres://root@"+addr+"/dev?sslmode=require"); !strings.Contains(got, "refused TLS") {
		t.Error(got)
	}
	if out, err := psql(t, "host=127.0.0.1 port="+port(addr)+" user=root dbname=dev gssencmode=prefer", "select 1"); err != nil {
		t.Error(err, out)
	}
}

// TestNothingBeforeTLSIsTakenForSecure: what an attacker puts behind the request for
// TLS must not be read as the client's.
func TestNothingBeforeTLSIsTakenForSecure(t *testing.T) {
	_, addr := serve(t, newWorld(), withTLS(t))
	r := dial(t, addr)
	const askTLS = 80877103
	packet(t, r, askTLS, "")
	packet(t, r, pgproto3.ProtocolVersion30, "user\x00root\x00\x00")
	if got, err := r.conn.Read(make([]byte, 1)); got != 1 || err != nil {
		t.Fatal(err)
	}
	secure := tls.Client(r.conn, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // a test
	if err := secure.Handshake(); err == nil {
		t.Error("the handshake came through: the bytes before it were taken aside")
	}
}

func TestVerifiersAreOfPostgreSQLsForm(t *testing.T) {
	v, err := pgwire.NewVerifier("x")
	if err != nil || !strings.HasPrefix(v, "SCRAM-SHA-256$4096:") || !pgwire.IsVerifier(v) {
		t.Error(v, err)
	}
	if other, _ := pgwire.NewVerifier("x"); other == v {
		t.Error("the salt is the same")
	}
	for _, bad := range []string{"", "x", "md5abc", "SCRAM-SHA-256$4096:YQ==$YQ==:YQ==", v + ":x", "SCRAM-SHA-256$0:" + v[19:], strings.Replace(v, "4096", "x", 1)} {
		if pgwire.IsVerifier(bad) {
			t.Errorf("%q is a verifier", bad)
		}
	}
	// What PostgreSQL 15 made of the password "pencil".
	w := newWorld()
	w.users["anna"] = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
	_, addr := serve(t, w, nil)
	if got := try(t, "postgres://anna:pencil@"+addr+"/dev?sslmode=disable"); got != "<nil>" {
		t.Error(got)
	}
}

func TestPasswordMessagesOutOfOrder(t *testing.T) {
	_, addr := serve(t, withPassword(t), nil)
	for _, c := range []struct {
		answer pgproto3.FrontendMessage
		want   string
	}{
		{&pgproto3.Query{String: "select 1"}, "FATAL:08P01 closed"},
		{&pgproto3.SASLInitialResponse{AuthMechanism: "PLAIN", Data: []byte("x")}, "FATAL:08P01 closed"},
		{&pgproto3.SASLInitialResponse{AuthMechanism: "SCRAM-SHA-256", Data: []byte("nonsense")}, "FATAL:28P01 closed"},
		{&pgproto3.PasswordMessage{Password: strings.Repeat("x", 20_000)}, "FATAL:54000 closed"},
	} {
		r := dial(t, addr)
		packet(t, r, pgproto3.ProtocolVersion30, "user\x00anna\x00database\x00dev\x00\x00")
		if got := r.hear("AuthenticationSASL"); got != "AuthenticationSASL" {
			t.Fatal(got)
		}
		if got := r.say(c.answer); got != c.want {
			t.Errorf("%T: %s, want %s", c.answer, got, c.want)
		}
	}
}

func port(addr string) string {
	_, p, _ := net.SplitHostPort(addr)
	return p
}

// psql runs psql with commands, each as one of its own, and gives all it prints.
func psql(t testing.TB, where string, commands ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not installed")
	}
	args := []string{"-X", "-v", "ON_ERROR_STOP=1", where}
	for _, c := range commands {
		args = append(args, "-c", c)
	}
	cmd := exec.CommandContext(within(t), path, args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
