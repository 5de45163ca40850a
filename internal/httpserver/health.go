package httpserver

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// Health answers /healthz and /readyz. A server is healthy while it runs, and
// ready from its start to its drain. The zero value is starting.
type Health struct {
	ready  atomic.Bool
	reason atomic.Pointer[string]
}

// SetReady opens the server for balancers.
func (h *Health) SetReady() { h.ready.Store(true) }

// SetUnready closes the server for balancers and says why. It reports whether
// the server was ready.
func (h *Health) SetUnready(reason string) (wasReady bool) {
	h.reason.Store(&reason)
	return h.ready.Swap(false)
}

// Register adds both paths to mux.
func (h *Health) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeStatus(w, http.StatusOK, "ok", "")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if h.ready.Load() {
			writeStatus(w, http.StatusOK, "ready", "")
			return
		}
		reason := "starting"
		if given := h.reason.Load(); given != nil {
			reason = *given
		}
		writeStatus(w, http.StatusServiceUnavailable, "not_ready", reason)
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
	_ = json.NewEncoder(w).Encode(body) // the client may have left
}
