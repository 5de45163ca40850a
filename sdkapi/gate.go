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
	Refusal(ctx context.Context, tenant *delivery.Tenant) *Error
}

// PaymentGate refuses traffic of workspaces whose payment is late for longer
// than Grace. Without a subscription nothing is refused: a self-hosted server
// has no plan.
type PaymentGate struct {
	// Grace is how long traffic goes on after a payment became late.
	Grace time.Duration
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// DefaultGrace is how long traffic goes on after a payment became late: two
// weeks, so that a holiday of whoever pays stops no app.
const DefaultGrace = 14 * 24 * time.Hour

// Refusal implements Gate.
func (g PaymentGate) Refusal(_ context.Context, tenant *delivery.Tenant) *Error {
	if tenant.Plan.PastDueSince.IsZero() {
		return nil
	}
	now := time.Now
	if g.Now != nil {
		now = g.Now
	}
	if !tenant.Plan.IsPaused(now(), g.Grace) {
		return nil
	}
	return &Error{
		Status: http.StatusPaymentRequired, Code: codePastDue,
		Message: "the workspace's subscription is past due: traffic goes on once it is paid",
	}
}
