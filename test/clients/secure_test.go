package clients

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
	"github.com/weirstream/weir/test/rig"
)

// TestFromElsewhere: who does not come from loopback needs TLS and a password, which goes by
// SCRAM; psql binds it to the channel.
func TestFromElsewhere(t *testing.T) {
	elsewhere := address(t)
	port, err := pgserver.FreePort()
	check(t, err)
	dir := t.TempDir()
	cert, key := certificate(t, dir, elsewhere)
	bin, err := rig.Build(t.Context(), dir)
	check(t, err)
	w, err := rig.New(rig.Options{Bin: bin, DataDir: filepath.Join(dir, "data"), Args: []string{
		"--sql-addr", fmt.Sprintf("0.0.0.0:%d", port), "--sql-tls-cert", cert, "--sql-tls-key", key,
	}})
	check(t, err)
	check(t, w.Start(t.Context()))
	t.Cleanup(func() { check(t, w.Stop()) })
	here := func(user string) string {
		return fmt.Sprintf("postgres://%s@127.0.0.1:%d/dev?sslmode=disable", user, port)
	}
	there := func(user, mode string) string {
		return fmt.Sprintf("postgres://%s@%s:%d/dev?sslmode=%s&sslrootcert=%s", user, elsewhere, port, mode, cert)
	}
	check(t, ask(t.Context(), here("root"), "CREATE USER reader WITH PASSWORD 'secret'"))
	check(t, ask(t.Context(), here("root"), "CREATE TABLE secured (id int PRIMARY KEY)"))
	for _, c := range []struct{ name, url, code string }{
		{"root from here", here("root"), ""},
		{"a password, verified", there("reader:secret", "verify-full"), ""},
		{"a password", there("reader:secret", "require"), ""},
		{"no TLS", there("reader:secret", "disable"), "28000"},
		{"a wrong password", there("reader:wrong", "require"), "28P01"},
		{"nobody", there("nobody:secret", "require"), "28P01"},
		{"root, who has none", there("root:guess", "require"), "28P01"},
		{"the user from here, without a password", here("reader:wrong"), "28P01"},
	} {
		var e *pgconn.PgError
		err := ask(t.Context(), c.url, "SELECT count(*) FROM secured")
		if got := ""; errors.As(err, &e) || err != nil {
			if e != nil {
				got = e.Code
			}
			if got != c.code || e == nil {
				t.Errorf("%s: %v, want %q", c.name, err, c.code)
			}
		} else if c.code != "" {
			t.Errorf("%s: let in, want %s", c.name, c.code)
		}
	}
	out, err := output(t, "psql", "-X", "-At", "-c", `SELECT current_user`, there("reader:secret", "verify-full")+"&channel_binding=require")
	if err != nil || strings.TrimSpace(out) != "reader" {
		t.Errorf("psql with channel binding: %v %s", err, out)
	}
	check(t, ask(t.Context(), here("root"), "ALTER USER reader WITH PASSWORD 'other'"))
	if err := ask(t.Context(), there("reader:secret", "require"), "SELECT 1"); err == nil {
		t.Error("the old password still lets in")
	}
	check(t, ask(t.Context(), there("reader:other", "require"), "SELECT 1"))
}

// ask runs a statement on a connection of its own.
func ask(ctx context.Context, url, query string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, query)
	return err
}

// address is one of this machine that is not loopback.
func address(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	check(t, err)
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

// certificate makes a certificate that signs itself, and its key.
func certificate(t *testing.T, dir, host string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(host)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	check(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	check(t, err)
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	check(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	check(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}
