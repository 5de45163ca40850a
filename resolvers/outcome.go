package resolvers

import (
	"context"
	"net/http"
	"sync/atomic"
)

// outcome is what resolvers tell the HTTP answer about: a store that can't answer
// makes it 503, with the GraphQL body as usual.
type outcome struct{ unavailable atomic.Bool }

type outcomeKey struct{}

func outcomeOf(ctx context.Context) *outcome {
	o, _ := ctx.Value(outcomeKey{}).(*outcome)
	return o
}

func withOutcome(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := &outcome{}
		next.ServeHTTP(&outcomeWriter{ResponseWriter: w, outcome: o}, r.WithContext(context.WithValue(r.Context(), outcomeKey{}, o)))
	})
}

// outcomeWriter decides the status when the answer begins. An event stream has
// begun before its first result, so it stays 200.
type outcomeWriter struct {
	http.ResponseWriter
	outcome *outcome
	begun   bool
}

func (w *outcomeWriter) WriteHeader(status int) {
	if !w.begun && w.outcome.unavailable.Load() && status < http.StatusInternalServerError {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "2")
	}
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *outcomeWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

func (w *outcomeWriter) Flush() {
	w.begun = true
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *outcomeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
