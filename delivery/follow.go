package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
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

// follow listens for changes until ctx ends. After every (re)connection it reads
// everything, because what was sent in between is lost.
func (c *Catalogue) follow(ctx context.Context) {
	pause := time.Duration(0)
	for ctx.Err() == nil {
		listened, err := c.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		if listened {
			pause = 0
		}
		c.options.Logger.WarnContext(ctx, "the delivery catalogue lost its notifications and connects again", "error", err, "pause", pause)
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
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "listen "+NotifyChannel); err != nil {
		return false, err
	}
	if err := c.reread(ctx); err != nil {
		return false, err
	}
	for {
		payloads, err := notifications(ctx, conn, c.options.Reread)
		if err != nil {
			return true, err
		}
		if len(payloads) == 0 {
			// Nothing came for a while: is the connection still one?
			if err := ping(ctx, conn); err != nil {
				return true, err
			}
		}
		if apps, everything := changedApps(payloads); everything || len(apps) == 0 {
			err = c.reread(ctx)
		} else {
			reading, cancel := context.WithTimeout(ctx, readTimeout)
			err = c.Refresh(reading, apps...)
			cancel()
		}
		if err != nil {
			return true, err
		}
		if time.Since(c.ReadAt()) > c.options.Reread {
			if err := c.reread(ctx); err != nil {
				return true, err
			}
		}
	}
}

func (c *Catalogue) reread(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return c.RefreshAll(ctx)
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return conn.Ping(ctx)
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
