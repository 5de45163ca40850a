package httpserver

import (
	"net/http"
	"sync/atomic"
)

// Switch is a handler that can be exchanged while it serves: a server that is
// starting answers by one that says so.
type Switch struct{ current atomic.Pointer[http.Handler] }

// NewSwitch makes a switch that serves by first.
func NewSwitch(first http.Handler) *Switch {
	s := &Switch{}
	s.Set(first)
	return s
}

// Set lets requests that come from now on be served by next.
func (s *Switch) Set(next http.Handler) { s.current.Store(&next) }

// ServeHTTP implements http.Handler.
func (s *Switch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*s.current.Load()).ServeHTTP(w, r)
}
