package sdkapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/svc-dev/svc/internal/pgerr"
)

// recordsAtOnce bounds the connections that records take: changes of one person
// wait for each other in the database, and a client that sends many must not
// keep events out.
const recordsAtOnce = 8

// decodeRecord reads the body of a call into a struct. What isn't JSON or has
// the wrong type is refused.
func (c *call) decodeRecord(into any) *Error {
	data, refusal := c.body.read()
	if refusal != nil {
		return refusal
	}
	if err := json.Unmarshal(data, into); err != nil {
		return decodeError(err)
	}
	return nil
}

// keep runs a store's function within storeTimeout, which the waiting for its
// turn is part of.
func (a *API) keep(c *call, store func(ctx context.Context) error) *Error {
	ctx, cancel := context.WithTimeout(c.request.Context(), storeTimeout)
	defer cancel()
	select {
	case a.records <- struct{}{}:
		defer func() { <-a.records }()
		return a.recordError(c, store(ctx))
	case <-ctx.Done():
		return a.recordError(c, fmt.Errorf("wait for other records: %w", ctx.Err()))
	}
}

// recordError tells a database that is away (503, try again) from one that
// refuses a statement (500, somebody must look).
func (a *API) recordError(c *call, err error) *Error {
	if err == nil {
		return nil
	}
	if pgerr.State(err) == "" || pgerr.IsTransient(err) {
		a.config.Logger.WarnContext(c.request.Context(), "the store can't answer", "error", err, "path", c.request.URL.Path)
		return &Error{
			Status: http.StatusServiceUnavailable, Code: codeIngestUnavailable, RetryAfter: retryUnavailable,
			Message: "nothing can be stored or read right now: send the same request again later",
		}
	}
	a.config.Logger.ErrorContext(c.request.Context(), "a record failed", "error", err,
		"path", c.request.URL.Path, "environment_id", c.environment.ID)
	return &Error{Status: http.StatusInternalServerError, Code: codeInternal, Message: "the request failed; its id is in the log"}
}
