package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	entchannel "github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/publishablekey"
)

// demoKinds are the values of --demo.
var demoKinds = []string{"none", "small", "live"}

const (
	demoAdminEmail      = "admin@svc.localhost"
	demoHistoryDays     = 14
	demoSeed            = 1
	databaseStopTimeout = 30 * time.Second
)

// demo returns what makes the demo app in the service's database.
func (s *service) demo() *demo.Seeder {
	return &demo.Seeder{
		DB: s.db, Studio: s.studio, Catalogue: s.catalogue, Ledger: s.ledger, Ring: s.ring,
		Writers: s.settings.IngestWriters, Alerts: s.alerts, Scheduled: s.scheduled, Logger: s.logger,
	}
}

// devScopes returns the scopes of the key that `svc dev` prints: all, so that every command of the
// documentation works as it is written. A data directory whose key has others gets a new key.
func devScopes() []string {
	var scopes []string
	for _, capability := range account.AllCapabilities() {
		scopes = append(scopes, string(capability))
	}
	return scopes
}

// prepareDemo makes what is missing of the demo workspace and writes dev.json.
func prepareDemo(
	ctx context.Context, p *program, receiver *demo.Receiver, secrets credentials, dataDir, kind string,
) (*devFile, error) {
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
	if scopes := devScopes(); !slices.Equal(secrets.Scopes, scopes) {
		key, err := s.accounts.CreateKey(ctx, workspace, "svc dev", slices.Clone(scopes), nil)
		if err != nil {
			return nil, err
		}
		// The key is shown once, so it is kept before anything else can fail.
		secrets.APIKey, secrets.Scopes = key.Secret, scopes
		if err := secrets.write(dataDir); err != nil {
			return nil, err
		}
	}
	file.APIKey = secrets.APIKey
	app, err := s.demo().CreateApp(ctx, workspace)
	if err != nil {
		return nil, err
	}
	if kind != "none" {
		history := demo.History{Days: demoHistoryDays, Seed: demoSeed, Until: time.Now()}
		if err := s.demo().Fill(ctx, app, history); err != nil {
			return nil, err
		}
		if err := prepareReminder(ctx, p, receiver, app, secrets, dataDir); err != nil {
			return nil, err
		}
	}
	if file.Apps, err = s.describeApps(ctx, workspace); err != nil {
		return nil, err
	}
	if kind != "none" {
		// Of an app that somebody has changed there may be nothing to see.
		file.sights, err = s.demo().Sights(ctx, app.ID)
		if err != nil && !ent.IsNotFound(err) {
			return nil, err
		}
	}
	return file, file.write(dataDir)
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
				entry.Channels = append(
					entry.Channels, devChannel{ID: channel.PublicID, Name: channel.Name, State: channelState(channel)},
				)
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
