package httpserver

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
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

// answer watches what a handler writes.
type answer struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush makes the watched writer usable for server-sent events.
func (a *answer) Flush() {
	if flusher, ok := a.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}

// Observe wraps a router: it gives each request an id and the answer the
// security headers, counts and times it by the router's pattern, logs it, and
// turns a panic into a 500. Successful answers are logged at debug level, so
// that SDK traffic does not fill the log.
func Observe(next http.Handler, logger *slog.Logger, metrics *Metrics) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		r, id := withRequestID(r)
		header := w.Header()
		header[RequestIDHeader] = []string{id}
		secure(header)
		watched := &answer{ResponseWriter: w}
		defer func() {
			if panicked := recover(); panicked != nil && panicked != http.ErrAbortHandler {
				logger.ErrorContext(r.Context(), "panic", "request", id, "panic", panicked, "stack", string(debug.Stack()))
				if watched.status == 0 {
					WriteError(watched, r, http.StatusInternalServerError, "internal", "something went wrong; the request id names it in the server's log")
				}
			}
			route := r.Pattern
			if route == "" {
				route = "unmatched"
			}
			elapsed := time.Since(start)
			metrics.requests.WithLabelValues(route, method(r.Method), strconv.Itoa(watched.status)).Inc()
			metrics.seconds.WithLabelValues(route).Observe(elapsed.Seconds())
			level := slog.LevelDebug
			if watched.status >= 500 {
				level = slog.LevelWarn
			}
			if logger.Enabled(r.Context(), level) {
				logger.LogAttrs(r.Context(), level, "request", slog.String("request", id), slog.String("method", r.Method),
					slog.String("path", r.URL.Path), slog.Int("status", watched.status), slog.Int64("bytes", watched.bytes),
					slog.Duration("took", elapsed))
			}
		}()
		next.ServeHTTP(watched, r)
		if watched.status == 0 {
			watched.status = http.StatusOK
		}
	})
}

// method bounds the label to the methods that exist.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	}
	return "other"
}

var (
	noSniff        = []string{"nosniff"}
	noReferrer     = []string{"no-referrer"}
	denyFrames     = []string{"DENY"}
	contentPolicy  = []string{"default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"}
	openerPolicy   = []string{"same-origin"}
	noPermissions  = []string{"camera=(), microphone=(), geolocation=()"}
	resourcePolicy = []string{"cross-origin"} // SDKs of any origin read flows and media
)

// secure sets the security headers. The slices are shared and never written.
func secure(h http.Header) {
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = denyFrames
	h["Content-Security-Policy"] = contentPolicy
	h["Cross-Origin-Opener-Policy"] = openerPolicy
	h["Cross-Origin-Resource-Policy"] = resourcePolicy
	h["Permissions-Policy"] = noPermissions
}

// WriteError answers with the error body of wire.md §11.
func WriteError(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{ // the client may have gone
		"code": code, "error": code, "message": message, "requestId": RequestID(r.Context()),
	})
}

// Health answers /healthz and /readyz. A server is healthy while it runs, and
// ready when it has started, is not draining, and its check passes.
type Health struct {
	ready atomic.Bool
	// Check tells whether the server can do its work; nil means always.
	Check func(*http.Request) error
}

// SetReady opens or closes the server for balancers, and returns what it was.
func (h *Health) SetReady(ready bool) (before bool) { return h.ready.Swap(ready) }

// Register adds both paths to mux.
func (h *Health) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, http.StatusOK, "ok", "") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !h.ready.Load() {
			writeStatus(w, http.StatusServiceUnavailable, "not_ready", "starting or draining")
			return
		}
		if h.Check != nil {
			if err := h.Check(r); err != nil {
				writeStatus(w, http.StatusServiceUnavailable, "not_ready", err.Error())
				return
			}
		}
		writeStatus(w, http.StatusOK, "ready", "")
	})
}

func writeStatus(w http.ResponseWriter, status int, word, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	body := map[string]string{"status": word}
	if reason != "" {
		body["reason"] = reason
	}
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}
