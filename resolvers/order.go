package resolvers

import (
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/assignment"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/resolvers/page"
	"github.com/svc-dev/svc/studio"
)

// The orders of the control plane's lists.
var (
	alertsByName      = page.ByName(func(a *ent.Alert) (string, uuid.UUID) { return a.Name, a.ID })
	workspacesByName  = page.ByName(func(w *ent.Workspace) (string, uuid.UUID) { return w.Name, w.ID })
	appsByName        = page.ByName(func(a *ent.App) (string, uuid.UUID) { return a.Name, a.ID })
	flowsByName       = page.ByName(func(f *ent.Flow) (string, uuid.UUID) { return f.Name, f.ID })
	channelsByName    = page.ByName(func(c *ent.Channel) (string, int64) { return c.Name, c.ID })
	automationsByName = page.ByName(func(a *automation.Automation) (string, uuid.UUID) { return a.Name, a.ID })
	componentsByName  = page.ByName(func(c *ent.Component) (string, uuid.UUID) { return c.Name, c.ID })
	funnelsByName     = page.ByName(func(f *ent.Funnel) (string, uuid.UUID) { return f.Name, f.ID })
	goalsByName       = page.ByName(func(g *ent.Goal) (string, uuid.UUID) { return g.Name, g.ID })
	savedViewsByName  = page.ByName(func(v *ent.SavedView) (string, uuid.UUID) { return v.Name, v.ID })
	segmentsByName    = page.ByName(func(s *ent.Segment) (string, uuid.UUID) { return s.Name, s.ID })

	latestEntries = page.LatestFirst(func(e *people.Entry) (time.Time, string) { return e.At, e.Order })

	segmentMembersByID = page.ByText(func(m *report.Member) string { return m.AppUserID })

	membersByAge       = page.OldestFirst(func(m *ent.Membership) (time.Time, uuid.UUID) { return m.CreatedAt, m.ID })
	subscriptionsByAge = page.OldestFirst(func(s *ent.Subscription) (time.Time, uuid.UUID) { return s.CreatedAt, s.ID })
	invitationsByAge   = page.OldestFirst(func(i *ent.Invitation) (time.Time, uuid.UUID) { return i.CreatedAt, i.ID })

	newestAPIKeys      = page.NewestFirst(func(k *ent.APIKey) (time.Time, uuid.UUID) { return k.CreatedAt, k.ID })
	newestAuditEntries = page.NewestFirst(func(e *ent.AuditEntry) (time.Time, uuid.UUID) { return e.CreatedAt, e.ID })
	newestNotes        = page.NewestFirst(func(n *ent.Note) (time.Time, uuid.UUID) { return n.CreatedAt, n.ID })
	newestSuppressions = page.NewestFirst(func(s *automation.Suppression) (time.Time, uuid.UUID) {
		return s.CreatedAt, s.ID
	})
	newestSharedLinks     = page.NewestFirst(func(l *ent.SharedLink) (time.Time, uuid.UUID) { return l.CreatedAt, l.ID })
	newestMedia           = page.NewestFirst(func(m *ent.MediaAsset) (time.Time, uuid.UUID) { return m.CreatedAt, m.ID })
	newestPublishableKeys = page.NewestFirst(func(k *ent.PublishableKey) (time.Time, uuid.UUID) {
		return k.CreatedAt, k.ID
	})
	newestNotifications = page.NewestFirst(func(n *notification.Notification) (time.Time, uuid.UUID) {
		return n.CreatedAt, n.ID
	})
	newestPeople      = page.NewestFirst(func(p *people.Person) (time.Time, uuid.UUID) { return *p.CreatedAt, p.ID })
	newestHistory     = page.HighestFirst("revision", func(e *studio.HistoryEntry) int { return e.Revision })
	newestExperiments = page.NewestFirst(func(e *ent.Experiment) (time.Time, uuid.UUID) { return e.CreatedAt, e.ID })

	latestVersions    = page.HighestFirst(flowversion.FieldNumber, func(v *ent.FlowVersion) int { return v.Number })
	latestAssignments = page.HighestFirst(assignment.FieldAssignmentVersion,
		func(a *ent.Assignment) int { return a.AssignmentVersion })
)
