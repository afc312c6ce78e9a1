package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"

	"github.com/weirstream/weir/internal/weirerr"
)

// guard lets in who may come in.
func (a *api) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.admit(r, crossOrigin); err != nil {
			if weirerr.CodeOf(err) == weirerr.Unauthorized && a.Token != "" {
				w.Header().Set("WWW-Authenticate", `Bearer realm="weir"`)
			}
			a.fail(w, r, weirerr.FlagsOf(err).Status, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *api) admit(r *http.Request, crossOrigin *http.CrossOriginProtection) error {
	if err := crossOrigin.Check(r); err != nil {
		return weirerr.New(weirerr.Unauthorized, "cross-origin requests are refused").With("origin", r.Header.Get("Origin"))
	}
	if a.Token != "" {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !equal(strings.TrimSpace(given), a.Token) {
			return weirerr.New(weirerr.Unauthorized, "the request bears no valid token").
				Hint("send Authorization: Bearer TOKEN; weir takes it from --token-file or WEIR_TOKEN_FILE")
		}
		return nil
	}
	// A web page may have its own name resolve to our loopback address.
	if a.Loopback && !loopbackName(r.Host) {
		return weirerr.New(weirerr.Unauthorized, "the host name is not this machine's loopback").With("host", r.Host).
			Hint("call http://127.0.0.1, or set http.token_file")
	}
	return nil
}

// equal compares in constant time, whatever the lengths.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func loopbackName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// recovered answers a panic with 500.
func (a *api) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			a.Logger.Error("a request panicked", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			a.fail(w, r, http.StatusInternalServerError, weirerr.New(weirerr.Unknown, "internal error").
				Hint("the server's log has more; please report it"))
		}()
		next.ServeHTTP(w, r)
	})
}
