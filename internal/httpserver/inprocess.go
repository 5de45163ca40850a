package httpserver

import (
	"bytes"
	"io"
	"net/http"
)

// InProcess returns a transport whose requests a handler of this process answers, without a network.
func InProcess(handler http.Handler) http.RoundTripper { return inProcess{handler} }

type inProcess struct{ handler http.Handler }

// RoundTrip answers with what the handler writes, once it has returned.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &written{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(answer, r)
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status, Proto: r.Proto, ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.header, Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: r,
	}, nil
}

// written is what a handler wrote.
type written struct {
	header  http.Header
	status  int
	started bool
	body    bytes.Buffer
}

func (w *written) Header() http.Header { return w.header }

func (w *written) WriteHeader(status int) {
	if !w.started {
		w.status, w.started = status, true
	}
}

func (w *written) Write(p []byte) (int, error) {
	w.started = true
	return w.body.Write(p)
}
