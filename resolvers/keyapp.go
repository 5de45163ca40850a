package resolvers

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
)

// aboutApp returns what the arguments of a root field name, in a word, and the app that has it.
type aboutApp func(arguments map[string]any) (what string, where predicate.App)

// aboutApps are the root fields that keys of one app may ask for, which are those of tools (mcpserver).
var aboutApps = map[string]aboutApp{
	"Query.app":               func(a map[string]any) (string, predicate.App) { return "app", entapp.ID(idOf(a["id"])) },
	"Query.flow":              func(a map[string]any) (string, predicate.App) { return ofFlow(idOf(a["id"])) },
	"Query.draft":             func(a map[string]any) (string, predicate.App) { return ofFlow(idOf(a["flowId"])) },
	"Query.simulateDraft":     func(a map[string]any) (string, predicate.App) { return ofFlow(idOf(a["flowId"])) },
	"Query.channel":           func(a map[string]any) (string, predicate.App) { return ofChannel(a["id"]) },
	"Query.experimentResults": func(a map[string]any) (string, predicate.App) { return ofExperiment(idOf(a["id"])) },
	"Query.revenue": func(a map[string]any) (string, predicate.App) {
		scope, _ := a["scope"].(graph.RevenueScope)
		return "app", entapp.ID(scope.AppID)
	},
	"Query.flowAnalytics": func(a map[string]any) (string, predicate.App) {
		scope, _ := a["scope"].(graph.FlowAnalyticsScope)
		return ofFlow(scope.FlowID)
	},
	"Mutation.createNote": func(a map[string]any) (string, predicate.App) {
		input, _ := a["input"].(graph.CreateNoteInput)
		return "app", entapp.ID(input.AppID)
	},
	"Mutation.createFlow": func(a map[string]any) (string, predicate.App) {
		input, _ := a["input"].(graph.CreateFlowInput)
		return "app", entapp.ID(input.AppID)
	},
	"Mutation.editDraft": func(a map[string]any) (string, predicate.App) {
		input, _ := a["input"].(graph.EditDraftInput)
		return ofFlow(input.FlowID)
	},
	"Mutation.requestPublish": func(a map[string]any) (string, predicate.App) {
		input, _ := a["input"].(graph.RequestPublishInput)
		return ofFlow(input.FlowID)
	},
}

func ofFlow(id uuid.UUID) (string, predicate.App) { return "flow", entapp.HasFlowsWith(flow.ID(id)) }

func ofExperiment(id uuid.UUID) (string, predicate.App) {
	return "experiment", entapp.HasEnvironmentsWith(
		environment.HasChannelsWith(channel.HasExperimentsWith(experiment.ID(id))),
	)
}

func ofChannel(id any) (string, predicate.App) {
	public, _ := id.(string)
	return "channel", entapp.HasEnvironmentsWith(environment.HasChannelsWith(channel.PublicID(public)))
}

// idOf returns the zero id, which nothing has, for what is none.
func idOf(argument any) uuid.UUID {
	id, _ := argument.(uuid.UUID)
	return id
}

// withoutApp are the fields beside those of aboutApps that lead from the caller to their app and no further. The list
// of a workspace's apps has the one app alone.
var withoutApp = setOf(`
	Query.viewer Query.__typename Mutation.__typename Viewer.workspaces Viewer.__typename
	Workspace.id Workspace.name Workspace.apps Workspace.media Workspace.__typename`)

// rooted are the types whose fields lead to apps. Those of all others belong to the app that a root field named.
var rooted = setOf("Query Mutation Subscription Viewer Workspace")

// limitToApp refuses to a key of one app what is about another, as if it were not there, before anything is read for
// it.
func (r finder) limitToApp(ctx context.Context, field *graphql.FieldContext) error {
	if !rooted[field.Object] {
		return nil
	}
	p, err := account.From(ctx)
	if err != nil || p.App() == nil {
		return nil //nolint:nilerr // who is nobody has no key
	}
	name := field.Object + "." + field.Field.Name
	if withoutApp[name] {
		return nil
	}
	about, known := aboutApps[name]
	if !known {
		return fault.New(fault.Forbidden, "a key of one app can't ask for %s", name)
	}
	what, where := about(field.Args)
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	its, err := r.client.App.Query().Where(entapp.ID(*p.App()), where).Count(reading)
	if err != nil {
		return fmt.Errorf("look for the app of what is asked for: %w", err)
	}
	if its == 0 {
		return fault.Missing(what)
	}
	return nil
}
