package sdkapi

import (
	"context"
	"net/http"
	"time"

	"github.com/svc-dev/svc/delivery"
)

// Gate decides whether a workspace's plan lets SDK traffic in (402). It is asked
// on every request and must answer from memory.
type Gate interface {
	// Refusal returns nil to let the request in.
	Refusal(ctx context.Context, environment *delivery.Tenant) *Error
}

// SubscriptionGate refuses traffic of workspaces whose payment is late for
// longer than Grace, and of live environments over the plan's limit of monthly
// active users. Without a subscription nothing is refused: a self-hosted server
// has no plan.
type SubscriptionGate struct {
	// Grace is how long traffic goes on after a payment became late.
	Grace time.Duration
	// LiveUsers counts the monthly active users of a workspace's live
	// environments in the current UTC month. Nil counts none.
	LiveUsers func(environment *delivery.Tenant) int64
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// DefaultGrace is how long traffic goes on after a payment became late: two
// weeks, so that a holiday of whoever pays stops no app.
const DefaultGrace = 14 * 24 * time.Hour

// LiveUsersLimit is the plan limit that SubscriptionGate reads: monthly active
// users of live environments (interface.md §8).
const LiveUsersLimit = "live_mau"

// Refusal implements Gate.
func (g SubscriptionGate) Refusal(_ context.Context, environment *delivery.Tenant) *Error {
	plan := environment.Plan
	if !plan.PastDueSince.IsZero() {
		now := time.Now
		if g.Now != nil {
			now = g.Now
		}
		if now().After(plan.PastDueSince.Add(g.Grace)) {
			return &Error{
				Status: http.StatusPaymentRequired, Code: codePastDue,
				Message: "the workspace's subscription is past due: traffic goes on once it is paid",
			}
		}
	}
	limit, limited := plan.Limits[LiveUsersLimit]
	if limited && g.LiveUsers != nil && environment.Kind == "live" && g.LiveUsers(environment) > limit {
		return &Error{
			Status: http.StatusPaymentRequired, Code: codePlanLimitReached,
			Message: "the workspace has reached its plan's monthly active users: traffic goes on next month or on a larger plan",
		}
	}
	return nil
}
