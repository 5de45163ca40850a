package notification

import (
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/codeunit"
)

// Kind is what a notification tells.
type Kind string

// The kinds.
const (
	// ExperimentEnded says that an experiment waits for a decision, or was closed.
	ExperimentEnded Kind = "experiment_ended"
	// ExperimentSplit says that the people of an experiment's arms are not split as its weights say.
	ExperimentSplit Kind = "experiment_split"
	// VersionHarm says that a new version of a channel is worse than the one before it.
	VersionHarm Kind = "version_harm"
	// PlanLimitNear and PlanLimitReached are of the monthly active users: at 80 % and at 100 % of the limit.
	PlanLimitNear    Kind = "plan_limit_near"
	PlanLimitReached Kind = "plan_limit_reached"
	// SubscriptionPastDue says that a payment is late, and for how long that changes nothing.
	SubscriptionPastDue Kind = "subscription_past_due"
	// EndpointDisabled says that webhooks are no longer sent to an endpoint.
	EndpointDisabled Kind = "endpoint_disabled"
	// IngestRefused says that a good part of an environment's events is refused.
	IngestRefused Kind = "ingest_refused"
	// RevenueFailing says that deliveries of a billing provider are refused or not understood.
	RevenueFailing Kind = "revenue_failing"
	// Alert says that an alert that members made fires or resolved.
	Alert Kind = "alert"
	// PublishRequested says that somebody asks that a draft be published.
	PublishRequested Kind = "publish_requested"
)

// needs are the capabilities that reading notifications of a kind takes: those that what it is about takes.
var needs = map[Kind]account.Capability{
	ExperimentEnded:     account.StudioRead,
	ExperimentSplit:     account.StudioRead,
	VersionHarm:         account.StudioRead,
	PlanLimitNear:       account.AnalyticsRead,
	PlanLimitReached:    account.AnalyticsRead,
	SubscriptionPastDue: account.AnalyticsRead,
	EndpointDisabled:    account.EngageRead,
	IngestRefused:       account.AnalyticsRead,
	RevenueFailing:      account.StudioRead,
	Alert:               account.AnalyticsRead,
	PublishRequested:    account.StudioRead,
}

// Alarms are the kinds that a member gets by email who has chosen nothing: something is refused or lost, or a new
// version does harm, or an alert that somebody made fires.
func Alarms() []Kind {
	return []Kind{
		VersionHarm, PlanLimitReached, SubscriptionPastDue, EndpointDisabled, IngestRefused, RevenueFailing, Alert,
	}
}

// Severity is how much a notification matters.
type Severity string

// The severities.
const (
	Info     Severity = "info"     // worth knowing: nothing is wrong
	Warning  Severity = "warning"  // something will go wrong, or figures can't be relied on
	Critical Severity = "critical" // something is refused or lost now
)

// Notification is one thing that members of a workspace should know.
type Notification struct {
	// ID and CreatedAt are set by Post.
	ID        uuid.UUID
	CreatedAt time.Time

	WorkspaceID uuid.UUID
	Kind        Kind
	// Key tells notifications of a kind apart: a second one with the same key is not posted. At most 200 bytes.
	Key      string
	Severity Severity
	// Title and Text are plain words without markup, at most 160 and 1,000 UTF-16 code units: Post cuts off the rest.
	Title string
	Text  string
	About About

	// ReadAt is when the reader marked it; nil for unread ones and for those from before they became a member.
	ReadAt *time.Time
	Unread bool
}

// About is what a notification is about. What does not apply is left out.
type About struct {
	AppID           *uuid.UUID        `json:"appId,omitempty"`
	Environment     *environment.Kind `json:"environment,omitempty"`
	ExperimentID    *uuid.UUID        `json:"experimentId,omitempty"`
	ChannelID       *string           `json:"channelId,omitempty"` // the public one
	EndpointID      *uuid.UUID        `json:"endpointId,omitempty"`
	RevenueSourceID *uuid.UUID        `json:"revenueSourceId,omitempty"`
	AlertID         *uuid.UUID        `json:"alertId,omitempty"`
	FlowID          *uuid.UUID        `json:"flowId,omitempty"`
	// Used is of Limit: people of a month, or refused events of those received.
	Used  *int64 `json:"used,omitempty"`
	Limit *int64 `json:"limit,omitempty"`
	// DaysLeft are days of grace, rounded up.
	DaysLeft *int `json:"daysLeft,omitempty"`
}

const (
	maxKey   = 200  // bytes
	maxTitle = 160  // UTF-16 code units
	maxText  = 1000 // UTF-16 code units
	maxName  = 60   // UTF-16 code units
)

// Quote returns a name that somebody chose as it stands in a sentence: in quotation marks, cut where it is long.
func Quote(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '“' || r == '”' {
			return '\''
		}
		return r
	}, clean(name, 2*maxName))
	if short := codeunit.Clip(name, maxName); short != name {
		name = short + "…"
	}
	return "“" + name + "”"
}

// Clean returns a name that somebody chose as it may be shown anywhere, cut where it is long.
func Clean(name string) string {
	name = clean(name, 2*maxName)
	if short := codeunit.Clip(name, maxName); short != name {
		return short + "…"
	}
	return name
}

// clean returns what of a text may be shown as it is anywhere: on one line, without characters that are invisible or
// turn its direction, and without the brackets of markup.
func clean(text string, most int) string {
	text = codeunit.Clip(strings.ToValidUTF8(text, ""), most)
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			return '‹'
		case r == '>':
			return '›'
		case unicode.IsSpace(r):
			return ' '
		case r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co): // the joiner is of emoji
			return -1
		}
		return r
	}, text))
}
