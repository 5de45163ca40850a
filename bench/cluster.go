package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres/local"
)

// clusterChart is the first report that somebody looks at.
const clusterChart = `query($app: ID!) { app(id: $app) { productAnalytics(scope: {timeZone: "UTC"}) {
	series(grain: DAY) { bucket visitors sessions views events } } } }`

// benchCluster loads a Citus cluster, a coordinator and two workers, and one database by turns, each behind a server
// of its own, and asks both for reports. All of it runs on this machine, and all events are of one environment: what
// a cluster costs is measured, not what more machines give.
func benchCluster(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	coordinator, stop, err := startCluster(ctx, dir)
	defer stop()
	if err != nil {
		return err
	}
	unlimited := []string{"SVC_RATE_LIMIT_KEY=1000000000", "SVC_RATE_LIMIT_ADDRESS=1000000000"}
	defer func(stock bool) { options.stock = stock }(options.stock)
	options.stock = true // Citus and TimescaleDB exclude each other
	one := clusterSide{dir: filepath.Join(dir, "one"), env: unlimited}
	many := clusterSide{
		dir: filepath.Join(dir, "many"), env: append(slices.Clone(unlimited), "SVC_DATABASE_URL="+coordinator),
		databases: []string{
			filepath.Join(dir, "node0", "data"), filepath.Join(dir, "node1", "data"), filepath.Join(dir, "node2", "data"),
		},
	}
	for _, side := range []*clusterSide{&one, &many} {
		if err := side.start(ctx); err != nil {
			return err
		}
		defer func() { _ = side.stop() }()
	}
	if err := loadByTurns(ctx, &many, &one); err != nil {
		return err
	}
	return reportByTurns(ctx, &many, &one)
}

// startCluster starts the nodes in folders of dir and returns the coordinator's URL. stop has to be called.
func startCluster(ctx context.Context, dir string) (coordinator string, stop func(), err error) {
	var nodes []*local.Server
	stop = func() {
		for _, node := range nodes {
			_ = node.Stop(context.WithoutCancel(ctx))
		}
	}
	var join []string
	for i := range 3 {
		node, err := local.Start(ctx, local.Config{
			Dir: filepath.Join(dir, fmt.Sprintf("node%d", i)), Citus: true, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return "", stop, err
		}
		nodes = append(nodes, node)
		address, err := url.Parse(node.URL())
		if err == nil {
			err = runSQL(ctx, node.URL(), `create extension citus`)
		}
		if err != nil {
			return "", stop, err
		}
		add := "citus_add_node"
		if i == 0 {
			add = "citus_set_coordinator_host"
		}
		join = append(join, fmt.Sprintf("select %s('%s', %s)", add, address.Hostname(), address.Port()))
	}
	return nodes[0].URL(), stop, runSQL(ctx, nodes[0].URL(), join...)
}

func runSQL(ctx context.Context, address string, statements ...string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// clusterSide is a server on the one or on the other.
type clusterSide struct {
	dir       string
	env       []string
	databases []string // data directories, empty: the server's own
	server    *server
	cost      pathCost
}

func (c *clusterSide) start(ctx context.Context) (err error) {
	if c.server, _, err = startServer(ctx, c.dir, c.env...); err == nil && len(c.databases) > 0 {
		c.server.databases = c.databases
	}
	return err
}

func (c *clusterSide) stop() error {
	if c.server == nil {
		return nil
	}
	s := c.server
	c.server = nil
	return s.stop()
}

const onOneDatabase = "one database by turns"

func loadByTurns(ctx context.Context, many, one *clusterSide) error {
	loads := map[*clusterSide]*loader{many: newLoader(many.server), one: newLoader(one.server)}
	for side, load := range loads {
		if _, _, err := load.run(ctx, ingestWarmUp, 0); err != nil {
			return fmt.Errorf("%s: %w", side.dir, err)
		}
	}
	for range ingestSlices {
		for _, side := range []*clusterSide{one, many} {
			if err := side.cost.add(ctx, side.server, loads[side]); err != nil {
				return err
			}
		}
	}
	row("ingest into a cluster", many.cost.rate(), "ev/s", one.cost.rate(), onOneDatabase)
	row(
		"  processor time, server and databases", many.cost.microseconds(), "µs/ev", one.cost.microseconds(), onOneDatabase,
	)
	var p50, p99 [2]float64
	for i, side := range []*clusterSide{many, one} {
		_, latencies, err := loads[side].run(ctx, ingestCalmDuration, many.cost.rate()/2)
		if err != nil {
			return err
		}
		slices.Sort(latencies)
		p50[i], p99[i] = milliseconds(quantile(latencies, .50)), milliseconds(quantile(latencies, .99))
	}
	row("  acknowledgement p50 at half that load", p50[0], "ms", p50[1], onOneDatabase)
	row("  acknowledgement p99 at half that load", p99[0], "ms", p99[1], onOneDatabase)
	return nil
}

// reportByTurns starts both servers anew: they read all sessions from their databases. Later each asks its database
// only what changed.
func reportByTurns(ctx context.Context, many, one *clusterSide) error {
	var first, events, rest [2]float64
	for i, side := range []*clusterSide{many, one} {
		if err := side.stop(); err != nil {
			return err
		}
		if err := side.start(ctx); err != nil {
			return err
		}
		ask := func(what string) (time.Duration, error) {
			took, _, err := side.server.ask(ctx, &http.Client{}, side.server.file.APIKey, what,
				map[string]any{"app": side.server.file.Apps[0].ID})
			return took, err
		}
		took, err := ask(clusterChart)
		if err != nil {
			return err
		}
		first[i] = milliseconds(took)
		if events[i], err = storedEvents(ctx, side.server.file.DatabaseURL); err != nil {
			return err
		}
		var waits []time.Duration
		for range 40 {
			time.Sleep(700 * time.Millisecond)
			took, err := ask(emptyReport)
			if err != nil {
				return err
			}
			waits = append(waits, took)
		}
		slices.Sort(waits)
		rest[i] = milliseconds(quantile(waits, .50))
	}
	row("first chart, read from the database", 1e3*first[0]/events[0], "µs/ev", 1e3*first[1]/events[1], onOneDatabase)
	row("report of nothing, after 0.7 s of rest, p50", rest[0], "ms", rest[1], onOneDatabase)
	return nil
}

func storedEvents(ctx context.Context, address string) (events float64, err error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	return events, conn.QueryRow(ctx, `select count(*)::float8 from product_event`).Scan(&events)
}
