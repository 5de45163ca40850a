package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestConfigCheckSaysWhatIsWrong(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(secret, []byte("correct-horse\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := Run(
		t,
		[]string{
			"SVC_ADMIN_EMAIL=a@example.com", "SVC_ADMIN_PASSWORD_FILE=" + secret, "SVC_DATABASE_URL=postgres://u:hunter2@h/d",
		},
		"config", "check", "--addr", "0.0.0.0:80",
	)
	var settings []struct {
		Key   string
		Value any
	}
	if err := json.Unmarshal([]byte(stdout), &settings); exit != 0 || err != nil {
		t.Fatalf("%d %s %s", exit, stdout, stderr)
	}
	if settings[0].Key != "addr" || settings[0].Value != "0.0.0.0:80" || strings.Contains(stdout, "correct-horse") ||
		strings.Contains(stdout, "hunter2") {
		t.Errorf("config check says %s", stdout)
	}
	for _, c := range []struct {
		env  []string
		args []string
		want []string
	}{
		{[]string{"SVC_LOG_LEVEL=loud", "SVC_SESSION_HITS=0"}, nil, []string{"log_level", "session_hits"}},
		{[]string{"SVC_ADRR=x"}, nil, []string{"SVC_ADRR"}},
		{[]string{"SVC_INGEST_QUEUE=many"}, nil, []string{"ingest_queue"}},
		{[]string{"SVC_RATE_LIMIT_KEY=x", "SVC_TURBO=1", "SVC_DEDUP_WINDOW=1s"}, nil,
			[]string{"rate_limit_key", `SVC_RATE_LIMIT_KEY is "x"`, "SVC_TURBO", "dedup_window", "database_url"}},
		{nil, nil, []string{"database_url", "svc dev"}},
		{nil, []string{"--config", "/does/not/exist.yaml"}, []string{"/does/not/exist.yaml"}},
		{nil, []string{"--colour"}, []string{"colour"}},
	} {
		exit, stdout, stderr := Run(t, c.env, append([]string{"config", "check"}, c.args...)...)
		var failed struct{ Code, Message string }
		if err := json.Unmarshal([]byte(stderr), &failed); err != nil || exit != 2 || stdout != "" {
			t.Errorf("%v %v: %d %s %s", c.env, c.args, exit, stdout, stderr)
		}
		for _, part := range c.want {
			if !strings.Contains(failed.Message, part) {
				t.Errorf("%v %v: %q does not name %s", c.env, c.args, failed.Message, part)
			}
		}
	}
}

func TestVersionIsPrinted(t *testing.T) {
	exit, stdout, _ := Run(t, nil, "version")
	var version struct{ Version string }
	if err := json.Unmarshal([]byte(stdout), &version); err != nil || exit != 0 || version.Version == "" {
		t.Errorf("%d %s", exit, stdout)
	}
	if exit, _, stderr := Run(t, nil, "vresion"); exit != 2 || !strings.Contains(stderr, "vresion") {
		t.Errorf("an unknown command: %d %s", exit, stderr)
	}
}

func TestTheDocumentedSettingsAreThoseOfConfigCheck(t *testing.T) {
	_, stdout, _ := Run(t, []string{"SVC_DATABASE_URL=postgres://u@h/d"}, "config", "check")
	var settings []struct{ Key string }
	if err := json.Unmarshal([]byte(stdout), &settings); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	var known, documented []string
	for _, setting := range settings {
		known = append(known, setting.Key)
	}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.HasPrefix(cells[1], " `") {
			for _, match := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				documented = append(documented, match[1])
			}
		}
	}
	slices.Sort(known)
	slices.Sort(documented)
	if !slices.Equal(known, documented) {
		t.Errorf("settings\n%v\ndocumented\n%v", known, documented)
	}
}
