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

	"github.com/svc-dev/svc/automation/alerting"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/cmd/svc/demo/flows"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/integration"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/studio"
)

// AppName is the name of the demo app.
const AppName = "Tendril"

// The treatments of the experiments: the onboarding that begins with its first question, and the offer that counts
// down.
const (
	goalFirst = "onboarding-goal-first"
	countdown = "paywall-countdown"
)

// The channels with experiments.
const (
	onboardingExperiment = "Onboarding experiment"
	paywallExperiment    = "Paywall experiment"
)

// flowNames are what the flows are called in the dashboard.
var flowNames = map[string]string{
	"onboarding": "Welcome", "paywall": "Tendril Plus", "reminders": "Reminders", "winback": "Before you go",
	"survey": "How are we growing?", goalFirst: "Welcome, goal first",
	countdown: "Tendril Plus, countdown",
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
	Ledger    *revenue.Ledger
	Ring      *seal.Ring // what secrets of connections are encrypted with
	Writers   int        // how many batches of events are stored at the same time
	Alerts    *alerting.Alerting
	Scheduled *scheduledreport.Reports
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

// Fill connects billing providers, publishes the demo flows, makes a channel of every state in both environments,
// writes the history of the live one and makes goals, funnels, an alert that fires and a report that comes every week.
// When the app has flows already, it makes missing connections alone.
func (s *Seeder) Fill(ctx context.Context, app *ent.App, history History) error {
	if err := s.connectProviders(ctx, app.ID); err != nil {
		return fmt.Errorf("connect the billing providers of the demo app: %w", err)
	}
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
	if err := s.publishOnboarding(ctx, app, art, versions, history.start()); err != nil {
		return fmt.Errorf("publish the demo flow onboarding: %w", err)
	}
	for _, file := range flows.Names {
		if file == "onboarding" {
			continue
		}
		manifest, err := flows.Manifest(file)
		if err == nil {
			versions[file], err = s.publish(ctx, app, flowNames[file], art.Replace(string(manifest)))
		}
		if err != nil {
			return fmt.Errorf("publish the demo flow %s: %w", file, err)
		}
	}
	for _, t := range []struct {
		name, of string
		edit     func(manifest map[string]any)
	}{{goalFirst, "onboarding", dropWelcome}, {countdown, "paywall", addCountdown}} {
		if versions[t.name], err = s.publishEdited(ctx, app, t.name, t.of, art, t.edit); err != nil {
			return fmt.Errorf("publish the demo flow %s: %w", t.name, err)
		}
	}
	for _, kind := range []studio.Kind{environment.KindTest, environment.KindLive} {
		if err := s.createChannels(ctx, app.ID, kind, versions, history.start()); err != nil {
			return fmt.Errorf("make the %s channels of the demo app: %w", kind, err)
		}
	}
	if err := s.writeHistory(ctx, app.ID, history, versions); err != nil {
		return fmt.Errorf("write the history of the demo app: %w", err)
	}
	if err := s.createGoals(ctx, app.ID); err != nil {
		return fmt.Errorf("make the goals of the demo app: %w", err)
	}
	if err := s.createFunnels(ctx, app.ID); err != nil {
		return fmt.Errorf("make the funnels of the demo app: %w", err)
	}
	if err := s.createAlert(ctx, app.ID, history); err != nil {
		return fmt.Errorf("make the alert of the demo app: %w", err)
	}
	if err := s.scheduleReport(ctx, app.ID); err != nil {
		return fmt.Errorf("schedule the report of the demo app: %w", err)
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

// publishEdited publishes a flow of the repository with a change, under another name.
func (s *Seeder) publishEdited(
	ctx context.Context, app *ent.App, name, of string, art *strings.Replacer, edit func(manifest map[string]any),
) (uuid.UUID, error) {
	raw, err := flows.Manifest(of)
	if err != nil {
		return uuid.Nil, err
	}
	var manifest map[string]any
	if err := json.Unmarshal([]byte(art.Replace(string(raw))), &manifest); err != nil {
		return uuid.Nil, err
	}
	edit(manifest)
	edited, err := json.Marshal(manifest)
	if err != nil {
		return uuid.Nil, err
	}
	return s.publish(ctx, app, flowNames[name], string(edited))
}

// dropWelcome lets the onboarding begin with its first question.
func dropWelcome(manifest map[string]any) {
	screens := manifest["screens"].([]any)
	manifest["screens"] = screens[1:]
	manifest["entryScreenId"] = screens[1].(map[string]any)["id"]
}

// addCountdown puts a counter that runs down from a quarter of an hour above the plans of the offer.
func addCountdown(manifest map[string]any) {
	eachChildren(manifest["screens"], func(layer map[string]any, children []any) {
		for i, child := range children {
			if child.(map[string]any)["id"] == "lyr_offer_plans" {
				layer["children"] = slices.Insert(children, i, any(map[string]any{
					"id": "lyr_offer_countdown", "kind": "counter", "startValue": 900, "endValue": 0, "displayKind": "time",
					"timeFormat": "mm_ss", "style": map[string]any{
						"fontSize": 20, "fontWeight": 700, "width": "auto", "height": "auto",
						"color": map[string]any{"light": "#1f6b4a", "dark": "#86d6a8"},
					},
				}))
				return
			}
		}
	})
}

// eachChildren calls visit with every layer below a value that has children.
func eachChildren(value any, visit func(layer map[string]any, children []any)) {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			eachChildren(member, visit)
		}
		if children, ok := value["children"].([]any); ok {
			visit(value, children)
		}
	case []any:
		for _, member := range value {
			eachChildren(member, visit)
		}
	}
}

// createChannels makes a pinned channel for every place of the app that opens a
// flow, an archived one and two with experiments that run since a time.
func (s *Seeder) createChannels(
	ctx context.Context, app uuid.UUID, kind studio.Kind, versions map[string]uuid.UUID, since time.Time,
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
		version := file
		if file == "onboarding" && kind == environment.KindLive { // until the history is at its second version
			version = longOnboarding
		}
		if _, err := pinned(channelNames[file], version); err != nil {
			return err
		}
	}
	old, err := pinned("Old onboarding", longOnboarding)
	if err != nil {
		return err
	}
	if _, err := s.Studio.ArchiveChannel(ctx, old.PublicID, old.Name); err != nil {
		return err
	}
	for _, x := range []struct {
		channel, name      string
		control, treatment studio.VariantDraft
	}{
		{
			onboardingExperiment, "Ask for a goal first",
			studio.VariantDraft{Key: "control", Name: "Welcome first", VersionID: versionOf(versions, "onboarding")},
			studio.VariantDraft{Key: "goal-first", Name: "Goal first", VersionID: versionOf(versions, goalFirst)},
		},
		{
			paywallExperiment, "Count the offer down",
			studio.VariantDraft{Key: "control", Name: "Offer as it is", VersionID: versionOf(versions, "paywall")},
			studio.VariantDraft{Key: "countdown", Name: "Countdown", VersionID: versionOf(versions, countdown)},
		},
	} {
		tested, err := s.Studio.CreateChannel(ctx, app, kind, x.channel)
		if err != nil {
			return err
		}
		x.control.Weight, x.treatment.Weight = 1, 1
		arms := []studio.VariantDraft{x.control, x.treatment}
		if err := s.startExperiment(ctx, tested.PublicID, x.name, arms, since); err != nil {
			return fmt.Errorf("start the experiment %q: %w", x.name, err)
		}
	}
	return nil
}

func versionOf(versions map[string]uuid.UUID, name string) *uuid.UUID {
	id := versions[name]
	return &id
}

// startExperiment starts an experiment on a channel as if that had been done at the beginning of the history.
func (s *Seeder) startExperiment(
	ctx context.Context, channel, name string, arms []studio.VariantDraft, since time.Time,
) error {
	ends := time.Now().AddDate(0, 0, 2) // of the story: it is about to be decided
	experiment, err := s.Studio.CreateExperiment(ctx, channel, studio.ExperimentDraft{
		Name: &name, EndsAt: &ends, Variants: arms, Planner: json.RawMessage(`{"baseline": 0.45, "effect": 0.12}`),
	})
	if err != nil {
		return err
	}
	if _, err = s.Studio.StartExperiment(ctx, experiment.ID); err != nil {
		return err
	}
	return s.DB.Ent().Experiment.UpdateOneID(experiment.ID).SetStartedAt(since).Exec(ctx)
}
