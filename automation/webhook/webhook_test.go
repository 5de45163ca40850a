package webhook

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var loopback = prefixes("127.0.0.0/8", "::1/128")

func sender(t *testing.T, timeout time.Duration) *Sender {
	s := NewSender(Options{Allowed: loopback, Timeout: timeout})
	t.Cleanup(s.Close)
	return s
}

// The vector is the one of the reference libraries (svix, standard-webhooks).
func TestSignaturesAreThoseOfTheReference(t *testing.T) {
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), secret))
}

func TestSecretsAreReadAsTheyAreWritten(t *testing.T) {
	made := NewSecret()
	read, err := ParseSecret(made.String())
	require.NoError(t, err)
	require.Equal(t, made, read)
	require.NotEqual(t, made, NewSecret())
	for _, text := range []string{"", "whsec_", "whsec_c2hvcnQ=", "whsec_!!!", strings.TrimPrefix(made.String(), "whsec_"),
		"whsec_" + strings.Repeat("QUFB", 22)} {
		_, err := ParseSecret(text)
		require.Error(t, err, text)
	}
}

func TestAMessageIsSignedWithEverySecretAndKeepsItsID(t *testing.T) {
	type received struct {
		header http.Header
		body   []byte
	}
	got := make(chan received, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- received{r.Header, body}
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("taken\x00\xff"))
	}))
	defer server.Close()
	old, fresh := NewSecret(), NewSecret()
	message := Message{ID: "msg_1", URL: server.URL, Body: []byte(`{"type":"x"}`), Secrets: []Secret{fresh, old}}
	for _, now := range []time.Time{time.Unix(1000, 0), time.Unix(2000, 0)} {
		answer := sender(t, 0).Send(context.Background(), message, now)
		require.True(t, answer.Delivered(), answer.Error)
		require.Equal(t, "taken", answer.Body)
		r := <-got
		require.Equal(t, message.Body, r.body)
		require.Equal(t, "msg_1", r.header.Get("Webhook-Id"))
		require.Equal(t, strconv.FormatInt(now.Unix(), 10), r.header.Get("Webhook-Timestamp"))
		require.Equal(t, Sign("msg_1", now, r.body, fresh)+" "+Sign("msg_1", now, r.body, old),
			r.header.Get("Webhook-Signature"))
	}
}

func TestAnswersThatAreNoSuccess(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed")
	}))
	defer elsewhere.Close()
	now := time.Now()
	for name, c := range map[string]struct {
		status     int
		header     [2]string
		retryAfter time.Duration
		gone       bool
	}{
		"failure":             {status: 500},
		"too many":            {status: 429, header: [2]string{"Retry-After", "7"}, retryAfter: 7 * time.Second},
		"too many, by a date": {status: 503, retryAfter: time.Minute},
		"negative wait":       {status: 429, header: [2]string{"Retry-After", "-5"}},
		"endless wait":        {status: 429, header: [2]string{"Retry-After", "99999999999999999999"}},
		"gone":                {status: 410, gone: true},
		"redirect":            {status: 302, header: [2]string{"Location", elsewhere.URL}},
		"redirect of a post":  {status: 307, header: [2]string{"Location", elsewhere.URL}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.header[0] != "" {
					w.Header().Set(c.header[0], c.header[1])
				} else if c.retryAfter > 0 {
					w.Header().Set("Retry-After", now.Add(c.retryAfter+500*time.Millisecond).UTC().Format(http.TimeFormat))
				}
				w.WriteHeader(c.status)
			}))
			defer server.Close()
			answer := sender(t, 0).Send(context.Background(),
				Message{ID: "m", URL: server.URL, Body: []byte("{}"), Secrets: []Secret{NewSecret()}}, now)
			require.Equal(t, c.status, answer.Status)
			require.False(t, answer.Delivered())
			require.NotEmpty(t, answer.Error)
			require.Equal(t, c.gone, answer.Gone())
			require.InDelta(t, c.retryAfter, answer.RetryAfter, float64(time.Second))
		})
	}
}

// raw answers every connection with what write writes, and then keeps it open.
func raw(t *testing.T, write func(net.Conn)) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended); listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				request, err := http.ReadRequest(bufio.NewReader(connection))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, request.Body)
				write(connection)
				<-ended
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestReceiversThatLieOrHang(t *testing.T) {
	large := bytes.Repeat([]byte("a"), 1<<20)
	for name, c := range map[string]struct {
		write     func(net.Conn)
		status    int
		delivered bool
		hangs     bool
	}{
		"never answers": {write: func(net.Conn) {}, hangs: true},
		"answers, then hangs in a body it promised": {
			write:  func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab") },
			status: 200, delivered: true, hangs: true,
		},
		"promises more than it sends": {
			write: func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 500 No\r\nContent-Length: 9999999999\r\n\r\nab")
				c.Close()
			},
			status: 500,
		},
		"sends more than it promises": {
			write: func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"+string(large))
			},
			status: 200, delivered: true,
		},
		"a body without end": {
			write: func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
				for {
					if _, err := c.Write(large); err != nil {
						return
					}
				}
			},
			status: 200, delivered: true,
		},
		"a header without end": {
			write: func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
				for {
					if _, err := c.Write(large); err != nil {
						return
					}
				}
			},
		},
		"a length that is no number": {
			write: func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n") },
		},
		"hangs up": {write: func(c net.Conn) { c.Close() }},
		"not HTTP": {write: func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n"); c.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := 10 * time.Second
			if c.hangs {
				timeout = 300 * time.Millisecond
			}
			answer := sender(t, timeout).Send(context.Background(),
				Message{ID: "m", URL: raw(t, c.write), Body: []byte("{}"), Secrets: []Secret{NewSecret()}}, time.Now())
			require.Equal(t, c.status, answer.Status)
			require.Equal(t, c.delivered, answer.Delivered())
			require.Equal(t, c.delivered, answer.Error == "", answer.Error)
			require.LessOrEqual(t, len(answer.Body), MaxAnswer)
			require.Less(t, answer.Took, 5*time.Second)
		})
	}
}

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "224.0.0.1", "239.1.1.1",
		"255.255.255.255", "198.18.0.1", "240.0.0.1",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "fe80::1", "fc00::1", "fd00:ec2::254",
		"ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::1", "2001::1", "2001:db8::1", "fec0::1", "100::1",
	} {
		target := net.JoinHostPort(address, "443")
		require.ErrorIs(t, guard{}.control("tcp", target, nil), ErrForbiddenAddress, address)
	}
	for _, address := range []string{"1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "::ffff:8.8.8.8",
		"2606:4700:4700::1111", "2a00:1450:4001::1"} {
		target := net.JoinHostPort(address, "443")
		require.NoError(t, guard{}.control("tcp", target, nil), address)
		require.ErrorIs(t, guard{onlyAllowed: true}.control("tcp", target, nil), ErrForbiddenAddress, address)
	}
	allowed := guard{allowed: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	require.NoError(t, allowed.control("tcp", "10.1.2.3:443", nil))
	require.NoError(t, allowed.control("tcp", "[::ffff:10.1.2.3]:443", nil))
	require.ErrorIs(t, allowed.control("tcp", "10.2.2.3:443", nil), ErrForbiddenAddress)
	require.ErrorIs(t, guard{}.control("unix", "/tmp/socket", nil), ErrForbiddenAddress)
}

func TestNothingReachesAServerOfThisMachine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request came through")
	}))
	defer server.Close()
	port := server.Listener.Addr().(*net.TCPAddr).Port
	s := NewSender(Options{})
	defer s.Close()
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"} {
		for _, scheme := range []string{"http", "https"} {
			answer := s.Send(context.Background(), Message{
				ID: "m", URL: scheme + "://" + host + ":" + strconv.Itoa(port), Body: []byte("{}"),
				Secrets: []Secret{NewSecret()},
			}, time.Now())
			require.Zero(t, answer.Status, host)
			require.NotEmpty(t, answer.Error, host)
		}
	}
	t.Setenv("HTTP_PROXY", server.URL)
	t.Setenv("HTTPS_PROXY", server.URL)
	answer := s.Send(context.Background(), Message{
		ID: "m", URL: "http://127.0.0.1:1", Body: []byte("{}"), Secrets: []Secret{NewSecret()},
	}, time.Now())
	require.True(t, answer.Forbidden)
	require.Equal(t, "the address is not a public one", answer.Error)
}

// The delivery log tells nothing of the network of the server; its operator's log does.
func TestTheDeliveryLogTellsNoAddress(t *testing.T) {
	resolver := &net.DNSError{Err: "no such host", Name: "x.test", Server: "10.1.2.3:53", IsNotFound: true}
	dial := func(err error) error {
		local := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 4), Port: 4000}
		remote := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 5), Port: 443}
		return &url.Error{Op: "Post", URL: "https://x.test/", Err: &net.OpError{
			Op: "dial", Net: "tcp", Source: local, Addr: remote, Err: err,
		}}
	}
	misbehaving := *resolver
	misbehaving.IsNotFound, misbehaving.Err = false, "server misbehaving"
	unreachable := fmt.Errorf("connect: %w", syscall.EHOSTUNREACH)
	for want, err := range map[string]error{
		"the name is not known":           dial(resolver),
		"the name could not be looked up": dial(&misbehaving),
		"no answer within 1s":             dial(context.DeadlineExceeded),
		"no route to host":                dial(unreachable),
		"connection refused":              dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		"the connection failed":           dial(errors.New("lost 10.1.2.5")),
		"the address is not a public one": dial(guard{}.control("tcp", "10.1.2.5:443", nil)),
		"EOF":                             &url.Error{Op: "Post", URL: "https://x.test/", Err: io.EOF},
	} {
		require.Equal(t, want, Explain(err, time.Second))
	}

	var log strings.Builder
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	guarded := NewSender(Options{Logger: slog.New(handler)})
	defer guarded.Close()
	answer := guarded.Send(t.Context(), Message{
		ID: "m", URL: "https://localhost:1", Body: []byte("{}"), Secrets: []Secret{NewSecret()},
	}, time.Now())
	require.True(t, answer.Forbidden)
	require.Equal(t, "the address is not a public one", answer.Error)
	require.Regexp(t, `127\.0\.0\.1|::1`, log.String())
}

func TestMessagesThatCanNotBeSent(t *testing.T) {
	good := Message{ID: "m", URL: "https://example.com/hook", Body: []byte("{}"), Secrets: []Secret{NewSecret()}}
	for name, change := range map[string]func(*Message){
		"too large": func(m *Message) { m.Body = make([]byte, MaxBody+1) },
		"no secret": func(m *Message) { m.Secrets = nil },
		"no URL":    func(m *Message) { m.URL = "" },
		"file":      func(m *Message) { m.URL = "file:///etc/passwd" },
		"no host":   func(m *Message) { m.URL = "https:///hook" },
		"password":  func(m *Message) { m.URL = "https://user:secret@example.com" },
		"fragment":  func(m *Message) { m.URL = "https://example.com/#a" },
		"long":      func(m *Message) { m.URL += strings.Repeat("a", MaxURL) },
	} {
		m := good
		change(&m)
		answer := sender(t, 0).Send(context.Background(), m, time.Now())
		require.Zero(t, answer.Status, name)
		require.NotEmpty(t, answer.Error, name)
		require.NotContains(t, answer.Error, "secret@", name)
	}
}

func TestAttemptsGoOnForThreeDays(t *testing.T) {
	var total time.Duration
	for failed := range MaxAttempts {
		wait, ok := NextAttempt(failed, 0)
		require.True(t, ok)
		total += wait
	}
	_, ok := NextAttempt(MaxAttempts, 0)
	require.False(t, ok)
	require.Equal(t, 10, MaxAttempts)
	require.InDelta(t, 75.6, total.Hours(), 0.1)

	wait, _ := NextAttempt(1, time.Minute)
	require.Equal(t, time.Minute, wait, "the receiver's wish is longer")
	wait, _ = NextAttempt(3, time.Minute)
	require.Equal(t, 30*time.Minute, wait, "the schedule is longer")
	wait, _ = NextAttempt(1, 1000*time.Hour)
	require.Equal(t, 24*time.Hour, wait, "no receiver keeps a message for weeks")
}
