package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	forgedPerSecond = 1000
	forgedBytes     = 4 << 10 // of a body: what Stripe writes about an invoice
	forgedTarget    = 0.9     // of the rate of events without
	forgedTurns     = 6       // a multiple of what is measured by turns
	forgedSenders   = 64
	forgedPatience  = 5 * time.Second // for an answer
)

// measureForged measures what forged deliveries cost events, beside what as many requests cost that the server answers
// at once. The deliveries are of the dearest kind: only when the body is read and hashed it is known that they are
// forged.
func (b *reportBench) measureForged(ctx context.Context) error {
	path, _, err := b.connect(ctx, "STRIPE", "stripe")
	if err != nil {
		return err
	}
	load := newLoader(b.server)
	if _, _, err := load.run(ctx, ingestWarmUp, 0); err != nil {
		return err
	}
	address := strings.TrimPrefix(b.server.file.BaseURL, "http://")
	// Signatures are of use for five minutes.
	forged := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"+
		"Stripe-Signature: t=%d,v1=%s\r\nContent-Length: %d\r\n\r\n%s",
		path, time.Now().Unix(), hex.EncodeToString(make([]byte, 32)), forgedBytes, bytes.Repeat([]byte("x"), forgedBytes))
	without := &besideStranger{}
	besides := []*besideStranger{
		without,
		{name: "requests for /healthz", stranger: &stranger{
			address: address, request: []byte("GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n"), want: http.StatusOK,
		}},
		{name: "forged deliveries", stranger: &stranger{address: address, request: forged, want: http.StatusUnauthorized}},
	}
	// Each comes as often before the others as after them: what the database does later is nobody's alone.
	for turn := range forgedTurns {
		for i := range besides {
			if err := besides[(turn+i)%len(besides)].measure(ctx, b.server, load); err != nil {
				return err
			}
		}
	}
	for _, beside := range besides[1:] {
		s, seconds := beside.stranger, beside.cost.took.Seconds()
		offered := float64(s.offered.Load())
		row(fmt.Sprintf("events beside %.0f %s a second", offered/seconds, beside.name), beside.cost.rate(), "ev/s",
			without.cost.rate(), fmt.Sprintf("without; %.0f a second answered %d, %.0f not; the sender shares the processors",
				float64(s.answered.Load())/seconds, s.want, float64(s.unanswered.Load())/seconds))
		// What they take of a server whose clients are elsewhere.
		row("  processor time, server and database", beside.cost.microseconds(), "µs/ev", without.cost.microseconds(),
			fmt.Sprintf("without; at most %.2f", 1/forgedTarget))
		own := beside.cost.ownMicroseconds() - without.cost.ownMicroseconds()
		row("  of the server, for one of them", own*float64(beside.cost.events)/offered, "µs", 0, "")
	}
	return nil
}

// besideStranger is the path of events while a stranger sends.
type besideStranger struct {
	name     string
	stranger *stranger // nil means that none does
	cost     pathCost
}

func (b *besideStranger) measure(ctx context.Context, s *server, load *loader) error {
	add := func() error { return b.cost.add(ctx, s, load) }
	if b.stranger == nil {
		return add()
	}
	return b.stranger.sendWhile(ctx, add)
}

// stranger sends one request over and over, [forgedPerSecond] whatever becomes of them. It keeps connections as long as
// the server does, opens others in their place, and writes and reads next to nothing itself.
type stranger struct {
	address string
	request []byte
	want    int // the status of every answer

	offered, answered, unanswered atomic.Int64
}

// sendWhile sends until do returns.
func (s *stranger) sendWhile(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	errs := make([]error, forgedSenders)
	var senders sync.WaitGroup
	for i := range errs {
		senders.Go(func() {
			var c *strangerConnection
			defer func() { c.close() }()
			for n := 0; errs[i] == nil; n++ {
				due := began.Add(time.Duration(n*forgedSenders+i) * time.Second / forgedPerSecond)
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(due)):
				}
				s.offered.Add(1)
				var status int
				switch c, status = s.send(c); status {
				case s.want:
					s.answered.Add(1)
				case 0:
					s.unanswered.Add(1)
				default:
					errs[i] = fmt.Errorf("a stranger was answered %d", status)
				}
			}
		})
	}
	err := do()
	cancel()
	senders.Wait()
	return errors.Join(append(errs, err)...)
}

type strangerConnection struct {
	net.Conn
	answers *bufio.Reader
}

func (c *strangerConnection) close() {
	if c != nil {
		_ = c.Close()
	}
}

// send sends the request over a connection, a new one where there is none, and returns the connection when it can be
// used again. Status 0 means no answer.
func (s *stranger) send(c *strangerConnection) (*strangerConnection, int) {
	if c == nil {
		opened, err := net.DialTimeout("tcp", s.address, forgedPatience)
		if err != nil {
			return nil, 0
		}
		c = &strangerConnection{opened, bufio.NewReader(opened)}
	}
	status, again, err := c.exchange(s.request)
	if err != nil || !again {
		c.close()
		return nil, status
	}
	return c, status
}

func (c *strangerConnection) exchange(request []byte) (status int, again bool, err error) {
	if err := c.SetDeadline(time.Now().Add(forgedPatience)); err != nil {
		return 0, false, err
	}
	if _, err := c.Write(request); err != nil {
		return 0, false, err
	}
	answer, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return 0, false, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, !answer.Close, err
}
