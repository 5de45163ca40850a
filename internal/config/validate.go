package config

import (
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svc-dev/svc/internal/role"
)

// minOperatorKey is how many bytes an operator's key needs at least: 32 random hexadecimal digits are 128 bits.
const minOperatorKey = 32

// minBodyMemory holds the largest body, packed and unpacked, of one client and
// leaves room for others.
const minBodyMemory = 64 << 20

// validate returns every setting whose value can't be used, with what is allowed.
func (s Settings) validate() Problems {
	var problems Problems
	check := func(ok bool, key, rule string) {
		if !ok {
			problems = append(problems, Problem{Key: key, Rule: rule})
		}
	}
	check(strings.Contains(s.Addr, ":"), "addr", "must be host:port")
	check(s.AdminAddr == "" || strings.Contains(s.AdminAddr, ":"), "admin_addr", "must be host:port or empty")
	for key, address := range map[string]string{"base_url": s.BaseURL, "media_base_url": s.MediaBaseURL} {
		u, err := url.Parse(address)
		check(err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"), key, "must be an http or https URL")
	}
	if _, err := role.Parse(s.Roles); err != nil {
		check(false, "roles", err.Error())
	}
	if s.DatabaseURL != "" {
		u, err := url.Parse(s.DatabaseURL)
		check(err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql"), "database_url", "must be a postgres:// URL")
	}
	at, err := url.Parse("postgresql://" + s.SQLHost)
	check(err == nil && at.Host == s.SQLHost, "sql_host", "must be a host, with a port or without")
	check(s.DatabaseConnections >= 4, "database_connections", "must be at least 4")
	oneOf := func(value, key, rule string, allowed ...string) { check(slices.Contains(allowed, value), key, rule) }
	oneOf(s.DatabaseSharding, "database_sharding", "must be auto, citus or off", "auto", "citus", "off")
	check((s.AdminEmail == "") == (s.AdminPassword == ""), "admin_email", "must be given together with admin_password")
	check(
		s.AdminPassword == "" || utf8.RuneCountInString(s.AdminPassword) >= 8, "admin_password",
		"must have at least 8 characters",
	)
	check(
		s.OperatorKey == "" || len(s.OperatorKey) >= minOperatorKey, "operator_key", "must have at least 32 characters",
	)
	oneOf(s.LogLevel, "log_level", "must be debug, info, warn or error", "debug", "info", "warn", "error")
	oneOf(s.LogFormat, "log_format", "must be json or text", "json", "text")
	s.validateMail(check)
	s.validateProvider(check)
	for key, texts := range map[string][]string{
		"trusted_proxies": s.TrustedProxies, "webhook_networks": s.WebhookNetworks,
	} {
		if _, err := parseNetworks(texts); err != nil {
			check(false, key, err.Error())
		}
	}
	check(s.RateLimitKey >= 0, "rate_limit_key", "must not be negative")
	check(s.RateLimitAddress >= 0, "rate_limit_address", "must not be negative")
	check(s.Connections == 0 || s.Connections >= 10, "connections", "must be 0 or at least 10")
	check(s.ConnectionsAddress >= 0, "connections_address", "must not be negative")
	check(s.IdleTimeout >= time.Second, "idle_timeout", "must be at least 1s")
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
	check(s.MediaStorage >= 0, "media_storage", "must not be negative")
	check(s.FrameDisk >= 0, "frame_disk", "must not be negative")
	check(s.BodyMemory == 0 || s.BodyMemory >= minBodyMemory, "body_memory", "must be 0 or at least 67108864 (64 MiB)")
	check(s.WarmDays >= 0, "warm_days", "must not be negative")
	check(s.ShutdownDelay >= 0, "shutdown_delay", "must not be negative")
	check(s.ShutdownGrace >= 0, "shutdown_grace", "must not be negative")
	return problems
}

// validateMail checks the settings of email.
func (s Settings) validateMail(check func(ok bool, key, rule string)) {
	check(slices.Contains([]string{"starttls", "tls", "off"}, s.SMTPTLS), "smtp_tls", "must be starttls, tls or off")
	check(s.SMTPPort >= 0 && s.SMTPPort < 1<<16, "smtp_port", "must be 0 to 65535")
	check(!strings.ContainsAny(s.SMTPHost, ":/ \t\r\n"), "smtp_host", "must be a name or an address without a port")
	check((s.SMTPUser == "") == (s.SMTPPassword == ""), "smtp_user", "must be given together with smtp_password")
	check(s.SMTPUser == "" || s.SMTPTLS != "off", "smtp_user", "a password is not sent without encryption: set smtp_tls")
	check(s.SMTPHost == "" || s.MailFrom != "", "mail_from", "must be given together with smtp_host")
	if s.MailFrom != "" {
		from, err := mail.ParseAddress(s.MailFrom)
		check(err == nil && len(from.Address) <= 254, "mail_from",
			"must be an address such as svc@example.com or Svc <svc@example.com>")
	}
	check(s.MailPerDay > 0, "mail_per_day", "must be positive")
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
	return parseNetworks(s.TrustedProxies)
}

// AllowedWebhookNetworks parses WebhookNetworks; a plain address is a network of one.
func (s Settings) AllowedWebhookNetworks() ([]netip.Prefix, error) {
	return parseNetworks(s.WebhookNetworks)
}

func parseNetworks(texts []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, prefix.Masked())
			continue
		}
		address, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network", text)
		}
		networks = append(networks, netip.PrefixFrom(address, address.BitLen()))
	}
	return networks, nil
}
