package local

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts and times what the log does. A nil *Metrics does nothing.
type Metrics struct {
	commit  *prometheus.HistogramVec
	bytes   *prometheus.CounterVec
	entries *prometheus.CounterVec
	jumps   *prometheus.CounterVec
}

// NewMetrics registers the log's metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	label := []string{"channel"}
	m := &Metrics{
		commit: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "weir_log_commit_seconds",
			Help: "Time to write and sync one commit group.", Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16)}, label),
		bytes:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "weir_log_append_bytes_total", Help: "Bytes made durable."}, label),
		entries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "weir_log_append_entries_total", Help: "Entries made durable."}, label),
		jumps: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "weir_log_clock_jumps_total",
			Help: "Jumps of the wall clock against the monotonic clock."}, label),
	}
	reg.MustRegister(m.commit, m.bytes, m.entries, m.jumps)
	return m
}

func (m *Metrics) committed(channel string, took time.Duration, bytes int, entries uint32) {
	if m == nil {
		return
	}
	m.commit.WithLabelValues(channel).Observe(took.Seconds())
	m.bytes.WithLabelValues(channel).Add(float64(bytes))
	m.entries.WithLabelValues(channel).Add(float64(entries))
}

func (m *Metrics) jumped(channel string) {
	if m != nil {
		m.jumps.WithLabelValues(channel).Inc()
	}
}
