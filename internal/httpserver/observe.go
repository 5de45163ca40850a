package httpserver

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/svc-dev/svc/internal/throttle"
)

// Observe wraps a router: it gives each request an id and the answer the security headers, counts and times it by the
// router's pattern, logs it, cuts connections that stop to bring a body or to take an answer, and turns a panic into a
// 500. Successful answers are logged at debug level, so that SDK traffic does not fill the log, and so are all 503s of
// a second but one; failures are logged with the beginning of what they answer. Paths and methods that the router does
// not know are answered with the error body of every other refusal.
func Observe(next http.Handler, logger *slog.Logger, metrics *Metrics) http.Handler {
	return &observer{next: next, logger: logger, metrics: metrics, limits: defaultLimits}
}

type observer struct {
	next    http.Handler
	logger  *slog.Logger
	metrics *Metrics
	limits  limits
	// busy counts the 503s that are logged as warnings: a server that has more to
	// do than it can, or no database, refuses many requests, and anybody can send
	// them.
	busy throttle.PerSecond
}

func (o *observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	r, id := withRequestID(r)
	header := w.Header()
	header[RequestIDHeader] = []string{id}
	secure(header)
	o.limits.pace(w, r, start)
	watched := &answer{ResponseWriter: w, request: r, stall: o.limits.answerStall, extended: start}
	defer func() {
		if panicked := recover(); panicked != nil &&
			panicked != http.ErrAbortHandler { //nolint:errorlint // the value that net/http documents
			o.logger.ErrorContext(r.Context(), "panic", "request", id, "panic", panicked, "stack", string(debug.Stack()))
			if watched.status == 0 {
				WriteError(watched, r, http.StatusInternalServerError, "internal",
					"something went wrong; the request id names it in the server's log")
			}
		}
		watched.extend() // what is still in buffers is sent after this
		elapsed := time.Since(start)
		o.metrics.observe(r, watched.status, elapsed)
		o.log(r, id, watched, elapsed)
	}()
	o.next.ServeHTTP(watched, r)
	if watched.status == 0 {
		watched.status = http.StatusOK
	}
}

func (o *observer) log(r *http.Request, id string, watched *answer, elapsed time.Duration) {
	level := slog.LevelDebug
	if watched.status >= 500 && (watched.status != http.StatusServiceUnavailable || o.busy.Allow(time.Now())) {
		level = slog.LevelWarn
	}
	if !o.logger.Enabled(r.Context(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("request", id), slog.String("method", r.Method), slog.String("path", clip(pathOf(r))),
		slog.Int("status", watched.status), slog.Int64("bytes", watched.bytes), slog.Duration("took", elapsed),
	}
	if watched.reason != "" {
		attributes = append(attributes, slog.String("answer", watched.reason))
	}
	o.logger.LogAttrs(r.Context(), level, "request", attributes...)
}

// SecretWildcard is what patterns call the segment of a path that opens something by itself, and so stays out of logs.
const SecretWildcard = "secret"

// pathOf returns the path of a request as it is logged.
func pathOf(r *http.Request) string {
	if secret := r.PathValue(SecretWildcard); secret != "" {
		return strings.ReplaceAll(r.URL.Path, secret, "…")
	}
	return r.URL.Path
}

// clip cuts a path that somebody made up to a length that is fit for a log.
func clip(path string) string {
	const enough = 200
	if len(path) > enough {
		return path[:enough] + "…"
	}
	return path
}

var (
	noSniff       = []string{"nosniff"}
	noReferrer    = []string{"no-referrer"}
	denyFrames    = []string{"DENY"}
	contentPolicy = []string{"default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; " +
		"object-src 'none'; base-uri 'self'; frame-ancestors 'none'"}
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

// RequireHTTPS tells browsers to use nothing but HTTPS for this host for a year
// (RFC 6797). It is for servers whose public address is an https one.
func RequireHTTPS(next http.Handler) http.Handler {
	policy := []string{"max-age=31536000"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Strict-Transport-Security"] = policy
		next.ServeHTTP(w, r)
	})
}

// WriteError answers with the error body of wire.md §11.
func WriteError(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(errorBody{code, code, message, RequestID(r.Context())}) // the client may have left
}

type errorBody struct {
	Code      string `json:"code"`
	Error     string `json:"error"`
	Message   string `json:"message"`
	RequestID string `json:"requestId"`
}
