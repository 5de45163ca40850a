package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	entchannel "github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/publishablekey"
	"github.com/svc-dev/svc/internal/demo"
	"github.com/svc-dev/svc/manifest/examples"
	"github.com/svc-dev/svc/studio"
)

// demoKinds are the values of --demo.
var demoKinds = []string{"none", "small", "live"}

const (
	demoAdminEmail      = "admin@svc.localhost"
	demoAppName         = "Plantly"
	demoHistoryDays     = 14
	demoVisitsPerDay    = 160
	databaseStopTimeout = 30 * time.Second
)

// prepareDemo makes what is missing of the demo workspace and writes dev.json.
func prepareDemo(ctx context.Context, p *program, secrets credentials, dataDir, kind string) (*devFile, error) {
	file := &devFile{
		BaseURL: p.settings.BaseURL, GraphQLURL: p.settings.BaseURL + "/graphql", DatabaseURL: p.settings.DatabaseURL,
		Admin: secrets.Admin,
	}
	if p.admin != nil {
		file.MetricsURL = "http://" + p.admin.Addr() + "/metrics"
	}
	s := p.service
	who, err := s.accounts.PrincipalOf(ctx, secrets.Admin.Email)
	if err != nil {
		return nil, fmt.Errorf("the administrator %s of the data directory: %w", secrets.Admin.Email, err)
	}
	ctx = account.With(ctx, who)
	workspace := who.Workspaces()[0]
	if secrets.APIKey == "" {
		key, err := s.accounts.CreateKey(ctx, workspace, "svc dev", []string{string(account.AnalyticsRead)})
		if err != nil {
			return nil, err
		}
		// The key is shown once, so it is kept before anything else can fail.
		secrets.APIKey = key.Secret
		if err := secrets.write(dataDir); err != nil {
			return nil, err
		}
	}
	file.APIKey = secrets.APIKey
	app, err := s.demoApp(ctx, workspace)
	if err != nil {
		return nil, err
	}
	if kind != "none" {
		if err := s.demoContent(ctx, workspace, app, demoOptions{days: demoHistoryDays, seed: 1, until: time.Now()}); err != nil {
			return nil, err
		}
	}
	if file.Apps, err = s.describeApps(ctx, workspace); err != nil {
		return nil, err
	}
	return file, file.write(dataDir)
}

// demoApp returns the workspace's app, and makes it with one channel an
// environment when there is none.
func (s *service) demoApp(ctx context.Context, workspace uuid.UUID) (*ent.App, error) {
	app, err := s.db.Ent().App.Query().Where(entapp.WorkspaceID(workspace), entapp.Name(demoAppName)).First(ctx)
	if err == nil || !ent.IsNotFound(err) {
		return app, err
	}
	if app, err = s.studio.CreateApp(ctx, workspace, demoAppName); err != nil {
		return nil, err
	}
	for _, kind := range []studio.Kind{environment.KindTest, environment.KindLive} {
		if _, err := s.studio.CreateChannel(ctx, app.ID, kind, "Unassigned"); err != nil {
			return nil, err
		}
	}
	return app, nil
}

// demoOptions say how much history to make, with what seed, and up to when.
type demoOptions struct {
	days  int
	seed  uint64
	until time.Time
}

// demoContent publishes the demo flows, assigns channels and writes the
// history. It does nothing when the app has flows.
func (s *service) demoContent(ctx context.Context, workspace uuid.UUID, app *ent.App, options demoOptions) error {
	if exists, err := s.db.Ent().Flow.Query().Where(entflow.AppID(app.ID)).Exist(ctx); err != nil || exists {
		return err
	}
	if _, err := s.studio.UpdateIntegrations(ctx, studio.IntegrationsChange{
		AppID:      app.ID,
		RevenueCat: &delivery.RevenueCat{Enabled: true}, Superwall: &delivery.Superwall{Enabled: true},
		Stripe: &delivery.Toggle{Enabled: true}, AppsFlyer: &delivery.Toggle{Enabled: true},
	}); err != nil {
		return fmt.Errorf("switch the demo's integrations on: %w", err)
	}
	versions := map[string]uuid.UUID{}
	for _, flow := range []struct{ name, file string }{
		{"Welcome", "linear-onboarding"}, {"Find your plants", "branching-onboarding"}, {"Spring paywall", "paywall-flow"},
	} {
		version, err := s.publishExample(ctx, workspace, app.ID, flow.name, flow.file)
		if err != nil {
			return fmt.Errorf("publish the demo flow %s: %w", flow.name, err)
		}
		versions[flow.file] = version
	}
	for _, kind := range []studio.Kind{environment.KindTest, environment.KindLive} {
		if err := s.demoChannels(ctx, app.ID, kind, versions); err != nil {
			return err
		}
	}
	return s.writeHistory(ctx, app.ID, options)
}

// publishExample makes a flow of an example manifest and publishes it; its
// pictures are made up and uploaded first.
func (s *service) publishExample(ctx context.Context, workspace, app uuid.UUID, name, file string) (uuid.UUID, error) {
	raw, err := examples.Files.ReadFile(file + ".json")
	if err != nil {
		return uuid.Nil, err
	}
	for i, placeholder := range demo.MediaPlaceholders(raw) {
		asset, err := s.studio.UploadMedia(ctx, workspace, studio.Upload{
			Type: "image", Filename: fmt.Sprintf("%s-%d.png", file, i+1), ContentType: "image/png", Content: bytes.NewReader(demo.Picture(uint64(i) + uint64(len(file)))),
		})
		if err != nil {
			return uuid.Nil, err
		}
		raw = []byte(strings.ReplaceAll(string(raw), placeholder, asset.ID.String()))
	}
	flow, err := s.studio.CreateFlow(ctx, app, name, raw)
	if err != nil {
		return uuid.Nil, err
	}
	published, err := s.studio.Publish(ctx, flow.ID, "First")
	if err != nil {
		return uuid.Nil, err
	}
	return published.Version.ID, nil
}

// demoChannels makes one channel of every state.
func (s *service) demoChannels(ctx context.Context, app uuid.UUID, kind studio.Kind, versions map[string]uuid.UUID) error {
	pinned := func(name, file string) (*ent.Channel, error) {
		channel, err := s.studio.CreateChannel(ctx, app, kind, name)
		if err != nil {
			return nil, err
		}
		_, err = s.studio.Pin(ctx, channel.PublicID, versions[file])
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
	if _, err := s.studio.ArchiveChannel(ctx, old.PublicID, old.Name); err != nil {
		return err
	}
	test, err := s.studio.CreateChannel(ctx, app, kind, "Onboarding experiment")
	if err != nil {
		return err
	}
	control, treatment := versions["linear-onboarding"], versions["branching-onboarding"]
	name, ends := "Ask for a goal first", time.Now().AddDate(0, 1, 0)
	experiment, err := s.studio.CreateExperiment(ctx, test.PublicID, studio.ExperimentDraft{
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
	_, err = s.studio.StartExperiment(ctx, experiment.ID)
	return err
}

// describeApps lists the workspace's apps as dev.json shows them.
func (s *service) describeApps(ctx context.Context, workspace uuid.UUID) ([]devApp, error) {
	apps, err := s.db.Ent().App.Query().Where(entapp.WorkspaceID(workspace), entapp.ArchivedAtIsNil()).
		Order(entapp.ByCreatedAt()).
		WithEnvironments(func(q *ent.EnvironmentQuery) {
			q.WithPublishableKeys(func(q *ent.PublishableKeyQuery) {
				q.Where(publishablekey.RevokedAtIsNil()).Order(publishablekey.ByCreatedAt())
			})
			q.WithChannels(func(q *ent.ChannelQuery) { q.Order(entchannel.ByID()) })
		}).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the apps: %w", err)
	}
	list := []devApp{}
	for _, app := range apps {
		described := devApp{ID: app.ID.String(), Name: app.Name, Environments: map[string]devEnvironment{}}
		for _, env := range app.Edges.Environments {
			entry := devEnvironment{Channels: []devChannel{}}
			if keys := env.Edges.PublishableKeys; len(keys) > 0 {
				entry.PublishableKey = keys[len(keys)-1].Key
			}
			for _, channel := range env.Edges.Channels {
				entry.Channels = append(entry.Channels, devChannel{ID: channel.PublicID, Name: channel.Name, State: channelState(channel)})
			}
			described.Environments[string(env.Kind)] = entry
		}
		list = append(list, described)
	}
	return list, nil
}

func channelState(channel *ent.Channel) string {
	switch {
	case channel.ArchivedAt != nil:
		return "archived"
	case channel.Assignment == entchannel.AssignmentDirect:
		return "pinned"
	case channel.Assignment == entchannel.AssignmentExperiment:
		return "experiment"
	}
	return "unassigned"
}

// liveEnvironment is the environment that history is written to, with its
// publishable keys and the channels whose flows its people run.
func (s *service) liveEnvironment(ctx context.Context, app uuid.UUID) (*ent.Environment, error) {
	env, err := s.db.Ent().Environment.Query().Where(environment.AppID(app), environment.KindEQ(environment.KindLive)).
		WithChannels(func(q *ent.ChannelQuery) {
			q.Where(entchannel.ArchivedAtIsNil(), entchannel.AssignmentNEQ(entchannel.AssignmentNone)).Order(entchannel.ByID())
		}).
		WithPublishableKeys(func(q *ent.PublishableKeyQuery) { q.Where(publishablekey.RevokedAtIsNil()) }).
		Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the live environment: %w", err)
	}
	if len(env.Edges.PublishableKeys) == 0 {
		return nil, fmt.Errorf("the live environment has no publishable key")
	}
	return env, nil
}

// served asks the catalogue what a channel gives to a person.
func (s *service) served(key string, channel *ent.Channel, appUserID string) (demo.Served, error) {
	snapshot := s.catalogue.Snapshot()
	delivered, condition := snapshot.Channel(snapshot.Tenant(key), channel.PublicID)
	if condition != "" {
		return demo.Served{}, fmt.Errorf("channel %s: %s", channel.PublicID, condition)
	}
	answer, condition := delivered.Resolve(appUserID, "")
	if condition != "" {
		return demo.Served{}, fmt.Errorf("channel %s: %s", channel.PublicID, condition)
	}
	var content bytes.Buffer
	if err := answer.Body.Write(&content, false); err != nil {
		return demo.Served{}, err
	}
	return demo.ParseServed(content.Bytes())
}
