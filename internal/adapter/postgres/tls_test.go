package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/weirerr"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its certificate
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	var der []byte
	a.key, der = a.sign(tmpl)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.write(a.file, "CERTIFICATE", der)
	return a
}

// sign makes a key and its certificate; the authority's own is signed by itself.
func (a *authority) sign(tmpl *x509.Certificate) (*ecdsa.PrivateKey, []byte) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = tmpl, key
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return key, der
}

func (a *authority) write(path, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// secure lets the server speak TLS with a certificate for 127.0.0.1.
func (a *authority) secure(srv *pgtest.Server) {
	a.t.Helper()
	key, der := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	})
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	uid, gid := srv.Owner()
	for name, write := range map[string]func(string){
		"server.crt": func(p string) { a.write(p, "CERTIFICATE", der) },
		"server.key": func(p string) { a.write(p, "EC PRIVATE KEY", secret) },
	} {
		path := filepath.Join(srv.DataDir(), name)
		write(path)
		if err := os.Chown(path, uid, gid); err != nil {
			a.t.Fatal(err)
		}
	}
	srv.Exec(a.t, "postgres", `ALTER SYSTEM SET ssl = on`)
	srv.Exec(a.t, "postgres", `SELECT pg_reload_conf()`)
}

// with adds parameters to a connection URL.
func with(url, params string) string {
	if base, old, ok := strings.Cut(url, "?"); ok {
		var keep []string
		for _, p := range strings.Split(old, "&") {
			if !strings.HasPrefix(p, "sslmode=") {
				keep = append(keep, p)
			}
		}
		return base + "?" + strings.Join(append(keep, params), "&")
	}
	return url + "?" + params
}

// An upstream and a target are reached over TLS as sslmode says; a certificate
// that cannot be trusted is an error that says so.
func TestTLS(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t)
	ours, other := newAuthority(t, "ours"), newAuthority(t, "other")
	ours.secure(srv)
	plain := srv.CreateDB(t, "safe")
	trusted := with(plain, "sslmode=verify-full&sslrootcert="+ours.file)
	await(t, "the server to speak TLS", func() bool {
		conn, err := connect(t.Context(), trusted, "probe", upstream)
		if err == nil {
			quietly(conn)
		}
		return err == nil
	})
	db := dial(t, plain)
	exec(t, db, `CREATE TABLE public.a (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, trusted, "public.*"))
	exec(t, db, `INSERT INTO public.a VALUES (1)`)
	c.sync()
	got := rows(t, db, `SELECT backend_type, ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'weir%' AND backend_type = 'walsender'`)
	if len(got) != 1 || got[0] != "walsender|t" {
		t.Errorf("replication sessions: %q, want one over TLS", got)
	}
	for _, mode := range []string{"verify-full", "verify-ca"} {
		for side, code := range map[side]weirerr.Code{upstream: weirerr.UpstreamConfig, target: weirerr.TargetConfig} {
			_, err := connect(t.Context(), with(plain, "sslmode="+mode+"&sslrootcert="+other.file), "test", side)
			wantCode(t, err, code, "certificate")
			expectCode(t, err, code)
		}
	}
}
