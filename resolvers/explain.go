package resolvers

import (
	"context"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/ent"
)

// explainChannel says what a channel serves, with the arm that an experiment remembers for the person's device.
func (r *Resolver) explainChannel(
	ctx context.Context, ch *ent.Channel, appUserID *string,
) (*delivery.Explanation, error) {
	explained, err := r.studio.ExplainChannel(ctx, ch, appUserID)
	if err != nil || explained.Split == nil {
		return explained, err
	}
	looking, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	split := explained.Split
	arm, err := sticky.Remembered(looking, r.db.Pool, split.EnvironmentID, split.ExperimentID, *appUserID)
	if err != nil {
		return nil, err
	}
	explained.Keep(arm)
	return explained, nil
}
