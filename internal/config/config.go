// Package config gathers the server's settings from, in rising precedence, the
// defaults, a YAML file, the environment and the command line. Of the product it
// knows the names of roles: wiring translates settings into options.
package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	"github.com/svc-dev/svc/internal/role"
)

// EnvPrefix leads every environment variable of the server.
const EnvPrefix = "SVC_"

// Settings are all settings of a server. The yaml key of a field is its koanf
// tag; the environment variable is SVC_ and the key in capitals. A secret may
// also be given as a file's path in the variable with the suffix _FILE.
type Settings struct {
	// Addr is the listening address of the product, host:port.
	Addr string `koanf:"addr"`
	// AdminAddr serves /metrics, /healthz and /readyz; empty turns it off.
	AdminAddr string `koanf:"admin_addr"`
	// BaseURL is the public address of the server, without a trailing slash;
	// media URLs start with it. Empty means http:// and Addr.
	BaseURL string `koanf:"base_url"`
	// Roles are the kinds of work that the server does of those of its database: ingest, resolve, reports
	// (scaling.md).
	Roles []string `koanf:"roles"`
	// DatabaseURL is a PostgreSQL connection URL. Secret.
	DatabaseURL string `koanf:"database_url"`
	// DatabaseConnections bounds the pool.
	DatabaseConnections int `koanf:"database_connections"`
	// DatabaseSharding says whether the tables of tenants are distributed over a Citus cluster: auto, citus or off.
	DatabaseSharding string `koanf:"database_sharding"`
	// SecretKeys encrypt the secrets of connections and webhook endpoints: id:base64 of 32 bytes, separated by commas.
	// The first encrypts, the others decrypt what they encrypted before; when the server has started, they may go.
	// Empty means a key that is kept in the database. Secret.
	SecretKeys string `koanf:"secret_keys"`
	// MediaDir holds uploaded files.
	MediaDir string `koanf:"media_dir"`
	// MediaBaseURL is where media files are served from; empty means BaseURL.
	MediaBaseURL string `koanf:"media_base_url"`

	// AdminEmail and AdminPassword make the first administrator of a server
	// without users, and WorkspaceName their workspace. AdminPassword is secret.
	AdminEmail    string `koanf:"admin_email"`
	AdminPassword string `koanf:"admin_password"`
	WorkspaceName string `koanf:"workspace_name"`
	// OperatorKey lets whoever sends it manage plans; empty lets nobody. Secret.
	OperatorKey string `koanf:"operator_key"`

	// LogLevel is debug, info, warn or error; LogFormat is json or text.
	LogLevel  string `koanf:"log_level"`
	LogFormat string `koanf:"log_format"`

	// TrustedProxies are the networks (CIDR or address) whose X-Forwarded-For
	// and place headers are believed.
	TrustedProxies []string `koanf:"trusted_proxies"`
	// WebhookNetworks are the networks (CIDR or address) that webhooks may be
	// sent to although they are not public.
	WebhookNetworks []string `koanf:"webhook_networks"`
	// GeoDatabase is the path of a MaxMind-format city file; empty means none.
	GeoDatabase string `koanf:"geo_database"`
	// The Geo…Header settings name the headers of a trusted proxy that carry the
	// client's place; empty means not read.
	GeoCountryHeader   string `koanf:"geo_country_header"`
	GeoRegionHeader    string `koanf:"geo_region_header"`
	GeoCityHeader      string `koanf:"geo_city_header"`
	GeoLatitudeHeader  string `koanf:"geo_latitude_header"`
	GeoLongitudeHeader string `koanf:"geo_longitude_header"`

	// RateLimitKey and RateLimitAddress bound SDK requests a minute for one
	// publishable key and for one client address; 0 means no limit. An address
	// opens ten times as many connections at most, counted by the second.
	RateLimitKey     int `koanf:"rate_limit_key"`
	RateLimitAddress int `koanf:"rate_limit_address"`

	// PastDueGrace is how long SDK traffic of a workspace goes on after a payment became late (plans.md).
	PastDueGrace time.Duration `koanf:"past_due_grace"`

	// DedupWindow is how long an event id is remembered, and how old an event
	// may be (analytics.md §1).
	DedupWindow time.Duration `koanf:"dedup_window"`
	// NewNamesPerDay bounds how many new event names and pages an environment
	// may add a UTC day.
	NewNamesPerDay int `koanf:"new_names_per_day"`
	// AutomationEntriesPerDay bounds how much enters the automations of an environment by itself on a UTC day.
	AutomationEntriesPerDay int `koanf:"automation_entries_per_day"`
	// SessionHits is how many hits of one session reports keep.
	SessionHits int `koanf:"session_hits"`
	// RunHits is how many hits of one run of a flow reports keep.
	RunHits int `koanf:"run_hits"`
	// EventRetention is how long raw events and sessions are kept.
	EventRetention time.Duration `koanf:"event_retention"`
	// IngestWriters and IngestQueue size the event writer: concurrent
	// transactions, and events waiting for one of them.
	IngestWriters int `koanf:"ingest_writers"`
	IngestQueue   int `koanf:"ingest_queue"`

	// FrameMemory bounds the bytes that report frames may take; 0 means a
	// quarter of the machine's memory.
	FrameMemory int64 `koanf:"frame_memory"`
	// FrameDir keeps report frames in files, so that a server that starts again
	// has them at once; empty keeps them in memory alone.
	FrameDir string `koanf:"frame_dir"`
	// FrameDisk bounds the bytes of these files; 0 means no bound.
	FrameDisk int64 `koanf:"frame_disk"`
	// WarmDays is how many days up to now are read into report frames when the
	// server starts; 0 means none.
	WarmDays int `koanf:"warm_days"`

	// BodyMemory bounds the bytes that request bodies, packed and unpacked, and
	// the events that wait to be stored take together; 0 means an eighth of the
	// memory, from 64 to 128 MiB.
	BodyMemory int64 `koanf:"body_memory"`

	// ShutdownDelay is how long the server goes on taking requests after SIGTERM
	// has turned it unready, so that balancers send no more before it stops.
	ShutdownDelay time.Duration `koanf:"shutdown_delay"`
	// ShutdownGrace is how long open requests may go on after SIGTERM.
	ShutdownGrace time.Duration `koanf:"shutdown_grace"`

	baseURLDerived, mediaURLDerived bool
}

// Defaults returns the settings of a server that was told nothing.
func Defaults() Settings {
	return Settings{
		Addr:                "127.0.0.1:4000",
		AdminAddr:           "127.0.0.1:4001",
		Roles:               role.All().Names(),
		DatabaseConnections: 20,
		DatabaseSharding:    "auto",
		MediaDir:            "media",
		FrameDir:            "frames",
		WorkspaceName:       "My workspace",
		LogLevel:            "info",
		LogFormat:           "json",
		RateLimitKey:        60_000,
		RateLimitAddress:    3_000,
		// A holiday of whoever pays stops no app.
		PastDueGrace:   14 * 24 * time.Hour,
		DedupWindow:    7 * 24 * time.Hour,
		NewNamesPerDay: 10_000,

		AutomationEntriesPerDay: 1_000_000,

		SessionHits:    10_000,
		RunHits:        1000,
		EventRetention: 5 * 365 * 24 * time.Hour,
		IngestWriters:  2,
		IngestQueue:    100_000,
		WarmDays:       14,
		ShutdownGrace:  20 * time.Second,
	}
}

// secrets are the keys whose value Describe hides and that may come from a file.
var secrets = map[string]bool{
	"database_url": true, "admin_password": true, "operator_key": true, "secret_keys": true,
}

// minOperatorKey is how many bytes an operator's key needs at least: 32 random hexadecimal digits are 128 bits.
const minOperatorKey = 32

// lists are the keys whose variable holds several values, separated by commas or spaces.
var lists = map[string]bool{"roles": true, "trusted_proxies": true, "webhook_networks": true}

// Load reads the settings: defaults, then the YAML file when path is not empty,
// then SVC_… variables of environ, then flags (keys as in the file). Unknown
// keys are errors that name the key and where it was written.
func Load(defaults Settings, path string, environ []string, flags map[string]any) (Settings, error) {
	k := koanf.New(".")
	known, err := keysOf(defaults)
	if err != nil {
		return Settings{}, err
	}
	if path != "" {
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			return Settings{}, fmt.Errorf("read configuration file %s: %w", path, err)
		}
		for _, key := range k.Keys() {
			if !known[key] {
				return Settings{}, fmt.Errorf("%s: unknown setting %q", path, key)
			}
		}
	}
	vars, err := fromEnvironment(environ, known)
	if err != nil {
		return Settings{}, err
	}
	if err := k.Load(confmap.Provider(vars, "."), nil); err != nil {
		return Settings{}, err
	}
	if err := k.Load(confmap.Provider(flags, "."), nil); err != nil {
		return Settings{}, err
	}
	settings := defaults
	if err := k.Unmarshal("", &settings); err != nil {
		return Settings{}, fmt.Errorf("settings: %w", err)
	}
	settings.BaseURL = strings.TrimRight(settings.BaseURL, "/")
	settings.MediaBaseURL = strings.TrimRight(settings.MediaBaseURL, "/")
	settings.derive()
	return settings, settings.Validate()
}

// derive fills in the addresses that follow from others.
func (s *Settings) derive() {
	if s.BaseURL == "" {
		s.BaseURL, s.baseURLDerived = "http://"+s.Addr, true
	}
	if s.MediaBaseURL == "" {
		s.MediaBaseURL, s.mediaURLDerived = s.BaseURL, true
	}
}

// WithPort returns the settings of a server that listens on port, which matters
// when Addr asked for a free one (port 0).
func (s Settings) WithPort(port int) Settings {
	s.Addr = s.Addr[:strings.LastIndex(s.Addr, ":")+1] + strconv.Itoa(port)
	if s.baseURLDerived {
		s.BaseURL = ""
	}
	if s.mediaURLDerived {
		s.MediaBaseURL = ""
	}
	s.derive()
	return s
}

// clientVariables belong to the command line's client side, not to the server.
// Variables that start SVC_TEST_ or SVC_SETUP_ belong to developing it.
var clientVariables = map[string]bool{
	"SVC_API_KEY": true, "SVC_API_URL": true, "SVC_PROFILE": true,
	"SVC_CONFIG": true, "SVC_CONFIG_PATH": true,
}

func fromEnvironment(environ []string, known map[string]bool) (map[string]any, error) {
	k := koanf.New(".")
	var failed error
	err := k.Load(env.Provider(".", env.Opt{
		Prefix:      EnvPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if clientVariables[name] || strings.HasPrefix(name, "SVC_TEST_") || strings.HasPrefix(name, "SVC_SETUP_") {
				return "", nil
			}
			key := strings.ToLower(strings.TrimPrefix(name, EnvPrefix))
			if base, isFile := strings.CutSuffix(key, "_file"); isFile && secrets[base] {
				content, err := os.ReadFile(value)
				if err != nil {
					failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
					return "", nil
				}
				return base, strings.TrimRight(string(content), "\r\n")
			}
			if !known[key] {
				failed = errors.Join(failed, fmt.Errorf("unknown setting %s", name))
				return "", nil
			}
			if lists[key] {
				return key, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
			}
			return key, value
		},
	}), nil)
	return k.All(), errors.Join(err, failed)
}

// minBodyMemory holds the largest body, packed and unpacked, of one client and
// leaves room for others.
const minBodyMemory = 64 << 20

// Validate reports every setting whose value can't be used, by its key.
func (s Settings) Validate() error {
	var problems []error
	check := func(ok bool, key, rule string) {
		if !ok {
			problems = append(problems, fmt.Errorf("%s: %s", key, rule))
		}
	}
	check(strings.Contains(s.Addr, ":"), "addr", "must be host:port")
	check(s.AdminAddr == "" || strings.Contains(s.AdminAddr, ":"), "admin_addr", "must be host:port or empty")
	for key, address := range map[string]string{"base_url": s.BaseURL, "media_base_url": s.MediaBaseURL} {
		u, err := url.Parse(address)
		check(err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"), key, "must be an http or https URL")
	}
	if _, err := s.ServerRoles(); err != nil {
		problems = append(problems, err)
	}
	if s.DatabaseURL != "" {
		u, err := url.Parse(s.DatabaseURL)
		check(err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql"), "database_url", "must be a postgres:// URL")
	}
	check(s.DatabaseConnections >= 4, "database_connections", "must be at least 4")
	check(oneOf(s.DatabaseSharding, "auto", "citus", "off"), "database_sharding", "must be auto, citus or off")
	check((s.AdminEmail == "") == (s.AdminPassword == ""), "admin_email", "must be given together with admin_password")
	check(
		s.AdminPassword == "" || utf8.RuneCountInString(s.AdminPassword) >= 8, "admin_password",
		"must have at least 8 characters",
	)
	check(
		s.OperatorKey == "" || len(s.OperatorKey) >= minOperatorKey, "operator_key", "must have at least 32 characters",
	)
	check(oneOf(s.LogLevel, "debug", "info", "warn", "error"), "log_level", "must be debug, info, warn or error")
	check(oneOf(s.LogFormat, "json", "text"), "log_format", "must be json or text")
	for _, parse := range []func() ([]netip.Prefix, error){s.ProxyNetworks, s.AllowedWebhookNetworks} {
		if _, err := parse(); err != nil {
			problems = append(problems, err)
		}
	}
	check(s.RateLimitKey >= 0, "rate_limit_key", "must not be negative")
	check(s.RateLimitAddress >= 0, "rate_limit_address", "must not be negative")
	check(s.PastDueGrace >= 0, "past_due_grace", "must not be negative")
	check(s.DedupWindow >= time.Hour, "dedup_window", "must be at least 1h")
	check(s.NewNamesPerDay > 0, "new_names_per_day", "must be positive")
	check(s.AutomationEntriesPerDay > 0, "automation_entries_per_day", "must be positive")
	check(s.SessionHits > 0, "session_hits", "must be positive")
	// A run is written anew by each batch of its hits, and a hit takes 48 bytes.
	check(s.RunHits > 0 && s.RunHits <= 20_000, "run_hits", "must be from 1 to 20000")
	check(s.EventRetention >= 24*time.Hour, "event_retention", "must be at least 24h")
	check(s.IngestWriters > 0 && s.IngestWriters <= 64, "ingest_writers", "must be 1 to 64")
	check(s.IngestQueue >= 1000, "ingest_queue", "must be at least 1000")
	check(s.FrameMemory >= 0, "frame_memory", "must not be negative")
	check(s.FrameDisk >= 0, "frame_disk", "must not be negative")
	check(s.BodyMemory == 0 || s.BodyMemory >= minBodyMemory, "body_memory", "must be 0 or at least 67108864 (64 MiB)")
	check(s.WarmDays >= 0, "warm_days", "must not be negative")
	check(s.ShutdownDelay >= 0, "shutdown_delay", "must not be negative")
	check(s.ShutdownGrace >= 0, "shutdown_grace", "must not be negative")
	sort.Slice(problems, func(i, j int) bool { return problems[i].Error() < problems[j].Error() })
	return errors.Join(problems...)
}

// ServerRoles parses Roles.
func (s Settings) ServerRoles() (role.Set, error) {
	set, err := role.Parse(s.Roles)
	if err != nil {
		return nil, fmt.Errorf("roles: %w", err)
	}
	return set, nil
}

// ProxyNetworks parses TrustedProxies; a plain address is a network of one.
func (s Settings) ProxyNetworks() ([]netip.Prefix, error) {
	return parseNetworks("trusted_proxies", s.TrustedProxies)
}

// AllowedWebhookNetworks parses WebhookNetworks; a plain address is a network of one.
func (s Settings) AllowedWebhookNetworks() ([]netip.Prefix, error) {
	return parseNetworks("webhook_networks", s.WebhookNetworks)
}

func parseNetworks(key string, texts []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, prefix.Masked())
			continue
		}
		address, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is neither an address nor a network", key, text)
		}
		networks = append(networks, netip.PrefixFrom(address, address.BitLen()))
	}
	return networks, nil
}

func oneOf(value string, allowed ...string) bool {
	for _, a := range allowed {
		if value == a {
			return true
		}
	}
	return false
}
