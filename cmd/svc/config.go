package main

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/svc-dev/svc/internal/config"
)

// serverFlags are the flags of every command that runs as the server or on its
// database. Each setting has a flag: its key with dashes.
type serverFlags struct{ set *pflag.FlagSet }

func (f *serverFlags) bind(cmd *cobra.Command, defaults config.Settings) {
	f.set = cmd.Flags()
	f.set.String("config", "", "YAML file of settings (env SVC_CONFIG)")
	f.set.String("addr", defaults.Addr, "listening address, host:port")
	f.set.String("admin-addr", defaults.AdminAddr, "address of /metrics and health checks; empty turns it off")
	f.set.String("base-url", "", "public address of the server (default http:// and addr)")
	f.set.StringSlice("roles", defaults.Roles, "what the server does of the work of its database, separated by commas")
	f.set.String("database-url", "", "PostgreSQL connection URL")
	f.set.String("media-dir", defaults.MediaDir, "directory of uploaded files")
	f.set.String("frame-dir", defaults.FrameDir, "directory of the report cache; empty keeps it in memory")
	f.set.String("log-level", defaults.LogLevel, "debug, info, warn or error")
	f.set.String("log-format", defaults.LogFormat, "json or text")
}

// settings reads the settings of a command whose flags were parsed.
func (f *serverFlags) settings(t terminal, defaults config.Settings) (config.Settings, error) {
	given := map[string]any{}
	path := t.env("SVC_CONFIG")
	f.set.Visit(func(flag *pflag.Flag) {
		switch key := settingKey(flag.Name); flag.Name {
		case "config":
			path = flag.Value.String()
		case "addr", "admin-addr", "base-url", "database-url", "media-dir", "frame-dir", "log-level", "log-format":
			given[key] = flag.Value.String()
		case "roles":
			given[key] = flag.Value.(pflag.SliceValue).GetSlice()
		}
	})
	settings, err := config.Load(defaults, path, t.environ, given)
	if err != nil {
		return settings, &failure{exit: exitUsage, code: "invalid_settings", message: err.Error(), cause: err}
	}
	return settings, nil
}

// errNoDatabase refuses to start a server that nobody told its database.
var errNoDatabase = withoutDatabase(nil)

// withoutDatabase adds to what is wrong with settings that they name no database. Of a file that can't be read nobody
// knows whether it does.
func withoutDatabase(err error) error {
	var problems config.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	problems = append(config.Problems{{
		Key: "database_url", Rule: "must be given, as --database-url or SVC_DATABASE_URL; svc dev brings its own database",
	}}, problems...)
	return &failure{exit: exitUsage, code: "invalid_settings", message: problems.Error(), cause: problems}
}

func settingKey(flag string) string {
	key := []byte(flag)
	for i, c := range key {
		if c == '-' {
			key[i] = '_'
		}
	}
	return string(key)
}

func newConfig(t terminal) *cobra.Command {
	group := &cobra.Command{Use: "config", Short: "Look at the server's settings"}
	var flags serverFlags
	check := &cobra.Command{
		Use:   "check",
		Short: "Print the settings that a server started like this would have, secrets hidden; fail when one is wrong",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			settings, err := flags.settings(t, config.Defaults())
			if settings.DatabaseURL == "" {
				err = withoutDatabase(err)
			}
			if err != nil {
				return err
			}
			encoder := json.NewEncoder(t.out)
			encoder.SetIndent("", "  ")
			return encoder.Encode(settings.Describe())
		},
	}
	flags.bind(check, config.Defaults())
	return newGroup(group, check)
}
