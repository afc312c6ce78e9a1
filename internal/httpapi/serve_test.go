package httpapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/config"
)

const patience = 20 * time.Second

// certificate writes a self-signed one for 127.0.0.1 and returns who trusts it.
func certificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "crt"), filepath.Join(dir, "key")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for path, text := range map[string][]byte{
		certFile: certPEM, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, roots
}

// serve runs the door until stop, which returns what Serve did.
func serve(t *testing.T, h http.Handler, cfg config.HTTP) (addr string, stop func() error) {
	t.Helper()
	l, err := Listen("127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, h, cfg, slog.New(slog.DiscardHandler)) }()
	stop = func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			t.Fatal("the server does not end")
			return nil
		}
	}
	return l.Addr().String(), stop
}

func TestServeTLS(t *testing.T) {
	cfg := config.DefaultServer().HTTP
	var roots *x509.CertPool
	cfg.TLSCert, cfg.TLSKey, roots = certificate(t)
	addr, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		respond(w, http.StatusOK, r.Proto)
	}), cfg)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport, Timeout: patience}).Get("https://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
		t.Errorf("%s over %s", resp.Status, resp.Proto)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	cfg.TLSKey = cfg.TLSCert
	if _, err := Listen("127.0.0.1:0", cfg); err == nil {
		t.Error("a certificate without its key is taken")
	}
}

// A request that waits ends with the server, at once.
func TestServeEndsWaits(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	addr, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(ended)
	}), config.DefaultServer().HTTP)
	go func() {
		if resp, err := http.Get("http://" + addr); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-begun
	start := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	<-ended
	if took := time.Since(start); took > patience/2 {
		t.Errorf("it took %s", took)
	}
}

// A client that sends its header slowly is cut off.
func TestServeCutsSlowHeaders(t *testing.T) {
	cfg := config.DefaultServer().HTTP
	cfg.HeaderWait = config.Duration(100 * time.Millisecond)
	addr, stop := serve(t, http.NotFoundHandler(), cfg)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 512)
	for n := 0; err == nil; {
		n, err = c.Read(b)
		if strings.HasPrefix(string(b[:n]), "HTTP/1.1 4") && !strings.Contains(string(b[:n]), "408") {
			t.Errorf("answered: %s", b[:n])
		}
	}
	if os.IsTimeout(err) {
		t.Error("the connection stays open")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for text, want := range map[string]string{" sesame-open\n": "sesame-open", "short": "", "": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if got, err := ReadToken(""); got != "" || err != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
}
