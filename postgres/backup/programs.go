package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres/local"
)

// Database is where rows come from or go to.
type Database struct {
	URL string
	// Programs is the directory of pg_dump and pg_restore. Empty means those of PATH or of an installed PostgreSQL that
	// are of the server's major version, else of a later one.
	Programs string
	// Jobs is how many connections carry rows at once, at least 1.
	Jobs int
}

// connect opens a connection without the limits that requests have.
func (d Database) connect(ctx context.Context) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(d.URL)
	if err != nil {
		return nil, fmt.Errorf("the database's URL: %w", err)
	}
	config.RuntimeParams["application_name"] = "svc backup"
	return pgx.ConnectConfig(ctx, config)
}

// understood are the parameters of a URL that PostgreSQL's own programs know; others are pgx's.
var understood = []string{
	"sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout", "target_session_attrs", "options", "host", "port",
}

// forPrograms returns the URL as programs take it, without its password: others may see their arguments.
func (d Database) forPrograms() (address, password string, err error) {
	parsed, err := url.Parse(d.URL)
	if err != nil || parsed.Scheme == "" {
		return "", "", errors.New("the database must be named by a URL: postgres://user@host/name")
	}
	if password, _ = parsed.User.Password(); password != "" {
		parsed.User = url.User(parsed.User.Username())
	}
	query := parsed.Query()
	for name := range query {
		if !slices.Contains(understood, name) {
			query.Del(name)
		}
	}
	parsed.RawQuery = query.Encode()
	return parsed.String(), password, nil
}

// run runs a program with the database as its argument. Its error has the end of what the program said.
func (d Database) run(ctx context.Context, program string, arguments ...string) error {
	address, password, err := d.forPrograms()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, append(arguments, "--dbname", address)...)
	cmd.Env = os.Environ()
	if password != "" {
		cmd.Env = append(cmd.Env, "PGPASSWORD="+password)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, strings.Join(lines[max(0, len(lines)-5):], "; "))
	}
	return nil
}

var programVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// program finds a program that a server of a major version can be copied with: PostgreSQL's refuse later servers.
func (d Database) program(ctx context.Context, name string, major int) (string, error) {
	if d.Programs != "" {
		return exec.LookPath(filepath.Join(d.Programs, name))
	}
	var candidates []string
	if path, err := exec.LookPath(name); err == nil {
		candidates = append(candidates, path)
	}
	for _, installation := range local.Find(ctx) {
		candidates = append(candidates, filepath.Join(installation.BinDir, name))
	}
	best, bestMajor := "", 0
	for _, path := range candidates {
		output, err := exec.CommandContext(ctx, path, "--version").Output()
		match := programVersion.FindSubmatch(output)
		if err != nil || match == nil {
			continue
		}
		found, _ := strconv.Atoi(string(match[1])) // the pattern admits digits only
		if found >= major && (best == "" || found < bestMajor) {
			best, bestMajor = path, found
		}
	}
	if best == "" {
		return "", fmt.Errorf(
			"no %s of PostgreSQL %d or later is installed (Debian and Ubuntu: apt install postgresql-client)", name, major)
	}
	return best, nil
}

// server is what the database runs on.
type server struct {
	Major                         int
	Version                       string
	TimescaleDB, Available, Citus string
}

func inspect(ctx context.Context, conn *pgx.Conn) (server, error) {
	var s server
	err := conn.QueryRow(ctx, `
		select current_setting('server_version_num')::int / 10000, current_setting('server_version'),
			coalesce((select extversion from pg_extension where extname = 'timescaledb'), ''),
			coalesce((select default_version from pg_available_extensions where name = 'timescaledb'), ''),
			coalesce((select extversion from pg_extension where extname = 'citus'), '')`,
	).Scan(&s.Major, &s.Version, &s.TimescaleDB, &s.Available, &s.Citus)
	return s, err
}
