package problem_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/problem"
)

// The server tells of missing translations as the editor does, which reads the same file.
func TestMissingTranslationsAreToldAsInTheEditor(t *testing.T) {
	raw, err := os.ReadFile("../../sdk/vectors/translations.json")
	require.NoError(t, err)
	type told struct{ Message, StepID, LayerID string }
	var vectors struct {
		Cases []struct {
			Name     string
			Flow     json.RawMessage
			Problems []told
		}
	}
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.NotEmpty(t, vectors.Cases)
	for _, c := range vectors.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m, problems := manifest.Parse(c.Flow)
			require.NotNil(t, m, problems)
			said, err := problem.Inspect(c.Flow, manifest.CheckPublish(m, manifest.PublishOptions{}))
			require.NoError(t, err)
			got := []told{}
			for _, p := range said {
				if strings.HasSuffix(p.Code, ".untranslated") {
					require.Equal(t, manifest.Warning, p.Severity)
					require.NotEmpty(t, p.Hint)
					got = append(got, told{p.Message, p.StepID, p.LayerID})
				}
			}
			require.ElementsMatch(t, c.Problems, got)
		})
	}
}
