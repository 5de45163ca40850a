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
// the kernel until Serve.
func Listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return listener, nil
}

// maxHeader bounds the request line and the headers of a request: room for a
// persisted query in the address and for the headers of several proxies.
const maxHeader = 32 << 10

// New makes the server of a listener. Its handler is one of Observe, which
// extends the deadlines that are set here. A connection waits for the next request as
// long as idle.
func New(listener net.Listener, handler http.Handler, logger *slog.Logger, idle time.Duration) *Server {
	limits := defaultLimits
	limits.idle = idle
	return newServer(listener, handler, logger, limits)
}

func newServer(listener net.Listener, handler http.Handler, logger *slog.Logger, limits limits) *Server {
	return &Server{
		listener: listener,
		http: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: limits.header,
			ReadTimeout:       limits.header + limits.bodyStall,
			WriteTimeout:      limits.answerStall,
			IdleTimeout:       limits.idle,
			ConnState:         follow,
			MaxHeaderBytes:    maxHeader,
			ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		},
	}
}

// Addr returns the address that is listened on, with the port that was picked.
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
