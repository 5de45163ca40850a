package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/audience"
	"github.com/svc-dev/svc/customer"
	"github.com/svc-dev/svc/dashboard"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/liveusers"
	servedpeople "github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/demo"
	"github.com/svc-dev/svc/internal/seal"
	background "github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/notification/watch"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/privacy"
	"github.com/svc-dev/svc/resolvers"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/receive"
	"github.com/svc-dev/svc/sdkapi"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/media"
	"github.com/svc-dev/svc/upkeep"
	"github.com/svc-dev/svc/webhook"
	"github.com/svc-dev/svc/welcome"
)

// service is the product on a migrated database, without listeners.
type service struct {
	settings  config.Settings
	db        *postgres.DB
	catalogue *delivery.Catalogue
	writer    *ingest.Writer
	accounts  *account.Accounts
	studio    *studio.Studio
	media     *media.Directory
	sdk       *sdkapi.API
	webhooks  *receive.Handler
	ledger    *revenue.Ledger
	ring      *seal.Ring // encrypts secrets of connections
	graphql   http.Handler
	// automations are told what is stored and work by themselves.
	automations *automation.Automations
	logger      *slog.Logger

	streams background.Loops // requests without an end
	parts   background.Group // what runs by itself, in the order of starting
}

// startService wires the parts and starts those that work by themselves.
func startService(
	ctx context.Context, settings config.Settings, db *postgres.DB, registry prometheus.Registerer, logger *slog.Logger,
) (s *service, err error) {
	s = &service{settings: settings, db: db, logger: logger}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
			s = nil
		}
	}()
	memory := usableMemory(logger)
	bodies := bodyMemory(settings, memory)
	observeBodies(registry, bodies)
	s.catalogue = delivery.New(db.Pool, delivery.Options{MediaBase: settings.MediaBaseURL, Logger: logger})
	if err := s.catalogue.Start(ctx); err != nil {
		return s, fmt.Errorf("read what channels serve: %w", err)
	}
	s.onClose(s.catalogue.Stop)
	observeAge(registry, "svc_delivery_age_seconds", "Time since all that channels serve was last read.", s.catalogue.Age)

	locator, err := newLocator(settings)
	if err != nil {
		return s, err
	}
	if s.ring, err = secretRing(ctx, settings, revenue.New(db.Pool, revenue.Options{}), logger); err != nil {
		return s, err
	}
	networks, err := settings.AllowedWebhookNetworks()
	if err != nil {
		return s, err
	}
	sender := webhook.NewSender(webhook.Options{Allowed: networks})
	s.automations, err = automation.New(db, automation.Options{
		Sender: sender, Ring: s.ring, EntriesPerDay: settings.AutomationEntriesPerDay, Logger: logger,
	})
	if err != nil {
		return s, err
	}
	if err := s.parts.Start(ctx, "automations", s.automations); err != nil {
		return s, err
	}
	deps := ingest.Deps{
		Locator: locator, AssignmentVersion: s.catalogue.AssignmentVersion, Automations: s.automations, Logger: logger,
	}
	if s.writer, err = ingest.New(db, ingestSettings(settings), deps); err != nil {
		return s, fmt.Errorf("start ingest: %w", err)
	}
	observeQueue(registry, s.writer)
	if err := s.parts.Start(ctx, "ingest", s.writer); err != nil {
		return s, err
	}

	proxies, err := settings.ProxyNetworks()
	if err != nil {
		return s, err
	}
	s.accounts = account.New(db.Ent(), db.Pool, account.Options{
		Secure: isHTTPS(settings.BaseURL), TrustedProxies: proxies, OperatorKey: settings.OperatorKey,
		Logger: logger,
	})
	if s.media, err = media.NewDirectory(settings.MediaDir); err != nil {
		return s, err
	}
	s.ledger = revenue.New(db.Pool, revenue.Options{Follower: s.automations})
	s.webhooks = receive.New(receive.Deps{
		Pool: db.Pool, Ledger: s.ledger, Ring: s.ring, Bodies: bodies, TrustedProxies: proxies, Logger: logger,
	})
	erasing := privacy.New(db)
	s.studio = studio.New(db.Ent(), studio.Options{
		Delivery: s.catalogue, Media: s.media, Privacy: erasing, Automations: s.automations,
		Books: s.ledger, Webhooks: s.webhooks, Ring: s.ring, Logger: logger,
	})
	counter := servedpeople.New(db.Pool, servedpeople.Options{Logger: logger})
	if err := s.parts.Start(ctx, "served counts", counter); err != nil {
		return s, err
	}
	active := liveusers.New(db.Pool, liveusers.Options{Logger: logger})
	if err := s.parts.Start(ctx, "monthly active users", active); err != nil {
		return s, err
	}
	stores := sdkapi.Stores{
		Events: s.writer, People: customer.New(db.Pool, customer.Options{Linked: s.ledger.CustomUserLinked}),
		Payments: s.ledger, Previews: s.studio, Served: counter, LiveUsers: active,
	}
	s.sdk = sdkapi.New(s.catalogue, stores, sdkapi.Config{
		Limits:         sdkapi.Limits{PerKey: settings.RateLimitKey, PerAddress: settings.RateLimitAddress},
		TrustedProxies: proxies,
		Bodies:         bodies,
		ServerKeys:     s.accounts,
		Gate:           sdkapi.PlanGate{Grace: settings.PastDueGrace, LiveUsers: active},
		Logger:         logger,
	})
	reports := store.New(db.Pool, store.Settings{Budget: frameMemory(settings, memory), MaxAge: reportAge, Logger: logger})
	if err := s.parts.Start(ctx, "reports", reports); err != nil {
		return s, err
	}
	observeAge(
		registry, "svc_reports_age_seconds",
		"Time since the environment whose reports are oldest was last compared with the database; 0 when none is open.",
		reports.Age,
	)
	entering := automation.WatchSegments(s.automations, &audience.Segments{
		Client: db.Ent(), Stored: s.studio, Reports: reports,
	})
	if err := s.parts.Start(ctx, "segments of automations", entering); err != nil {
		return s, err
	}
	if settings.WarmDays > 0 {
		reports.Warm(settings.WarmDays)
	}
	keeping := upkeep.New(db, upkeep.Settings{
		Window: settings.DedupWindow, Retention: settings.EventRetention,
	}, upkeep.Deps{
		EndExperiments: s.studio.ExpireExperiments, CarryErasure: erasing.CarryOldest,
		MergeServed: func(ctx context.Context) (bool, error) { return servedpeople.Merge(ctx, db.Pool) },
		Lookouts: lookouts(&watch.Watch{
			Pool: db.Pool, Client: db.Ent(), Reports: reports, Grace: settings.PastDueGrace, Logger: logger,
		}),
		Registry: registry, Logger: logger,
	})
	if err := s.parts.Start(ctx, "upkeep", keeping); err != nil {
		return s, err
	}
	s.graphql = resolvers.NewHandler(resolvers.Deps{
		DB: db, Accounts: s.accounts, Studio: s.studio, Reports: reports, Automations: s.automations,
		Revenue:      figures.NewLedgers(db.Pool, figures.Settings{Budget: frameMemory(settings, memory) / 4}),
		PastDueGrace: settings.PastDueGrace, Bodies: bodies, TrustedProxies: proxies, Streams: &s.streams, Logger: logger,
	})
	return s, s.bootstrap(ctx)
}

// lookouts are how often the leader of all servers looks for what members of workspaces are told of.
func lookouts(w *watch.Watch) []upkeep.Lookout {
	return []upkeep.Lookout{
		{Name: "watch_plans", Every: 10 * time.Second, Begin: upkeep.Look(w.Plans)},
		{Name: "watch_ingest", Every: time.Minute, Begin: upkeep.Look(w.RefusedEvents)},
		{Name: "watch_revenue", Every: 10 * time.Minute, Begin: upkeep.Look(w.Revenue)},
		{Name: "watch_experiments", Every: time.Hour, Begin: w.Splits},
	}
}

// drain ends requests that would go on for ever.
func (s *service) drain(ctx context.Context) error { return s.streams.Stop(ctx) }

// onClose remembers how to end what runs already. What it ends has no error to
// name it by.
func (s *service) onClose(end func(context.Context) error) {
	_ = s.parts.Start(context.Background(), "part", background.StopFunc(end)) // starts nothing
}

// close ends the parts, last started first.
func (s *service) close(ctx context.Context) error { return s.parts.Stop(ctx) }

// register adds the product's paths to mux, and what only `svc dev` serves
// unless that is nil.
func (s *service) register(mux *http.ServeMux, local *localParts) {
	s.sdk.Register(mux)
	s.webhooks.Register(mux)
	mux.Handle("/graphql", s.graphql)
	mux.Handle("GET /media/", media.Handler(s.media, s.logger))
	pages := welcome.Pages{BaseURL: s.settings.BaseURL, SetupLink: s.accounts.SetupLink, Logger: s.logger}
	if local != nil {
		local.door.register(mux, s.accounts)
		mux.Handle("POST "+reminderPath, local.receiver)
	}
	if local != nil && local.web != nil {
		local.web.register(mux)
		billing := &demo.Billing{Pool: s.db.Pool, Ring: s.ring, BaseURL: s.settings.BaseURL}
		(&demo.Checkout{DB: s.db, Billing: billing, Logger: s.logger}).Register(mux, checkoutPath)
		pages.ExamplePath = examplePath
	}
	application, built := dashboard.New()
	pages.Dashboard = built
	pages.Register(mux)
	if built {
		application.Register(mux, pages.ExamplePath)
	} else {
		pages.RegisterIndex(mux)
	}
}

// bootstrap makes the first administrator, or logs where to make one.
func (s *service) bootstrap(ctx context.Context) error {
	token, err := s.accounts.Bootstrap(ctx, s.settings.AdminEmail, s.settings.AdminPassword, s.settings.WorkspaceName)
	if err != nil {
		return err
	}
	if token != "" {
		s.logger.Warn(
			"no administrator yet: open this address once to make one", "url", s.settings.BaseURL+"/setup?token="+token,
		)
	}
	return nil
}

// reportAge is how long before a request its look at the database may have
// begun. Half of the promised second leaves the other half for the look itself.
const reportAge = 500 * time.Millisecond

func ingestSettings(settings config.Settings) ingest.Settings {
	return ingest.Settings{
		Writers: settings.IngestWriters, QueueEvents: settings.IngestQueue / settings.IngestWriters,
		Window: settings.DedupWindow, SessionHitLimit: settings.SessionHits, RunHitLimit: settings.RunHits,
		NameBudget: settings.NewNamesPerDay,
	}
}

// secretRing returns what encrypts the secrets of connections: the keys of the setting, else that of the database,
// which decrypts what it encrypted before there was a setting. Secrets are encrypted anew when the key has changed.
func secretRing(
	ctx context.Context, settings config.Settings, ledger *revenue.Ledger, logger *slog.Logger,
) (*seal.Ring, error) {
	keys, err := seal.ParseKeys(settings.SecretKeys)
	if err != nil {
		return nil, fmt.Errorf("secret_keys: %w", err)
	}
	shared, err := ledger.DatabaseKey(ctx)
	if err != nil {
		return nil, err
	}
	ring, err := seal.NewRing(append(keys, shared)...)
	if err != nil {
		return nil, err
	}
	anew, err := ledger.SealAnew(ctx, ring)
	if err == nil && anew > 0 {
		logger.Info("secrets of connections are encrypted with another key", "key", ring.Current(), "secrets", anew)
	}
	return ring, err
}

func newLocator(settings config.Settings) (ingest.Locator, error) {
	if settings.GeoDatabase != "" {
		file, err := ingest.OpenGeoFile(settings.GeoDatabase)
		if err != nil {
			return nil, fmt.Errorf("geo_database: %w", err)
		}
		return file, nil
	}
	return ingest.GeoHeaders{
		Country: settings.GeoCountryHeader, Region: settings.GeoRegionHeader, City: settings.GeoCityHeader,
		Latitude: settings.GeoLatitudeHeader, Longitude: settings.GeoLongitudeHeader,
	}, nil
}
