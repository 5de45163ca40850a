package graphqlhttp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/fault"
)

const eventStream = "text/event-stream"

const (
	// pingEvery keeps an idle stream open, below the idle time-outs of common
	// proxies.
	pingEvery = 15 * time.Second
	// eventTime is how long a client may take to receive an event. One that stopped
	// reading loses its stream, and the server what it holds for it.
	eventTime = 10 * time.Second
	// maxStreams bounds the streams of the server, and maxStreamsEach those of one
	// caller: more than a person has tabs. maxStreamsMaker bounds those of one who
	// makes callers: a person makes a hundred keys a day.
	maxStreams      = 2_000
	maxStreamsEach  = 50
	maxStreamsMaker = 200
)

// stream answers an operation by server-sent events, one result an event, as
// https://github.com/enisdenjo/graphql-sse describes it for distinct connections.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) {
	caller, err := s.caller(r.Context())
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	maker := s.maker(r.Context())
	if err := s.streams.open(caller, maker); err != nil {
		s.refuse(w, r, err)
		return
	}
	defer s.streams.close(caller, maker)
	operation, errs := s.prepare(r.Context(), s.client(r), params)
	if errs != nil {
		s.refuse(w, r, errs)
		return
	}
	if operation.Operation.Operation != ast.Subscription {
		leave, err := takeTurn(r.Context(), s.working, s.client(r))
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		defer leave()
	}
	ctx, cancel := context.WithCancel(r.Context())
	ending := &ending{}
	events := openEvents(w, cancel)
	events.write(":\n\n")
	var pinging sync.WaitGroup
	pinging.Go(func() { events.ping(ctx) })
	defer pinging.Wait()
	defer cancel()

	responses, operating := s.DispatchOperation(context.WithValue(ctx, endingKey{}, ending), operation)
	for response := responses(operating); response != nil; response = responses(operating) {
		events.next(response)
	}
	if err := ending.cause(); err != nil {
		events.next(s.DispatchError(graphql.WithOperationContext(operating, operation), asList(err)))
	}
	events.write("event: complete\n\n")
}

// events writes the events of a stream.
type events struct {
	mu         sync.Mutex
	w          http.ResponseWriter
	controller *http.ResponseController
	within     time.Duration // for each event
	abandon    context.CancelFunc
}

// openEvents begins the answer. When the client does not receive it, abandon is
// called.
func openEvents(w http.ResponseWriter, abandon context.CancelFunc) *events {
	w.Header().Set("Content-Type", eventStream)
	w.Header().Set("Cache-Control", "no-cache")
	return &events{w: w, controller: http.NewResponseController(w), within: eventTime, abandon: abandon}
}

func (e *events) next(response *graphql.Response) {
	body, err := json.Marshal(response)
	if err != nil {
		panic(fmt.Errorf("encode an event: %w", err))
	}
	e.write("event: next\ndata: " + string(body) + "\n\n")
}

func (e *events) write(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.controller.SetWriteDeadline(time.Now().Add(e.within)) // recorders of tests have none
	_, err := e.w.Write([]byte(text))
	if err == nil {
		err = e.controller.Flush()
	}
	if err != nil {
		e.abandon()
	}
}

// ping writes a comment from time to time until ctx ends.
func (e *events) ping(ctx context.Context) {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			e.write(": ping\n\n")
		}
	}
}

// streams counts those that are open.
type streams struct {
	mu    sync.Mutex
	of    map[string]int // by caller; those without are absent
	by    map[string]int // by who made the caller
	total int
}

func (s *streams) open(caller, maker string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.of[caller] >= maxStreamsEach:
		return fault.New(fault.RateLimited, "you have %d streams open; end one first", maxStreamsEach)
	case s.by[maker] >= maxStreamsMaker:
		return fault.New(fault.RateLimited, "you have %d streams open with all of your keys; end one first", maxStreamsMaker)
	case s.total >= maxStreams:
		return fault.New(fault.Unavailable, "the server has as many open streams as it can serve; try again later")
	}
	s.of[caller]++
	s.by[maker]++
	s.total++
	return nil
}

func (s *streams) close(caller, maker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total--
	if s.of[caller]--; s.of[caller] == 0 {
		delete(s.of, caller)
	}
	if s.by[maker]--; s.by[maker] == 0 {
		delete(s.by, maker)
	}
}

// EndWith makes err the last event of the stream that ctx belongs to: a
// subscription that closes its channel can say so why. It does nothing
// elsewhere.
func EndWith(ctx context.Context, err error) {
	if ending, streaming := ctx.Value(endingKey{}).(*ending); streaming {
		ending.mu.Lock()
		defer ending.mu.Unlock()
		ending.err = err
	}
}

type endingKey struct{}

type ending struct {
	mu  sync.Mutex
	err error
}

func (e *ending) cause() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}
