package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/integration"
	"github.com/svc-dev/svc/internal/demo/flows"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/studio"
)

// AppName is the name of the demo app.
const AppName = "Tendril"

// goalFirst is the onboarding that begins with its first question.
const goalFirst = "onboarding-goal-first"

// flowNames are what the flows are called in the dashboard.
var flowNames = map[string]string{
	"onboarding": "Welcome", "paywall": "Tendril Plus", "reminders": "Reminders", "winback": "Before you go",
	"survey": "How are we growing?", goalFirst: "Welcome, goal first",
}

// channelNames are the places of the app that open a flow; the web example knows
// its channels by them.
var channelNames = map[string]string{
	"onboarding": "Onboarding", "paywall": "Paywall", "reminders": "Reminders", "winback": "Win-back",
	"survey": "Survey",
}

// Seeder makes the demo app through the same use cases and the same writer of
// events as people and apps use.
type Seeder struct {
	DB        *postgres.DB
	Studio    *studio.Studio
	Catalogue *delivery.Catalogue
	Writers   int // how many batches of events are stored at the same time
	Logger    *slog.Logger

	served map[uint64]Served // what was parsed, by the hash of the answer
}

// CreateApp makes the demo app of a workspace with a channel in each
// environment, or returns the one that an earlier call made. The context's
// principal is the author of this and of everything else.
func (s *Seeder) CreateApp(ctx context.Context, workspace uuid.UUID) (*ent.App, error) {
	app, err := s.DB.Ent().App.Query().Where(entapp.WorkspaceID(workspace), entapp.Name(AppName)).First(ctx)
	if err == nil || !ent.IsNotFound(err) {
		return app, err
	}
	if app, err = s.Studio.CreateApp(ctx, workspace, AppName); err != nil {
		return nil, err
	}
	for _, kind := range []studio.Kind{environment.KindTest, environment.KindLive} {
		if _, err := s.Studio.CreateChannel(ctx, app.ID, kind, "Unassigned"); err != nil {
			return nil, err
		}
	}
	return app, nil
}

// Fill publishes the demo flows, makes a channel of every state in both
// environments and writes the history of the live one. It does nothing when the
// app has flows already.
func (s *Seeder) Fill(ctx context.Context, app *ent.App, history History) error {
	exists, err := s.DB.Ent().Flow.Query().Where(entflow.AppID(app.ID)).Exist(ctx)
	if err != nil || exists {
		return err
	}
	if err := s.enableIntegrations(ctx, app.ID); err != nil {
		return fmt.Errorf("enable the integrations of the demo app: %w", err)
	}
	art, err := s.uploadArt(ctx, app.WorkspaceID)
	if err != nil {
		return fmt.Errorf("upload the pictures of the demo flows: %w", err)
	}
	versions := map[string]uuid.UUID{}
	for _, file := range flows.Names {
		manifest, err := flows.Manifest(file)
		if err == nil {
			versions[file], err = s.publish(ctx, app, flowNames[file], art.Replace(string(manifest)))
		}
		if err != nil {
			return fmt.Errorf("publish the demo flow %s: %w", file, err)
		}
	}
	if versions[goalFirst], err = s.publishGoalFirst(ctx, app, art); err != nil {
		return fmt.Errorf("publish the demo flow %s: %w", goalFirst, err)
	}
	for _, kind := range []studio.Kind{environment.KindTest, environment.KindLive} {
		if err := s.createChannels(ctx, app.ID, kind, versions); err != nil {
			return fmt.Errorf("make the %s channels of the demo app: %w", kind, err)
		}
	}
	if err := s.writeHistory(ctx, app.ID, history); err != nil {
		return fmt.Errorf("write the history of the demo app: %w", err)
	}
	return nil
}

func (s *Seeder) enableIntegrations(ctx context.Context, app uuid.UUID) error {
	_, err := s.Studio.UpdateIntegrations(ctx, studio.IntegrationsChange{
		AppID:      app,
		RevenueCat: &integration.RevenueCat{Enabled: true}, Superwall: &integration.Superwall{Enabled: true},
		Stripe: &integration.Toggle{Enabled: true}, AppsFlyer: &integration.Toggle{Enabled: true},
	})
	return err
}

// uploadArt puts the pictures of the flows into the media library of a workspace
// and returns what replaces their ids in the manifests by those of the library.
func (s *Seeder) uploadArt(ctx context.Context, workspace uuid.UUID) (*strings.Replacer, error) {
	names, err := flows.Art()
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, id := range slices.Sorted(maps.Keys(names)) {
		picture, err := flows.Picture(names[id])
		if err != nil {
			return nil, err
		}
		asset, err := s.Studio.UploadMedia(ctx, workspace, studio.Upload{
			Type: "image", Filename: names[id], ContentType: "image/svg+xml", Content: bytes.NewReader(picture),
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[id], err)
		}
		replaced = append(replaced, id, asset.ID.String())
	}
	return strings.NewReplacer(replaced...), nil
}

// publish makes a flow of a manifest and publishes its first version.
func (s *Seeder) publish(ctx context.Context, app *ent.App, name, manifest string) (uuid.UUID, error) {
	flow, err := s.Studio.CreateFlow(ctx, app.ID, name, []byte(manifest))
	if err != nil {
		return uuid.Nil, err
	}
	published, err := s.Studio.Publish(ctx, flow.ID, "First")
	if err != nil {
		return uuid.Nil, err
	}
	return published.Version.ID, nil
}

// publishGoalFirst publishes the onboarding without its welcome: the treatment of
// the demo's experiment.
func (s *Seeder) publishGoalFirst(ctx context.Context, app *ent.App, art *strings.Replacer) (uuid.UUID, error) {
	raw, err := flows.Manifest("onboarding")
	if err != nil {
		return uuid.Nil, err
	}
	var manifest map[string]any
	if err := json.Unmarshal([]byte(art.Replace(string(raw))), &manifest); err != nil {
		return uuid.Nil, err
	}
	screens := manifest["screens"].([]any)
	manifest["screens"] = screens[1:]
	manifest["entryScreenId"] = screens[1].(map[string]any)["id"]
	shortened, err := json.Marshal(manifest)
	if err != nil {
		return uuid.Nil, err
	}
	return s.publish(ctx, app, flowNames[goalFirst], string(shortened))
}

// createChannels makes a pinned channel for every place of the app that opens a
// flow, an archived one and one with a running experiment.
func (s *Seeder) createChannels(
	ctx context.Context, app uuid.UUID, kind studio.Kind, versions map[string]uuid.UUID,
) error {
	pinned := func(name, file string) (*ent.Channel, error) {
		channel, err := s.Studio.CreateChannel(ctx, app, kind, name)
		if err != nil {
			return nil, err
		}
		_, err = s.Studio.Pin(ctx, channel.PublicID, versions[file])
		return channel, err
	}
	for _, file := range flows.Names {
		if _, err := pinned(channelNames[file], file); err != nil {
			return err
		}
	}
	old, err := pinned("Old onboarding", "onboarding")
	if err != nil {
		return err
	}
	if _, err := s.Studio.ArchiveChannel(ctx, old.PublicID, old.Name); err != nil {
		return err
	}
	tested, err := s.Studio.CreateChannel(ctx, app, kind, "Onboarding experiment")
	if err != nil {
		return err
	}
	return s.startExperiment(ctx, tested.PublicID, versions["onboarding"], versions[goalFirst])
}

func (s *Seeder) startExperiment(ctx context.Context, channel string, control, treatment uuid.UUID) error {
	name, ends := "Ask for a goal first", time.Now().AddDate(0, 1, 0)
	experiment, err := s.Studio.CreateExperiment(ctx, channel, studio.ExperimentDraft{
		Name:   &name,
		EndsAt: &ends,
		Variants: []studio.VariantDraft{
			{Key: "control", Name: "Welcome first", Weight: 1, VersionID: &control},
			{Key: "goal-first", Name: "Goal first", Weight: 1, VersionID: &treatment},
		},
	})
	if err != nil {
		return err
	}
	_, err = s.Studio.StartExperiment(ctx, experiment.ID)
	return err
}
