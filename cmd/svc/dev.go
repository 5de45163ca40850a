package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/dashboard"
	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/postgres/local"
	"github.com/svc-dev/svc/sdk/packages"
)

// devDefaults returns the settings of `svc dev`: everything on this machine, place
// headers believed from it so that made-up visitors have a country, and webhooks sent to it.
func devDefaults() config.Settings {
	settings := config.Defaults()
	settings.AdminAddr = "127.0.0.1:0"
	settings.LogLevel = "warn"
	settings.LogFormat = "text"
	settings.TrustedProxies = []string{"127.0.0.1", "::1"}
	settings.WebhookNetworks = []string{"127.0.0.0/8", "::1"}
	settings.GeoCountryHeader = demo.CountryHeader
	settings.GeoRegionHeader = demo.RegionHeader
	settings.GeoCityHeader = demo.CityHeader
	settings.GeoLatitudeHeader = demo.LatitudeHeader
	settings.GeoLongitudeHeader = demo.LongitudeHeader
	return settings
}

func newDev(t terminal) *cobra.Command {
	var flags serverFlags
	var options devOptions
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine: a database of its own, a demo workspace, the server",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(demoKinds, options.demo) {
				return usageError("--demo must be %s, not %q", strings.Join(demoKinds, ", "), options.demo)
			}
			settings, err := flags.settings(t, devDefaults())
			if err != nil {
				return err
			}
			if roles, err := settings.ServerRoles(); err != nil || len(roles.Lacks()) > 0 {
				return usageError("roles: svc dev needs all of them")
			}
			return runDev(cmd.Context(), t, settings, options)
		},
	}
	flags.bind(cmd, devDefaults())
	cmd.Flags().StringVar(&options.dataDir, "data-dir", ".svc", "directory of the database, uploads and dev.json")
	cmd.Flags().StringVar(
		&options.demo, "demo", "small",
		"none: only a workspace and an app; small: also flows and two weeks of history; live: also visitors, as long as "+
			"it runs",
	)
	cmd.Flags().StringVar(
		&options.example, "example", "", "directory of the built web example, to be served under "+examplePath,
	)
	cmd.Flags().StringVar(
		&options.packages, "packages", "", "directory of the packed SDKs, to be served under "+packages.Path+
			"; without it those that the program holds",
	)
	cmd.Flags().BoolVar(&options.timescale, "timescaledb", true, "use TimescaleDB when it is installed")
	return cmd
}

// devOptions are the flags of `svc dev` that are not settings of a server.
type devOptions struct {
	dataDir   string
	demo      string
	example   string
	packages  string
	timescale bool
}

func runDev(ctx context.Context, t terminal, settings config.Settings, options devOptions) (err error) {
	dataDir, err := filepath.Abs(options.dataDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dataDir, 0o755); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if settings.MediaDir == config.Defaults().MediaDir {
		settings.MediaDir = filepath.Join(dataDir, "media")
	}
	if settings.FrameDir == config.Defaults().FrameDir {
		settings.FrameDir = filepath.Join(dataDir, "frames")
	}
	// A busy port is told before the database is started.
	listener, err := listen("addr", settings.Addr)
	if err != nil {
		return err
	}
	if err := listener.Close(); err != nil {
		return err
	}
	logger := newLogger(settings, os.Stderr)
	if settings.DatabaseURL == "" {
		fmt.Fprintln(t.err, "starting the database in "+filepath.Join(dataDir, "postgres"))
		database, err := local.Start(
			ctx,
			local.Config{Dir: filepath.Join(dataDir, "postgres"), Download: true, Preload: options.timescale, Logger: logger},
		)
		if err != nil {
			return err
		}
		defer func() {
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseStopTimeout)
			defer cancel()
			if stopErr := database.Stop(stopping); err == nil {
				err = stopErr
			}
		}()
		settings.DatabaseURL = database.URL()
		if at, err := url.Parse(settings.DatabaseURL); err == nil && settings.SQLHost == "" {
			settings.SQLHost = at.Host
		}
	}
	// From here on the directory is ours: the database holds its lock.
	if err := removeDevFile(dataDir); err != nil {
		return err
	}
	secrets, err := readCredentials(dataDir)
	if err != nil {
		return err
	}
	settings.AdminEmail, settings.AdminPassword = secrets.Admin.Email, secrets.Admin.Password
	settings.WorkspaceName = "Demo"
	own := &localParts{door: newDoor(secrets.Admin), receiver: &demo.Receiver{}, outbox: &mail.Box{}}
	if options.example != "" {
		own.web = newExample(options.example)
	}
	if options.packages != "" {
		own.packages = os.DirFS(options.packages)
	}
	p, err := start(ctx, settings, logger, own)
	if err != nil {
		return err
	}
	file, err := prepareDemo(ctx, p, own.receiver, secrets, dataDir, options.demo)
	if err == nil && own.web != nil {
		err = own.web.describe(file)
	}
	if err != nil {
		return closeAfter(ctx, p, err)
	}
	if _, built := dashboard.New(); built {
		file.DashboardURL = own.door.link(file.BaseURL)
	}
	if settings.SMTPHost == "" {
		file.OutboxURL = file.BaseURL + welcome.OutboxPath
	}
	file.announce(t.out, dataDir, own.web != nil)
	if options.demo != "none" {
		go simulate(ctx, p.service, file, options.demo == "live", logger)
	}
	defer func() { err = errors.Join(err, removeDevFile(dataDir)) }()
	return p.runUntilSignal(ctx)
}

// closeAfter ends a server whose preparation failed.
func closeAfter(ctx context.Context, p *program, err error) error {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseStopTimeout)
	defer cancel()
	if closeErr := p.close(closing); closeErr != nil {
		p.logger.Error("close", "error", closeErr)
	}
	return err
}

// peopleOf returns who visited the demo app before, to go on with.
func (s *service) peopleOf(ctx context.Context, app uuid.UUID) *demo.World {
	until := time.Now()
	if made, err := s.db.Ent().App.Get(ctx, app); err == nil {
		until = made.CreatedAt
	}
	return demo.History{Days: demoHistoryDays, Seed: demoSeed, Until: until}.Continue()
}

// simulate lets people buy who get the demo's reminder, and visitors loose when they are wanted, on the first app that
// has a flow to resolve.
func simulate(ctx context.Context, s *service, file *devFile, visitors bool, logger *slog.Logger) {
	for _, app := range file.Apps {
		live := app.Environments["live"]
		client := &demo.Client{BaseURL: file.BaseURL, Key: live.PublishableKey, Channels: map[string]string{}}
		for _, channel := range live.Channels {
			if channel.State == "pinned" || channel.State == "experiment" {
				client.Channels[channel.Name] = channel.ID
			}
		}
		if len(client.Channels) == 0 {
			continue
		}
		id, err := uuid.Parse(app.ID)
		if err == nil {
			client.Report, err = s.demo().Reporter(ctx, id, file.BaseURL)
		}
		if err != nil {
			logger.Error("demo visitors can't buy", "error", err)
		} else {
			reminder := demo.Reminder{DB: s.db, Automations: s.automations}
			go reminder.Convince(ctx, id, client.Report, logger)
		}
		if visitors {
			go s.demo().Renew(ctx, id, file.BaseURL)
			client.Run(ctx, s.peopleOf(ctx, id), logger)
		}
		return
	}
}
