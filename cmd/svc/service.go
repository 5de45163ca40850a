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
	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/alerting"
	"github.com/svc-dev/svc/automation/audience"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/automation/notification/watch"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/dashboard"
	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/liveusers"
	servedpeople "github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/docs/site"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/archive/exports"
	"github.com/svc-dev/svc/ingest/history/uploads"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/peers"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/internal/seal"
	background "github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/throttle"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/maintenance"
	"github.com/svc-dev/svc/mcpserver"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/resolvers"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/receive"
	"github.com/svc-dev/svc/sdk/packages"
	"github.com/svc-dev/svc/sdkapi"
	"github.com/svc-dev/svc/studio"
	"github.com/svc-dev/svc/studio/media"
)

// service is the product on a migrated database, without listeners.
type service struct {
	settings  config.Settings
	roles     role.Set
	db        *postgres.DB
	catalogue *delivery.Catalogue
	writer    *ingest.Writer // nil without the role ingest
	accounts  *account.Accounts
	studio    *studio.Studio
	media     *media.Directory
	sdk       *sdkapi.API
	webhooks  *receive.Handler
	ledger    *revenue.Ledger
	ring      *seal.Ring   // encrypts secrets of connections
	graphql   http.Handler // nil without the role reports
	mcp       http.Handler // as graphql
	packages  *packages.Packages
	docs      *site.Site // nil without the role reports
	mails     *bymail.Mails
	scheduled *scheduledreport.Reports
	alerts    *alerting.Alerting
	imports   *uploads.Uploads
	exports   *exports.Exports
	// automations are told what is stored and work by themselves.
	automations *automation.Automations
	peers       *peers.Peers // the other servers of the database
	// filesChecked is the Files of peers; nil without reports.
	filesChecked func() (time.Duration, bool)
	linksAway    throttle.PerSecond // what is logged of shared links that can't be read
	logger       *slog.Logger

	streams background.Loops // requests without an end
	parts   background.Group // what runs by itself, in the order of starting
}

// startService wires the parts and starts those of the server's roles that work by themselves. A box keeps email where
// no SMTP server is set; nil means that none is sent then.
func startService(
	ctx context.Context, settings config.Settings, db *postgres.DB, box *mail.Box, registry prometheus.Registerer,
	logger *slog.Logger,
) (s *service, err error) {
	s = &service{settings: settings, db: db, logger: logger, packages: packages.New(settings.BaseURL)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
			s = nil
		}
	}()
	if s.roles, err = settings.ServerRoles(); err != nil {
		return s, err
	}
	observeRoles(registry, s.roles)
	memory := usableMemory(logger)
	bodies := bodyMemory(settings, memory)
	observeBodies(registry, bodies)
	if s.ring, err = secretRing(ctx, settings, db, revenue.New(db.Pool, revenue.Options{}), logger); err != nil {
		return s, err
	}
	s.catalogue = delivery.New(
		db.Pool, delivery.Options{MediaBase: settings.MediaBaseURL, Ring: s.ring, Logger: logger},
	)
	if err := s.catalogue.Start(ctx); err != nil {
		return s, fmt.Errorf("read what channels serve: %w", err)
	}
	s.onClose(s.catalogue.Stop)
	observeAge(registry, "svc_delivery_age_seconds", "Time since all that channels serve was last read.", s.catalogue.Age)

	networks, err := settings.AllowedWebhookNetworks()
	if err != nil {
		return s, err
	}
	sender := webhook.NewSender(webhook.Options{Allowed: networks, Logger: logger})
	mails, err := s.prepareMail(ctx, box)
	if err != nil {
		return s, err
	}
	s.automations, err = automation.New(db, automation.Options{
		Sender: sender, Mail: mails, Ring: s.ring, EntriesPerDay: settings.AutomationEntriesPerDay,
		LeaveJobs: !s.roles.Has(role.Ingest), Logger: logger,
	})
	if err != nil {
		return s, err
	}
	// What resolves tells automations nothing.
	if s.roles.Has(role.Ingest) || s.roles.Has(role.Reports) {
		if err := s.parts.Start(ctx, "automations", s.automations); err != nil {
			return s, err
		}
	}

	proxies, err := settings.ProxyNetworks()
	if err != nil {
		return s, err
	}
	s.accounts = account.New(db.Ent(), db.Pool, account.Options{
		Secure: isHTTPS(settings.BaseURL), TrustedProxies: proxies, OperatorKey: settings.OperatorKey,
		Ring: s.ring, BaseURL: settings.BaseURL, Provider: openIDProvider(settings), Logger: logger,
	})
	s.mails.Accounts = s.accounts
	s.scheduled = &scheduledreport.Reports{
		Pool: db.Pool, Accounts: s.accounts, Mails: s.mails, Poster: sender, Ring: s.ring, BaseURL: settings.BaseURL,
	}
	s.imports = &uploads.Uploads{
		DB: db, Ingest: ingestSettings(settings), HitLimit: settings.SessionHits, Logger: logger,
	}
	s.exports = &exports.Exports{
		Pool: db.Pool, Ring: s.ring, Transport: webhook.NewTransport(networks), Logger: logger,
	}
	if s.servesMedia() {
		if s.media, err = media.NewDirectory(settings.MediaDir); err != nil {
			return s, err
		}
	}
	s.ledger = revenue.New(db.Pool, revenue.Options{Follower: s.automations})
	s.webhooks = receive.New(receive.Deps{
		Pool: db.Pool, Ledger: s.ledger, Ring: s.ring, Bodies: bodies, TrustedProxies: proxies, Logger: logger,
	})
	s.studio = studio.New(db.Ent(), studio.Options{
		Delivery: s.catalogue, Media: s.media, MediaStorage: settings.MediaStorage,
		Privacy: privacy.New(db), Automations: s.automations,
		Books: s.ledger, Webhooks: s.webhooks, Ring: s.ring, Notifications: db.Pool, Logger: logger,
	})
	s.alerts = &alerting.Alerting{
		Pool: db.Pool, Studio: s.studio, Poster: sender, Ring: s.ring, BaseURL: settings.BaseURL, Logger: logger,
	}
	if err := s.startSDK(ctx, registry, sdkapi.Config{
		Limits:         sdkapi.Limits{PerKey: settings.RateLimitKey, PerAddress: settings.RateLimitAddress},
		TrustedProxies: proxies,
		Bodies:         bodies,
		ServerKeys:     s.accounts,
		Roles:          s.roles,
		Logger:         logger,
	}); err != nil {
		return s, err
	}
	if s.roles.Has(role.Reports) {
		if err := s.startReports(ctx, registry, frameMemory(settings, memory), resolvers.Deps{
			DB: db, Accounts: s.accounts, Studio: s.studio, Automations: s.automations, PastDueGrace: settings.PastDueGrace,
			Bodies: bodies, TrustedProxies: proxies, Streams: &s.streams, Logger: logger, Packages: s.packages,
			Mails: s.mails, ScheduledReports: s.scheduled, SQLHost: settings.SQLHost, Imports: s.imports,
			Exports: s.exports,
		}); err != nil {
			return s, err
		}
	}
	s.peers = peers.New(db.Pool, peers.Options{
		Roles: s.roles, Limits: s.sdk.SharedLimits(), Files: s.filesChecked, Logger: logger,
	})
	return s, s.parts.Start(ctx, "peers", s.peers)
}

// standing is what /readyz says of the server among those of its database.
func (s *service) standing() map[string]any {
	return map[string]any{"roles": s.roles, "missingRoles": append(role.Set{}, s.peers.Missing()...)}
}

// startSDK starts what the paths of SDKs need that the server serves, and wires them.
func (s *service) startSDK(ctx context.Context, registry prometheus.Registerer, config sdkapi.Config) error {
	stores := sdkapi.Stores{Previews: s.studio}
	if s.roles.Has(role.Ingest) {
		locator, err := newLocator(s.settings)
		if err != nil {
			return err
		}
		if s.writer, err = ingest.New(s.db, ingestSettings(s.settings), ingest.Deps{
			Locator: locator, AssignmentVersion: s.catalogue.AssignmentVersion, Automations: s.automations, Logger: s.logger,
		}); err != nil {
			return fmt.Errorf("start ingest: %w", err)
		}
		observeQueue(registry, s.writer)
		if err := s.parts.Start(ctx, "ingest", s.writer); err != nil {
			return err
		}
		stores.Events, stores.Payments = s.writer, s.ledger
		stores.People = people.New(s.db.Pool, people.Options{Linked: s.ledger.CustomUserLinked})
	}
	if s.roles.Has(role.Resolve) {
		counter := servedpeople.New(s.db.Pool, servedpeople.Options{Logger: s.logger})
		if err := s.parts.Start(ctx, "served counts", counter); err != nil {
			return err
		}
		stores.Served, stores.Arms = counter, sticky.New(s.db.Pool, sticky.Options{Logger: s.logger})
	}
	if s.roles.Has(role.Ingest) || s.roles.Has(role.Resolve) {
		active := liveusers.New(s.db.Pool, liveusers.Options{Logger: s.logger})
		if err := s.parts.Start(ctx, "monthly active users", active); err != nil {
			return err
		}
		proofs := proof.NewCounter(s.db.Pool, proof.Options{Logger: s.logger})
		if err := s.parts.Start(ctx, "counts of proofs", proofs); err != nil {
			return err
		}
		stores.Proofs = proofs
		stores.LiveUsers, config.Gate = active, sdkapi.PlanGate{Grace: s.settings.PastDueGrace, LiveUsers: active}
	}
	s.sdk = sdkapi.New(s.catalogue, stores, config)
	return nil
}

// startReports starts the report engine and what keeps the database in order, makes the first administrator, and wires
// GraphQL. The engine may take memory bytes.
func (s *service) startReports(
	ctx context.Context, registry prometheus.Registerer, memory int64, deps resolvers.Deps,
) error {
	shown, err := site.New(s.settings.BaseURL, s.logger)
	if err != nil {
		return err
	}
	s.docs = shown
	files := openFrames(s.settings, s.logger)
	if files != nil {
		s.onClose(func(context.Context) error { return files.Close() })
	}
	reports := store.New(s.db.Pool, store.Settings{Budget: memory, MaxAge: reportAge, Files: files, Logger: s.logger})
	observeFrames(registry, reports, files)
	if err := s.parts.Start(ctx, "reports", reports); err != nil {
		return err
	}
	observeAge(
		registry, "svc_reports_age_seconds",
		"Time since the environment whose reports are oldest was last compared with the database; 0 when none is open.",
		reports.Age,
	)
	entering := automation.WatchSegments(s.automations, &audience.Segments{
		Client: s.db.Ent(), Stored: s.studio, Reports: reports,
	})
	if err := s.parts.Start(ctx, "segments of automations", entering); err != nil {
		return err
	}
	if s.settings.WarmDays > 0 {
		reports.Warm(s.settings.WarmDays)
	}
	s.alerts.Reports = reports
	keeping := maintenance.New(s.db, maintenance.Settings{
		Window: s.settings.DedupWindow, Retention: s.settings.EventRetention,
	}, maintenance.Deps{
		EndExperiments: s.studio.ExpireExperiments, CarryErasure: privacy.New(s.db).CarryOldest,
		MergeServed:   func(ctx context.Context) (bool, error) { return servedpeople.Merge(ctx, s.db.Pool) },
		RebookRevenue: s.ledger.Rebook,
		Lookouts: lookouts(&watch.Watch{
			Pool: s.db.Pool, Client: s.db.Ent(), Reports: reports, Grace: s.settings.PastDueGrace, Logger: s.logger,
		}, s.studio, s.studio.Watcher(reports), s.alerts, s.scheduled),
		Registry: registry, Logger: s.logger,
	})
	if err := s.parts.Start(ctx, "maintenance", keeping); err != nil {
		return err
	}
	deps.Reports, deps.Revenue = reports, figures.NewLedgers(s.db.Pool, figures.Settings{Budget: memory / 4})
	s.filesChecked = reports.FilesChecked
	s.graphql = resolvers.NewHandler(deps)
	if err := s.parts.Start(ctx, "imports", s.imports); err != nil {
		return err
	}
	if err := s.parts.Start(ctx, "exports", s.exports); err != nil {
		return err
	}
	if err := s.startMail(ctx); err != nil {
		return err
	}
	s.mcp = mcpserver.NewHandler(mcpserver.Deps{
		GraphQL: s.graphql, Accounts: s.accounts, Bodies: deps.Bodies, Screens: s.screens(),
		BaseURL: s.settings.BaseURL, Version: buildVersion(), Logger: s.logger,
	})
	return s.bootstrap(ctx)
}

// lookouts are how often the leader of all servers looks for what members of workspaces are told of, for drafts that
// nobody edits any more, and for sessions of SQL roles that have gone over a limit.
func lookouts(
	w *watch.Watch, drafts *studio.Studio, versions *studio.Watcher, alerts *alerting.Alerting,
	reports *scheduledreport.Reports,
) []maintenance.Lookout {
	overdue := func(ctx context.Context) error { return sqlrole.EndOverdue(ctx, w.Pool) }
	return []maintenance.Lookout{
		{Name: "end_sql_sessions", Every: 5 * time.Second, Begin: maintenance.Look(overdue)},
		{Name: "store_drafts", Every: studio.DraftRest, Begin: maintenance.Look(drafts.StoreRestingDrafts)},
		{Name: "watch_plans", Every: 10 * time.Second, Begin: maintenance.Look(w.Plans)},
		{Name: "scheduled_reports", Every: time.Minute, Begin: maintenance.Look(reports.AddDue)},
		{Name: "watch_ingest", Every: time.Minute, Begin: maintenance.Look(w.RefusedEvents)},
		{Name: "watch_alerts", Every: time.Minute, Begin: alerts.Look},
		{Name: "watch_revenue", Every: 10 * time.Minute, Begin: maintenance.Look(w.Revenue)},
		{Name: "watch_versions", Every: 5 * time.Minute, Begin: versions.Look},
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
func (s *service) register(mux httpserver.Routes, local *localParts) {
	s.sdk.Register(mux)
	if local != nil && local.packages != nil {
		s.packages.Use(local.packages)
	}
	mux.Handle("GET "+packages.Path, s.packages)
	mux.Handle("GET "+packages.ScriptPath, s.packages)
	if s.roles.Has(role.Ingest) {
		s.webhooks.Register(mux)
	} else {
		mux.Handle("/v1/webhooks/", misdirected(role.Ingest))
	}
	if s.servesMedia() {
		mux.Handle("GET /media/", media.Handler(s.media, s.logger))
	} else {
		mux.Handle("/media/", misdirected(role.Resolve))
	}
	if s.roles.Has(role.Reports) {
		s.registerPages(mux, local)
	} else {
		mux.Handle("/", misdirected(role.Reports))
	}
}

// servesMedia tells whether the server serves files of media: what resolves, and where they are uploaded, since a
// machine may be the only one that has the directory.
func (s *service) servesMedia() bool { return s.roles.Has(role.Resolve) || s.roles.Has(role.Reports) }

// registerPages adds GraphQL and what people open in a browser.
func (s *service) registerPages(mux httpserver.Routes, local *localParts) {
	mux.Handle("/graphql", s.graphql)
	mux.Handle("/mcp", s.mcp)
	s.accounts.RegisterProvider(mux)
	s.accounts.RegisterOAuth(mux)
	mux.Handle("GET "+studio.ExportPath, s.accounts.Middleware(http.HandlerFunc(s.studio.Download)))
	pages := welcome.Pages{
		BaseURL: s.settings.BaseURL, SetupLink: s.accounts.SetupLink, Mails: s.mails, Logger: s.logger,
	}
	if local != nil {
		local.door.register(mux, s.accounts)
		if s.settings.SMTPHost == "" {
			s.registerOutbox(mux, local, pages)
		}
		mux.Handle("POST "+reminderPath, local.receiver)
	}
	if local != nil && local.web != nil {
		local.web.register(mux)
		billing := &demo.Billing{Pool: s.db.Pool, Ring: s.ring, BaseURL: s.settings.BaseURL}
		(&demo.Checkout{DB: s.db, Billing: billing, Logger: s.logger}).Register(mux, checkoutPath)
		pages.ExamplePath = examplePath
	}
	s.docs.Register(mux)
	application, built := dashboard.New()
	pages.Dashboard = built
	pages.Register(mux)
	if built {
		application.Register(mux, pages.ExamplePath, s.frameOrigins)
	} else {
		pages.RegisterIndex(mux)
	}
}

// registerOutbox adds the page of the emails that are kept in place of being sent. They have links that sign in: only
// the administrator of `svc dev` reads them.
func (s *service) registerOutbox(mux httpserver.Routes, local *localParts, pages welcome.Pages) {
	signedIn := http.NewServeMux()
	welcome.Outbox{Pages: pages, Box: local.outbox, Reader: func(r *http.Request) bool {
		p, err := account.From(r.Context())
		return err == nil && p.Email == local.door.admin.Email && account.RequirePerson(r.Context()) == nil
	}}.Register(signedIn)
	mux.Handle("GET "+welcome.OutboxPath, s.accounts.Middleware(signedIn))
	mux.Handle("GET "+welcome.OutboxPath+"/", s.accounts.Middleware(signedIn))
}

// frameOrigins returns the pages that may embed the reports of a shared link; none while the database can't tell.
func (s *service) frameOrigins(ctx context.Context, token string) []string {
	origins, err := s.accounts.FrameOrigins(ctx, token)
	if err != nil && ctx.Err() == nil && s.linksAway.Allow(time.Now()) { // anybody can ask, and leave
		s.logger.WarnContext(ctx, "reading who may embed a shared link failed", "error", err)
	}
	return origins
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
	ctx context.Context, settings config.Settings, db *postgres.DB, ledger *revenue.Ledger, logger *slog.Logger,
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
	connections, err := ledger.SealAnew(ctx, ring)
	if err != nil {
		return nil, err
	}
	anew := connections
	for _, table := range []string{proof.SecretTable, account.SecretTable} {
		done, err := ring.Anew(ctx, db.Pool, table)
		if err != nil {
			return nil, err
		}
		anew += done
	}
	if anew > 0 {
		logger.Info("secrets are encrypted with another key", "key", ring.Current(), "secrets", anew)
	}
	return ring, nil
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
