package studio

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/manifest"
)

// nameSteps gives the steps and decisions of a version their names in every environment of its app, in the transaction
// that publishes it: a day's allowance of new names, which strangers may have spent, never makes them (other).
func nameSteps(ctx context.Context, tx *ent.Tx, app uuid.UUID, m *manifest.Manifest) error {
	var kinds []int16
	var texts []string
	add := func(kind run.NameKind, text string) {
		kinds, texts = append(kinds, int16(kind)), append(texts, text)
	}
	for _, step := range m.Steps() {
		add(run.KindStep, step.ID)
	}
	for _, decision := range m.Decisions {
		add(run.KindDecision, decision.ID)
		for _, one := range decision.Cases {
			add(run.KindCase, one.ID)
		}
	}
	environments, err := tx.Environment.Query().Where(environment.AppID(app)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("list the environments of the app: %w", err)
	}
	slices.Sort(environments)
	for _, id := range environments {
		if _, err := tx.ExecContext(ctx, ingest.LockFlowNamesSQL, id); err != nil {
			return fmt.Errorf("lock names: %w", err)
		}
		if _, err := tx.ExecContext(ctx, ingest.AddFlowNamesSQL, id, kinds, texts); err != nil {
			return fmt.Errorf("name the steps of a version: %w", err)
		}
	}
	return nil
}
