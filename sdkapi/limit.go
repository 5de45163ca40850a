package sdkapi

import (
	"net/http"
	"time"

	"github.com/go-chi/httprate"
	"github.com/svc-dev/svc/internal/fault"
)

// Limits are the rate limits, in requests a minute. Zero means no limit.
type Limits struct {
	PerKey     int
	PerAddress int
}

const limitWindow = time.Minute

// limiter counts requests in a sliding minute; nil lets everything pass.
type limiter struct {
	counter *httprate.RateLimiter
	message string
}

func newLimiter(perMinute int, subject string) *limiter {
	if perMinute <= 0 {
		return nil
	}
	return &limiter{
		counter: httprate.NewRateLimiter(perMinute, limitWindow, httprate.WithResponseHeaders(httprate.ResponseHeaders{})),
		message: "too many requests " + subject + ": wait and send again",
	}
}

func (l *limiter) refusal(w http.ResponseWriter, r *http.Request, key string) *Error {
	if l == nil || !l.counter.OnLimit(w, r, key) {
		return nil
	}
	// The sliding window frees a share of the limit every second; ten seconds
	// free a sixth of it, enough for a client to go on.
	return &Error{
		Status: http.StatusTooManyRequests, Code: fault.RateLimited, Message: l.message, RetryAfter: 10 * time.Second,
	}
}
