package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/weirerr"
)

// shutdownWait is how long requests in progress may take once the server ends.
// Requests that wait end at once: their context does.
const shutdownWait = 3 * time.Second

// ReadToken reads the bearer token; empty when no file is configured.
func ReadToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", weirerr.New(weirerr.InvalidArgument, "cannot read http.token_file").Wrap(err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 8 {
		return "", weirerr.New(weirerr.InvalidArgument, "the token in http.token_file is shorter than 8 characters").
			With("path", path).Hint("for example: openssl rand -hex 32 > %s", path)
	}
	return token, nil
}

// Listen opens the door's address, with TLS when configured.
func Listen(addr string, cfg config.HTTP) (net.Listener, error) {
	var certificate tls.Certificate
	if cfg.TLSCert != "" {
		var err error
		if certificate, err = tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey); err != nil {
			return nil, weirerr.New(weirerr.InvalidArgument, "cannot load http.tls_cert and http.tls_key").Wrap(err)
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, weirerr.New(weirerr.InvalidArgument, "cannot listen on http_addr %s", addr).Wrap(err).
			Hint("another process may have the port; choose one with --http-addr")
	}
	if cfg.TLSCert != "" {
		l = tls.NewListener(l, &tls.Config{
			MinVersion:   tls.VersionTLS12,
			Certificates: []tls.Certificate{certificate},
			NextProtos:   []string{"h2", "http/1.1"},
		})
	}
	return l, nil
}

// Serve answers on l until ctx ends, then lets requests finish for a moment.
func Serve(ctx context.Context, l net.Listener, h http.Handler, cfg config.HTTP, log *slog.Logger) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: cfg.HeaderWait.Std(),
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWait)
	defer cancel()
	err := s.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	<-done
	return err
}
