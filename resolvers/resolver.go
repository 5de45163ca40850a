// Package resolvers answers GraphQL: convert, call one function, convert. Rules
// live in the packages it calls.
package resolvers

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/ingest/archive/exports"
	"github.com/svc-dev/svc/ingest/history/uploads"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/resolvers/flowreport"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/sdk/packages"
	"github.com/svc-dev/svc/studio"
)

// Resolver holds what fields are answered from.
type Resolver struct {
	db       *postgres.DB
	client   *ent.Client
	accounts *account.Accounts
	studio   *studio.Studio
	reports  Reports
	revenue  *figures.Ledgers
	people   *people.Store
	finder   finder
	// environments are the ids of environments that reports were read of.
	environments *lru.Cache[environmentOf, int64]
	versions     *flowreport.Versions
	streams      *service.Loops
	now          func() time.Time
	grace        time.Duration // of late payments
	// automations are nil in programs without any.
	automations *automation.Automations
	inbox       *notification.Inbox
	mails       *bymail.Mails
	scheduled   *scheduledreport.Reports
	imports     *uploads.Uploads
	exports     *exports.Exports
	packages    *packages.Packages
	sqlRoles    sqlrole.Members
	simulations *turns.Turns[uuid.UUID] // by workspace
}

// convertRetentionOrder returns the column that a retention breakdown is ordered by:
// DAY7_RATE is day7Rate.
func convertRetentionOrder(orderBy *graph.RetentionMetric) *report.Metric {
	if orderBy == nil {
		return nil
	}
	day, column, found := strings.Cut(strings.ToLower(string(*orderBy)), "_")
	if found {
		day += strings.ToUpper(column[:1]) + column[1:]
	}
	metric := report.Metric(day)
	return &metric
}

// valuesOf converts the list of an input; nil means that the input leaves what it lists as it is.
func valuesOf[T any](list []*T) []T {
	if list == nil {
		return nil
	}
	converted := make([]T, len(list))
	for i, v := range list {
		converted[i] = *v
	}
	return converted
}

// describeAccess returns what somebody may do in a workspace.
func describeAccess(w *ent.Workspace, p *account.Principal) *graph.WorkspaceAccess {
	role, _ := p.Role(w.ID)
	return &graph.WorkspaceAccess{Workspace: w, Role: role, Capabilities: p.Capabilities(w.ID)}
}

// convertErasure lists what was removed by table.
func convertErasure(e privacy.Erasure, err error) (*graph.Erasure, error) {
	if err != nil {
		return nil, err
	}
	converted := &graph.Erasure{
		ID: e.ID, RequestedAt: e.RequestedAt, FinishedAt: e.FinishedAt, Devices: e.Devices, Removed: []*graph.ErasedRows{},
	}
	for _, table := range slices.Sorted(maps.Keys(e.Removed)) {
		converted.Removed = append(converted.Removed, &graph.ErasedRows{Table: table, Rows: e.Removed[table]})
	}
	return converted, nil
}

// convertArchive lists the records of a page.
func convertArchive(page privacy.Archive, err error) (*graph.PersonArchive, error) {
	if err != nil {
		return nil, err
	}
	converted := &graph.PersonArchive{Devices: page.Devices, Records: make([]*graph.PersonRecord, len(page.Records))}
	for i, record := range page.Records {
		converted.Records[i] = &graph.PersonRecord{Table: record.Table, Row: record.Row}
	}
	if page.After != "" {
		converted.EndCursor = &page.After
	}
	return converted, nil
}

// limitOf returns a limit of a stored plan; nil for none.
func limitOf(limits map[string]int64, name plan.Limit) *int64 {
	if most, limited := limits[string(name)]; limited {
		return &most
	}
	return nil
}

// planLimit returns a limit of what a workspace may use; nil for none.
func planLimit(p plan.Plan, name plan.Limit) *int64 {
	if most, limited := p.Limit(name); limited {
		return &most
	}
	return nil
}

// authorizeUsage lets the operator and those who read reports see what a workspace used.
func authorizeUsage(ctx context.Context, workspace uuid.UUID) error {
	if p, err := account.From(ctx); err == nil && p.IsOperator() {
		return nil
	}
	_, err := account.Authorize(ctx, workspace, account.AnalyticsRead)
	return err
}
