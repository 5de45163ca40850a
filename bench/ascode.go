package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const (
	codeFlows    = 50
	codeSegments = 150
	codeTurns    = 9
	codeLimit    = 1_000.0 // milliseconds
)

// benchCode measures `svc diff` of 200 files: 50 flows of thirty steps and 150 segments, as a check of a pull request
// runs it. The reference is a command that asks the server once.
func benchCode(ctx context.Context) error { return onServer(ctx, measureCode) }

func measureCode(ctx context.Context, s *server) error {
	folder, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := writeCode(folder); err != nil {
		return err
	}
	app := s.file.Apps[0].ID
	svc := func(args ...string) (time.Duration, error) {
		command := exec.CommandContext(ctx, binary, args...)
		command.Env = append(os.Environ(), "SVC_API_URL="+s.file.BaseURL, "SVC_API_KEY="+s.file.APIKey)
		began := time.Now()
		output, err := command.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("svc %v: %w: %.500s", args, err, output)
		}
		return time.Since(began), err
	}
	if _, err := svc("push", folder, "--app", app); err != nil {
		return err
	}
	var took, once []time.Duration
	for range codeTurns {
		whole, err := svc("diff", folder, "--kinds", "flows,segments")
		if err != nil {
			return err
		}
		request, err := svc("goals", "list", app)
		if err != nil {
			return err
		}
		took, once = append(took, whole), append(once, request)
	}
	slices.Sort(took)
	slices.Sort(once)
	p50 := milliseconds(quantile(took, .5))
	row(fmt.Sprintf("svc diff of %d files, p50", codeFlows+codeSegments), p50, "ms", milliseconds(quantile(once, .5)),
		"svc goals list")
	row("  start of the command included", p50, "ms", codeLimit, "limit")
	return nil
}

// writeCode writes the files.
func writeCode(folder string) error {
	manifest := askingFlow()
	delete(manifest, "flowId")
	delete(manifest, "version")
	write := func(kind string, i int, members map[string]any) error {
		members["name"] = fmt.Sprintf("Bench %03d", i)
		text, err := json.Marshal(members)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(folder, kind), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, kind, fmt.Sprintf("bench-%03d.json", i)), text, 0o600)
	}
	for i := range codeFlows {
		if err := write("flows", i, map[string]any{"manifest": manifest}); err != nil {
			return err
		}
	}
	for i := range codeSegments {
		rules := map[string]any{"where": map[string]any{"event": map[string]any{"name": fmt.Sprint("event-", i)}}}
		if err := write("segments", i, map[string]any{"rules": rules, "windowDays": 30}); err != nil {
			return err
		}
	}
	return nil
}
