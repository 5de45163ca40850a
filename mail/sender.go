package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// TLS is how the connection to an SMTP server is encrypted.
type TLS string

// The ways.
const (
	StartTLS    TLS = "starttls" // after a greeting in plain text; refused when the server can't
	ImplicitTLS TLS = "tls"      // from the first byte
	NoTLS       TLS = "off"      // not at all: for a server on the same machine, without a password
)

// Server is an SMTP server and who writes by it.
type Server struct {
	Host string
	Port int // 0 means 587, or 465 with ImplicitTLS
	// User and Password sign in; empty means that the server wants nobody to.
	User, Password string
	TLS            TLS // empty means StartTLS
	// From is an address, which may have a name before it.
	From string
	// Roots are trusted instead of the machine's.
	Roots *tls.Config
	// Timeout bounds a message, from dialling to the end; default 30 s.
	Timeout time.Duration
}

// maxAnswers is how much an SMTP server may say while it takes a message, encrypted.
const maxAnswers = 256 << 10

// Sender hands messages to an SMTP server.
type Sender struct {
	server Server
	from   *netmail.Address
	now    func() time.Time
}

// ParseFrom reads who writes: an address, with a name before it or without.
func ParseFrom(text string) (*netmail.Address, error) {
	from, err := netmail.ParseAddress(text)
	if err != nil {
		return nil, errors.New("must be an address such as svc@example.com or Svc <svc@example.com>")
	}
	_, err = address(from.Address)
	return from, err
}

// NewSender makes a sender. Nothing is dialled before a message is sent.
func NewSender(server Server) (*Sender, error) {
	from, err := ParseFrom(server.From)
	if err != nil {
		return nil, fmt.Errorf("the sender's address: %w", err)
	}
	server.TLS = cmp.Or(server.TLS, StartTLS)
	server.Timeout = cmp.Or(server.Timeout, 30*time.Second)
	if server.Port == 0 {
		server.Port = map[TLS]int{StartTLS: 587, ImplicitTLS: 465, NoTLS: 25}[server.TLS]
	}
	if server.TLS == NoTLS && server.User != "" {
		return nil, errors.New("a password is not sent without encryption")
	}
	return &Sender{server, from, time.Now}, nil
}

// Failure says why a message was not taken.
type Failure struct {
	// Reason is for whoever runs the workspace: it names no host and repeats nothing of what the SMTP server said.
	Reason string
	// Final tells that the receiver's address or the message is refused, so that trying again changes nothing.
	Final bool
	// Bounced tells that the receiver's address is refused because there is no such mailbox (RFC 3463).
	Bounced bool
	cause   error
}

func (f *Failure) Error() string {
	if f.cause == nil {
		return f.Reason
	}
	return f.Reason + ": " + f.cause.Error()
}

// Unwrap returns what happened, for the operator.
func (f *Failure) Unwrap() error { return f.cause }

// Send hands a message over and returns nil when the SMTP server has taken it, else a [Failure]. It ends in time, and
// in bounded memory, whatever the server does.
func (s *Sender) Send(ctx context.Context, m Message) error {
	built, err := build(s.from, m, s.now())
	if err != nil {
		return &Failure{Reason: "the message can't be written", Final: true, cause: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.server.Timeout)
	defer cancel()
	var conn net.Conn // the library leaves it open when a server refuses early
	defer func() {
		if conn != nil {
			_ = conn.Close()
		}
	}()
	client, err := s.client(ctx, &conn)
	if err != nil {
		return &Failure{Reason: "the settings of the SMTP server can't be used", cause: err}
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return explain(ctx, err)
	}
	defer client.CloseWithSMTPClient(session) //nolint:errcheck // the message is taken, or is not, before
	err = client.SendWithSMTPClient(session, built)
	if err != nil && !built.IsDelivered() { // what a server says after it has taken the message changes nothing
		return explain(ctx, err)
	}
	return nil
}

// client makes a client of the library. What it dials is at conn.
func (s *Sender) client(ctx context.Context, dialled *net.Conn) (*gomail.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.server.Roots != nil {
		config = s.server.Roots.Clone()
	}
	config.ServerName = s.server.Host
	deadline, _ := ctx.Deadline()
	options := []gomail.Option{
		gomail.WithPort(s.server.Port), gomail.WithTimeout(s.server.Timeout), gomail.WithTLSConfig(config),
		gomail.WithoutNoop(), gomail.WithTLSPolicy(gomail.NoTLS),
		gomail.WithDialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			*dialled = conn
			bounded := &boundedConn{Conn: conn, left: maxAnswers, until: deadline}
			if err := bounded.SetDeadline(deadline); err != nil {
				return nil, err
			}
			if s.server.TLS != ImplicitTLS {
				return bounded, nil
			}
			encrypted := tls.Client(bounded, config)
			if err := encrypted.HandshakeContext(ctx); err != nil {
				return nil, err
			}
			return encrypted, nil
		}),
	}
	if s.server.TLS == StartTLS {
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.server.User != "" {
		// The library does not know that the connection is encrypted; without encryption nobody signs in (NewSender).
		options = append(options, gomail.WithUsername(s.server.User), gomail.WithPassword(s.server.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc, gomail.SMTPAuthSCRAMSHA256,
				gomail.SMTPAuthCramMD5))
	}
	return gomail.NewClient(s.server.Host, options...)
}

// boundedConn ends a conversation that takes too long or in which the other side says too much.
type boundedConn struct {
	net.Conn

	left  int
	until time.Time
}

var errTalks = errors.New("the SMTP server says too much")

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTalks
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (c *boundedConn) limit(t time.Time) time.Time {
	if t.IsZero() || t.After(c.until) {
		return c.until
	}
	return t
}

func (c *boundedConn) SetDeadline(t time.Time) error      { return c.Conn.SetDeadline(c.limit(t)) }
func (c *boundedConn) SetReadDeadline(t time.Time) error  { return c.Conn.SetReadDeadline(c.limit(t)) }
func (c *boundedConn) SetWriteDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(c.limit(t)) }

// noMailbox are the codes of RFC 3463 that say that an address leads nowhere. Others, such as those of policies, say
// nothing of the address.
var noMailbox = map[string]bool{
	"5.1.1": true, "5.1.2": true, "5.1.3": true, "5.1.6": true, "5.1.10": true, "5.2.1": true,
}

// explain words why a message was not taken.
func explain(ctx context.Context, err error) *Failure {
	f := &Failure{Reason: "the conversation with the SMTP server failed", cause: err}
	var refused *gomail.SendError
	var timeout net.Error
	var dialled *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errTalks):
		f.Reason = "the SMTP server says too much"
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		f.Reason = "the SMTP server did not answer in time"
	case errors.As(err, &certificate):
		f.Reason = "the certificate of the SMTP server is not valid"
	case errors.As(err, &refused) && refused.ErrorCode() > 0:
		f.Reason = "the SMTP server refused the message with code " + strconv.Itoa(refused.ErrorCode())
		// A sender who is refused may be allowed later, when the settings are right.
		f.Final = refused.ErrorCode() >= 500 && refused.Reason != gomail.ErrSMTPMailFrom
		f.Bounced = f.Final && refused.Reason == gomail.ErrSMTPRcptTo && noMailbox[refused.EnhancedStatusCode()]
	case errors.As(err, &dialled) && dialled.Op == "dial":
		f.Reason = "the SMTP server can't be reached"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.Reason = "the SMTP server hung up"
	}
	return f
}
