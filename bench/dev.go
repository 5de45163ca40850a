package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// binary is what `make build` makes.
const binary = "bin/svc"

// server is a `svc dev` under measurement.
type server struct {
	command *exec.Cmd
	done    chan error
	dir     string
	// databases are the data directories of its database, as many as it has nodes.
	databases []string
	file      struct {
		BaseURL     string `json:"baseUrl"`
		DatabaseURL string `json:"databaseUrl"`
		MetricsURL  string `json:"metricsUrl"`
		APIKey      string `json:"apiKey"`
		Admin       struct{ Email, Password string }
		Apps        []struct {
			ID           string `json:"id"`
			Environments map[string]struct {
				PublishableKey string `json:"publishableKey"`
			} `json:"environments"`
		} `json:"apps"`
	}
}

// startServer starts `svc dev` on dir and waits until it serves; it returns the
// time that took.
func startServer(ctx context.Context, dir string, env ...string) (*server, time.Duration, error) {
	return startServerIn(ctx, nil, dir, env...)
}

// onServer measures a server on a data directory of its own, which is gone afterwards.
func onServer(ctx context.Context, measure func(context.Context, *server) error, env ...string) error {
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, _, err := startServer(ctx, dir, env...)
	if err != nil {
		return err
	}
	return errors.Join(measure(ctx, s), s.stop())
}

// startServerIn starts it within a limit of memory, nil is none.
func startServerIn(
	ctx context.Context, limited *memoryLimit, dir string, env ...string,
) (*server, time.Duration, error) {
	path := filepath.Join(dir, "dev.json")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, err
	}
	s := &server{dir: dir, databases: []string{filepath.Join(dir, "postgres", "data")}, done: make(chan error, 1)}
	s.command = limited.command(binary, "dev", "--demo=none", "--addr=127.0.0.1:0", "--data-dir", dir)
	if options.stock {
		s.command.Args = append(s.command.Args, "--timescaledb=false")
	}
	s.command.Env = append(append(os.Environ(), "SVC_FRAME_DIR="), env...) // a start finds nothing unless it says so
	var log bytes.Buffer
	s.command.Stdout, s.command.Stderr = &log, &log
	began := time.Now()
	if err := s.command.Start(); err != nil {
		return nil, 0, fmt.Errorf("start %s (make build makes it): %w", binary, err)
	}
	go func() { s.done <- s.command.Wait() }()
	for {
		select {
		case err := <-s.done:
			return nil, 0, fmt.Errorf("svc dev ended: %w\n%s", err, log.String())
		case <-ctx.Done():
			_ = s.command.Process.Kill()
			return nil, 0, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
		if content, err := os.ReadFile(path); err == nil && json.Unmarshal(content, &s.file) == nil {
			return s, time.Since(began), nil
		}
	}
}

// ask sends an operation of GraphQL, with a key unless that is empty, and returns its time and answer.
func (s *server) ask(
	ctx context.Context, client *http.Client, key, text string, variables map[string]any,
) (time.Duration, []byte, error) {
	body, err := json.Marshal(map[string]any{"query": text, "variables": variables})
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.file.BaseURL+"/graphql", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	request.Header.Set("Content-Type", "application/json")
	began := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	took := time.Since(began)
	if err == nil && (response.StatusCode != http.StatusOK || bytes.Contains(content, []byte(`"errors"`))) {
		err = fmt.Errorf("%s %.500s", response.Status, content)
	}
	return took, content, err
}

func (s *server) stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return <-s.done
}

// liveKey returns the publishable key of the first app's live environment.
func (s *server) liveKey() string { return s.file.Apps[0].Environments["live"].PublishableKey }

// residentBytes returns the memory that the server process holds.
func (s *server) residentBytes() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, errors.New("no VmRSS in the process status")
}

// walBytes returns how many bytes the database has written to its write-ahead log.
func (s *server) walBytes(ctx context.Context) (bytes int64, err error) {
	conn, err := pgx.Connect(ctx, s.file.DatabaseURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint`).Scan(&bytes)
	return bytes, err
}
