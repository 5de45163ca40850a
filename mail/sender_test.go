package mail_test

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/mail/mailtest"
)

func sender(t *testing.T, s *mailtest.Server, change func(*mail.Server)) *mail.Sender {
	t.Helper()
	server := mail.Server{Host: s.Host, Port: s.Port, TLS: mail.NoTLS, From: "Svc <svc@example.com>", Roots: s.Roots}
	if change != nil {
		change(&server)
	}
	made, err := mail.NewSender(server)
	require.NoError(t, err)
	return made
}

func message() mail.Message {
	return mail.Message{
		ID: "one", To: "ann@example.com", Subject: "Grüße", Text: "Hello, “Ann”.\n", HTML: "<p>Hello, “Ann”.</p>",
		Unsubscribe: "https://svc.example/mail/unsubscribe?token=abc",
	}
}

func TestAMessageIsWhatItsReceiverReads(t *testing.T) {
	for name, c := range map[string]struct {
		options mailtest.Options
		change  func(*mail.Server)
	}{
		"plain": {},
		"STARTTLS with a password": {
			mailtest.Options{Encrypted: true, Password: "p"},
			func(s *mail.Server) { s.TLS, s.User, s.Password = mail.StartTLS, "svc", "p" },
		},
		"TLS with a password": {
			mailtest.Options{Encrypted: true, Implicit: true, Password: "p"},
			func(s *mail.Server) { s.TLS, s.User, s.Password = mail.ImplicitTLS, "svc", "p" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := mailtest.New(t, c.options)
			require.NoError(t, sender(t, server, c.change).Send(t.Context(), message()))
			got := server.Received()
			require.Len(t, got, 1)
			require.Equal(t, "svc@example.com", got[0].From)
			require.Equal(t, []string{"ann@example.com"}, got[0].To)
			if c.options.Password != "" {
				require.Equal(t, []string{"svc"}, server.Users())
			}
			m := mailtest.Parse(t, got[0].Data)
			require.Equal(t, "Grüße", m.Subject)
			require.Equal(t, "Hello, “Ann”.", strings.TrimSpace(m.Text))
			require.Equal(t, "<p>Hello, “Ann”.</p>", strings.TrimSpace(m.HTML))
			require.Equal(t, "<one@example.com>", m.Header.Get("Message-ID"))
			require.Equal(t, `"Svc" <svc@example.com>`, m.Header.Get("From"))
			require.Equal(t, "<ann@example.com>", m.Header.Get("To"))
			require.Equal(t, "<https://svc.example/mail/unsubscribe?token=abc>", m.Header.Get("List-Unsubscribe"))
			require.Equal(t, "List-Unsubscribe=One-Click", m.Header.Get("List-Unsubscribe-Post"))
			require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
			_, err := m.Header.Date()
			require.NoError(t, err)
		})
	}
}

// Nothing that people write ends a line of the header, or makes a second receiver.
func TestNobodyWritesHeaders(t *testing.T) {
	server := mailtest.New(t, mailtest.Options{})
	s := sender(t, server, nil)
	m := message()
	m.Subject = "a\r\nBcc: eve@example.com\r\n\r\n<script>\u202ex\x00" + strings.Repeat("🦄", 4000)
	m.Text, m.HTML = "Hi\r\n.\r\nMAIL FROM:<eve@example.com>\r\n", "<p>\r\n.\r\nQUIT\r\n</p>"
	require.NoError(t, s.Send(t.Context(), m))
	got := server.Received()
	require.Len(t, got, 1)
	require.Equal(t, []string{"ann@example.com"}, got[0].To)
	parsed := mailtest.Parse(t, got[0].Data)
	require.Empty(t, parsed.Header.Get("Bcc"))
	require.True(t, strings.HasPrefix(parsed.Subject, "a  Bcc: eve@example.com    <script>x🦄"), parsed.Subject)
	require.Less(t, len(parsed.Subject), 1000)
	require.Contains(t, parsed.Text, "MAIL FROM:<eve@example.com>")
	require.Contains(t, parsed.HTML, "QUIT")
	for line := range strings.SplitSeq(got[0].Data, "\r\n") {
		require.LessOrEqual(t, len(line), 998, "RFC 5322 §2.1.1")
	}

	for _, to := range []string{
		"", "ann", "a@example.com, b@example.com", "Ann <ann@example.com>", "a@example.com\r\nRCPT TO:<b@example.com>",
		"a@example.com\n", "a@example.com>\r\nDATA", `"a\"\r\nb"@example.com`, strings.Repeat("a", 300) + "@example.com", "<a@b>",
	} {
		m := message()
		m.To = to
		var failure *mail.Failure
		require.ErrorAs(t, s.Send(t.Context(), m), &failure, "%q", to)
		require.True(t, failure.Final)
	}
	for name, change := range map[string]func(*mail.Message){
		"too much":       func(m *mail.Message) { m.HTML = strings.Repeat("a", 300_000) },
		"no text":        func(m *mail.Message) { m.Text = "" },
		"id":             func(m *mail.Message) { m.ID = "a>\r\nBcc: <b" },
		"no unsubscribe": func(m *mail.Message) { m.Unsubscribe = "https://svc.example/\r\nBcc: b@example.com" },
	} {
		m := message()
		change(&m)
		require.Error(t, s.Send(t.Context(), m), name)
	}
	require.Len(t, server.Received(), 1)
}

func TestWhyAMessageIsNotTaken(t *testing.T) {
	plain := mailtest.New(t, mailtest.Options{})
	encrypted := mailtest.New(t, mailtest.Options{Encrypted: true, Password: "p"})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gone := closed.Addr().(*net.TCPAddr).Port
	require.NoError(t, closed.Close())
	failure := func(s *mailtest.Server, change func(*mail.Server)) *mail.Failure {
		var failure *mail.Failure
		require.ErrorAs(t, sender(t, s, change).Send(t.Context(), message()), &failure)
		require.NotContains(t, failure.Reason, "127.0.0.1")
		require.NotContains(t, failure.Reason, "secret-relay")
		return failure
	}
	require.Equal(t, "the SMTP server can't be reached", failure(plain, func(s *mail.Server) { s.Port = gone }).Reason)
	for code, final := range map[int]bool{450: false, 550: true} {
		plain.Refuse(code)
		f := failure(plain, nil)
		require.Contains(t, f.Reason, "with code "+map[int]string{450: "450", 550: "550"}[code])
		require.Equal(t, final, f.Final)
	}
	f := failure(plain, func(s *mail.Server) { s.TLS = mail.StartTLS })
	require.False(t, f.Final, "a server that can't encrypt gets nothing")
	require.Len(t, plain.Received(), 0)
	f = failure(encrypted, func(s *mail.Server) { s.TLS, s.User, s.Password, s.Roots = mail.StartTLS, "u", "p", nil })
	require.Equal(t, "the certificate of the SMTP server is not valid", f.Reason)
	f = failure(encrypted, func(s *mail.Server) { s.TLS, s.User, s.Password = mail.StartTLS, "u", "wrong" })
	require.False(t, f.Final)
	require.NotContains(t, f.Error(), "wrong\"")
	require.Empty(t, encrypted.Received())
	_, err = mail.NewSender(mail.Server{Host: "h", From: "a@example.com", TLS: mail.NoTLS, User: "u"})
	require.ErrorContains(t, err, "without encryption")
}

// An SMTP server that says nothing, or everything, costs little and not for long.
func TestServersThatDoNotBehave(t *testing.T) {
	for name, talk := range map[string]func(net.Conn){
		"silence":  func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"garbage":  func(c net.Conn) { _, _ = io.WriteString(c, "\x00\xff\r\n\r\n"); _, _ = io.Copy(io.Discard, c) },
		"hangs up": func(c net.Conn) { _, _ = io.WriteString(c, "220 hi\r\n") },
		"a line without end": func(c net.Conn) {
			chunk := []byte(strings.Repeat("2", 1<<16))
			for err := error(nil); err == nil; {
				_, err = c.Write(chunk)
			}
		},
		"a greeting of many lines": func(c net.Conn) {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(c, "220-hello\r\n")
			}
		},
		"drips": func(c net.Conn) {
			_, err := io.WriteString(c, "220 hi")
			for err == nil {
				time.Sleep(10 * time.Millisecond)
				_, err = io.WriteString(c, "i")
			}
		},
		"silent in the end": func(c net.Conn) {
			_, _ = io.WriteString(c, "220 hi\r\n250 hi\r\n250 ok\r\n250 ok\r\n354 go\r\n")
			_, _ = io.Copy(io.Discard, c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			done := make(chan struct{})
			go func() {
				defer close(done)
				if c, err := listener.Accept(); err == nil {
					talk(c)
					_ = c.Close()
				}
			}()
			defer func() { _ = listener.Close(); <-done }()
			s, err := mail.NewSender(mail.Server{
				Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, TLS: mail.NoTLS, From: "svc@example.com",
				Timeout: 500 * time.Millisecond,
			})
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			at := time.Now()
			var failure *mail.Failure
			require.ErrorAs(t, s.Send(t.Context(), message()), &failure)
			require.Less(t, time.Since(at), 3*time.Second)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
			require.False(t, failure.Final)
		})
	}
}
