package exports

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// requestTimeout is how long a request may take, with the 16 MiB that it sends at most.
	requestTimeout = 2 * time.Minute
	// maxAnswer bounds the bytes of an answer: of a manifest of some 100,000 files.
	maxAnswer = 32 << 20
)

var errLongAnswer = errors.New("the storage answered with more than an export asks for")

// bounded keeps storage that somebody named from answering for ever, in time and in bytes.
type bounded struct {
	next    http.RoundTripper
	timeout time.Duration
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), b.timeout)
	answer, err := b.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	answer.Body = &boundedBody{ReadCloser: answer.Body, left: maxAnswer, cancel: cancel}
	return answer, nil
}

type boundedBody struct {
	io.ReadCloser
	left   int64
	cancel context.CancelFunc
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, errLongAnswer
	}
	return n, err
}

func (b *boundedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
