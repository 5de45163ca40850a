//go:build unix

package local

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// downloadVersion is fetched when no PostgreSQL is installed: a release with years of support ahead.
const downloadVersion = embeddedpostgres.V17

// downloadDir returns where a downloaded PostgreSQL is kept, for every data directory of this machine. The server runs
// as another user when this process is root, and root's own cache is closed to that user.
func downloadDir() (string, error) {
	name := "postgresql-" + string(downloadVersion)
	if os.Geteuid() == 0 {
		return filepath.Join("/var/cache/svc", name), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache directory: %w", err)
	}
	return filepath.Join(cache, "svc", name), nil
}

// Download returns the downloaded PostgreSQL, fetching it (about 10 MB) the first time.
func Download(ctx context.Context, logger *slog.Logger) (Installation, error) {
	dir, err := downloadDir()
	if err != nil {
		return Installation{}, err
	}
	return downloadTo(ctx, dir, logger, fetchRelease)
}

// downloadTo fetches into a directory beside dir and renames it there, so that an interrupted download is never run.
func downloadTo(
	ctx context.Context, dir string, logger *slog.Logger, fetch func(binaries, scratch string) error,
) (Installation, error) {
	bin := filepath.Join(dir, "bin")
	if installation, err := Inspect(ctx, bin); err == nil {
		return installation, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return Installation{}, fmt.Errorf("making the directory for PostgreSQL: %w", err)
	}
	lock, err := lockDir(ctx, dir+".lock", 10*time.Minute)
	if err != nil {
		return Installation{}, err
	}
	defer lock.Close()
	if installation, err := Inspect(ctx, bin); err == nil {
		return installation, nil // fetched by the process that had the lock
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "download-")
	if err != nil {
		return Installation{}, fmt.Errorf("making the directory for PostgreSQL: %w", err)
	}
	defer os.RemoveAll(scratch) // what is left there after a failure is of no use
	if err := os.Chmod(scratch, 0o755); err != nil {
		return Installation{}, fmt.Errorf("making the directory for PostgreSQL: %w", err)
	}
	logger.Info("no PostgreSQL is installed here, downloading it", "version", string(downloadVersion), "to", dir)
	fresh := filepath.Join(scratch, "release")
	fetchErr := fetch(fresh, scratch)
	if _, err := Inspect(ctx, filepath.Join(fresh, "bin")); err != nil {
		if fetchErr == nil {
			fetchErr = err
		}
		return Installation{}, fmt.Errorf("downloading PostgreSQL %s: %w", downloadVersion, fetchErr)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return Installation{}, fmt.Errorf("putting the downloaded PostgreSQL in its place: %w", err)
	}
	return Inspect(ctx, bin)
}

// fetchRelease has the library fetch, check and unpack a release. The library can only do so on the way to starting
// a server, so it is given a throw-away data directory and a locale that initdb refuses; no real data directory
// ever meets it, because it deletes those it doesn't understand.
func fetchRelease(binaries, scratch string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	library := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(downloadVersion).
		Port(uint32(port)).
		CachePath(filepath.Join(scratch, "archive")).
		BinariesPath(binaries).
		RuntimePath(filepath.Join(scratch, "run")).
		Locale("fetch-only").
		Logger(io.Discard))
	if err := library.Start(); err != nil {
		return err // expected; the caller looks whether the programs are there
	}
	return library.Stop() // a system whose C library accepts any locale
}
