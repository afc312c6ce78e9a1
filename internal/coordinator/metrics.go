package coordinator

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/barrier"
)

// metrics of all databases together.
type metrics struct {
	barriers   *prometheus.CounterVec
	latency    prometheus.Histogram
	commits    prometheus.Histogram
	recoveries prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		barriers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weir_barriers_total", Help: "Barriers injected.",
		}, []string{"kind"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weir_barrier_seconds", Help: "From a checkpoint's injection to its commit.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weir_barrier_commit_seconds", Help: "Of the commit alone.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}),
		recoveries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "weir_database_recoveries_total", Help: "Attempts of databases that ended in a failure.",
		}),
	}
	if r != nil {
		r.MustRegister(m.barriers, m.latency, m.commits, m.recoveries)
	}
	return m
}

func (m *metrics) injected(b barrier.Barrier) { m.barriers.WithLabelValues(b.Kind.String()).Inc() }

func (m *metrics) committed(c *barrier.Commit, took time.Duration) {
	m.commits.Observe(took.Seconds())
	m.latency.Observe(max(0, time.Since(c.Curr.Time())).Seconds())
}
