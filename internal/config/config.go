// Package config gathers the server's settings from, in rising precedence, the
// defaults, a YAML file, the environment and the command line. Of the product it
// knows the names of roles: wiring translates settings into options.
package config

import (
	"strconv"
	"strings"
	"time"

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
	// SQLHost is the host, with a port or without, at which clients of SQL roles reach the database. Members make
	// SQL roles only where it is set.
	SQLHost string `koanf:"sql_host"`
	// SecretKeys encrypt the secrets of connections and webhook endpoints: id:base64 of 32 bytes, separated by commas.
	// The first encrypts, the others decrypt what they encrypted before; when the server has started, they may go.
	// Empty means a key that is kept in the database. Secret.
	SecretKeys string `koanf:"secret_keys"`
	// MediaDir holds uploaded files.
	MediaDir string `koanf:"media_dir"`
	// MediaStorage bounds the bytes of media of one workspace; 0 means no bound.
	MediaStorage int64 `koanf:"media_storage"`
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

	// SMTPHost and SMTPPort are the server that email is handed to; without a host none is sent. Port 0 is that of
	// SMTPTLS.
	SMTPHost string `koanf:"smtp_host"`
	SMTPPort int    `koanf:"smtp_port"`
	// SMTPUser and SMTPPassword sign in to it; empty means that nobody has to. SMTPPassword is secret.
	SMTPUser     string `koanf:"smtp_user"`
	SMTPPassword string `koanf:"smtp_password"`
	// SMTPTLS encrypts the connection: starttls, tls or off.
	SMTPTLS string `koanf:"smtp_tls"`
	// MailFrom is who email is from: an address, with a name before it or without.
	MailFrom string `koanf:"mail_from"`
	// MailPerDay bounds how many emails of a workspace are sent within 24 hours.
	MailPerDay int `koanf:"mail_per_day"`

	// OIDCIssuer is the address of the OpenID provider that people sign in by beside passwords; empty means none. The
	// client id and secret are what it gave this server; the secret is secret.
	OIDCIssuer       string `koanf:"oidc_issuer"`
	OIDCClientID     string `koanf:"oidc_client_id"`
	OIDCClientSecret string `koanf:"oidc_client_secret"`
	// OIDCName is what the button of the sign-in calls it.
	OIDCName string `koanf:"oidc_name"`
	// OIDCDomains are those of the emails that it speaks for.
	OIDCDomains []string `koanf:"oidc_domains"`
	// OIDCTrustEmails takes emails that it does not say are verified.
	OIDCTrustEmails bool `koanf:"oidc_trust_emails"`
	// OIDCRoleClaim is the claim that gives roles, and OIDCRoles what its values give: value=workspaceId:role.
	OIDCRoleClaim string   `koanf:"oidc_role_claim"`
	OIDCRoles     []string `koanf:"oidc_roles"`

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

	// Connections and ConnectionsAddress bound how many connections are open at a
	// time, of all clients on both listening addresses and of one client address;
	// 0 means no limit.
	Connections        int `koanf:"connections"`
	ConnectionsAddress int `koanf:"connections_address"`
	// IdleTimeout is how long a connection waits for the next request.
	IdleTimeout time.Duration `koanf:"idle_timeout"`

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

	// Browser is the Chromium that draws screens for tools, a file or a name; empty looks for an installed one.
	Browser string `koanf:"browser"`
	// BrowserSandbox has the system confine it.
	BrowserSandbox bool `koanf:"browser_sandbox"`

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
		MediaStorage:        20_000_000_000,
		FrameDir:            "frames",
		WorkspaceName:       "My workspace",
		SMTPTLS:             "starttls",
		MailPerDay:          1000,
		OIDCName:            "single sign-on",
		OIDCRoleClaim:       "groups",
		LogLevel:            "info",
		LogFormat:           "json",
		RateLimitKey:        60_000,
		RateLimitAddress:    3_000,
		Connections:         10_000,
		ConnectionsAddress:  1_000,
		IdleTimeout:         2 * time.Minute,
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
		BrowserSandbox: true,
		ShutdownGrace:  20 * time.Second,
	}
}

// secrets are the keys whose value Describe hides and that may come from a file.
var secrets = map[string]bool{
	"database_url": true, "admin_password": true, "operator_key": true, "secret_keys": true,
	"smtp_password": true, "oidc_client_secret": true,
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
