package ingest

import (
	"fmt"
	"strings"
	"time"
)

// futureTolerance is how far a client's clock may run ahead before its time is
// replaced by the receive time (analytics.md §1).
const futureTolerance = 5 * time.Minute

// skewTolerance is how far a client's clock may differ from the server's before
// the times of its batch are corrected (analytics.md §1): less is the time that
// the request took.
const skewTolerance = time.Minute

// Rules are what the validation of one batch depends on besides its bytes.
type Rules struct {
	ReceivedAt time.Time     // the server's clock when the request arrived
	Window     time.Duration // deduplication window: an event older than this is rejected
	// Prove tells whether an event may name a custom user id with the proof beside it; without it the event names none.
	// Nil lets every id in.
	Prove func(customUserID, proof string) bool
	skew  skew // set by correctedBy
}

// proved returns the custom user id that an event may name.
func (r Rules) proved(customUserID, proof string) string {
	if customUserID == "" || r.Prove == nil || r.Prove(customUserID, proof) {
		return customUserID
	}
	return ""
}

// skew is how far a client's clock is behind the server's. A time.Duration ends
// at 292 years, and a clock can be off by more.
type skew struct{ seconds, nanoseconds int64 }

func (s skew) add(at time.Time) time.Time {
	return time.Unix(at.Unix()+s.seconds, int64(at.Nanosecond())+s.nanoseconds)
}

// correctedBy returns the rules of a batch whose envelope says when it was sent by
// the client's clock, or does not. The error is an *EnvelopeError.
func (r Rules) correctedBy(sentAt string) (Rules, error) {
	if sentAt == "" {
		return r, nil
	}
	sent, err := parseTime(sentAt)
	if err != nil {
		return r, &EnvelopeError{
			Code: CodeInvalidBatch, Message: "sentAt is not an RFC 3339 date-time such as 2026-11-21T10:00:00.000Z",
		}
	}
	if difference := r.ReceivedAt.Sub(sent); difference.Abs() > skewTolerance {
		r.skew = skew{r.ReceivedAt.Unix() - sent.Unix(), int64(r.ReceivedAt.Nanosecond() - sent.Nanosecond())}
	}
	return r, nil
}

// occurredAt returns the event's time by analytics.md §1, corrected by the skew of
// its client's clock, in UTC and cut to milliseconds: the receive time when it is
// absent or more than five minutes ahead, a reject when it can't be read or is
// older than the window.
func (r Rules) occurredAt(text string) (time.Time, *Reject) {
	received := r.ReceivedAt.UTC().Truncate(time.Millisecond)
	if text == "" {
		return received, nil
	}
	at, err := parseTime(text)
	if err != nil {
		return time.Time{}, &Reject{
			Code: CodeTimestampInvalid, Message: "timestamp is not an RFC 3339 date-time such as 2026-11-21T10:00:00.000Z",
		}
	}
	at = r.skew.add(at)
	// The limits are measured before the cut: an event exactly as old as the
	// window is still taken.
	if at.Sub(r.ReceivedAt) > futureTolerance {
		return received, nil
	}
	if r.ReceivedAt.Sub(at) > r.Window {
		return time.Time{}, &Reject{Code: CodeEventTooOld, Message: fmt.Sprintf("timestamp is older than %s", r.Window)}
	}
	return at.UTC().Truncate(time.Millisecond), nil
}

// parseTime reads an RFC 3339 time. The standard allows a lower-case t and z,
// which the time package does not.
func parseTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil && len(text) < 64 && strings.ContainsAny(text, "tz") {
		at, err = time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	}
	return at, err
}
