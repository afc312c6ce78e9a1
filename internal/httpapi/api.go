package httpapi

import (
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/weirerr"
)

// Options are what the door works with. Control, Ready, Logger, Level, Metrics
// and Now must be set.
type Options struct {
	Control *control.Control
	// Ready says why the node cannot answer yet; nil when it can.
	Ready   func() error
	Logger  *slog.Logger
	Level   *slog.LevelVar // of the process's log
	Metrics prometheus.Gatherer
	Now     func() time.Time

	Node     Node
	Token    string // that requests must bear; empty: none
	Loopback bool   // the listener is reachable from this machine only
	MaxBody  int64  // bytes
	MaxWaits int
	PProf    bool
}

// Node tells who answers.
type Node struct {
	ID      string
	Cluster string
	Address string
	Version string
	GitHash string
	PID     int
}

type api struct {
	Options
	waits chan struct{} // one value for each request that waits
}

// New makes the door's handler.
func New(o Options) http.Handler {
	a := &api{Options: o, waits: make(chan struct{}, o.MaxWaits)}
	root := http.NewServeMux()
	root.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, empty{}) })
	root.HandleFunc("GET /readyz", a.readyz)

	open := http.NewServeMux() // behind the guard
	open.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelError)}))
	a.routeV2(open)
	a.routeWeir(open)
	if o.PProf {
		open.HandleFunc("/debug/pprof/", pprof.Index)
		open.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		open.HandleFunc("/debug/pprof/profile", pprof.Profile)
		open.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		open.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	open.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.fail(w, r, http.StatusNotFound, weirerr.New(weirerr.NotFound, "no such path").
			With("method", r.Method).With("path", r.URL.Path))
	})
	root.Handle("/", a.guard(open))
	return a.recovered(root)
}

func (a *api) readyz(w http.ResponseWriter, r *http.Request) {
	if err := a.Ready(); err != nil {
		a.fail(w, r, http.StatusServiceUnavailable, err)
		return
	}
	respond(w, http.StatusOK, empty{})
}

// handler answers a request, or returns an error.
type handler func(w http.ResponseWriter, r *http.Request) error

// v2 wraps a handler of TiCDC's API.
func (a *api) v2(h handler) http.HandlerFunc { return a.wrap(h, statusV2) }

// own wraps a handler of our API.
func (a *api) own(h handler) http.HandlerFunc {
	return a.wrap(h, func(err error) int { return weirerr.FlagsOf(err).Status })
}

func (a *api) wrap(h handler, status func(error) int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := a.Ready()
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, a.MaxBody)
			err = h(w, r)
		}
		if err != nil {
			a.fail(w, r, status(err), err)
		}
	}
}

// statusV2 is TiCDC's choice of a status.
func statusV2(err error) int {
	switch status := weirerr.FlagsOf(err).Status; {
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests, status == http.StatusRequestEntityTooLarge,
		status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return status
	case status < http.StatusInternalServerError:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// enter takes a place among the requests that may wait.
func (a *api) enter() (leave func(), err error) {
	select {
	case a.waits <- struct{}{}:
		return func() { <-a.waits }, nil
	default:
		return nil, weirerr.New(weirerr.Overloaded, "%d requests wait already", cap(a.waits)).
			Hint("try again later, or raise http.max_waits")
	}
}
