package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// oldestMajor is the first PostgreSQL version that the migrations run on.
const oldestMajor = 15

// Installation is one set of PostgreSQL programs.
type Installation struct {
	// BinDir holds postgres and initdb.
	BinDir string
	// Major is the version that a data directory must match, such as 15.
	Major int
	// Version is the full version, such as "15.20".
	Version string
}

// ErrNotFound says that no usable PostgreSQL is installed.
var ErrNotFound = errors.New("no PostgreSQL server found")

// searchPatterns are the places packages use, beside PATH: Debian and Ubuntu, Red Hat, Homebrew (Apple, Intel),
// Postgres.app.
var searchPatterns = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/opt/homebrew/opt/postgresql/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/lib/postgresql/bin",
	"/usr/local/pgsql/bin",
}

// Find returns the installed PostgreSQL servers of a supported version, newest first, and last the one that an
// earlier start downloaded: it is for machines, and data directories, that have no other.
func Find(ctx context.Context) []Installation {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(resolved))
		}
	}
	for _, pattern := range searchPatterns {
		matches, _ := filepath.Glob(pattern) // the patterns are constants, so the only error can't happen
		dirs = append(dirs, matches...)
	}
	seen := map[string]bool{}
	var found []Installation
	for _, dir := range dirs {
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if installation, err := Inspect(ctx, dir); err == nil && installation.Major >= oldestMajor {
			found = append(found, installation)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Major > found[j].Major })
	if dir, err := downloadDir(); err == nil {
		if installation, err := Inspect(ctx, filepath.Join(dir, "bin")); err == nil {
			found = append(found, installation)
		}
	}
	return found
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)(?:\.(\d+))?`)

// Inspect asks the programs in dir for their version. A client-only package has no initdb and is refused.
func Inspect(ctx context.Context, dir string) (Installation, error) {
	for _, program := range []string{"postgres", "initdb"} {
		info, err := os.Stat(filepath.Join(dir, program))
		if err != nil {
			return Installation{}, fmt.Errorf("%s is not a PostgreSQL server installation: %w", dir, err)
		}
		if info.Mode()&0o111 == 0 {
			return Installation{}, fmt.Errorf("%s is not executable", filepath.Join(dir, program))
		}
	}
	output, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Installation{}, fmt.Errorf("asking %s for its version: %w", filepath.Join(dir, "postgres"), err)
	}
	match := versionPattern.FindStringSubmatch(string(output))
	if match == nil {
		return Installation{}, fmt.Errorf(
			"%s answered %q to --version", filepath.Join(dir, "postgres"), strings.TrimSpace(string(output)),
		)
	}
	major, _ := strconv.Atoi(match[1]) // the pattern admits digits only
	version := match[1]
	if match[2] != "" {
		version += "." + match[2]
	}
	return Installation{BinDir: dir, Major: major, Version: version}, nil
}

// hasTimescale tells whether TimescaleDB's loader library is installed for this server.
func (i Installation) hasTimescale(ctx context.Context) bool {
	return i.HasLibrary(ctx, "timescaledb")
}

// HasLibrary tells whether a loadable library (without its suffix) is in the server's library directory.
func (i Installation) HasLibrary(ctx context.Context, name string) bool {
	var dirs []string
	if output, err := exec.CommandContext(ctx, filepath.Join(i.BinDir, "pg_config"), "--pkglibdir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(output)))
	}
	// pg_config belongs to a development package; without it the usual places beside bin are tried.
	dirs = append(dirs, filepath.Join(i.BinDir, "..", "lib"), filepath.Join(i.BinDir, "..", "lib", "postgresql"))
	for _, dir := range dirs {
		for _, suffix := range []string{".so", ".dylib"} {
			if _, err := os.Stat(filepath.Join(dir, name+suffix)); err == nil {
				return true
			}
		}
	}
	return false
}

// choose picks the installation for a data directory whose major version is wanted (0: a new directory).
func choose(ctx context.Context, config Config, wanted int) (Installation, error) {
	var candidates []Installation
	if config.BinDir != "" {
		installation, err := Inspect(ctx, config.BinDir)
		if err != nil {
			return Installation{}, err
		}
		if installation.Major < oldestMajor {
			return Installation{}, fmt.Errorf(
				"PostgreSQL %s in %s is too old, %d or newer is needed", installation.Version, config.BinDir, oldestMajor,
			)
		}
		candidates = []Installation{installation}
	} else {
		candidates = Find(ctx)
	}
	if len(candidates) == 0 && config.Download {
		downloaded, err := Download(ctx, config.Logger)
		if err != nil {
			return Installation{}, fmt.Errorf("%w; and it could not be downloaded: %w", errNotInstalled(), err)
		}
		candidates = []Installation{downloaded}
	}
	for _, candidate := range candidates {
		if wanted == 0 || candidate.Major == wanted {
			return candidate, nil
		}
	}
	if wanted != 0 && len(candidates) > 0 {
		return Installation{}, &VersionMismatchError{DataDir: config.dataDir(), DataMajor: wanted, Found: candidates}
	}
	return Installation{}, errNotInstalled()
}

func errNotInstalled() error {
	return fmt.Errorf("%w: install PostgreSQL %d or newer (Debian and Ubuntu: apt install postgresql; macOS: brew "+
		"install postgresql@17), "+
		"or run \"svc serve\" with SVC_DATABASE_URL", ErrNotFound, oldestMajor)
}

// VersionMismatchError refuses to open a data directory with another major version's programs.
type VersionMismatchError struct {
	DataDir   string
	DataMajor int
	Found     []Installation
}

func (e *VersionMismatchError) Error() string {
	var found []string
	for _, installation := range e.Found {
		found = append(found, fmt.Sprintf("%s (%s)", installation.Version, installation.BinDir))
	}
	return fmt.Sprintf("the data directory %s was made by PostgreSQL %d, but only PostgreSQL %s is installed here; "+
		"install PostgreSQL %d, or move the directory away to start with an empty database. Nothing in it was changed",
		e.DataDir, e.DataMajor, strings.Join(found, ", "), e.DataMajor)
}
