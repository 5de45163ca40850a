package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server is one listener with its handler. Serve answers until Shutdown has
// drained it.
type Server struct {
	http     *http.Server
	listener net.Listener
}

// Listen opens addr (host:port; port 0 picks a free one). Connections wait in
// the kernel until New has given the listener a handler.
func Listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return listener, nil
}

// New makes the server of a listener.
func New(listener net.Listener, handler http.Handler, logger *slog.Logger) *Server {
	return &Server{
		listener: listener,
		http: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: 10 * time.Second,
			ReadTimeout:       60 * time.Second, // the largest body over a slow phone
			IdleTimeout:       120 * time.Second,
			MaxHeaderBytes:    64 << 10,
			ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		},
	}
}

// Addr is the address that is listened on, with the port that was picked.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Serve answers requests; it returns nil after Shutdown.
func (s *Server) Serve() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", s.Addr(), err)
	}
	return nil
}

// Shutdown stops accepting and waits for open requests until ctx ends, then
// cuts the rest.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("drain %s: %w", s.Addr(), err), s.http.Close())
	}
	return nil
}
