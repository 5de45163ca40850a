package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"syscall"
	"time"
)

// Explain words why a request, which may take that long, found no answer. Whoever keeps endpoints reads
// it: it has neither the URL, which they know already, nor an address, which would tell of
// the server's own network and its resolver.
func Explain(err error, timeout time.Duration) string {
	var wrapped *url.Error
	var name *net.DNSError
	var operation *net.OpError
	var refused *forbidden
	switch {
	case errors.As(err, &refused):
		return refused.reason
	case errors.As(err, &name) && name.IsNotFound:
		return "the name is not known"
	case errors.As(err, &wrapped) && wrapped.Timeout():
		return "no answer within " + timeout.String()
	case name != nil:
		return "the name could not be looked up"
	case errors.As(err, &operation):
		return failedConnection(operation)
	case wrapped != nil:
		err = wrapped.Err
	}
	return storable([]byte(err.Error()))
}

// failedConnection says what became of a connection, by the system's words where it has any.
func failedConnection(operation *net.OpError) string {
	var call syscall.Errno
	switch {
	case errors.As(operation, &call):
		return call.Error()
	case errors.Is(operation, net.ErrClosed), errors.Is(operation, os.ErrDeadlineExceeded):
		return "the connection was closed"
	case operation.Op == "remote error": // an alert of TLS, which has no address
		return operation.Error()
	}
	return "the connection failed"
}

// log tells the operator all about an attempt that found no answer, but for the URL: it is a secret of some services.
func (s *Sender) log(ctx context.Context, m Message, err error) {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	s.logger.LogAttrs(ctx, slog.LevelDebug, "a webhook found no answer",
		slog.String("message", m.ID), slog.Any("error", err))
}
