package sdkapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/fault"
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
	Product(ctx context.Context, body []byte, origin ingest.Request) (ingest.Answer, error)
	Flow(ctx context.Context, body []byte, origin ingest.Request) (ingest.Answer, error)
	Track(ctx context.Context, body []byte, origin ingest.Request) (ingest.Answer, error)
}

func (a *API) productEvents(w http.ResponseWriter, c *call) *Error {
	return a.storeEvents(w, c, a.stores.Events.Product)
}

func (a *API) flowEvents(w http.ResponseWriter, c *call) *Error {
	return a.storeEvents(w, c, a.stores.Events.Flow)
}

func (a *API) track(w http.ResponseWriter, c *call) *Error {
	return a.storeEvents(w, c, a.stores.Events.Track)
}

// storeBody is a method of Events.
type storeBody func(ctx context.Context, body []byte, origin ingest.Request) (ingest.Answer, error)

// storeEvents hands a body over and answers what became of its events.
func (a *API) storeEvents(w http.ResponseWriter, c *call, store storeBody) *Error {
	received := time.Now()
	body, refusal := c.body.read()
	if refusal != nil {
		return refusal
	}
	ctx, cancel := context.WithTimeout(c.request.Context(), storeTimeout)
	defer cancel()
	origin, named := a.origin(c, received), naming{api: a, call: c}
	if c.environment.Proof.Counts() {
		origin.Prove = named.believes
	}
	answer, err := store(ctx, body, origin)
	if err != nil {
		return a.ingestError(c, err)
	}
	answer.Unproved = named.refused
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// origin returns what the request says about its sender, besides its body.
func (a *API) origin(c *call, received time.Time) ingest.Request {
	origin := ingest.Request{
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
	if a.stores.LiveUsers != nil && a.stores.LiveUsers.Counts(c.environment) {
		origin.Accepted = func(appUserID string) { a.stores.LiveUsers.Note(c.environment, appUserID, received) }
	}
	if c.proxied { // anybody else could claim any place
		origin.Header = c.request.Header
	}
	return origin
}

func (a *API) ingestError(c *call, err error) *Error {
	var envelope *ingest.EnvelopeError
	switch {
	case errors.As(err, &envelope):
		return &Error{Status: http.StatusBadRequest, Code: fault.Code(envelope.Code), Message: envelope.Message}
	case errors.Is(err, ingest.ErrBusy):
		return newBusyError()
	case errors.Is(err, ingest.ErrUnavailable), errors.Is(err, context.DeadlineExceeded),
		c.request.Context().Err() != nil:
		// The store is away or too slow, or the client has left.
		return a.unavailable(c, err)
	}
	return a.failed(c, err)
}
