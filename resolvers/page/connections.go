package page

import (
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/studio"
)

// The connections of the control plane, by the names that gqlgen.yml knows them.
type (
	Alerts            = Of[ent.Alert]
	Apps              = Of[ent.App]
	APIKeys           = Of[ent.APIKey]
	Assignments       = Of[ent.Assignment]
	AuditEntries      = Of[ent.AuditEntry]
	EmailSuppressions = Of[automation.Suppression]
	Automations       = Of[automation.Automation]
	Channels          = Of[ent.Channel]
	Components        = Of[ent.Component]
	DraftHistory      = Of[studio.HistoryEntry]
	Experiments       = Of[ent.Experiment]
	Flows             = Of[ent.Flow]
	FlowVersions      = Of[ent.FlowVersion]
	Funnels           = Of[ent.Funnel]
	Goals             = Of[ent.Goal]
	Invitations       = Of[ent.Invitation]
	MediaAssets       = Of[ent.MediaAsset]
	Memberships       = Of[ent.Membership]
	Notes             = Of[ent.Note]
	Notifications     = Of[notification.Notification]
	People            = Of[people.Person]
	PersonTimeline    = Of[people.Entry]
	PublishableKeys   = Of[ent.PublishableKey]
	SavedViews        = Of[ent.SavedView]
	SharedLinks       = Of[ent.SharedLink]
	Segments          = Of[ent.Segment]
	Subscriptions     = Of[ent.Subscription]
)

// The connections of reports.
type (
	Breakdown   = Of[report.Row]
	Events      = Of[report.EventRow]
	FlowPeople  = Of[flow.Person]
	GoalRows    = Of[report.GoalRow]
	GoalValues  = Of[report.GoalBreakdownRow]
	LivePeople  = Of[report.Person]
	Retention   = Of[report.RetentionRow]
	RevenueRows = Of[figures.Row]
	Screens     = Of[report.ScreenRow]

	SegmentMembers = Of[report.Member]

	Timeline = Of[report.TimelineEntry]
	Visitors = Of[report.VisitorRow]
)
