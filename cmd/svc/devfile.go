package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-dev/svc/cmd/svc/demo"
)

// devFile is <data-dir>/dev.json: everything that a person or a test needs to
// talk to a `svc dev`.
type devFile struct {
	BaseURL string `json:"baseUrl"`
	// DashboardURL signs in whoever opens it, until the server stops; empty where
	// the binary holds no dashboard.
	DashboardURL string `json:"-"`
	// OutboxURL shows the emails that are kept in place of being sent; empty where an SMTP server is set.
	OutboxURL   string   `json:"-"`
	GraphQLURL  string   `json:"graphqlUrl"`
	MetricsURL  string   `json:"metricsUrl,omitempty"`
	DatabaseURL string   `json:"databaseUrl"`
	APIKey      string   `json:"apiKey"` // has all scopes
	Admin       devAdmin `json:"admin"`
	Apps        []devApp `json:"apps"`
	sights      []demo.Sight
}

type devAdmin struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

type devApp struct {
	ID           string                    `json:"id"`
	Name         string                    `json:"name"`
	Environments map[string]devEnvironment `json:"environments"`
}

type devEnvironment struct {
	PublishableKey string       `json:"publishableKey"`
	Channels       []devChannel `json:"channels"`
}

type devChannel struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"` // pinned, experiment, unassigned, archived
}

// credentials are the secrets of a data directory. They are kept apart from
// dev.json because they must survive every run, while dev.json exists only
// while the server serves.
type credentials struct {
	APIKey string   `json:"apiKey"`
	Scopes []string `json:"scopes"` // of the key
	Admin  devAdmin `json:"admin"`
	// WebhookSecret signs what the demo's automation sends to this server.
	WebhookSecret string `json:"webhookSecret,omitempty"`
}

// readCredentials returns those of an earlier run, or a new administrator with
// a password that nobody else has.
func readCredentials(dataDir string) (credentials, error) {
	c := credentials{Admin: devAdmin{Email: demoAdminEmail, Password: strings.ToLower(rand.Text()[:16])}}
	content, err := os.ReadFile(filepath.Join(dataDir, "credentials.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return c, c.write(dataDir)
	}
	if err == nil {
		err = json.Unmarshal(content, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read the credentials of %s: %w", dataDir, err)
	}
	return c, nil
}

func (c credentials) write(dataDir string) error {
	return writeSecretFile(filepath.Join(dataDir, "credentials.json"), c)
}

// write makes dev.json: from now on the server can be used.
func (f *devFile) write(dataDir string) error {
	return writeSecretFile(filepath.Join(dataDir, "dev.json"), f)
}

// removeDevFile removes what an earlier run left.
func removeDevFile(dataDir string) error {
	if err := os.Remove(filepath.Join(dataDir, "dev.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove dev.json of an earlier run: %w", err)
	}
	return nil
}

// writeSecretFile replaces a file at once, readable by its owner only.
func writeSecretFile(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(content, '\n'), 0o600)
}

// announce prints what to try, ready to paste.
func (f *devFile) announce(w io.Writer, dataDir string, hasExample bool) {
	fmt.Fprint(w, "\nSvc is serving.\n\n")
	if f.DashboardURL != "" {
		fmt.Fprintf(w, "  dashboard  %s   (signed in)\n", f.DashboardURL)
	} else {
		fmt.Fprintf(w, "  product    %s   (no dashboard in this binary: make dashboard builds it)\n", f.BaseURL)
	}
	fmt.Fprintf(w, "  GraphQL    %s\n  REST       %s/v1/openapi.json\n  sign-in    %s   %s\n",
		f.GraphQLURL, f.BaseURL, f.Admin.Email, f.Admin.Password)
	if f.OutboxURL != "" {
		fmt.Fprintf(w, "  emails     %s   (kept here, not sent)\n", f.OutboxURL)
	}
	if hasExample {
		fmt.Fprintf(w, "  web SDK    %s%s\n", f.BaseURL, examplePath)
	}
	if len(f.sights) > 0 && f.DashboardURL != "" {
		fmt.Fprint(w, "\nWorth a look, once the first link has signed you in:\n\n")
		for _, sight := range f.sights {
			fmt.Fprintf(w, "  %s\n    %s%s\n", sight.Name, f.BaseURL, sight.Path)
		}
	}
	for _, app := range f.Apps {
		live := app.Environments["live"]
		for _, channel := range live.Channels {
			if channel.State != "pinned" {
				continue
			}
			fmt.Fprintf(w, "\nResolve a flow as an app does:\n\n  curl -s %s/v1/sdk/resolve -H 'Authorization: Bearer %s' -H "+
				"'X-Svc-Channel: %s' -H 'Content-Type: application/json' -d '{\"identity\": {\"appUserId\": \"me\"}}'\n",
				f.BaseURL, live.PublishableKey, channel.ID)
			break
		}
		binary, err := os.Executable()
		if err != nil {
			binary = "svc"
		}
		fmt.Fprintf(
			w, "\nRead the last seven days:\n\n  SVC_API_URL=%s SVC_API_KEY=%s %s analytics product summary %s\n", f.BaseURL,
			f.APIKey, shortPath(binary), app.ID,
		)
		fmt.Fprintf(
			w, "\nKeep its flows and settings as files:\n\n  SVC_API_URL=%s SVC_API_KEY=%s %s pull configuration --app %s\n",
			f.BaseURL, f.APIKey, shortPath(binary), app.ID,
		)
		break
	}
	fmt.Fprintf(w, "\nCtrl-C stops it. The data stays in %s.\n\n", shortPath(dataDir))
}

// shortPath names a file below the working directory by its relative path.
func shortPath(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if relative, err := filepath.Rel(dir, path); err == nil && len(relative) < len(path) {
			return relative
		}
	}
	return path
}
