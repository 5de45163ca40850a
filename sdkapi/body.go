package sdkapi

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/svc-dev/svc/internal/bodylimit"
)

// payload is the body of a request. It is read when every check of the headers
// has passed.
type payload struct {
	request *http.Request
	limit   int64 // bytes, packed and unpacked
	coding  bodylimit.Coding
	hold    bodylimit.Hold
	whole   bool // everything was read
}

// checkHeaders checks the size that is announced (413), media type and coding
// (415).
func (p *payload) checkHeaders(plainText bool) *Error {
	if p.request.ContentLength > p.limit {
		return p.tooLarge()
	}
	if e := checkMediaType(p.request.Header.Get("Content-Type"), plainText); e != nil {
		return e
	}
	switch coding := strings.ToLower(strings.TrimSpace(p.request.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		p.coding = bodylimit.Gzip
	case "zstd":
		p.coding = bodylimit.Zstd
	default:
		return &Error{
			Status: http.StatusUnsupportedMediaType, Code: codeUnsupportedMedia,
			Message: "content-encoding must be gzip, zstd or absent",
		}
	}
	return nil
}

func checkMediaType(contentType string, plainText bool) *Error {
	switch contentType {
	case "", "application/json": // absent is taken for JSON: nothing else is spoken here
		return nil
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err == nil && (media == "application/json" || plainText && media == "text/plain") {
		return nil
	}
	message := "content-type must be application/json"
	if plainText {
		message += " (or text/plain, as sendBeacon sends it)"
	}
	return &Error{Status: http.StatusUnsupportedMediaType, Code: codeUnsupportedMedia, Message: message}
}

func (p *payload) tooLarge() *Error {
	return &Error{
		Status: http.StatusRequestEntityTooLarge, Code: codePayloadTooLarge,
		Message: fmt.Sprintf("the body is larger than %d bytes (after decompression)", p.limit),
	}
}

// read reads and unpacks the body. It is called once.
func (p *payload) read() ([]byte, *Error) {
	data, err := p.hold.ReadBody(p.request, p.limit, p.coding)
	switch {
	case err == nil:
		p.whole = true
		return data, nil
	case errors.Is(err, bodylimit.ErrTooLarge):
		return nil, p.tooLarge()
	case errors.Is(err, bodylimit.ErrTooSlow):
		return nil, &Error{
			Status: http.StatusRequestTimeout, Code: codeRequestTimeout,
			Message: "the body did not arrive in time: send the same request again",
		}
	case errors.Is(err, bodylimit.ErrBroken):
		what := "the body ended before its announced length"
		if p.coding != bodylimit.Plain {
			what = "the body is not valid " + string(p.coding)
		}
		return nil, &Error{Status: http.StatusBadRequest, Code: codeInvalidJSON, Message: what}
	}
	return nil, newBusyError() // or the client has left
}

// smallRest is how much of a body may be left over when its request has been
// refused: the connection takes it in and serves the next request.
const smallRest = 64 << 10

// closeUnread closes the connection of a request whose refusal need not wait for the
// rest of its body: the server reads what is left before it answers, unless it
// is to close the connection.
func (p *payload) closeUnread(w http.ResponseWriter) {
	if p.request != nil && !p.whole && (p.request.ContentLength < 0 || p.request.ContentLength > smallRest) {
		w.Header().Set("Connection", "close")
	}
}

// newBusyError says that the server has no room for one more body.
func newBusyError() *Error {
	return &Error{
		Status: http.StatusServiceUnavailable, Code: codeIngestUnavailable, RetryAfter: retryBusy,
		Message: "the server is busy: send the same request again later",
	}
}
