package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/config"
)

func repository(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return string(content)
}

// The variables that the container files set are settings, with values that a
// server starts with.
func TestContainersAreConfiguredByKnownSettings(t *testing.T) {
	var environ []string
	environ = append(environ, regexp.MustCompile(`SVC_[A-Z_]+=\S+`).FindAllString(repository(t, "Dockerfile"), -1)...)
	require.NotEmpty(t, environ)

	compose := koanf.New("/")
	require.NoError(t, compose.Load(file.Provider(filepath.Join("..", "..", "compose.yaml")), yaml.Parser()))
	outside := regexp.MustCompile(`\$\{([A-Z_]+)(?::-([^}]*)|:\?[^}]*)?\}`)
	for name, value := range compose.StringMap("services/svc/environment") {
		environ = append(environ, name+"="+outside.ReplaceAllStringFunc(value, func(variable string) string {
			parts := outside.FindStringSubmatch(variable)
			return map[bool]string{true: "a-password", false: parts[2]}[parts[2] == ""]
		}))
	}
	settings, err := config.Load(config.Defaults(), "", environ, nil)
	require.NoError(t, err)
	require.Equal(t, "postgres://svc:a-password@database:5432/svc", settings.DatabaseURL)
	require.Equal(t, "http://localhost:4000", settings.BaseURL)
	require.Equal(t, []string{"4000:4000"}, compose.Strings("services/svc/ports"), "the admin port is not published")
	require.True(t, strings.HasSuffix(settings.Addr, ":4000"))
	require.Equal(t, "/data/media", settings.MediaDir)
	require.Equal(t, "/data/frames", settings.FrameDir)
}

// The documentation names no variable that the server would refuse.
func TestDocumentedVariablesAreKnown(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	require.NoError(t, err)
	seen := 0
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`\bSVC_[A-Z][A-Z_]*[A-Z]\b`).FindAllString(string(content), -1) {
			seen++
			if strings.HasPrefix(name, "SVC_BENCH_") || strings.HasPrefix(name, "SVC_ORACLE_") {
				continue // of go test
			}
			_, err := config.Load(config.Defaults(), "", []string{name + "=" + filepath.Join(t.TempDir(), "missing")}, nil)
			if err != nil {
				require.NotContains(t, err.Error(), "unknown setting", page)
			}
		}
	}
	require.Positive(t, seen)
}
