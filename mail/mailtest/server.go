// Package mailtest is an SMTP server for tests: it keeps what it is sent.
package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// Server takes messages by SMTP.
type Server struct {
	Host  string
	Port  int
	Roots *tls.Config // trusts it

	mu       sync.Mutex
	received []Received
	refuse   error
	users    []string
}

// Received is a message as it came.
type Received struct {
	From string
	To   []string
	Data string
}

// Options are those of a server.
type Options struct {
	// Encrypted takes messages on encrypted connections alone: from the first byte with Implicit.
	Encrypted, Implicit bool
	// Password is what everybody signs in with; empty means that nobody has to.
	Password string
}

// New starts a server that ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	certificate, pool := certify(t)
	address := listener.Addr().(*net.TCPAddr)
	s := &Server{Host: "127.0.0.1", Port: address.Port, Roots: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, conn: c, options: o}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "mail.test", true
	server.ErrorLog = quiet{}
	if o.Encrypted {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	if o.Implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return s
}

// Received returns what came so far.
func (s *Server) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received{}, s.received...)
}

// Users are those who signed in.
func (s *Server) Users() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.users...)
}

// Refuse answers each receiver with an error of SMTP from now on; 0 takes everything again.
func (s *Server) Refuse(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = nil
	if code > 0 {
		s.refuse = &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: "not you at secret-relay.internal"}
	}
}

// Bounce answers each receiver that there is no such mailbox, until Refuse is called.
func (s *Server) Bounce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

type session struct {
	server   *Server
	conn     *smtp.Conn
	options  Options
	signedIn bool
	message  Received
}

func (s *session) AuthMechanisms() []string {
	if s.options.Password == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if password != s.options.Password {
			return errors.New("wrong password")
		}
		s.signedIn = true
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		s.server.users = append(s.server.users, user)
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	_, encrypted := s.conn.TLSConnectionState()
	switch {
	case s.options.Encrypted && !encrypted:
		return &smtp.SMTPError{Code: 530, Message: "STARTTLS first"}
	case s.options.Password != "" && !s.signedIn:
		return smtp.ErrAuthRequired
	}
	s.message = Received{From: from}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.message.To = append(s.message.To, to)
	return s.server.refuse
}

func (s *session) Data(r io.Reader) error {
	var data strings.Builder
	if _, err := io.Copy(&data, r); err != nil {
		return err
	}
	s.message.Data = data.String()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.received = append(s.server.received, s.message)
	return nil
}

func (s *session) Reset()        { s.message = Received{} }
func (s *session) Logout() error { return nil }

// certify makes a certificate for this machine and what trusts it.
func certify(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail.test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{{127, 0, 0, 1}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
