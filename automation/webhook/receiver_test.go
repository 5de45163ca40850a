package webhook

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func send(t *testing.T, s *Sender, url string) Answer {
	t.Helper()
	return s.Send(t.Context(), Message{ID: "m", URL: url, Body: []byte("{}"), Secrets: []Secret{NewSecret()}}, time.Now())
}

// drip writes a text, and then a byte every few milliseconds as long as somebody reads.
func drip(text string, more byte) func(net.Conn) {
	return func(c net.Conn) {
		_, err := io.WriteString(c, text)
		for err == nil {
			time.Sleep(5 * time.Millisecond)
			_, err = c.Write([]byte{more})
		}
	}
}

// Whoever sends something all the time is never silent, and holds an attempt no longer than whoever is.
func TestReceiversThatDripForEver(t *testing.T) {
	for name, c := range map[string]struct {
		write     func(net.Conn)
		delivered bool
	}{
		"a status":         {write: drip("HTTP/1.1 200 ", 'O')},
		"a header":         {write: drip("HTTP/1.1 200 OK\r\nX: ", 'a')},
		"a body":           {write: drip("HTTP/1.1 200 OK\r\n\r\n", 'a'), delivered: true},
		"chunks of a body": {write: drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", '0'), delivered: true},
		"informational answers": {write: func(c net.Conn) {
			for err := error(nil); err == nil; time.Sleep(time.Millisecond) {
				_, err = io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := send(t, sender(t, 400*time.Millisecond), raw(t, c.write))
			require.Equal(t, c.delivered, answer.Delivered(), answer.Error)
			require.LessOrEqual(t, len(answer.Body), MaxAnswer)
			require.Less(t, answer.Took, 3*time.Second)
		})
	}
}

// A gigabyte costs what the kernel buffers of it, whatever its header says of its length.
func TestAGigabyteIsNotRead(t *testing.T) {
	const size = 1 << 30
	for name, header := range map[string]string{
		"announced": "Content-Length: 1073741824\r\n", "chunked": "Transfer-Encoding: chunked\r\n", "until the end": "Connection: close\r\n",
		// What is compressed stays so.
		"compressed": "Content-Encoding: gzip\r\nContent-Length: 1073741824\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			ended := make(chan struct{})
			url := raw(t, func(c net.Conn) {
				defer close(ended)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"+header+"\r\n")
				chunk := []byte("10000\r\n" + strings.Repeat("a", 1<<16) + "\r\n")
				if name != "chunked" {
					chunk = chunk[7 : 7+1<<16]
				}
				for sent.Load() < size {
					n, err := c.Write(chunk)
					sent.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			answer := send(t, sender(t, 10*time.Second), url)
			runtime.ReadMemStats(&after)
			require.True(t, answer.Delivered(), answer.Error)
			require.Len(t, answer.Body, MaxAnswer)
			<-ended // the sender hung up
			require.Less(t, sent.Load(), int64(64<<20))
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
		})
	}
}

func TestWaitsThatNobodyMeans(t *testing.T) {
	now := time.Date(2026, 11, 23, 4, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "soon": 0, "-5": 0, "+5": 0, "7.5": 0, "1e9": 0, "0x10": 0,
		"2147483647": 2147483647 * time.Second, "2147483648": 0, "99999999999999999999": 0,
		"Mon, 23 Nov 2026 04:01:00 GMT": time.Minute, "Mon, 23 Nov 2026 03:00:00 GMT": 0,
		"Monday, 23-Nov-26 04:01:00 GMT": time.Minute, "Mon Nov 23 04:01:00 2026": time.Minute,
		"Thu, 01 Jan 1970 00:00:00 GMT": 0, "Mon, 32 Nov 2026 04:01:00 GMT": 0, "2026-11-23T04:01:00Z": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": 1<<63 - 1, // as far as a duration goes
	} {
		got := retryAfter(text, now)
		require.Equal(t, want, got, "%q", text)
		wait, again := NextAttempt(1, got)
		require.True(t, again)
		require.GreaterOrEqual(t, wait, 5*time.Second, "%q", text)
		require.LessOrEqual(t, wait, 24*time.Hour, "%q", text)
	}
}

// names answers questions for the addresses of names, as a name server would that changes its mind.
type names struct {
	mu    sync.Mutex
	asked int
	of    func(asked int) [4]byte
}

func (n *names) become(of func(int) [4]byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of = of
}

func (n *names) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// resolve makes the process ask a name server of its own until the test ends.
func (n *names) resolve(t *testing.T) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	old := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
	t.Cleanup(func() { net.DefaultResolver = old; server.Close() })
	go func() {
		question := make([]byte, 512)
		for {
			size, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(n.answer(question[:size]), from)
		}
	}()
}

// answer writes the answer to a question (RFC 1035 §4): its header and question, and an address when it asks for that.
func (n *names) answer(question []byte) []byte {
	const header, address = 12, 1
	end := header + bytes.IndexByte(question[header:], 0) + 5 // of the name, the type and the class
	answer := append([]byte{}, question[:end]...)
	answer[2], answer[3] = 0x81, 0x80 // an answer, without an error
	copy(answer[6:], []byte{0, 0, 0, 0, 0, 0})
	if question[end-3] != address {
		return answer
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	of := n.of(n.asked)
	answer[7] = 1
	// The name of the question; an address of the internet, for no time; four bytes.
	return append(append(answer, 0xc0, header, 0, address, 0, 1, 0, 0, 0, 0, 0, 4), of[:]...)
}

// A name that is what the operator allows when it is looked at, and something else the next time, is judged by the
// address that is dialled.
func TestNamesThatChangeTheirMind(t *testing.T) {
	var taken atomic.Int64
	allowed := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { taken.Add(1) }))
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	require.NoError(t, err)
	allowed.Listener = listener
	allowed.Start()
	defer allowed.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	secret, err := net.Listen("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer secret.Close()
	go func() {
		for {
			c, err := secret.Accept()
			if err != nil {
				return
			}
			t.Error("a connection came through")
			c.Close()
		}
	}()
	n := &names{of: func(asked int) [4]byte {
		if asked%2 == 1 {
			return [4]byte{127, 0, 0, 2}
		}
		return [4]byte{127, 0, 0, 1}
	}}
	n.resolve(t)
	s := NewSender(Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}})
	for i := range 6 {
		answer := send(t, s, "http://hooks.rebinding.example.:"+port)
		require.Equal(t, i%2 == 0, answer.Delivered(), answer.Error)
		require.Equal(t, i%2 == 1, answer.Forbidden, answer.Error)
		s.Close() // so that the next one dials
	}
	require.Equal(t, int64(3), taken.Load())
	require.Equal(t, 6, n.count(), "a name is looked up once an attempt: to dial it")
	for _, address := range [][4]byte{
		{0, 0, 0, 0}, {10, 0, 0, 1}, {169, 254, 169, 254}, {192, 168, 1, 1}, {100, 100, 100, 200}, {127, 0, 0, 1},
	} {
		n.become(func(int) [4]byte { return address })
		for _, scheme := range []string{"http", "https"} {
			answer := send(t, s, scheme+"://metadata.example.:"+port)
			require.True(t, answer.Forbidden, "%v %s", address, answer.Error)
		}
	}
}
