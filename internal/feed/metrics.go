package feed

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/owner"
)

// metrics of one feed. Those of all feeds share their collectors, by label.
type metrics struct {
	name       string
	checkpoint *prometheus.GaugeVec
	lag        *prometheus.GaugeVec
	resolved   *prometheus.GaugeVec
	behind     *prometheus.GaugeVec
	state      *prometheus.GaugeVec
	rows       *prometheus.CounterVec
	bytes      *prometheus.CounterVec
	txns       *prometheus.CounterVec
	commit     *prometheus.HistogramVec
}

// stateNumbers are those TiCDC's dashboards know.
var stateNumbers = map[owner.State]float64{
	owner.Normal: 0, owner.Pending: 1, owner.Failed: 2, owner.Stopped: 3, owner.Finished: 4, owner.Removed: 5, owner.Warning: 6,
}

func newMetrics(reg prometheus.Registerer, name string) *metrics {
	label := []string{"changefeed"}
	gauge := func(n, help string) *prometheus.GaugeVec {
		return register(reg, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "weir_changefeed_" + n, Help: help}, label))
	}
	counter := func(n, help string, labels ...string) *prometheus.CounterVec {
		return register(reg, prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "weir_changefeed_" + n, Help: help}, append(label, labels...)))
	}
	return &metrics{
		name:       name,
		checkpoint: gauge("checkpoint_ts", "Everything up to here is durable at the target, in unix seconds."),
		lag:        gauge("checkpoint_lag_seconds", "Age of the checkpoint."),
		resolved:   gauge("resolved_ts", "The source's log is complete up to here, in unix seconds."),
		behind:     gauge("resolved_lag_seconds", "Age of the resolved Ts."),
		state:      gauge("state", "0 normal, 1 pending, 2 failed, 3 stopped, 4 finished, 5 removed, 6 warning."),
		rows:       counter("rows_total", "Changes handed to the sink, by kind.", "op"),
		bytes:      counter("bytes_total", "Their bytes in the log's encoding."),
		txns:       counter("transactions_total", "Upstream transactions handed to the sink."),
		commit: register(reg, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "weir_changefeed_commit_seconds", Help: "Time of a commit at the target.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, label)),
	}
}

// register returns the collector of that name which is registered already, or c.
func register[C prometheus.Collector](reg prometheus.Registerer, c C) C {
	if reg == nil {
		return c
	}
	var there prometheus.AlreadyRegisteredError
	if errors.As(reg.Register(c), &there) {
		if old, ok := there.ExistingCollector.(C); ok {
			return old
		}
	}
	return c
}

func (m *metrics) observe(machine *owner.Machine) {
	st, t := machine.Status(), float64(now())/1000
	checkpoint, resolved := float64(st.Checkpoint.Ms())/1000, float64(st.Resolved.Ms())/1000
	m.checkpoint.WithLabelValues(m.name).Set(checkpoint)
	m.lag.WithLabelValues(m.name).Set(max(0, t-checkpoint))
	m.resolved.WithLabelValues(m.name).Set(resolved)
	m.behind.WithLabelValues(m.name).Set(max(0, t-resolved))
	m.state.WithLabelValues(m.name).Set(stateNumbers[st.State])
}

func (m *metrics) count(c counts) {
	for _, x := range []struct {
		op string
		n  int64
	}{
		{"read", c.reads}, {"insert", c.inserts}, {"update", c.updates}, {"delete", c.deletes},
		{"truncate", c.truncates}, {"schema_change", c.schemas},
	} {
		if x.n > 0 {
			m.rows.WithLabelValues(m.name, x.op).Add(float64(x.n))
		}
	}
	m.bytes.WithLabelValues(m.name).Add(float64(c.bytes))
	m.txns.WithLabelValues(m.name).Add(float64(c.txns))
	if c.commits > 0 {
		m.commit.WithLabelValues(m.name).Observe(c.took.Seconds())
	}
}

// remove forgets the feed's figures.
func (m *metrics) remove() {
	label := prometheus.Labels{"changefeed": m.name}
	for _, v := range []interface {
		DeletePartialMatch(prometheus.Labels) int
	}{m.checkpoint, m.lag, m.resolved, m.behind, m.state, m.rows, m.bytes, m.txns, m.commit} {
		v.DeletePartialMatch(label)
	}
}
