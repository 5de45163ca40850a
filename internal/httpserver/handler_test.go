package httpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

func TestReadinessFollowsStartDrainAndCheck(t *testing.T) {
	var broken error
	health := &httpserver.Health{Check: func(*http.Request) error { return broken }}
	mux := http.NewServeMux()
	health.Register(mux)
	status := func(path string) int {
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest("GET", path, nil))
		return recorder.Code
	}
	require.Equal(t, 200, status("/healthz"))
	require.Equal(t, 503, status("/readyz"))
	health.SetReady(true)
	require.Equal(t, 200, status("/readyz"))
	broken = errors.New("no database")
	require.Equal(t, 503, status("/readyz"))
	require.Equal(t, 200, status("/healthz"))
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
	server := httpserver.New(listener, handler, slog.Default())
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
