package sdkapi

import (
	"context"
	"net/http"
	"time"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/fault"
)

// Gate decides whether a workspace's plan lets SDK traffic in (402). It is asked
// on every request and must answer from memory.
type Gate interface {
	// Refusal returns nil to let the request in.
	Refusal(ctx context.Context, tenant *delivery.Tenant) *Error
}

// PlanGate refuses traffic of workspaces whose payment is late for longer than Grace, and of the live environments of
// those that have had more people this month than their plan allows (plans.md). Without a subscription nothing is
// refused: a self-hosted server sells no plan.
type PlanGate struct {
	// Grace is how long traffic goes on after a payment became late.
	Grace time.Duration
	// LiveUsers are the people of the month. Nil knows none.
	LiveUsers LiveUsers
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Refusal implements Gate.
func (g PlanGate) Refusal(_ context.Context, tenant *delivery.Tenant) *Error {
	if g.isPastDue(tenant) {
		return &Error{
			Status: http.StatusPaymentRequired, Code: codePastDue,
			Message: "the workspace's subscription is past due: traffic goes on once it is paid",
		}
	}
	if g.LiveUsers != nil && g.LiveUsers.Exceeded(tenant) {
		return &Error{
			Status: http.StatusPaymentRequired, Code: fault.LimitReached,
			Message: "the workspace has had more monthly active users than its plan allows: traffic of live environments " +
				"goes on with another plan, or with the next month (UTC)",
		}
	}
	return nil
}

func (g PlanGate) isPastDue(tenant *delivery.Tenant) bool {
	if tenant.Plan.PastDueSince.IsZero() {
		return false
	}
	now := time.Now
	if g.Now != nil {
		now = g.Now
	}
	return tenant.Plan.IsPaused(now(), g.Grace)
}
