package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxBody bounds the bytes of a message's body (Standard Webhooks: below 20 kB).
	MaxBody = 20_000
	// MaxAnswer is how many bytes of an answer's body are kept.
	MaxAnswer = 4096
	// DefaultTimeout is how long an attempt may take, from resolving the name to
	// the answer's last kept byte.
	DefaultTimeout = 15 * time.Second
	// maxHeader bounds the bytes of an answer's header.
	maxHeader = 64 << 10
)

// Options are how a Sender sends.
type Options struct {
	// Allowed are networks that endpoints may be in although they are not public.
	Allowed []netip.Prefix
	// Timeout is how long an attempt may take; 0 means DefaultTimeout.
	Timeout time.Duration
	// Logger is told at level debug why there was no answer, with addresses; nil means nobody.
	Logger *slog.Logger
}

// A Sender makes attempts to deliver messages. It is safe for concurrent use.
type Sender struct {
	timeout       time.Duration
	logger        *slog.Logger
	secure, plain *http.Client
}

// NewSender returns a sender.
func NewSender(options Options) *Sender {
	timeout := options.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	logger := options.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Sender{
		timeout: timeout,
		logger:  logger,
		secure:  newClient(guard{allowed: options.Allowed}),
		plain:   newClient(guard{allowed: options.Allowed, onlyAllowed: true}),
	}
}

func newClient(g guard) *http.Client {
	return &http.Client{
		// A redirect is an answer like any other: following it would take the
		// message where its owner did not send it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     newTransport(g),
	}
}

// A Message is what an endpoint is sent. Its ID stays the same for all attempts.
type Message struct {
	ID      string
	URL     string
	Body    []byte
	Secrets []Secret
}

// An Answer is how an attempt ended.
type Answer struct {
	// Status is the HTTP status, 0 when there was no answer.
	Status int
	// Body is the answer's beginning, at most MaxAnswer bytes of valid UTF-8.
	Body string
	// Error says why there was no answer, or why it is not a success; empty after
	// a success.
	Error string
	// RetryAfter is how long the receiver asks to wait, 0 when it does not.
	RetryAfter time.Duration
	// Took is how long the attempt took.
	Took time.Duration
	// Forbidden says that the endpoint's address may not be reached.
	Forbidden bool
}

// Delivered tells whether the receiver took the message.
func (a Answer) Delivered() bool { return a.Status >= 200 && a.Status < 300 }

// Gone tells whether the receiver wants no more messages (410).
func (a Answer) Gone() bool { return a.Status == http.StatusGone }

// Send makes one attempt at the time now. It returns when the attempt ended,
// at the latest after the sender's timeout.
func (s *Sender) Send(ctx context.Context, m Message, now time.Time) Answer {
	started := time.Now()
	answer := s.attempt(ctx, m, now)
	answer.Took = time.Since(started)
	return answer
}

func (s *Sender) attempt(ctx context.Context, m Message, now time.Time) Answer {
	if len(m.Secrets) == 0 {
		return Answer{Error: "the endpoint has no secret"}
	}
	header := http.Header{}
	header.Set("Webhook-Id", m.ID)
	header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("Webhook-Signature", Sign(m.ID, now, m.Body, m.Secrets...))
	return s.post(ctx, m, header, now)
}

// Post makes one attempt to send JSON without a signature: to a service whose URL is the secret. Errors and logs don't
// have the URL. It returns at the latest after the sender's timeout.
func (s *Sender) Post(ctx context.Context, url string, body []byte) Answer {
	started := time.Now()
	answer := s.post(ctx, Message{URL: url, Body: body}, http.Header{}, started)
	answer.Took = time.Since(started)
	return answer
}

func (s *Sender) post(ctx context.Context, m Message, header http.Header, now time.Time) Answer {
	if err := CheckURL(m.URL); err != nil {
		return Answer{Error: "the URL " + err.Error()}
	}
	if len(m.Body) > MaxBody {
		return Answer{Error: fmt.Sprintf("the message has %d bytes, more than %d", len(m.Body), MaxBody)}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return Answer{Error: "the URL can't be requested"}
	}
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Svc-Webhooks/1")
	client := s.secure
	if request.URL.Scheme == "http" {
		client = s.plain
	}
	response, err := client.Do(request)
	if err != nil {
		s.log(ctx, m, err)
		return Answer{Error: Explain(err, s.timeout), Forbidden: errors.Is(err, ErrForbiddenAddress)}
	}
	defer response.Body.Close()
	// The status decides. A body that is cut off or never ends changes nothing
	// about a message that was taken; sending it again would double it.
	body, _ := io.ReadAll(io.LimitReader(response.Body, MaxAnswer))
	answer := Answer{
		Status:     response.StatusCode,
		Body:       storable(body),
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), now),
	}
	switch {
	case answer.Delivered():
	case answer.Status >= 300 && answer.Status < 400:
		answer.Error = fmt.Sprintf("answered %d: redirects are not followed", answer.Status)
	default:
		answer.Error = fmt.Sprintf("answered %d", answer.Status)
	}
	return answer
}

// storable keeps what PostgreSQL's text can hold of an answer's beginning.
func storable(text []byte) string {
	text = text[:min(len(text), MaxAnswer)]
	valid := strings.ReplaceAll(strings.ToValidUTF8(string(text), ""), "\x00", "")
	return valid
}

// retryAfter reads a Retry-After header: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// Close closes the connections that wait for another message.
func (s *Sender) Close() {
	s.secure.CloseIdleConnections()
	s.plain.CloseIdleConnections()
}
