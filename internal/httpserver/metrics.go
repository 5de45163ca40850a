package httpserver

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics count answers by route and time them.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_http_requests_total", Help: "Answers by route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "svc_http_request_seconds", Help: "Time to answer by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"route"}),
	}
	registry.MustRegister(m.requests, m.seconds)
	return m
}

func (m *Metrics) observe(r *http.Request, status int, elapsed time.Duration) {
	route := routeLabel(r.Pattern)
	m.requests.WithLabelValues(route, methodLabel(r.Method), strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(elapsed.Seconds())
}

// routeLabel returns the path of a router's pattern, without the method that may
// stand before it.
func routeLabel(pattern string) string {
	if pattern == "" {
		return "unmatched"
	}
	return pattern[strings.IndexByte(pattern, ' ')+1:]
}

// methodLabel bounds the label to the methods that exist.
func methodLabel(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return name
	}
	return "other"
}
