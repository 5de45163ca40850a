// Package notify follows the notifications of PostgreSQL (LISTEN) on a connection of its own. They are sent by the
// function svc_notify of the database. The names of channels end there in a secret of the database, because every role
// may listen to a channel that it can name.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// gather is how long more notifications are waited for after one: a burst is heard at once, and the delay is far
	// below the second in which other servers must follow.
	gather = 5 * time.Millisecond
	// longestGather ends the waiting when notifications come without a gap.
	longestGather = 50 * time.Millisecond
	// shortestPause and longestPause bound the wait before the next attempt to listen. The first attempt after a lost
	// connection comes at once.
	shortestPause = 50 * time.Millisecond
	longestPause  = time.Second
)

// Notification is one that was heard.
type Notification struct{ Channel, Payload string }

// Follower is who follows.
type Follower struct {
	// Name is the application_name of the connection, and what the log calls it.
	Name string
	// Channels are what svc_notify is called with: names that need no quotes.
	Channels []string
	// Timeout bounds connecting, listening and asking whether the connection is still one; 0 is 10 s.
	Timeout time.Duration
	// Silence is how long nothing comes before that is asked; 0 is 30 s.
	Silence time.Duration
	// Missed is called whenever listening begins: what was sent before is lost.
	Missed func(ctx context.Context)
	// Heard is called with what was sent, in order. The next notifications wait for it.
	Heard  func(ctx context.Context, notifications []Notification)
	Logger *slog.Logger // nil is slog.Default()
}

// Follow listens until ctx ends, and connects again when the connection is lost.
func Follow(ctx context.Context, config *pgx.ConnConfig, f Follower) {
	if f.Timeout == 0 {
		f.Timeout = 10 * time.Second
	}
	if f.Silence == 0 {
		f.Silence = 30 * time.Second
	}
	if f.Logger == nil {
		f.Logger = slog.Default()
	}
	config = config.Copy()
	config.RuntimeParams["application_name"] = f.Name
	pause := time.Duration(0)
	failing := false
	for ctx.Err() == nil {
		listened, err := f.listen(ctx, config)
		if ctx.Err() != nil {
			return
		}
		if listened {
			pause = 0
		}
		if listened || !failing { // an outage is one line, however long it is
			f.Logger.WarnContext(ctx, "notifications are lost and connected to again", "of", f.Name, "error", err)
		}
		failing = true
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(max(2*pause, shortestPause), longestPause)
	}
}

// listen follows on one connection until it fails. It reports whether it got as far as listening.
func (f *Follower) listen(ctx context.Context, config *pgx.ConnConfig) (listened bool, err error) {
	// Not a connection of a pool: this one is never given back.
	var conn *pgx.Conn
	if err := f.within(ctx, func(ctx context.Context) error {
		conn, err = pgx.ConnectConfig(ctx, config)
		return err
	}); err != nil {
		return false, fmt.Errorf("connect: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	suffix, err := f.begin(ctx, conn)
	if err != nil {
		return false, fmt.Errorf("listen: %w", err)
	}
	f.Missed(ctx)
	for {
		heard, err := wait(ctx, conn, f.Silence)
		if err != nil {
			return true, fmt.Errorf("wait for notifications: %w", err)
		}
		if len(heard) > 0 {
			for i := range heard {
				heard[i].Channel = strings.TrimSuffix(heard[i].Channel, suffix)
			}
			f.Heard(ctx, heard)
			continue
		}
		// Nothing came for a while: is the connection still one?
		if err := f.within(ctx, conn.Ping); err != nil {
			return true, fmt.Errorf("ping: %w", err)
		}
	}
}

// begin listens to all channels. It returns what their names end in.
func (f *Follower) begin(ctx context.Context, conn *pgx.Conn) (suffix string, err error) {
	if err := f.within(ctx, func(ctx context.Context) error {
		return conn.QueryRow(ctx, "select '_' || suffix from notification_names").Scan(&suffix)
	}); err != nil {
		return "", err
	}
	for _, channel := range f.Channels {
		if err := f.within(ctx, func(ctx context.Context) error {
			_, err := conn.Exec(ctx, "listen "+channel+suffix)
			return err
		}); err != nil {
			return "", err
		}
	}
	return suffix, nil
}

// within runs a step that must not take longer than the timeout.
func (f *Follower) within(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	return step(ctx)
}

// wait waits up to patience for a notification and then takes what comes right after it. Nothing and no error means
// that none came.
func wait(ctx context.Context, conn *pgx.Conn, patience time.Duration) ([]Notification, error) {
	var heard []Notification
	var first time.Time
	for len(heard) == 0 || time.Since(first) < longestGather {
		waiting, cancel := context.WithTimeout(ctx, patience)
		notification, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			if len(heard) == 0 {
				first, patience = time.Now(), gather
			}
			heard = append(heard, Notification{notification.Channel, notification.Payload})
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) && !conn.IsClosed():
			return heard, nil
		default:
			return nil, err
		}
	}
	return heard, nil
}
