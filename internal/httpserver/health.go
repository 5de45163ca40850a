package httpserver

import (
	"encoding/json"
	"maps"
	"net/http"
	"sync/atomic"
)

// Health answers /healthz and /readyz. A server is healthy while it runs, and
// ready from its start to its drain. The zero value is starting.
type Health struct {
	ready   atomic.Bool
	reason  atomic.Pointer[string]
	details atomic.Pointer[func() map[string]any]
}

// SetReady opens the server for balancers. Details are what /readyz also says while it is open.
func (h *Health) SetReady(details func() map[string]any) {
	h.details.Store(&details)
	h.ready.Store(true)
}

// SetUnready closes the server for balancers and says why. It reports whether
// the server was ready.
func (h *Health) SetUnready(reason string) (wasReady bool) {
	h.reason.Store(&reason)
	return h.ready.Swap(false)
}

// Register adds both paths to mux.
func (h *Health) Register(mux Routes) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeStatus(w, http.StatusOK, map[string]any{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if h.ready.Load() {
			body := map[string]any{"status": "ready"}
			maps.Copy(body, (*h.details.Load())())
			writeStatus(w, http.StatusOK, body)
			return
		}
		reason := "starting"
		if given := h.reason.Load(); given != nil {
			reason = *given
		}
		writeStatus(w, http.StatusServiceUnavailable, map[string]any{"status": "not_ready", "reason": reason})
	})
}

func writeStatus(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have left
}
