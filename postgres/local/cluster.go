package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// cluster is a prepared data directory with the programs that fit it. The caller holds the directory's lock.
type cluster struct {
	config       Config
	settings     settings
	installation Installation
	account      *account
	timescale    bool
}

// prepare opens the data directory, or makes it when there is none. It changes nothing in a directory it refuses.
func prepare(ctx context.Context, config Config) (*cluster, error) {
	major, err := dataMajor(config.dataDir())
	if err != nil {
		return nil, err
	}
	c := &cluster{config: config}
	if c.installation, err = choose(ctx, config, major); err != nil {
		return nil, err
	}
	if c.account, err = serverAccount(config.dataDir()); err != nil {
		return nil, err
	}
	if c.settings, err = loadSettings(config.settingsFile()); err != nil {
		return nil, err
	}
	c.timescale = config.Preload && !config.Citus && c.installation.hasTimescale(ctx)
	if major != 0 {
		return c, nil
	}
	c.settings = newSettings() // settings without data belong to a start that never ended
	return c, c.initialize(ctx)
}

// dataMajor reads the version that made the data directory; 0 means that there is none yet.
func dataMajor(dataDir string) (int, error) {
	entries, err := os.ReadDir(dataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the data directory: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if err != nil {
		if len(entries) == 0 {
			return 0, fmt.Errorf("%s exists and is empty: remove it, so that it can be made with the right owner", dataDir)
		}
		return 0, fmt.Errorf(
			"%s holds files but is not a PostgreSQL data directory (no readable PG_VERSION); it is left as it is: choose "+
				"another directory",
			dataDir,
		)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf(
			"%s has the version %q in PG_VERSION, which is not understood; it is left as it is", dataDir,
			strings.TrimSpace(string(text)),
		)
	}
	return major, nil
}

// initialize makes the data directory beside its place and renames it there, so that an interrupted initdb never
// looks like data.
func (c *cluster) initialize(ctx context.Context) error {
	began := time.Now()
	leftovers, _ := filepath.Glob(filepath.Join(c.config.Dir, "unfinished-*")) // a constant pattern below Dir: no error
	for _, leftover := range leftovers {
		if err := os.RemoveAll(leftover); err != nil { // an initdb that never ended: no server ever ran on it
			return fmt.Errorf("removing an unfinished data directory: %w", err)
		}
	}
	fresh, err := os.MkdirTemp(c.config.Dir, "unfinished-")
	if err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	passwordFile, err := c.passwordFile()
	if err != nil {
		return err
	}
	defer os.Remove(passwordFile)
	if err := c.giveToServer(fresh); err != nil {
		return err
	}
	arguments := []string{"--username=" + superuser, "--pwfile=" + passwordFile, "--auth=scram-sha-256", "--encoding=UTF8"}
	arguments = append(arguments, localeArguments()...)
	if c.config.Citus {
		arguments = append(arguments, "--auth=trust") // the nodes of a cluster know no passwords of each other
	}
	if c.config.Fast {
		arguments = append(arguments, "--no-sync")
	}
	cmd, release, err := command(ctx, filepath.Join(c.installation.BinDir, "initdb"), fresh, c.account, arguments...)
	if err != nil {
		return err
	}
	defer release()
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb of PostgreSQL %s failed: %w: %s", c.installation.Version, err, lastLines(output, 5))
	}
	if err := c.settings.save(c.config.settingsFile()); err != nil {
		return err
	}
	if err := os.Rename(fresh, c.config.dataDir()); err != nil {
		return fmt.Errorf("putting the data directory in its place: %w", err)
	}
	c.config.Logger.Info("made a database directory", "dir", c.config.dataDir(), "postgresql", c.installation.Version,
		"took", time.Since(began).Round(time.Millisecond))
	return nil
}

// passwordFile hands the password to initdb in a file that only the server's user may read.
func (c *cluster) passwordFile() (string, error) {
	file, err := os.CreateTemp("", "svc-initdb-*")
	if err != nil {
		return "", fmt.Errorf("handing the password to initdb: %w", err)
	}
	_, err = file.WriteString(c.settings.Password + "\n")
	if err := errors.Join(err, file.Close(), c.giveToServer(file.Name())); err != nil {
		os.Remove(file.Name())
		return "", fmt.Errorf("handing the password to initdb: %w", err)
	}
	return file.Name(), nil
}

// localeArguments choose byte order for sorting, which is the same on every machine and fast, and Unicode letters.
func localeArguments() []string {
	if runtime.GOOS == "linux" {
		return []string{"--locale=C.UTF-8"}
	}
	return []string{"--locale=C", "--lc-ctype=UTF-8"}
}

// serverArguments returns the settings of every start. They are given on the command line and not written to
// postgresql.conf, so that a new release's settings hold for an old directory.
func (c *cluster) serverArguments() []string {
	memory := machineMemory()
	set := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(c.settings.Port),
		"unix_socket_directories": "",
		"password_encryption":     "scram-sha-256",
		"cluster_name":            "svc",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"max_connections":         "100",
		// A quarter of the memory is PostgreSQL's advice; beyond half a gigabyte a development server gains nothing.
		"shared_buffers":       megabytes(memory/4, 64, 512),
		"effective_cache_size": megabytes(memory/2, 128, 16384),
		"work_mem":             "16MB",
		"maintenance_work_mem": "128MB",
		// Event load writes much WAL: fewer, longer checkpoints write fewer full pages.
		"max_wal_size":                 "2GB",
		"min_wal_size":                 "256MB",
		"checkpoint_timeout":           "15min",
		"checkpoint_completion_target": "0.9",
		"random_page_cost":             "1.1", // solid-state disks
		"jit":                          "off", // compiling costs more than these statements take
		// One lock for each partition or chunk, and for each of its indexes, that a statement touches.
		"max_locks_per_transaction": "256",
		"logging_collector":         "off",
		"log_line_prefix":           "%m [%p] ",
		"log_checkpoints":           "off",
	}
	if c.config.Fast {
		set["fsync"] = "off"
		set["synchronous_commit"] = "off"
		set["full_page_writes"] = "off"
		set["autovacuum_naptime"] = "10min"
		set["max_connections"] = "300" // many test programs share it
		set["shared_buffers"] = "128MB"
		set["max_wal_size"], set["min_wal_size"] = "512MB", "80MB" // its files may be in memory
	}
	if c.config.Citus {
		set["shared_preload_libraries"] = "citus"
		set["max_prepared_transactions"] = "200"
		set["max_worker_processes"] = "64" // one for each database, which recovers its transactions
		set["wal_level"] = "logical"       // shards are moved while they are written to
		set["citus.shard_count"] = "4"
		set["citus.node_conninfo"] = "sslmode=disable"
		if c.config.Fast {
			set["shared_buffers"] = "64MB" // of three nodes
		}
	}
	if c.timescale {
		set["shared_preload_libraries"] = "timescaledb"
		set["timescaledb.telemetry_level"] = "off"
		set["timescaledb.max_background_workers"] = "4"
		set["max_worker_processes"] = "16"
		if c.config.Fast {
			// A scheduler for each test database would hold them open; tests run their jobs themselves.
			set["timescaledb.max_background_workers"] = "0"
		}
	}
	var arguments []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		arguments = append(arguments, "-c", name+"="+set[name])
	}
	return arguments
}

func megabytes(bytes uint64, least, most uint64) string {
	return strconv.FormatUint(min(max(bytes>>20, least), most), 10) + "MB"
}

// machineMemory returns the physical memory in bytes; 2 GiB where it can't be read.
func machineMemory() uint64 {
	total, err := memlimit.FromSystem()
	if err != nil {
		return 2 << 30
	}
	return total
}

// takeOver ends a server that an earlier, killed supervisor left on this directory.
func (c *cluster) takeOver(ctx context.Context) error {
	pid := postmaster(c.config.dataDir())
	if pid == 0 {
		return c.removeStalePIDFile()
	}
	c.config.Logger.Info("stopping the database server that an earlier run left", "pid", pid)
	return stopPostmaster(ctx, pid, 30*time.Second)
}

// removeStalePIDFile removes the lock file of a dead server whose number still exists, as another process (usual after
// a container was restarted) or as a zombie that nobody reaps (usual in containers without an init): PostgreSQL would
// refuse to start. It still notices children of the dead server by their shared memory.
func (c *cluster) removeStalePIDFile() error {
	pid := recordedPID(c.config.dataDir())
	if pid == 0 || !numbered(pid) {
		return nil
	}
	c.config.Logger.Info("removing the lock file of a dead database server", "pid", pid)
	if err := os.Remove(pidFile(c.config.dataDir())); err != nil {
		return fmt.Errorf("removing the lock file of a dead database server: %w", err)
	}
	return nil
}

// choosePort keeps the port of the last start while it is free, and remembers a new one otherwise.
func (c *cluster) choosePort() error {
	if c.settings.Port != 0 && portFree(c.settings.Port) {
		return nil
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	c.settings.Port = port
	return c.settings.save(c.config.settingsFile())
}

// serverCommand prepares one start of the server, its output appended to the log file.
func (c *cluster) serverCommand() (*exec.Cmd, func(), error) {
	log, err := openLog(c.config.logFile())
	if err != nil {
		return nil, nil, err
	}
	// No context: the server is stopped by a signal that lets it write its checkpoint, never by a kill.
	cmd, release, err := command(
		context.Background(), filepath.Join(c.installation.BinDir, "postgres"), c.config.dataDir(), c.account,
		c.serverArguments()...,
	)
	if err != nil {
		log.Close()
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = log, log
	return cmd, func() { release(); log.Close() }, nil
}

// logLimit is the size at which the log is set aside at a start, one old file being kept.
const logLimit = 16 << 20

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("setting the database log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the database log: %w", err)
	}
	return file, nil
}

// errExited says that the server ended before it answered.
var errExited = errors.New("the database server ended while starting")

// waitReady polls until the server answers a query, exited is closed, or it has said nothing for the start timeout.
// A server that says that it is starting up is replaying its log after a crash. It gets all the time it needs:
// interrupting it would only make the next start replay the same again.
func (c *cluster) waitReady(ctx context.Context, exited <-chan struct{}) error {
	deadline := time.Now().Add(c.config.StartTimeout)
	for {
		err := c.ping(ctx)
		if err == nil && c.accepts() {
			return nil
		}
		if err == nil {
			err = errAnotherServer
		}
		var answer *pgconn.PgError
		if errors.As(err, &answer) && answer.Code == "57P03" { // cannot_connect_now
			deadline = time.Now().Add(c.config.StartTimeout)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the database server doesn't answer on port %d: %w: %s", c.settings.Port, err, c.logTail())
		}
		select {
		case <-exited:
			return fmt.Errorf("%w: %s", errExited, c.logTail())
		case <-ctx.Done():
			return fmt.Errorf("waiting for the database server: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var errAnotherServer = errors.New("another server answers")

// accepts tells whether the server of this directory says in its lock file that it takes connections. An answer on its
// port may be another's who took the port meanwhile, and who knows the password where one directory is a copy of the
// other.
func (c *cluster) accepts() bool {
	const status = 7 // line, after the process, the directory, when it started, its port, sockets, address and memory
	text, err := os.ReadFile(pidFile(c.config.dataDir()))
	lines := strings.Split(string(text), "\n")
	return err == nil && len(lines) > status && strings.TrimSpace(lines[status]) == "ready"
}

func (c *cluster) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.settings.databaseURL("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// ensureDatabase makes a database unless it exists.
func (c *cluster) ensureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.settings.databaseURL("postgres"))
	if err != nil {
		return fmt.Errorf("connecting to the new server: %w", err)
	}
	defer conn.Close(ctx)
	var exists bool
	if err := conn.QueryRow(
		ctx, `select exists (select from pg_database where datname = $1)`, name,
	).Scan(&exists); err != nil {
		return fmt.Errorf("looking for the database %s: %w", name, err)
	}
	if exists {
		return nil
	}
	if _, err := conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()); err != nil {
		return fmt.Errorf("making the database %s: %w", name, err)
	}
	return nil
}

func (c *cluster) logTail() string {
	text, err := os.ReadFile(c.config.logFile())
	if err != nil {
		return "no log: " + err.Error()
	}
	return lastLines(text, 5)
}

func lastLines(text []byte, count int) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-count):], []byte("; ")))
}
