package httpserver

import (
	"net/http"
	"strings"
	"time"
)

// answer watches what a handler writes, and cuts a reader that takes nothing of
// it: streams without an end live as long as somebody reads them.
type answer struct {
	http.ResponseWriter
	request  *http.Request
	stall    time.Duration
	extended time.Time // when the write deadline was last moved
	status   int
	bytes    int64
	replaced bool // the router's own text is not sent
	// reason is how the body of a failure begins, for the log.
	reason string
}

// maxReason is how many bytes of a failure's body are logged: enough for its code and message, which come first.
const maxReason = 160

func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		a.ResponseWriter.WriteHeader(status)
		return
	}
	a.status = status
	if a.request.Pattern == "" && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		a.replaced = true
		writeUnmatched(a.ResponseWriter, a.request, status)
		return
	}
	a.ResponseWriter.WriteHeader(status)
}

// writeUnmatched answers for a router that found no path or no method.
func writeUnmatched(w http.ResponseWriter, r *http.Request, status int) {
	if status == http.StatusMethodNotAllowed {
		WriteError(w, r, status, "method_not_allowed", "the method must be "+w.Header().Get("Allow"))
		return
	}
	WriteError(w, r, status, "not_found", "there is no such path")
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.replaced {
		return len(p), nil
	}
	if a.status >= http.StatusInternalServerError && a.reason == "" {
		a.reason = strings.TrimSpace(string(p[:min(len(p), maxReason)]))
	}
	for written := 0; ; {
		a.extend()
		n, err := a.ResponseWriter.Write(p[written:min(len(p), written+answerPiece)])
		written += n
		a.bytes += int64(n)
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// extend moves the write deadline, unless it was moved a moment ago.
func (a *answer) extend() {
	now := time.Now()
	if now.Sub(a.extended) < a.stall/4 {
		return
	}
	a.extended = now
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(now.Add(a.stall)) // a recorder has none
}

// Unwrap lets http.ResponseController reach the deadlines of the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush makes the watched writer usable for server-sent events.
func (a *answer) Flush() {
	if flusher, ok := a.ResponseWriter.(http.Flusher); ok {
		a.extend()
		flusher.Flush()
	}
}
