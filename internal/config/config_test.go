package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/role"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestPrecedenceIsFileThenEnvironmentThenFlags(t *testing.T) {
	path := write(t, "addr: 0.0.0.0:1\nlog_level: debug\nsession_hits: 5\ndedup_window: 48h\n")
	s, err := config.Load(config.Defaults(), path,
		[]string{"SVC_ADDR=0.0.0.0:2", "SVC_LOG_LEVEL=warn", "SVC_TRUSTED_PROXIES=10.0.0.0/8, 192.0.2.1",
			"SVC_WEBHOOK_NETWORKS=10.7.0.0/16,fd00::1"},
		map[string]any{"addr": "0.0.0.0:3"})
	require.NoError(t, err)
	require.Equal(t, "0.0.0.0:3", s.Addr)
	require.Equal(t, "warn", s.LogLevel)
	require.Equal(t, 5, s.SessionHits)
	require.Equal(t, 48*time.Hour, s.DedupWindow)
	require.Equal(t, "http://0.0.0.0:3", s.BaseURL)
	networks, err := s.ProxyNetworks()
	require.NoError(t, err)
	require.Len(t, networks, 2)
	require.Equal(t, "192.0.2.1/32", networks[1].String())
	networks, err = s.AllowedWebhookNetworks()
	require.NoError(t, err)
	require.Len(t, networks, 2)
	require.Equal(t, "fd00::1/128", networks[1].String())
}

func TestRolesComeFromEverywhere(t *testing.T) {
	s, err := config.Load(config.Defaults(), "", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"ingest", "resolve", "reports"}, s.Roles)
	for _, c := range []struct {
		file    string
		environ []string
		flags   map[string]any
	}{
		{file: "roles: [reports]\n"}, {file: "roles: reports\n"}, {environ: []string{"SVC_ROLES=reports"}},
		{file: "roles: [ingest, resolve]\n", environ: []string{"SVC_ROLES=ingest resolve"}, flags: map[string]any{
			"roles": []string{"reports"},
		}},
	} {
		s, err := config.Load(config.Defaults(), write(t, c.file), c.environ, c.flags)
		require.NoError(t, err)
		roles, err := s.ServerRoles()
		require.NoError(t, err)
		require.Equal(t, role.Set{role.Reports}, roles)
	}
}

func TestSecretsComeFromFilesAndAreHidden(t *testing.T) {
	secret := write(t, "correct horse battery\n")
	s, err := config.Load(config.Defaults(), "",
		[]string{"SVC_ADMIN_EMAIL=a@example.com", "SVC_ADMIN_PASSWORD_FILE=" + secret}, nil)
	require.NoError(t, err)
	require.Equal(t, "correct horse battery", s.AdminPassword)
	for _, setting := range s.Describe() {
		require.NotEqual(t, "correct horse battery", setting.Value)
	}
}

func TestAnUnreadableSecretFileIsNamedAlthoughTheFileOfSettingsHasTheSecret(t *testing.T) {
	path := write(t, "admin_email: a@example.com\nadmin_password: short\n")
	_, err := config.Load(config.Defaults(), path, []string{"SVC_ADMIN_PASSWORD_FILE=/does/not/exist"}, nil)
	var problems config.Problems
	require.ErrorAs(t, err, &problems)
	require.Equal(t, config.Problems{
		{Key: "admin_password", Source: "SVC_ADMIN_PASSWORD_FILE", Value: "/does/not/exist",
			Rule: "the file can't be read: no such file or directory"},
		{Key: "admin_password", Source: path, Rule: "must have at least 8 characters"},
	}, problems)
}

func TestProblemsNameTheSetting(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		environ []string
		want    string
	}{
		"unknown key in the file": {file: "adr: x\n", want: "adr: unknown setting (from "},
		"unknown variable":        {environ: []string{"SVC_ADR=x"}, want: "SVC_ADR: unknown setting"},
		"wrong type":              {file: "session_hits: many\n", want: "session_hits"},
		"bad database": {
			environ: []string{"SVC_DATABASE_URL=mysql://x"}, want: "database_url: must be a postgres:// URL",
		},
		"bad proxy":             {environ: []string{"SVC_TRUSTED_PROXIES=everyone"}, want: "trusted_proxies"},
		"bad webhook network":   {environ: []string{"SVC_WEBHOOK_NETWORKS=10.0.0.0/40"}, want: "webhook_networks"},
		"administrator by half": {environ: []string{"SVC_ADMIN_EMAIL=a@example.com"}, want: "admin_email"},
		"missing secret file": {
			environ: []string{"SVC_ADMIN_PASSWORD_FILE=/does/not/exist"}, want: "SVC_ADMIN_PASSWORD_FILE",
		},
		"log level":              {environ: []string{"SVC_LOG_LEVEL=loud"}, want: "log_level"},
		"address without a port": {environ: []string{"SVC_ADDR=localhost"}, want: "addr"},
		"unknown role": {
			environ: []string{"SVC_ROLES=ingest,report"}, want: `roles: "report" is no role: name one or more of ingest, resolve`,
		},
		"no role":                   {file: "roles: []\n", want: "roles: must name one or more of"},
		"base address of no scheme": {environ: []string{"SVC_BASE_URL=svc.example"}, want: "base_url"},
	} {
		t.Run(name, func(t *testing.T) {
			path := ""
			if c.file != "" {
				path = write(t, c.file)
			}
			_, err := config.Load(config.Defaults(), path, c.environ, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestClientVariablesAreNotServerSettings(t *testing.T) {
	_, err := config.Load(
		config.Defaults(), "", []string{"SVC_API_KEY=x", "SVC_PROFILE=p", "SVC_TEST_VARIANT=stock", "SVC_SETUP_BROWSER=yes"},
		nil,
	)
	require.NoError(t, err)
}

func TestAPickedPortReachesTheAddresses(t *testing.T) {
	s, err := config.Load(config.Defaults(), "", []string{"SVC_ADDR=[::1]:0"}, nil)
	require.NoError(t, err)
	s = s.WithPort(4711)
	require.Equal(t, "[::1]:4711", s.Addr)
	require.Equal(t, "http://[::1]:4711", s.BaseURL)
	require.Equal(t, s.BaseURL, s.MediaBaseURL)

	s, err = config.Load(config.Defaults(), "", []string{"SVC_ADDR=127.0.0.1:0", "SVC_BASE_URL=https://svc.example/"}, nil)
	require.NoError(t, err)
	require.Equal(t, "https://svc.example", s.WithPort(4711).BaseURL)
}

func TestAllProblemsAreNamedAtOnceWithTheirSourceAndValue(t *testing.T) {
	path := write(t, "adr: x\nframe_memory: much\nsession_hits: 0\nlog_format: [json, text]\n")
	_, err := config.Load(config.Defaults(), path, []string{
		"SVC_RATE_LIMIT_KEY=abc", "SVC_TURBO=yes", "SVC_OPERATOR_KEY=short", "SVC_DEDUP_WINDOW=week",
	}, map[string]any{"log_level": "loud"})
	var problems config.Problems
	require.ErrorAs(t, err, &problems)
	require.Equal(t, config.Problems{
		{Key: "SVC_TURBO", Rule: "unknown setting"},
		{Key: "adr", Source: path, Rule: "unknown setting"},
		{Key: "dedup_window", Source: "SVC_DEDUP_WINDOW", Value: "week", Rule: "must be a duration such as 90s, 24h or 14d"},
		{Key: "frame_memory", Source: path, Value: "much",
			Rule: "must be a number of bytes, such as 536870912, 512MiB or 2GB"},
		{Key: "log_format", Source: path, Value: "[json text]", Rule: "must be one value"},
		{Key: "log_level", Source: "--log-level", Value: "loud", Rule: "must be debug, info, warn or error"},
		{Key: "operator_key", Source: "SVC_OPERATOR_KEY", Rule: "must have at least 32 characters"},
		{Key: "rate_limit_key", Source: "SVC_RATE_LIMIT_KEY", Value: "abc", Rule: "must be a whole number"},
		{Key: "session_hits", Source: path, Value: "0", Rule: "must be positive"},
	}, problems)
	require.Contains(t, err.Error(), `rate_limit_key: must be a whole number (SVC_RATE_LIMIT_KEY is "abc")`)
}

func TestValuesMayHaveUnits(t *testing.T) {
	s, err := config.Load(config.Defaults(), write(t, "frame_disk: 1500000000\ngeo_database:\nshutdown_delay: 5s\n"), []string{
		"SVC_FRAME_MEMORY=2GB", "SVC_BODY_MEMORY=128MiB", "SVC_EVENT_RETENTION=90d", "SVC_PAST_DUE_GRACE=36h",
	}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 2_000_000_000, s.FrameMemory)
	require.EqualValues(t, 128<<20, s.BodyMemory)
	require.EqualValues(t, 1_500_000_000, s.FrameDisk)
	require.Empty(t, s.GeoDatabase)
	require.Equal(t, 90*24*time.Hour, s.EventRetention)
	require.Equal(t, 36*time.Hour, s.PastDueGrace)
	require.Equal(t, 5*time.Second, s.ShutdownDelay)
}

// A Service named svc puts these into every container of its namespace.
func TestVariablesOfKubernetesAreLeftAlone(t *testing.T) {
	_, err := config.Load(config.Defaults(), "", []string{
		"SVC_SERVICE_HOST=10.0.0.1", "SVC_SERVICE_PORT=4000", "SVC_SERVICE_PORT_HTTP=4000", "SVC_PORT=tcp://10.0.0.1:4000",
		"SVC_PORT_4000_TCP=tcp://10.0.0.1:4000", "SVC_PORT_4000_TCP_PROTO=tcp",
	}, nil)
	require.NoError(t, err)
	_, err = config.Load(config.Defaults(), "", []string{"SVC_SERVCE_HOST=10.0.0.1"}, nil)
	require.ErrorContains(t, err, "SVC_SERVCE_HOST: unknown setting")
}
