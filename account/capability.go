package account

import (
	"slices"

	"github.com/svc-dev/svc/ent/membership"
)

// Role is what a person is in a workspace (product.md §1).
type Role = membership.Role

// The four roles, strongest first.
const (
	Owner  = membership.RoleOwner
	Admin  = membership.RoleAdmin
	Editor = membership.RoleEditor
	Viewer = membership.RoleViewer
)

// Capability is one thing that a role or the scope of an API key allows.
type Capability string

// The capabilities. Those up to EngageSend are product.md §1; the rest are ours.
const (
	AppManage        Capability = "app:manage"        // make, rename and archive apps
	AppSettings      Capability = "app:settings"      // keys, origins, branding, integrations, canvas gates
	FlowEdit         Capability = "flow:edit"         // make flows, save drafts, archive, duplicate
	FlowPublish      Capability = "flow:publish"      // make versions
	ChannelManage    Capability = "channel:manage"    // make, pin, unassign, archive channels
	ExperimentManage Capability = "experiment:manage" // the whole life of experiments
	MediaManage      Capability = "media:manage"      // upload, rename, archive files
	RolloutApprove   Capability = "rollout:approve"   // approve rollout requests
	AnalyticsRead    Capability = "analytics:read"    // every report
	CustomersRead    Capability = "customers:read"    // single people
	EngageRead       Capability = "engage:read"
	EngageManage     Capability = "engage:manage"
	EngageSend       Capability = "engage:send"

	StudioRead      Capability = "studio:read"      // flows, versions, channels, experiments, media, keys, members
	SegmentManage   Capability = "segment:manage"   // make and change audiences, goals, funnels and alerts
	ViewManage      Capability = "view:manage"      // save views of reports, write notes on charts, share reports
	RevenueRecord   Capability = "revenue:record"   // write the ledger by hand
	PeopleManage    Capability = "people:manage"    // erase people
	MembersManage   Capability = "members:manage"   // invite, change roles, remove
	AuditRead       Capability = "audit:read"       // who changed what
	WorkspaceManage Capability = "workspace:manage" // rename; ownership is moved by the owner alone
	// PlanManage is an operator's alone: no role has it and no key may be given it.
	PlanManage Capability = "plan:manage"
	SDKServer  Capability = "sdk:server" // ask the SDK interface for many people from one address
)

var viewerCan = []Capability{AnalyticsRead, CustomersRead, EngageRead, StudioRead}

var editorCan = slices.Concat(viewerCan, []Capability{
	FlowEdit, FlowPublish, ChannelManage, ExperimentManage, MediaManage, SegmentManage, ViewManage, EngageManage,
})

var adminCan = slices.Concat(editorCan, []Capability{
	AppManage, AppSettings, RolloutApprove, EngageSend, RevenueRecord, PeopleManage, MembersManage, AuditRead,
	WorkspaceManage, SDKServer,
})

// matrix is the role → capability matrix. Owner and admin differ only in what no
// key can be given: the owner alone transfers ownership, and nobody removes or
// demotes the owner.
var matrix = map[Role][]Capability{Owner: adminCan, Admin: adminCan, Editor: editorCan, Viewer: viewerCan}

// Capabilities returns what a role allows, in a fixed order.
func Capabilities(role Role) []Capability { return slices.Clone(matrix[role]) }

// AllCapabilities returns all that exist: the legal scopes of an API key.
func AllCapabilities() []Capability { return slices.Clone(adminCan) }

// Allows tells whether the role has the capability.
func Allows(role Role, capability Capability) bool {
	return slices.Contains(matrix[role], capability)
}
