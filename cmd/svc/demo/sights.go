package demo

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent/experiment"
	entflow "github.com/svc-dev/svc/ent/flow"
)

// Sight is a page of the dashboard that shows something of the demo's story.
type Sight struct {
	Name string
	Path string // begins with a slash
}

// Sights returns the pages of a filled app that are worth a look first.
func (s *Seeder) Sights(ctx context.Context, id uuid.UUID) ([]Sight, error) {
	env, err := s.readLiveEnvironment(ctx, id)
	if err != nil {
		return nil, err
	}
	root := "/apps/" + id.String() + "/live/"
	var sights []Sight
	for _, channel := range env.Edges.Channels {
		if channel.Name != onboardingExperiment {
			continue
		}
		tested, err := s.DB.Ent().Experiment.Query().Where(experiment.ChannelID(channel.ID)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("find the experiment of the demo app: %w", err)
		}
		for _, x := range tested {
			sights = append(sights, Sight{"An experiment about to be decided", root + "experiments/" + x.ID.String()})
		}
	}
	sights = append(
		sights, Sight{"A campaign that took off, repotting-week", root + "acquisition?dimension=CAMPAIGN"},
	)
	offer, err := s.DB.Ent().Flow.Query().Where(entflow.AppID(id), entflow.Name(flowNames["paywall"])).First(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the offer of the demo app: %w", err)
	}
	leaving := root + "flows/" + offer.ID.String() + "?range=28d&f=is,country," + StoryCountry
	return append(sights, Sight{"Users in Brazil leave at the price", leaving}), nil
}
