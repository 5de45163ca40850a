package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

const (
	defaultAPIURL = "http://127.0.0.1:4000"
	apiKeyPrefix  = "svc_wk_"
)

// profiles is the content of the client's configuration file.
type profiles struct {
	DefaultProfile string             `json:"defaultProfile,omitempty"`
	Profiles       map[string]profile `json:"profiles"`
}

type profile struct {
	APIKey string `json:"apiKey"`
	APIURL string `json:"apiUrl"`
}

// profilePath returns $SVC_CONFIG_PATH, else svc/config.json in the user's
// configuration directory.
func profilePath(t terminal) (string, error) {
	if path := t.env("SVC_CONFIG_PATH"); path != "" {
		return path, nil
	}
	if dir := t.env("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "svc", "config.json"), nil
	}
	if home := t.env("HOME"); home != "" {
		return filepath.Join(home, ".config", "svc", "config.json"), nil
	}
	return "", errors.New("no home directory for the configuration file: set SVC_CONFIG_PATH")
}

func readProfiles(t terminal) (profiles, error) {
	empty := profiles{Profiles: map[string]profile{}}
	path, err := profilePath(t)
	if err != nil {
		return empty, nil //nolint:nilerr // without a home there are no profiles
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("read profiles: %w", err)
	}
	stored := empty
	if err := json.Unmarshal(content, &stored); err != nil {
		return empty, fmt.Errorf("read profiles in %s: %w", path, err)
	}
	if stored.Profiles == nil {
		stored.Profiles = map[string]profile{}
	}
	return stored, nil
}

func writeProfiles(t terminal, p profiles) error {
	path, err := profilePath(t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write profiles: %w", err)
	}
	if file, err := filepath.EvalSymlinks(path); err == nil { // a link stays one
		path = file
	}
	return writeSecretFile(path, p)
}

// connection says where the API is and what proves who asks.
type connection struct {
	url     string
	key     string
	profile string // name of the profile it came from, if any
}

// clientFlags are the flags of every command that calls a server.
type clientFlags struct{ url, key, profile string }

func (f *clientFlags) bind(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.url, "api-url", "", "address of the server (env SVC_API_URL)")
	flags.StringVar(&f.key, "api-key", "", "workspace API key (env SVC_API_KEY)")
	flags.StringVar(&f.profile, "profile", "", "profile of the configuration file (env SVC_PROFILE)")
}

// resolve chooses address and key: flag, then environment, then profile.
func (f clientFlags) resolve(t terminal) (connection, error) {
	stored, err := readProfiles(t)
	if err != nil {
		return connection{}, err
	}
	name := firstOf(f.profile, t.env("SVC_PROFILE"))
	if name != "" {
		if _, known := stored.Profiles[name]; !known {
			return connection{}, usageError(
				"profile %q is not in the configuration file; known: %s", name, strings.Join(profileNames(stored), ", "),
			)
		}
	} else {
		name = stored.DefaultProfile
	}
	chosen := stored.Profiles[name]
	c := connection{
		url: strings.TrimRight(
			firstOf(f.url, t.env("SVC_API_URL"), t.env("SVC_BASE_URL"), chosen.APIURL, defaultAPIURL), "/",
		),
		key:     strings.TrimSpace(firstOf(f.key, t.env("SVC_API_KEY"), chosen.APIKey)), // a line of a file, at times
		profile: name,
	}
	u, err := url.Parse(c.url)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return connection{}, usageError("api-url: %q is not an http or https URL", c.url)
	}
	if u.User != nil { // errors would tell the password
		return connection{}, usageError("api-url: leave out the user and the password: the key says who asks")
	}
	return c, nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func profileNames(p profiles) []string {
	names := make([]string, 0, len(p.Profiles))
	for name := range p.Profiles {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// maskKey shows only the last four characters of a key.
func maskKey(key string) string {
	if len(key) <= 4 {
		return ""
	}
	return apiKeyPrefix + "…" + key[len(key)-4:]
}

func newAuth(t terminal) *cobra.Command {
	auth := &cobra.Command{Use: "auth", Short: "Keep API keys in named profiles"}
	var flags clientFlags
	flags.bind(auth)
	login := &cobra.Command{
		Use:   "login",
		Short: "Store an API key as a profile; asks for the key when --api-key is not given",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return login(t, flags) },
	}
	status := &cobra.Command{
		Use:   "status",
		Short: "Show the profiles, keys masked",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return authStatus(t) },
	}
	logout := &cobra.Command{
		Use:   "logout",
		Short: "Forget a profile",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return logout(t, flags) },
	}
	return newGroup(auth, login, status, logout)
}

func login(t terminal, flags clientFlags) error {
	stored, err := readProfiles(t)
	if err != nil {
		return err
	}
	key := firstOf(flags.key, t.env("SVC_API_KEY"))
	if key == "" {
		if key, err = askSecret(t, "API key: "); err != nil {
			return err
		}
	}
	if !strings.HasPrefix(key, apiKeyPrefix) {
		return usageError("api-key: a workspace API key starts with %s", apiKeyPrefix)
	}
	name := firstOf(flags.profile, t.env("SVC_PROFILE"), "default")
	stored.Profiles[name] = profile{
		APIKey: key,
		APIURL: strings.TrimRight(firstOf(flags.url, t.env("SVC_API_URL"), t.env("SVC_BASE_URL"), defaultAPIURL), "/"),
	}
	if stored.DefaultProfile == "" {
		stored.DefaultProfile = name
	}
	if err := writeProfiles(t, stored); err != nil {
		return err
	}
	return authStatus(t)
}

// askSecret reads one line, without showing it when the input is a terminal.
func askSecret(t terminal, prompt string) (string, error) {
	fmt.Fprint(t.err, prompt)
	if file, ok := t.in.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		secret, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(t.err)
		return strings.TrimSpace(string(secret)), err
	}
	var secret string
	if _, err := fmt.Fscanln(t.in, &secret); err != nil {
		return "", usageError("api-key: nothing to read; give --api-key or SVC_API_KEY")
	}
	return secret, nil
}

func authStatus(t terminal) error {
	stored, err := readProfiles(t)
	if err != nil {
		return err
	}
	type row struct {
		Name    string `json:"name"`
		APIURL  string `json:"apiUrl"`
		APIKey  string `json:"apiKey"`
		Default bool   `json:"default"`
	}
	rows := []row{}
	for _, name := range profileNames(stored) {
		p := stored.Profiles[name]
		rows = append(rows, row{name, p.APIURL, maskKey(p.APIKey), name == stored.DefaultProfile})
	}
	encoder := json.NewEncoder(t.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(rows)
}

func logout(t terminal, flags clientFlags) error {
	stored, err := readProfiles(t)
	if err != nil {
		return err
	}
	name := firstOf(flags.profile, t.env("SVC_PROFILE"), stored.DefaultProfile)
	if _, known := stored.Profiles[name]; !known {
		return usageError("profile %q is not in the configuration file", name)
	}
	delete(stored.Profiles, name)
	if stored.DefaultProfile == name {
		stored.DefaultProfile = ""
	}
	if err := writeProfiles(t, stored); err != nil {
		return err
	}
	return authStatus(t)
}
