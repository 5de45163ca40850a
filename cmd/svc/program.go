package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/studio"
)

// program is a running server: what it is made of, in the order in which it
// starts. Close ends the parts in the opposite order.
type program struct {
	settings config.Settings
	logger   *slog.Logger
	db       *postgres.DB
	service  *service
	public   *httpserver.Server
	admin    *httpserver.Server // nil when turned off
	health   *httpserver.Health
	failed   chan error

	listeners []net.Listener
}

func newLogger(settings config.Settings, w *os.File) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.LogLevel)) // settings are validated
	options := &slog.HandlerOptions{Level: level}
	if settings.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// start brings the whole server up, with what only `svc dev` serves unless that is nil. On
// an error everything that was started is ended again.
func start(
	ctx context.Context, settings config.Settings, logger *slog.Logger, local *localParts,
) (p *program, err error) {
	p = &program{settings: settings, logger: logger, health: &httpserver.Health{}, failed: make(chan error, 2)}
	defer func() {
		if err != nil {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			err = errors.Join(err, p.close(closing))
		}
	}()
	limitMemory(memlimit.FromCgroup, logger)
	// Ports are taken first: a busy one is reported at once, and a picked one is
	// known before anything is served under it.
	listener, err := listen("addr", settings.Addr)
	if err != nil {
		return p, err
	}
	p.listeners = append(p.listeners, listener)
	p.settings = settings.WithPort(listener.Addr().(*net.TCPAddr).Port)
	settings = p.settings
	var adminListener net.Listener
	if settings.AdminAddr != "" {
		if adminListener, err = listen("admin_addr", settings.AdminAddr); err != nil {
			return p, err
		}
		p.listeners = append(p.listeners, adminListener)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	routes := httpserver.NewSwitch(p.routesWhileStarting())
	if err := p.serve(listener, adminListener, routes, registry); err != nil {
		return p, err
	}
	p.health.SetUnready("waiting for the database")
	if p.db, err = openDatabase(ctx, settings, logger, 0); err != nil {
		return p, err
	}
	p.health.SetUnready("starting")
	if err := postgres.Migrate(ctx, p.db, migration(settings, logger)); err != nil {
		return p, fmt.Errorf("migrate: %w", err)
	}
	if err := adoptMediaBase(ctx, settings, p.db, logger); err != nil {
		return p, err
	}
	observePool(registry, p.db.Pool)
	var box *mail.Box
	if local != nil {
		box = local.outbox
	}
	if p.service, err = startService(ctx, settings, p.db, box, registry, logger); err != nil {
		return p, err
	}
	// A server is ready while the database is away too: resolve goes on from
	// memory, and the other paths say for themselves that they can't answer.
	mux := http.NewServeMux()
	p.service.register(mux, local)
	p.health.Register(mux)
	routes.Set(mux)
	p.health.SetReady(p.service.standing)
	return p, nil
}

// adoptMediaBase has apps load their flows anew when media is served from another address than before. Only who
// resolves writes the address into what apps load.
func adoptMediaBase(ctx context.Context, settings config.Settings, db *postgres.DB, logger *slog.Logger) error {
	roles, err := settings.ServerRoles()
	if err != nil || !roles.Has(role.Resolve) {
		return err
	}
	raised, err := studio.AdoptMediaBase(ctx, db.Ent(), settings.MediaBaseURL)
	if err == nil && raised > 0 {
		logger.Info(
			"media is served from another address: apps will load their flows anew", "address", settings.MediaBaseURL,
			"channels", raised,
		)
	}
	return err
}

// startingPage is what a browser shows meanwhile: it asks again by itself.
const startingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Starting</title>
<body style="font: 16px/1.5 system-ui, sans-serif; margin: 20vh auto; max-inline-size: 32em; padding-inline: 16px">
<h1 style="font-size: 20px">The server is starting</h1><p>This page opens by itself once it is there.</p></body></html>
`

// routesWhileStarting answer until there is a database to answer from.
func (p *program) routesWhileStarting() http.Handler {
	mux := http.NewServeMux()
	p.health.Register(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "5")
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(startingPage)) // the reader may have gone
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*") // pages may read why
		httpserver.WriteError(w, r, http.StatusServiceUnavailable, "ingest_unavailable",
			"the server is starting: send the same request again later")
	})
	return mux
}

// serve begins to answer on both addresses.
func (p *program) serve(public, admin net.Listener, routes http.Handler, registry *prometheus.Registry) error {
	trusted, err := p.settings.ProxyNetworks()
	if err != nil {
		return err
	}
	handler := httpserver.Observe(routes, p.logger, httpserver.NewMetrics(registry))
	if isHTTPS(p.settings.BaseURL) {
		handler = httpserver.RequireHTTPS(handler)
	}
	connections := httpserver.NewConnections(httpserver.ConnectionLimits{
		Open: openConnections(p.settings, p.logger), OfAddress: p.settings.ConnectionsAddress,
		PerSecond: connectionsPerSecond(p.settings.RateLimitAddress), Trusted: trusted,
	}, registry)
	p.public = httpserver.New(connections.Listen(public), handler, p.logger, p.settings.IdleTimeout)
	go func() { p.failed <- p.public.Serve() }()
	if admin == nil {
		return nil
	}
	mux := http.NewServeMux()
	p.health.Register(mux)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	p.admin = httpserver.New(connections.Listen(admin), mux, p.logger, p.settings.IdleTimeout)
	go func() { p.failed <- p.admin.Serve() }()
	return nil
}

// connectionsPerSecond returns how many connections an address may open a second when it may send so many requests a
// minute: ten times as many as those need, for clients that open one for each request and a server that renders for
// many people. Without a limit of requests there is none of connections.
func connectionsPerSecond(requestsPerMinute int) int { return (10*requestsPerMinute + 59) / 60 }

// listen opens the address of a setting.
func listen(setting, addr string) (net.Listener, error) {
	listener, err := httpserver.Listen(addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &failure{exit: exitError, code: "address_in_use", cause: err,
			message: fmt.Sprintf(
				"%s is in use by another program: stop that, or give another --%s (port 0 picks a free one)", addr,
				strings.ReplaceAll(setting, "_", "-"),
			)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return listener, nil
}

// adminAddr returns where metrics are served, or "".
func (p *program) adminAddr() string {
	if p.admin == nil {
		return ""
	}
	return p.admin.Addr()
}

// wait returns when ctx ends, or with the error of a part that failed.
func (p *program) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-p.failed:
		return err
	}
}

// close drains: first unready, then (after the delay that balancers need to
// notice) no new requests, then what ingest holds is written, then the database
// is let go.
func (p *program) close(ctx context.Context) error {
	wasReady := p.health.SetUnready("draining")
	if p.public != nil && wasReady && p.settings.ShutdownDelay > 0 {
		select {
		case <-time.After(p.settings.ShutdownDelay):
		case <-ctx.Done():
		case err := <-p.failed: // nothing is served any more
			p.failed <- err
		}
	}
	var errs []error
	if p.public != nil {
		if p.service != nil {
			errs = append(errs, p.service.drain(ctx))
		}
		draining, cancel := context.WithTimeout(ctx, p.settings.ShutdownGrace)
		errs = append(errs, p.public.Shutdown(draining))
		cancel()
	}
	if p.service != nil {
		errs = append(errs, p.service.close(ctx))
	}
	if p.admin != nil {
		errs = append(errs, p.admin.Shutdown(ctx))
	}
	if p.db != nil {
		p.db.Close()
	}
	for _, listener := range p.listeners {
		_ = listener.Close() // most are closed by their server
	}
	return errors.Join(errs...)
}

// runUntilSignal waits for the end and drains within the grace and what the
// writers need.
func (p *program) runUntilSignal(ctx context.Context) error {
	err := p.wait(ctx)
	p.logger.Info("stopping")
	closing, cancel := context.WithTimeout(
		context.WithoutCancel(ctx), p.settings.ShutdownDelay+p.settings.ShutdownGrace+30*time.Second,
	)
	defer cancel()
	return errors.Join(err, p.close(closing))
}

const (
	// commandPatience is how long a command waits for the database. A server
	// waits until it is stopped.
	commandPatience = 30 * time.Second
	// waitingNote is how often a server that waits for the database says so.
	waitingNote = 30 * time.Second
)

// migration returns how the database is brought to this version's tables.
func migration(settings config.Settings, logger *slog.Logger) postgres.MigrateOptions {
	return postgres.MigrateOptions{Logger: logger, Sharding: postgres.Sharding(settings.DatabaseSharding)}
}

// openDatabase waits for the database: as long as patience says, for ever when
// that is 0. A wrong password or name does not go away by itself and is an error at
// once.
func openDatabase(
	ctx context.Context, settings config.Settings, logger *slog.Logger, patience time.Duration,
) (*postgres.DB, error) {
	if settings.DatabaseURL == "" {
		return nil, errNoDatabase
	}
	began := time.Now()
	var noted time.Time
	for {
		db, err := postgres.Open(ctx, settings.DatabaseURL, postgres.Options{
			MaxConns: int32(settings.DatabaseConnections), EventRetention: settings.EventRetention,
		})
		var malformed *pgconn.ParseConfigError
		switch {
		case err == nil:
			return db, nil
		case pgerr.IsMisconfigured(err), errors.As(err, &malformed):
			return nil, &failure{exit: exitError, code: "database_refused", message: err.Error(), cause: err}
		case ctx.Err() != nil, patience > 0 && time.Since(began) > patience:
			return nil, &failure{exit: exitRetryable, code: "database_unavailable", message: err.Error(), cause: err}
		}
		if time.Since(noted) > waitingNote {
			noted = time.Now()
			logger.Warn("waiting for the database, which does not answer yet", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func isHTTPS(baseURL string) bool { return strings.HasPrefix(baseURL, "https://") }
