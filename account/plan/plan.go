// Package plan is the one reading of what a workspace's subscription includes:
// features, limits, and whether its payment is late. Delivery cuts manifests by
// it, the studio what may be authored, the SDK interface what is let in. It
// knows neither the database nor any of them.
package plan

import (
	"slices"
	"time"
)

// Feature is something that a plan includes or not (wire.md §3.6, plans.md).
type Feature string

// The features.
const (
	Animations   Feature = "animations"
	Motion       Feature = "motion"
	Translations Feature = "translations"
	Attribution  Feature = "attribution"
	Integrations Feature = "integrations"
	Experiments  Feature = "experiments"
)

// Features returns all that a plan may include.
func Features() []Feature {
	return []Feature{Animations, Motion, Translations, Attribution, Integrations, Experiments}
}

// Limit is something that a plan may bound.
type Limit string

// The limits.
const (
	// ActiveApps bounds the apps that are not archived.
	ActiveApps Limit = "active_apps"
	// LiveUsers bounds the monthly active users of live environments, all apps together (interface.md §8). Package
	// liveusers counts them.
	LiveUsers Limit = "live_mau"
)

// The states of a subscription that matter here.
const (
	statusPastDue   = "past_due"
	statusCancelled = "cancelled"
)

// Subscription is a subscription and its plan as they are stored.
type Subscription struct {
	PlanKey      string
	Features     []string
	Limits       map[string]int64
	Status       string
	PastDueSince *time.Time
}

// Plan is what a workspace may use. It is immutable. The zero value includes
// nothing and limits nothing.
type Plan struct {
	// Key names the plan, such as self_hosted.
	Key string
	// PastDueSince is when a payment began to be late; zero when none is.
	PastDueSince time.Time

	everything bool
	features   []string
	limits     map[string]int64
}

// SelfHosted returns the plan of workspaces without a subscription, which is
// every one of a server that sells none: everything, without limits.
func SelfHosted() Plan { return Plan{Key: "self_hosted", everything: true} }

// Of returns what a subscription includes, nil for none. A cancelled one
// includes no features any more; its limits stay.
func Of(s *Subscription) Plan {
	if s == nil {
		return SelfHosted()
	}
	p := Plan{Key: s.PlanKey, features: s.Features, limits: s.Limits}
	if s.Status == statusCancelled {
		p.features = nil
	}
	if s.Status == statusPastDue && s.PastDueSince != nil {
		p.PastDueSince = *s.PastDueSince
	}
	return p
}

// Has reports whether the plan includes a feature.
func (p Plan) Has(feature Feature) bool {
	return p.everything || slices.Contains(p.features, string(feature))
}

// Limit returns the most of something that the plan allows. False means that it
// sets no limit.
func (p Plan) Limit(limit Limit) (most int64, limited bool) {
	most, limited = p.limits[string(limit)]
	return most, limited
}

// IsPaused reports whether a payment has been late for longer than grace.
func (p Plan) IsPaused(now time.Time, grace time.Duration) bool {
	return !p.PastDueSince.IsZero() && now.After(p.PastDueSince.Add(grace))
}

// GraceDaysLeft returns for how many days, rounded up, a late payment still changes nothing; 0 when the workspace is
// paused because of it, or no payment is late.
func (p Plan) GraceDaysLeft(now time.Time, grace time.Duration) int {
	if p.PastDueSince.IsZero() {
		return 0
	}
	left := p.PastDueSince.Add(grace).Sub(now)
	return max(0, int((left+24*time.Hour-1)/(24*time.Hour)))
}
