package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/weirerr"
)

// bodyTimeout is how long a client may take to send a request's body.
const bodyTimeout = 30 * time.Second

type empty struct{}

// errorBody is TiCDC's.
type errorBody struct {
	Message string `json:"error_msg"`
	Code    string `json:"error_code"`
}

func respond(w http.ResponseWriter, status int, body any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err) // our own types always encode
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

// fail answers with an error. Unknown errors are ours to mend, so they are logged.
func (a *api) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	code := weirerr.CodeOf(err)
	message := err.Error()
	if code == weirerr.Unknown {
		a.Logger.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		if !strings.HasPrefix(message, "[WEIR:") {
			message = "[WEIR:Unknown] " + message
		}
	} else {
		a.Logger.Debug("a request was refused", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	respond(w, status, errorBody{Message: message, Code: "WEIR:" + string(code)})
}

// read decodes the body strictly. An empty body leaves into as it is.
func read(w http.ResponseWriter, r *http.Request, into any) error {
	text, err := readBody(w, r)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return err
	}
	return decode(text, into)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	// Not every ResponseWriter has deadlines; the servers we start do.
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTimeout))
	defer func() { _ = deadline.SetReadDeadline(time.Time{}) }()
	text, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, weirerr.New(weirerr.TooLarge, "the body is larger than %d bytes", large.Limit)
	case err != nil:
		return nil, weirerr.New(weirerr.InvalidArgument, "cannot read the body").Wrap(err)
	}
	return text, nil
}

func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return weirerr.New(weirerr.InvalidArgument, "malformed body: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return weirerr.New(weirerr.InvalidArgument, "malformed body: something follows the object")
	}
	return nil
}

// queryDuration reads a duration such as 60s from the query.
func queryDuration(r *http.Request, name string, missing time.Duration) (time.Duration, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return missing, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, weirerr.New(weirerr.InvalidArgument, "%s is %q", name, text).Hint("write a duration such as 500ms, 60s or 5m")
	}
	return d, nil
}

func queryInt(r *http.Request, name string) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, weirerr.New(weirerr.InvalidArgument, "%s is %q", name, text).Hint("write a number")
	}
	return n, nil
}

func queryBool(r *http.Request, name string) (bool, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return false, nil
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, weirerr.New(weirerr.InvalidArgument, "%s is %q", name, text).Hint("write true or false")
	}
	return b, nil
}
