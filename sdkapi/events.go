package sdkapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/svc-dev/svc/ingest"
)

// storeTimeout bounds what a client waits for the store, so that it is answered
// within five seconds. What was queued by then may still be stored: the client
// sends the same ids again.
const storeTimeout = 4 * time.Second

// How long clients wait before they send the same events again. A full queue
// empties within a second or so; a database that is away takes longer, and must
// not be met by everybody at once when it is back.
const (
	retryBusy        = time.Second
	retryUnavailable = 5 * time.Second
)

// Events stores event bodies and answers after the commit: the methods of
// ingest.Writer.
type Events interface {
	Product(ctx context.Context, body []byte, origin ingest.Origin) (ingest.Answer, error)
	Flow(ctx context.Context, body []byte, origin ingest.Origin) (ingest.Answer, error)
	Track(ctx context.Context, body []byte, origin ingest.Origin) (ingest.Answer, error)
}

func (a *API) productEvents(w http.ResponseWriter, c *call) *Error {
	return a.store(w, c, a.stores.Events.Product)
}

func (a *API) flowEvents(w http.ResponseWriter, c *call) *Error {
	return a.store(w, c, a.stores.Events.Flow)
}

func (a *API) track(w http.ResponseWriter, c *call) *Error {
	return a.store(w, c, a.stores.Events.Track)
}

// store hands a body over and answers what became of its events.
func (a *API) store(w http.ResponseWriter, c *call, take func(context.Context, []byte, ingest.Origin) (ingest.Answer, error)) *Error {
	received := time.Now()
	body, refusal := c.body.read()
	if refusal != nil {
		return refusal
	}
	ctx, cancel := context.WithTimeout(c.request.Context(), storeTimeout)
	defer cancel()
	answer, err := take(ctx, body, c.origin(received))
	if err != nil {
		return a.ingestError(w, c, err)
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// origin is what the request says about its sender, besides its body.
func (c *call) origin(received time.Time) ingest.Origin {
	origin := ingest.Origin{
		EnvironmentID: c.environment.ID,
		Test:          c.environment.Kind == "test",
		KeepCrawlers:  !c.environment.IgnoreBots,
		ClientAddr:    c.client,
		UserAgent:     c.request.UserAgent(),
		ReceivedAt:    received,
		Hold:          &c.body.hold,
	}
	if c.channel != nil {
		origin.ChannelID = c.channel.ID
	}
	if c.proxied { // anybody else could claim any place
		origin.Header = c.request.Header
	}
	return origin
}

func (a *API) ingestError(w http.ResponseWriter, c *call, err error) *Error {
	ctx := c.request.Context()
	unavailable := &Error{
		Status: http.StatusServiceUnavailable, Code: codeIngestUnavailable, RetryAfter: retryUnavailable,
		Message: "events can't be stored right now: send the same events again later",
	}
	var envelope *ingest.EnvelopeError
	switch {
	case errors.As(err, &envelope):
		return &Error{Status: http.StatusBadRequest, Code: envelope.Code, Message: envelope.Message}
	case errors.Is(err, ingest.ErrBusy):
		unavailable.RetryAfter = retryBusy
		return unavailable
	case errors.Is(err, ingest.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil:
		// The store is away or too slow, or the client has left.
		return unavailable
	}
	a.config.Logger.ErrorContext(ctx, "storing events failed", "error", err,
		"path", c.request.URL.Path, "request_id", requestID(w), "environment_id", c.environment.ID)
	return &Error{Status: http.StatusInternalServerError, Code: codeInternal, Message: "the request failed; its id is in the log"}
}
