package capture

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/wal"
)

// metrics of one source, labelled by its name.
type metrics struct {
	registerer   prometheus.Registerer
	streaming    prometheus.Gauge
	reconnects   prometheus.Counter
	transactions prometheus.Counter
	bytes        prometheus.Counter
	lag          prometheus.Gauge
	chunks       prometheus.Counter
	retaken      prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, source string) *metrics {
	labels := prometheus.Labels{"source": source}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "weir_source_" + name, Help: help, ConstLabels: labels})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "weir_source_" + name, Help: help, ConstLabels: labels})
	}
	m := &metrics{
		registerer:   reg,
		streaming:    gauge("streaming", "1 while the upstream's stream is being read."),
		reconnects:   counter("reconnects_total", "Times the stream broke off."),
		transactions: counter("transactions_total", "Upstream transactions appended to the log."),
		bytes:        counter("bytes_total", "Bytes of changes appended to the log."),
		lag:          gauge("lag_seconds", "From the upstream's commit to our append, of the last transaction."),
		chunks:       counter("chunks_total", "Snapshot chunks read and placed."),
		retaken:      counter("chunks_retaken_total", "Snapshot chunks read again because the stream had overtaken them."),
	}
	if reg != nil {
		reg.MustRegister(m.all()...)
	}
	return m
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.streaming, m.reconnects, m.transactions, m.bytes, m.lag, m.chunks, m.retaken}
}

func (m *metrics) unregister() {
	if m.registerer == nil {
		return
	}
	for _, c := range m.all() {
		m.registerer.Unregister(c)
	}
}

func (m *metrics) committed(commitUs int64, e *wal.Entry) {
	m.transactions.Inc()
	if e.Large != nil {
		m.bytes.Add(float64(e.Large.Bytes))
	} else {
		m.bytes.Add(float64(len(e.Changes)))
	}
	m.lag.Set(float64(time.Now().UnixMicro()-commitUs) / 1e6)
}
