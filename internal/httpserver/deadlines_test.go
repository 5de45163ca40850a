package httpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// shortLimits let a test see a connection being cut.
var shortLimits = limits{
	header: 200 * time.Millisecond, body: 2 * time.Second, bodyStall: 300 * time.Millisecond,
	answerStall: 300 * time.Millisecond, idle: time.Minute,
}

// serve starts a server on a free port and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	listener, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	observed := &observer{
		next: handler, logger: logger, metrics: NewMetrics(prometheus.NewRegistry()), limits: shortLimits,
	}
	server := newServer(listener, observed, logger, shortLimits)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, server.Shutdown(ctx))
		require.NoError(t, <-ended)
	})
	return server.Addr()
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	return conn.(*net.TCPConn)
}

func TestABodyThatStopsToArriveIsCut(t *testing.T) {
	t.Parallel()
	type result struct {
		n   int
		err error
	}
	results := make(chan result, 1)
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		results <- result{len(body), err}
	})
	for name, headers := range map[string]string{
		"a small body": "Content-Length: 100", "a large body": "Content-Length: 20971520",
		"chunks": "Transfer-Encoding: chunked",
	} {
		conn := dial(t, address)
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n4\r\n", headers)
		require.ErrorIs(t, (<-results).err, os.ErrDeadlineExceeded, name)
	}

	// A body that keeps coming may take longer than any single piece of it.
	conn := dial(t, address)
	const pieces = 8
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", pieces*bodyPiece)
	began := time.Now()
	for range pieces {
		_, err := conn.Write(make([]byte, bodyPiece))
		require.NoError(t, err)
		time.Sleep(100 * time.Millisecond) // the sender's pace is what is tested
	}
	require.Equal(t, result{pieces * bodyPiece, nil}, <-results)
	require.Greater(t, time.Since(began), shortLimits.header+shortLimits.bodyStall)

	// But not for ever.
	conn = dial(t, address)
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 1000*bodyPiece)
	for {
		_, err := conn.Write(make([]byte, bodyPiece))
		if err != nil {
			break
		}
		time.Sleep(50 * time.Millisecond) // the sender's pace is what is tested
	}
	require.Error(t, (<-results).err)
}

func TestAReaderThatTakesNothingIsCut(t *testing.T) {
	t.Parallel()
	wrote := make(chan error, 1)
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20))
		wrote <- err
	})
	conn := dial(t, address)
	require.NoError(t, conn.SetReadBuffer(4<<10))
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.ErrorIs(t, <-wrote, os.ErrDeadlineExceeded)
}

// A stream lives longer than any limit, and so does the request's context.
func TestAStreamThatIsReadLives(t *testing.T) {
	t.Parallel()
	const messages = 12
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		for i := range messages {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond): // the stream's pace is what is tested
			}
		}
	})
	response, err := http.Post("http://"+address, "text/plain", strings.NewReader(strings.Repeat("x", 2*bodyPiece)))
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, messages, strings.Count(string(content), "data:"))
}

// An answer that took longer to compute than a reader may stall arrives, and the
// connection serves the next request however long it was idle.
func TestASlowAnswerArrives(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * shortLimits.answerStall) // the time to compute is what is tested
		body, err := io.ReadAll(r.Body)
		if err != nil && !errors.Is(err, io.EOF) {
			panic(err)
		}
		fmt.Fprintf(w, "%d", len(body))
	})
	conn := dial(t, address)
	reader := bufio.NewReader(conn)
	for range 2 {
		fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		content, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, "4", string(content))
		time.Sleep(2 * shortLimits.answerStall) // the idle time is what is tested
	}
}
