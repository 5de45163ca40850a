package webhook

import "time"

// delays are the waits before each attempt after the one before, as Standard
// Webhooks recommends them: three days in all, so that a receiver that is down
// for a weekend misses nothing.
var delays = []time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// MaxAttempts is how often a message is tried before it counts as failed.
var MaxAttempts = len(delays)

// maxRetryAfter bounds the wait that a receiver may ask for.
const maxRetryAfter = 24 * time.Hour

// NextAttempt returns how long to wait after so many failed attempts, at least
// as long as the receiver asked for (0 when it did not). It returns false when
// no attempt is left.
func NextAttempt(failed int, retryAfter time.Duration) (time.Duration, bool) {
	if failed >= len(delays) {
		return 0, false
	}
	return max(delays[failed], min(retryAfter, maxRetryAfter)), true
}
