// Package local supervises a PostgreSQL server of its own: it finds the programs, makes the data directory, starts
// the server without privileges, restarts it when it dies and stops it. It never deletes a data directory.
//
// It knows nothing of what is stored in the server.
package local

import (
	"log/slog"
	"path/filepath"
	"time"
)

// Config says where the server lives and how it runs.
type Config struct {
	// Dir holds everything of this server: data (PGDATA), settings (port and password), the log and the lock.
	// It is made when missing.
	Dir string
	// BinDir is the directory of the PostgreSQL programs. Empty means: look for them, see [Find].
	BinDir string
	// Download lets Start fetch PostgreSQL when none is installed, see [Download].
	Download bool
	// Preload lets TimescaleDB be preloaded when its library is installed.
	Preload bool
	// Citus makes the server a node of a Citus cluster, instead of preloading TimescaleDB. Only for tests and
	// measurements: nodes trust each other.
	Citus bool
	// Fast gives up crash safety (fsync off) for speed. Only for tests.
	Fast bool
	// Logger receives the supervisor's own lines. Nil means slog.Default().
	Logger *slog.Logger
	// StartTimeout bounds the time without any answer from a starting server. A server that says that it is
	// recovering from a crash is waited for. Zero means 60 s.
	StartTimeout time.Duration
}

const (
	// superuser owns every database of a local server.
	superuser = "svc"
	// DefaultDatabase is made by the first start.
	DefaultDatabase = "svc"
)

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.StartTimeout == 0 {
		c.StartTimeout = time.Minute
	}
	return c
}

func (c Config) dataDir() string      { return filepath.Join(c.Dir, "data") }
func (c Config) settingsFile() string { return filepath.Join(c.Dir, "settings.json") }
func (c Config) logFile() string      { return filepath.Join(c.Dir, "postgres.log") }
func (c Config) lockFile() string     { return filepath.Join(c.Dir, "lock") }
