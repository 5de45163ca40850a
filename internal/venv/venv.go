// Package venv makes virtual environments of Python for programs that tests and benchmarks compare the server with.
package venv

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Available returns why environments can't be made here: Python or what makes them, a package of its own in some
// systems, is not installed.
func Available(ctx context.Context) error { return run(ctx, "python3", "-c", "import ensurepip, venv") }

// Python returns the interpreter of an environment that has modules, such as duckdb==2.0.1. It is made when it is asked
// for first, in the user's folder of caches, where processes that make it at the same time end with one of theirs.
func Python(ctx context.Context, modules ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(modules, "\n")))
	dir := filepath.Join(cache, "svc", fmt.Sprintf("python-%x", sum[:8]))
	python := filepath.Join("bin", "python")
	if _, err := os.Stat(filepath.Join(dir, python)); err == nil {
		return filepath.Join(dir, python), nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "python-new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(made)
	if err := run(ctx, "python3", "-m", "venv", made); err != nil {
		return "", err
	}
	install := append([]string{"-m", "pip", "install", "--quiet"}, modules...)
	if err := run(ctx, filepath.Join(made, python), install...); err != nil {
		return "", err
	}
	if err := os.Rename(made, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return filepath.Join(dir, python), nil
}

func run(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}
