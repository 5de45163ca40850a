//go:build unix

package local

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeInstallation writes programs that answer --version.
func fakeInstallation(t *testing.T, dir, answer string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\necho '"+answer+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func onlyThese(t *testing.T, patterns ...string) {
	t.Helper()
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	before := searchPatterns
	searchPatterns = patterns
	t.Cleanup(func() { searchPatterns = before })
}

func TestFindTakesTheNewestSupportedServer(t *testing.T) {
	root := t.TempDir()
	onlyThese(t, filepath.Join(root, "*", "bin"))
	for dir, answer := range map[string]string{
		"a14": "postgres (PostgreSQL) 14.9",
		"b16": "postgres (PostgreSQL) 16.2 (Debian 16.2-1)",
		"c18": "postgres (PostgreSQL) 18beta1",
		"d17": "postgres (PostgreSQL) 17.5",
		"e":   "something else",
	} {
		fakeInstallation(t, filepath.Join(root, dir, "bin"), answer)
	}
	if err := os.MkdirAll(filepath.Join(root, "client", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, installation := range Find(context.Background()) {
		found = append(found, installation.Version)
	}
	if got := strings.Join(found, " "); got != "18 17.5 16.2" {
		t.Errorf("found %s", got)
	}
	for wanted, version := range map[int]string{0: "18", 16: "16.2", 17: "17.5"} {
		chosen, err := choose(context.Background(), Config{}, wanted)
		if err != nil || chosen.Version != version {
			t.Errorf("for major %d: %v (%v), want %s", wanted, chosen.Version, err, version)
		}
	}
	var mismatch *VersionMismatchError
	if _, err := choose(context.Background(), Config{}, 15); !errors.As(err, &mismatch) || len(mismatch.Found) != 3 {
		t.Errorf("for major 15: %v", err)
	}
}

func TestNothingFoundSaysWhatToInstall(t *testing.T) {
	onlyThese(t)
	_, err := choose(context.Background(), Config{}, 0)
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "apt install postgresql") {
		t.Errorf("error %v", err)
	}
	old := t.TempDir()
	fakeInstallation(t, old, "postgres (PostgreSQL) 12.1")
	if _, err := choose(
		context.Background(), Config{BinDir: old}, 0,
	); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("error %v", err)
	}
}

func TestDownloadIsUsedOnlyWhenComplete(t *testing.T) {
	ctx := context.Background()
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	dir := filepath.Join(t.TempDir(), "postgresql")
	offline := errors.New("no network")
	if _, err := downloadTo(ctx, dir, logger, func(binaries, _ string) error {
		return errors.Join(os.MkdirAll(filepath.Join(binaries, "bin"), 0o755), offline)
	}); !errors.Is(err, offline) {
		t.Fatalf("error %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("a failed download left %v (%v), want only the lock", left, err)
	}
	fetches := 0
	fetch := func(binaries, _ string) error {
		fetches++
		fakeInstallation(t, filepath.Join(binaries, "bin"), "postgres (PostgreSQL) 17.5")
		return errors.New("initdb: invalid locale name") // how the library ends after a complete download
	}
	for range 2 {
		installation, err := downloadTo(ctx, dir, logger, fetch)
		if err != nil || installation.Version != "17.5" || installation.BinDir != filepath.Join(dir, "bin") {
			t.Errorf("downloaded %+v (%v)", installation, err)
		}
	}
	if fetches != 1 {
		t.Errorf("fetched %d times, want once", fetches)
	}
}

func TestReachable(t *testing.T) {
	root := t.TempDir()
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil { // the testing package makes it private
		t.Fatal(err)
	}
	inner := filepath.Join(root, "closed", "inner")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	stranger := &account{uid: 65533, gid: 65533}
	if !reachable(inner, stranger) {
		t.Error("open directories are not reachable")
	}
	if err := os.Chmod(filepath.Join(root, "closed"), 0o700); err != nil {
		t.Fatal(err)
	}
	if reachable(inner, stranger) {
		t.Error("a closed directory is reachable")
	}
	if !reachable(inner, &account{uid: uint32(os.Getuid()), gid: 65533}) {
		t.Error("the owner can't reach it")
	}
}
