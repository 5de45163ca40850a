package sdkapi

import (
	"net/http"
	"time"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/ratelimit"
)

// Limits are the rate limits, in requests a minute. Zero means no limit.
type Limits struct {
	PerKey     int
	PerAddress int
}

// limiter refuses requests beyond a limit.
type limiter struct {
	*ratelimit.Limiter
	message string
}

func newLimiter(perMinute int, subject string) limiter {
	return limiter{ratelimit.New(perMinute), "too many requests " + subject + ": wait and send again"}
}

func (l limiter) refusal(key string) *Error {
	if l.Allow(key) {
		return nil
	}
	// The sliding window frees a share of the limit every second; ten seconds
	// free a sixth of it, enough for a client to go on.
	return &Error{
		Status: http.StatusTooManyRequests, Code: fault.RateLimited, Message: l.message, RetryAfter: 10 * time.Second,
	}
}

// SharedLimits returns the limits that are one for all servers of a database, always in the same order. Nil is no
// limit.
func (a *API) SharedLimits() []*ratelimit.Limiter {
	return []*ratelimit.Limiter{a.perKey.Limiter, a.perAddress.Limiter}
}
