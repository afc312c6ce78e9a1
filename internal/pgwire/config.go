package pgwire

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Config says how a Server behaves. Zero values mean the defaults that are named.
type Config struct {
	Opener Opener
	Users  Authenticator
	// Version is the server_version that clients see: "15.0 (weir 0.2)". Drivers read its first number.
	Version string

	// TLS serves clients that ask for it; nil: none is offered.
	TLS *tls.Config
	// Insecure lets clients in without TLS from other than loopback addresses. They need a
	// password all the same.
	Insecure bool

	MaxConnections int           // 100
	MaxMessage     int           // longest message of a client in bytes: 64 MiB
	StartupTimeout time.Duration // for everything up to the first statement: 10 s
	WriteTimeout   time.Duration // after which a client that does not read is dropped: none

	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// maxUnauthenticated is the longest message before a client has shown who it is, in bytes.
const maxUnauthenticated = 16 << 10

func (c Config) withDefaults() Config {
	if c.MaxConnections == 0 {
		c.MaxConnections = 100
	}
	if c.MaxMessage == 0 {
		c.MaxMessage = 64 << 20
	}
	if c.StartupTimeout == 0 {
		c.StartupTimeout = 10 * time.Second
	}
	if c.Version == "" {
		c.Version = "15.0"
	}
	return c
}

// metrics are what operators see of the door.
type metrics struct {
	open     prometheus.Gauge
	accepted prometheus.Counter
	refused  *prometheus.CounterVec
	canceled prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		open:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "weir_sql_connections", Help: "SQL connections that are open."}),
		accepted: prometheus.NewCounter(prometheus.CounterOpts{Name: "weir_sql_connections_total", Help: "SQL connections accepted since the start."}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "weir_sql_refused_total", Help: "SQL connections refused, by SQLSTATE."},
			[]string{"code"}),
		canceled: prometheus.NewCounter(prometheus.CounterOpts{Name: "weir_sql_cancels_total", Help: "Requests to cancel a statement that found it."}),
	}
	if r != nil {
		r.MustRegister(m.open, m.accepted, m.refused, m.canceled)
	}
	return m
}
