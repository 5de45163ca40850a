package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Shared is a server without a supervisor: it outlives the process that started it, so that the programs of one test
// run use the same one.
type Shared struct {
	cluster *cluster
}

// Join returns the server of the directory, starting it when it does not run. Programs that join at the same time
// wait for each other. Nobody stops the server; an idle one costs a few megabytes.
func Join(ctx context.Context, config Config) (*Shared, error) {
	config = config.withDefaults()
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the directory of the shared server: %w", err)
	}
	lock, err := lockDir(ctx, config.lockFile(), 2*time.Minute)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	c, err := prepare(ctx, config)
	if err != nil {
		return nil, err
	}
	if postmaster(config.dataDir()) != 0 && c.ping(ctx) == nil {
		return &Shared{cluster: c}, nil
	}
	if err := c.takeOver(ctx); err != nil {
		return nil, err
	}
	if err := c.choosePort(); err != nil {
		return nil, err
	}
	cmd, release, err := c.serverCommand()
	if err != nil {
		return nil, err
	}
	defer release()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	exited := make(chan struct{})
	go awaitExit(cmd, exited)
	if err := c.waitReady(ctx, exited); err != nil {
		return nil, err
	}
	return &Shared{cluster: c}, nil
}

// awaitExit has a name for tests that look for goroutines which nobody ended.
func awaitExit(cmd *exec.Cmd, exited chan<- struct{}) {
	_ = cmd.Wait() // how it ended stands in the log, which waitReady quotes
	close(exited)
}

// DatabaseURL returns the connection URL of a database of the server, the password included.
func (s *Shared) DatabaseURL(name string) string { return s.cluster.settings.databaseURL(name) }

// Installation returns the PostgreSQL that runs.
func (s *Shared) Installation() Installation { return s.cluster.installation }
