package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/appchange"
)

const (
	// readTimeout bounds one read of the follower, so that a hanging database
	// does not keep the next read away for ever.
	readTimeout = 20 * time.Second
	// gather is how long the follower waits for more notifications after one:
	// a burst of changes costs one read, and the delay is far below the second
	// in which other servers must follow.
	gather = 5 * time.Millisecond
	// longestGather ends the waiting when changes come without a gap.
	longestGather = 50 * time.Millisecond
	// shortestPause and longestPause bound the wait before the next attempt to
	// listen. The first attempt after a lost connection comes at once.
	shortestPause = 50 * time.Millisecond
	longestPause  = time.Second
)

// follow listens for changes until ctx ends. After every (re)connection it has
// everything read again, because what was sent in between is lost.
func (c *Catalogue) follow(ctx context.Context) {
	pause := time.Duration(0)
	failing := false
	for ctx.Err() == nil {
		listened, err := c.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		if listened {
			pause = 0
		}
		if listened || !failing { // an outage is one line, however long it is
			c.options.Logger.WarnContext(ctx, "the delivery catalogue lost its notifications and connects again", "error", err)
		}
		failing = true
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(max(2*pause, shortestPause), longestPause)
	}
}

// listen follows on one connection until it fails. It reports whether it got as
// far as listening.
func (c *Catalogue) listen(ctx context.Context) (listened bool, err error) {
	// Not a connection of the pool: this one is never given back.
	config := c.pool.Config().ConnConfig.Copy()
	config.RuntimeParams["application_name"] = "svc delivery"
	var conn *pgx.Conn
	err = within(ctx, c.options.Timeout, func(ctx context.Context) error {
		conn, err = pgx.ConnectConfig(ctx, config)
		return err
	})
	if err != nil {
		return false, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if err := within(ctx, c.options.Timeout, func(ctx context.Context) error {
		_, err := conn.Exec(ctx, "listen "+appchange.Channel)
		return err
	}); err != nil {
		return false, err
	}
	c.askReread()
	for {
		payloads, err := notifications(ctx, conn, c.options.Reread)
		if err != nil {
			return true, err
		}
		if len(payloads) == 0 {
			// Nothing came for a while: is the connection still one?
			if err := within(ctx, c.options.Timeout, conn.Ping); err != nil {
				return true, err
			}
			continue
		}
		apps, all := appchange.Parse(payloads)
		if !all {
			err = within(ctx, readTimeout, func(ctx context.Context) error { return c.Refresh(ctx, apps...) })
		}
		if all || err != nil {
			c.askReread()
		}
	}
}

// within runs a step that must not take longer than limit.
func within(ctx context.Context, limit time.Duration, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return step(ctx)
}

// askReread has everything read again soon.
func (c *Catalogue) askReread() {
	select {
	case c.reread <- struct{}{}:
	default: // somebody has asked already
	}
}

// readAgain reads everything whenever somebody asks and every Options.Reread, in
// case that a notification was lost. It is apart from listening, so that
// notifications that never come can't stop it.
func (c *Catalogue) readAgain(ctx context.Context) {
	pause, failing := c.options.Reread, false
	for {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-c.reread:
			timer.Stop()
		}
		err := within(ctx, readTimeout, c.RefreshAll)
		pause = c.options.Reread
		if err != nil {
			pause = min(longestPause, c.options.Reread)
		}
		if err != nil && !failing && ctx.Err() == nil {
			c.options.Logger.WarnContext(ctx, "the delivery catalogue can't be read again and serves what it has", "error", err)
		}
		failing = err != nil
	}
}

// notifications waits up to patience for a notification and then takes what
// comes right after it. No payload and no error means that none came.
func notifications(ctx context.Context, conn *pgx.Conn, patience time.Duration) ([]string, error) {
	var payloads []string
	var first time.Time
	for len(payloads) == 0 || time.Since(first) < longestGather {
		waiting, cancel := context.WithTimeout(ctx, patience)
		notification, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			if len(payloads) == 0 {
				first, patience = time.Now(), gather
			}
			payloads = append(payloads, notification.Payload)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) && !conn.IsClosed():
			return payloads, nil
		default:
			return nil, err
		}
	}
	return payloads, nil
}
