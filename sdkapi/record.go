package sdkapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/internal/turns"
)

// recordsAtOnce bounds the connections that records take: changes of one person
// wait for each other in the database, and a client that sends many must not
// keep events out. A workspace has half of them at most, turn by turn.
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

// keep runs a store's function within storeTimeout, its waiting for
// other records included.
func (a *API) keep(c *call, store func(ctx context.Context) error) *Error {
	return a.inTurn(c, a.records, func(ctx context.Context, end func()) error {
		defer end()
		return store(ctx)
	})
}

// inTurn runs work, which gives its place back by end, when it is the turn of the caller's workspace. All of it, the
// waiting for a place included, takes storeTimeout at most.
func (a *API) inTurn(
	c *call, places *turns.Turns[uuid.UUID], work func(ctx context.Context, end func()) error,
) *Error {
	ctx, cancel := context.WithTimeout(c.request.Context(), storeTimeout)
	defer cancel()
	end, err := places.Take(ctx, c.environment.WorkspaceID)
	if err != nil {
		return a.recordError(c, fmt.Errorf("wait for others: %w", err))
	}
	return a.recordError(c, work(ctx, end))
}

// recordError makes a refusal of what a store answered: 400 when it names a
// field, what a preview link was refused for, 503 for a database that is away, 500 for one that refuses a statement,
// which somebody must look at.
func (a *API) recordError(c *call, err error) *Error {
	var invalid *fault.Error
	refused := previewRefusal(err)
	switch {
	case err == nil:
		return nil
	case refused != nil:
		return refused
	case errors.As(err, &invalid) && invalid.Code == fault.InvalidInput:
		var check fieldCheck
		check.fail("/"+invalid.Field, "too_many", invalid.Field+" "+invalid.Message)
		return check.result()
	case fault.Is(err, fault.PersonErased):
		return &Error{Status: http.StatusGone, Code: invalid.Code, Message: invalid.Message}
	case pgerr.State(err) == "", pgerr.IsTransient(err):
		return a.unavailable(c, err)
	}
	return a.failed(c, err)
}

// unavailable says that the store can't be reached or takes too long.
func (a *API) unavailable(c *call, err error) *Error {
	if a.away.Allow(time.Now()) {
		a.config.Logger.WarnContext(c.request.Context(), "the store can't answer", "error", err, "path", c.request.URL.Path)
	}
	return &Error{
		Status: http.StatusServiceUnavailable, Code: codeIngestUnavailable, RetryAfter: retryUnavailable,
		Message: "nothing can be stored or read right now: send the same request again later",
	}
}

// failed says that something is wrong with the server.
func (a *API) failed(c *call, err error) *Error {
	a.config.Logger.ErrorContext(c.request.Context(), "a request failed", "error", err,
		"path", c.request.URL.Path, "request", requestID(c.answer), "environment_id", c.environment.ID)
	return &Error{
		Status: http.StatusInternalServerError, Code: fault.Internal, Message: "the request failed; its id is in the log",
	}
}
