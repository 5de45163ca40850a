package ingest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/automation"
)

// Automations do what follows from events, in the transaction that stores them.
type Automations interface {
	// Wants tells whether something may follow from events of an environment.
	Wants(environmentID int64) bool
	// Happened does what follows from facts.
	Happened(ctx context.Context, tx pgx.Tx, facts []automation.Fact) error
}

// The flow events that end a run.
const (
	nameFlowCompleted = "flow_completed"
	nameFlowAbandoned = "flow_abandoned"
)

// tellAutomations tells of stored events in the order in which they happened.
func (w *Writer) tellAutomations(ctx context.Context, tx pgx.Tx, arrived []*item) error {
	if w.deps.Automations == nil {
		return nil
	}
	var facts []automation.Fact
	for _, it := range arrived {
		if !w.deps.Automations.Wants(it.environment) {
			continue
		}
		if fact, ok := it.fact(); ok {
			facts = append(facts, fact)
		}
	}
	if len(facts) == 0 {
		return nil
	}
	if err := w.deps.Automations.Happened(ctx, tx, facts); err != nil {
		return fmt.Errorf("automations: %w", err)
	}
	return nil
}

// fact returns what an event is for automations: track events and ends of flows
// count, product events and imported history don't.
func (it *item) fact() (automation.Fact, bool) {
	fact := automation.Fact{
		EnvironmentID: it.environment, AppUserID: it.appUserID(), Key: it.key, OccurredAt: it.occurredAt(),
	}
	switch {
	case it.history:
		return fact, false
	case it.path == PathTrack:
		fact.Kind, fact.Name, fact.Properties = automation.TrackEvent, it.product.Name, it.product.Properties
		return fact, true
	case it.path == PathFlow && it.flow.Name == nameFlowCompleted:
		fact.Name = automation.Completed
	case it.path == PathFlow && it.flow.Name == nameFlowAbandoned:
		fact.Name = automation.Abandoned
	default:
		return fact, false
	}
	fact.Kind, fact.Properties = automation.FlowEnd, it.flow.Properties
	fact.FlowID, fact.VersionID, fact.StepID = it.flow.FlowID, it.flow.VersionID, it.flow.StepID
	fact.RunID = it.flow.RunID
	return fact, true
}
