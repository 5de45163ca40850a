package delivery

import (
	"context"
	"time"

	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/postgres/notify"
)

const (
	// readTimeout bounds one read of the follower, so that a hanging database
	// does not keep the next read away for ever.
	readTimeout = 20 * time.Second
	// longestPause bounds the wait before the next attempt to read.
	longestPause = time.Second
)

// follow listens for changes until ctx ends. After every (re)connection it has everything read again, because what was
// sent in between is lost.
func (c *Catalogue) follow(ctx context.Context) {
	notify.Follow(ctx, c.pool.Config().ConnConfig, notify.Follower{
		Name: "svc delivery", Channels: []string{appchange.Channel},
		Timeout: c.options.Timeout, Silence: c.options.Reread, Logger: c.options.Logger,
		Missed: func(context.Context) { c.askReread() },
		Heard: func(ctx context.Context, heard []notify.Notification) {
			payloads := make([]string, len(heard))
			for i, notification := range heard {
				payloads[i] = notification.Payload
			}
			apps, all := appchange.Parse(payloads)
			if all || within(ctx, readTimeout, func(ctx context.Context) error { return c.Refresh(ctx, apps...) }) != nil {
				c.askReread()
			}
		},
	})
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
