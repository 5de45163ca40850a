package maintenance

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics show what the maintenance of this server did. Only the leader's move.
type metrics struct {
	leader      prometheus.Gauge
	lastSuccess *prometheus.GaugeVec
	duration    *prometheus.GaugeVec
	rows        *prometheus.CounterVec
	failures    *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	label := []string{"task"}
	m := &metrics{
		leader: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_upkeep_leader", Help: "1 on the server that keeps the database in order.",
		}),
		lastSuccess: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "svc_upkeep_last_success_timestamp_seconds", Help: "When the task was last done to its end.",
		}, label),
		duration: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "svc_upkeep_last_duration_seconds", Help: "How long the task last took, with the pauses between its batches.",
		}, label),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_upkeep_rows_total", Help: "Rows that the task removed or changed.",
		}, label),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_upkeep_failures_total", Help: "Runs of the task that failed.",
		}, label),
	}
	if registry != nil {
		registry.MustRegister(m.leader, m.lastSuccess, m.duration, m.rows, m.failures)
	}
	return m
}

func (m *metrics) setLeader(yes bool) {
	if yes {
		m.leader.Set(1)
		return
	}
	m.leader.Set(0)
}

func (m *metrics) addRows(task string, rows int64) { m.rows.WithLabelValues(task).Add(float64(rows)) }

func (m *metrics) countFailure(task string) { m.failures.WithLabelValues(task).Inc() }

func (m *metrics) noteSuccess(task string, at time.Time, took time.Duration) {
	m.lastSuccess.WithLabelValues(task).Set(float64(at.UnixMilli()) / 1000)
	m.duration.WithLabelValues(task).Set(took.Seconds())
}
