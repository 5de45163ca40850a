package httpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/httpserver"
)

func observed(t *testing.T, log io.Writer, routes map[string]http.HandlerFunc) (http.Handler, *prometheus.Registry) {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, handler := range routes {
		mux.HandleFunc(pattern, handler)
	}
	registry := prometheus.NewRegistry()
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return httpserver.Observe(mux, logger, httpserver.NewMetrics(registry)), registry
}

func TestEveryAnswerHasAnIDAndSecurityHeaders(t *testing.T) {
	var seen string
	handler, registry := observed(t, io.Discard, map[string]http.HandlerFunc{
		"GET /things/{id}": func(w http.ResponseWriter, r *http.Request) { seen = httpserver.RequestID(r.Context()) },
	})
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/things/7", nil))
	require.Equal(t, 200, recorder.Code)
	require.NotEmpty(t, seen)
	require.Equal(t, seen, recorder.Header().Get("X-Request-Id"))
	require.Equal(t, "nosniff", recorder.Header().Get("X-Content-Type-Options"))
	require.Contains(t, recorder.Header().Get("Content-Security-Policy"), "default-src 'self'")

	count, err := testutil.GatherAndCount(registry, "svc_http_requests_total")
	require.NoError(t, err)
	require.Equal(t, 1, count, "one series: the pattern is the label, not the path")
}

func TestACallersIDIsKeptOnlyWhenItIsOne(t *testing.T) {
	handler, _ := observed(t, io.Discard, nil)
	for given, kept := range map[string]bool{"abcdef0123456789": true, "x": false, "has space in it": false} {
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set("X-Request-Id", given)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		require.Equal(t, kept, recorder.Header().Get("X-Request-Id") == given, given)
	}
}

func TestAPanicIsA500ThatNamesTheRequest(t *testing.T) {
	var log bytes.Buffer
	handler, _ := observed(t, &log, map[string]http.HandlerFunc{
		"GET /": func(http.ResponseWriter, *http.Request) { panic("secret detail") },
	})
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
	require.Equal(t, 500, recorder.Code)
	var body map[string]string
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &body))
	require.Equal(t, "internal", body["code"])
	require.Equal(t, body["code"], body["error"])
	require.Equal(t, recorder.Header().Get("X-Request-Id"), body["requestId"])
	require.NotContains(t, recorder.Body.String(), "secret detail")
	require.Contains(t, log.String(), "secret detail")
}

func TestReadinessFollowsStartAndDrain(t *testing.T) {
	health := &httpserver.Health{}
	mux := http.NewServeMux()
	health.Register(mux)
	ask := func(path string) (int, string) {
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest("GET", path, nil))
		return recorder.Code, recorder.Body.String()
	}
	status, body := ask("/readyz")
	require.Equal(t, 503, status)
	require.JSONEq(t, `{"status":"not_ready","reason":"starting"}`, body)
	require.False(t, health.SetUnready("waiting"))
	_, body = ask("/readyz")
	require.JSONEq(t, `{"status":"not_ready","reason":"waiting"}`, body)
	health.SetReady(func() map[string]any { return map[string]any{"roles": []string{"ingest"}} })
	status, body = ask("/readyz")
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"status":"ready","roles":["ingest"]}`, body)
	require.True(t, health.SetUnready("draining"))
	status, _ = ask("/readyz")
	require.Equal(t, 503, status)
	status, _ = ask("/healthz")
	require.Equal(t, 200, status)
}

func TestTheRouteLabelIsThePathOfThePattern(t *testing.T) {
	handler, registry := observed(t, io.Discard, map[string]http.HandlerFunc{
		"POST /things/{id}": func(http.ResponseWriter, *http.Request) {},
		"/things":           func(http.ResponseWriter, *http.Request) {},
	})
	for _, request := range []*http.Request{
		httptest.NewRequest("POST", "/things/7", nil), httptest.NewRequest("PUT", "/things", nil),
		httptest.NewRequest("GET", "/other", nil),
	} {
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
		# HELP svc_http_requests_total Answers by route, method and status.
		# TYPE svc_http_requests_total counter
		svc_http_requests_total{method="POST",route="/things/{id}",status="200"} 1
		svc_http_requests_total{method="PUT",route="/things",status="200"} 1
		svc_http_requests_total{method="GET",route="unmatched",status="404"} 1
	`), "svc_http_requests_total"))
}

func TestUnknownPathsAndMethodsHaveTheErrorBody(t *testing.T) {
	handler, _ := observed(t, io.Discard, map[string]http.HandlerFunc{
		"GET /things": func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) },
	})
	for _, c := range []struct {
		method, path string
		status       int
		code, allow  string
	}{
		{"GET", "/other", 404, "not_found", ""},
		{"POST", "/things", 405, "method_not_allowed", "GET, HEAD"},
	} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(c.method, c.path, nil))
		require.Equal(t, c.status, recorder.Code)
		require.Equal(t, "application/json", recorder.Header().Get("Content-Type"))
		require.Equal(t, c.allow, recorder.Header().Get("Allow"))
		var body map[string]string
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &body))
		require.Equal(t, c.code, body["code"])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/things", nil))
	require.Equal(t, "404 page not found\n", recorder.Body.String(), "a handler's own refusal is left alone")
}

func TestHTTPSIsRequiredForAYear(t *testing.T) {
	recorder := httptest.NewRecorder()
	httpserver.RequireHTTPS(http.NotFoundHandler()).ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
	require.Equal(t, "max-age=31536000", recorder.Header().Get("Strict-Transport-Security"))
}

func TestASwitchServesByItsCurrentHandler(t *testing.T) {
	status := func(handler http.Handler) int {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
		return recorder.Code
	}
	s := httpserver.NewSwitch(http.NotFoundHandler())
	require.Equal(t, 404, status(s))
	s.Set(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	require.Equal(t, 200, status(s))
}

func TestShutdownWaitsForOpenRequests(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-release
		_, _ = io.WriteString(w, "whole")
	})
	listener, err := httpserver.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := httpserver.New(listener, handler, slog.Default(), time.Minute)
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	body := make(chan string, 1)
	go func() {
		response, err := http.Get("http://" + server.Addr())
		if err != nil {
			body <- err.Error()
			return
		}
		defer response.Body.Close()
		content, _ := io.ReadAll(response.Body)
		body <- string(content)
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		stopped <- server.Shutdown(ctx)
	}()
	close(release)
	require.NoError(t, <-stopped)
	require.NoError(t, <-served)
	require.Equal(t, "whole", <-body)
}

// Refusals of a busy server do not fill the log; other failures are all there.
func TestBusyAnswersAreLoggedOnceASecond(t *testing.T) {
	var log bytes.Buffer
	handler, _ := observed(t, &log, map[string]http.HandlerFunc{
		"GET /busy":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"GET /failed": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
	})
	began := time.Now()
	for range 100 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/busy", nil))
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/failed", nil))
	}
	warnings := strings.Count(log.String(), `"level":"WARN"`)
	require.GreaterOrEqual(t, warnings, 101)
	require.LessOrEqual(t, warnings, 102+int(time.Since(began)/time.Second))
}

func TestSecretsOfPathsAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	fails := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusInternalServerError) }
	handler, _ := observed(t, &log, map[string]http.HandlerFunc{
		"GET /share/{" + httpserver.SecretWildcard + "}/{page...}": fails,
		"GET /things/{id}": fails,
	})
	for _, path := range []string{"/share/opensesame/apps/1?x=2", "/share/open%73esame/opensesame", "/things/seven"} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	require.NotContains(t, log.String(), "opensesame")
	require.NotContains(t, log.String(), "open%73esame")
	require.Contains(t, log.String(), `"path":"/share/…/apps/1"`)
	require.Contains(t, log.String(), `"path":"/things/seven"`)
}

// Whoever reads of a failure in the log reads why, and no more of what was answered.
func TestFailuresAreLoggedWithTheirReason(t *testing.T) {
	var log bytes.Buffer
	handler, _ := observed(t, &log, map[string]http.HandlerFunc{
		"GET /busy": func(w http.ResponseWriter, r *http.Request) {
			httpserver.WriteError(w, r, http.StatusServiceUnavailable, "busy", "the queue is full")
		},
		"GET /long": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, strings.Repeat("x", 150)+" and then a secret", http.StatusInternalServerError)
		},
		"GET /fine": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("what was asked for")) },
	})
	for _, path := range []string{"/busy", "/long", "/fine"} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	require.Contains(t, log.String(), "the queue is full")
	require.Contains(t, log.String(), "xxx and then")
	require.NotContains(t, log.String(), "a secret")
	require.NotContains(t, log.String(), "what was asked for")
}
