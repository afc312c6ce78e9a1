package wal

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// descs are the metrics of one channel's checkpoint, with its name in them, so
// that each can come and go by itself.
type descs struct {
	checkpoint, unmoved, pinBytes, pinAge, holder, trouble, saves, failures, cuts, evictions *prometheus.Desc
}

func newDescs(channel string) descs {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("weir_log_"+name, help, labels, prometheus.Labels{"channel": channel})
	}
	return descs{
		checkpoint: desc("checkpoint_timestamp_seconds", "Stored checkpoint, as unix time."),
		unmoved:    desc("checkpoint_unmoved_seconds", "Since the stored checkpoint last rose."),
		pinBytes:   desc("pin_bytes", "Bytes of log that a pin holds.", "owner"),
		pinAge:     desc("pin_age_seconds", "Since a pin last moved.", "owner"),
		holder:     desc("checkpoint_holder", "1 for the pin that holds the checkpoint.", "owner", "vchannel"),
		trouble:    desc("checkpoint_trouble", "1 while saving or truncating fails."),
		saves:      desc("checkpoint_saves_total", "Saves tried."),
		failures:   desc("checkpoint_save_failures_total", "Saves that failed."),
		cuts:       desc("truncate_failures_total", "Truncations that failed."),
		evictions:  desc("evictions_total", "Pins taken away."),
	}
}

// Describe is for the registry.
func (c *Checkpoint) Describe(out chan<- *prometheus.Desc) {
	d := &c.descs
	for _, one := range []*prometheus.Desc{
		d.checkpoint, d.unmoved, d.pinBytes, d.pinAge, d.holder, d.trouble, d.saves, d.failures, d.cuts, d.evictions,
	} {
		out <- one
	}
}

// Collect is for the registry.
func (c *Checkpoint) Collect(out chan<- prometheus.Metric) {
	st, now, d := c.Status(), time.Now(), &c.descs
	c.mu.Lock()
	n := c.counts
	c.mu.Unlock()
	gauge := func(desc *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v, labels...)
	}
	count := func(desc *prometheus.Desc, v uint64) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(v))
	}
	gauge(d.checkpoint, float64(st.Checkpoint.Ms())/1000)
	gauge(d.unmoved, now.Sub(st.Moved).Seconds())
	for _, p := range st.Pins {
		gauge(d.pinBytes, float64(p.Bytes), p.Owner)
		gauge(d.pinAge, now.Sub(p.Since).Seconds(), p.Owner)
	}
	if h := st.Holder; h != nil {
		gauge(d.holder, 1, h.Owner, h.VChannel)
	}
	trouble := 0.0
	if st.Trouble != "" {
		trouble = 1
	}
	gauge(d.trouble, trouble)
	count(d.saves, n.saves)
	count(d.failures, n.saveFailures)
	count(d.cuts, n.cutFailures)
	count(d.evictions, n.evictions)
}
