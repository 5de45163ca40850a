package demo

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/integration"
	"github.com/svc-dev/svc/manifest/examples"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/studio"
)

// AppName is the name of the demo app.
const AppName = "Plantly"

// Seeder makes the demo app through the same use cases and the same writer of
// events as people and apps use.
type Seeder struct {
	DB        *postgres.DB
	Studio    *studio.Studio
	Catalogue *delivery.Catalogue
	Writers   int // how many batches of events are stored at the same time
	Logger    *slog.Logger
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
	versions := map[string]uuid.UUID{}
	for _, flow := range []struct{ name, file string }{
		{"Welcome", "linear-onboarding"}, {"Find your plants", "branching-onboarding"}, {"Spring paywall", "paywall-flow"},
	} {
		version, err := s.publish(ctx, app, flow.name, flow.file)
		if err != nil {
			return fmt.Errorf("publish the demo flow %s: %w", flow.name, err)
		}
		versions[flow.file] = version
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

// publish makes a flow of an example manifest and publishes its first version;
// pictures are painted and uploaded in the place of those that the manifest
// names.
func (s *Seeder) publish(ctx context.Context, app *ent.App, name, file string) (uuid.UUID, error) {
	manifest, err := examples.Files.ReadFile(file + ".json")
	if err != nil {
		return uuid.Nil, err
	}
	for i, placeholder := range MediaPlaceholders(manifest) {
		asset, err := s.Studio.UploadMedia(ctx, app.WorkspaceID, studio.Upload{
			Type: "image", Filename: fmt.Sprintf("%s-%d.png", file, i+1), ContentType: "image/png",
			Content: bytes.NewReader(Picture(uint64(i) + uint64(len(file)))),
		})
		if err != nil {
			return uuid.Nil, err
		}
		manifest = []byte(strings.ReplaceAll(string(manifest), placeholder, asset.ID.String()))
	}
	flow, err := s.Studio.CreateFlow(ctx, app.ID, name, manifest)
	if err != nil {
		return uuid.Nil, err
	}
	published, err := s.Studio.Publish(ctx, flow.ID, "First")
	if err != nil {
		return uuid.Nil, err
	}
	return published.Version.ID, nil
}

// createChannels makes two pinned channels, an archived one and one with a
// running experiment.
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
	if _, err := pinned("Onboarding", "linear-onboarding"); err != nil {
		return err
	}
	if _, err := pinned("Paywall", "paywall-flow"); err != nil {
		return err
	}
	old, err := pinned("Old onboarding", "linear-onboarding")
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
	return s.startExperiment(ctx, tested.PublicID, versions["linear-onboarding"], versions["branching-onboarding"])
}

func (s *Seeder) startExperiment(ctx context.Context, channel string, control, treatment uuid.UUID) error {
	name, ends := "Ask for a goal first", time.Now().AddDate(0, 1, 0)
	experiment, err := s.Studio.CreateExperiment(ctx, channel, studio.ExperimentDraft{
		Name:   &name,
		EndsAt: &ends,
		Variants: []studio.VariantDraft{
			{Key: "control", Name: "Welcome", Weight: 1, VersionID: &control},
			{Key: "goal-first", Name: "Find your plants", Weight: 1, VersionID: &treatment},
		},
	})
	if err != nil {
		return err
	}
	_, err = s.Studio.StartExperiment(ctx, experiment.ID)
	return err
}
