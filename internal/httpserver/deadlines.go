package httpserver

import (
	"io"
	"net/http"
	"time"
)

// limits are how long a connection may bring or take nothing. One that is idle
// costs memory that others need, and anybody can open many.
type limits struct {
	// header bounds the arrival of a request's headers, body that of the whole
	// request.
	header, body time.Duration
	// bodyStall is how long each bodyPiece of a body may take. The first one has
	// it from the beginning of the request.
	bodyStall time.Duration
	// answerStall is how long a reader may take for each answerPiece of an
	// answer, beyond what fits the buffers of the connection.
	answerStall time.Duration
	// idle is how long a connection waits for the next request.
	idle time.Duration
}

// defaultLimits ask for 1 KiB/s of a sender and 3 KiB/s of a reader: slower than
// that is no phone.
var defaultLimits = limits{
	header: 10 * time.Second, body: 60 * time.Second, bodyStall: 10 * time.Second,
	answerStall: 20 * time.Second,
}

const (
	bodyPiece   = 10 << 10
	answerPiece = 64 << 10
)

// pacedBody is a body whose connection is cut when it stops to arrive: it moves
// the deadline of the connection on, piece by piece.
type pacedBody struct {
	io.ReadCloser
	w        http.ResponseWriter
	stall    time.Duration
	end      time.Time // when the whole body must be here
	extended time.Time // when the deadline was last moved
	received int       // since then
}

// pace lets a body take longer than the first deadline of its connection, which
// is enough for one piece, as long as pieces arrive.
func (l limits) pace(w http.ResponseWriter, r *http.Request, start time.Time) {
	if r.ContentLength < 0 || r.ContentLength > bodyPiece {
		r.Body = &pacedBody{ReadCloser: r.Body, w: w, stall: l.bodyStall, end: start.Add(l.body), extended: start}
	}
}

func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.received += n
	// After the end of a body the server watches, without a deadline, whether the
	// client leaves: none may be set then.
	if err == nil && b.received >= bodyPiece {
		b.extend(time.Now())
	}
	return n, err
}

func (b *pacedBody) extend(now time.Time) {
	if now.Sub(b.extended) < b.stall/10 {
		return // a fast body: once a second is enough
	}
	b.extended, b.received = now, 0
	deadline := now.Add(b.stall)
	if deadline.After(b.end) {
		deadline = b.end
	}
	_ = http.NewResponseController(b.w).SetReadDeadline(deadline) // a recorder has none
}
