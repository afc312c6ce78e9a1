package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/weirerr"
)

// requestTimeout bounds a command that does not wait by its nature. Creating a
// source or a changefeed asks a foreign system, which may take a while.
const requestTimeout = 2 * time.Minute

// call sends a request to the server and returns the answer. An error answer
// comes back as the server's error.
func (a *app) call(ctx context.Context, method, path string, query url.Values, body any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return a.callFor(ctx, method, path, query, body)
}

// callFor is call with ctx as the only bound.
func (a *app) callFor(ctx context.Context, method, path string, query url.Values, body any) (json.RawMessage, error) {
	req, err := a.request(ctx, method, path, query, body)
	if err != nil {
		return nil, err
	}
	client, err := a.client()
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, a.unreachable(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 256<<20))
	if err != nil {
		return nil, a.unreachable(err)
	}
	if resp.StatusCode < 300 {
		return answer, nil
	}
	return nil, serverError(resp, answer)
}

func (a *app) request(ctx context.Context, method, path string, query url.Values, body any) (*http.Request, error) {
	base, err := url.Parse(a.server)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, usageError{weirerr.New(weirerr.InvalidArgument, "--server %s is not an http:// or https:// URL", secret.Mask(a.server)).
			Hint("for example http://127.0.0.1:8300")}
	}
	target := base.JoinPath(path)
	target.RawQuery = query.Encode()
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		text = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), text)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.tokenFile != "" {
		token, err := os.ReadFile(a.tokenFile)
		if err != nil {
			return nil, usageError{weirerr.New(weirerr.InvalidArgument, "cannot read --token-file").Wrap(err)}
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	return req, nil
}

func (a *app) client() (*http.Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if a.caFile != "" {
		pem, err := os.ReadFile(a.caFile)
		roots := x509.NewCertPool()
		if err == nil && !roots.AppendCertsFromPEM(pem) {
			err = errors.New("it holds no certificate")
		}
		if err != nil {
			return nil, usageError{weirerr.New(weirerr.InvalidArgument, "cannot use --ca %s", a.caFile).Wrap(err)}
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}, nil
}

func (a *app) unreachable(err error) error {
	var inner *url.Error // its text repeats method and URL
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return weirerr.New(weirerr.Unreachable, "the server at %s does not answer", secret.Mask(a.server)).Wrap(err).
		Hint("start it with weir serve, or name it with --server or WEIR_SERVER")
}

// serverError makes an error of an error answer. Its text is complete already,
// remedy included.
func serverError(resp *http.Response, answer []byte) error {
	var body struct {
		Message string `json:"error_msg"`
		Code    string `json:"error_code"`
	}
	if json.Unmarshal(answer, &body) != nil || body.Message == "" {
		return fmt.Errorf("the server answered %s: %.200s", resp.Status, answer)
	}
	return &answered{message: body.Message, code: weirerr.New(weirerr.Code(strings.TrimPrefix(body.Code, "WEIR:")), "")}
}

// answered is an error that came over the wire.
type answered struct {
	message string
	code    *weirerr.Error
}

func (e *answered) Error() string { return e.message }
func (e *answered) Unwrap() error { return e.code }

// decode reads a part of an answer for printing.
func decode[T any](answer json.RawMessage) (T, error) {
	var v T
	if err := json.Unmarshal(answer, &v); err != nil {
		return v, fmt.Errorf("the server's answer is not what was expected: %w", err)
	}
	return v, nil
}
