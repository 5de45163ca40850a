// Package resolvers answers GraphQL: convert, call one function, convert. Rules
// live in the packages it calls.
package resolvers

import (
	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/studio"
)

// Resolver holds what fields are answered from.
type Resolver struct {
	client   *ent.Client
	accounts *account.Accounts
	studio   *studio.Studio
	reads    reads
}

func experimentDraft(input graph.ExperimentInput) studio.ExperimentDraft {
	draft := studio.ExperimentDraft{Name: input.Name, EndsAt: input.EndsAt, Planner: input.Planner}
	if input.Variants != nil {
		draft.Arms = []studio.Arm{}
		for _, arm := range input.Variants {
			draft.Arms = append(draft.Arms, *arm)
		}
	}
	return draft
}
