package ingest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/codeunit"
)

// readVectors reads a file of vectors that the TypeScript SDKs run too.
func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("../sdk/vectors/" + name + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, into))
}

// jsonUnits returns how long the server takes a JSON value to be: the smallest limit
// that lets it pass, without the object around it.
func jsonUnits(t *testing.T, value json.RawMessage) int {
	t.Helper()
	wrapped := fmt.Appendf(nil, `{"v":%s}`, value)
	const around = len(`{"v":}`)
	compact, reject := CompactObject("v", wrapped, ObjectLimits{Units: 1 << 20, Depth: maxPropertiesDepth})
	require.Nil(t, reject)
	units := codeunit.Count(string(compact))
	_, reject = CompactObject("v", wrapped, ObjectLimits{Units: units, Depth: maxPropertiesDepth})
	require.Nil(t, reject, "a value of just the limit passes")
	_, reject = CompactObject("v", wrapped, ObjectLimits{Units: units - 1, Depth: maxPropertiesDepth})
	require.NotNil(t, reject, "one of a unit more does not")
	return units - around
}

func TestTextSizeVectors(t *testing.T) {
	var vectors struct {
		Texts []struct {
			Value             json.RawMessage
			UTF16, UTF8, JSON int
		}
		Values []struct {
			Value json.RawMessage
			JSON  int
		}
	}
	readVectors(t, "text-sizes", &vectors)
	require.NotEmpty(t, vectors.Texts)
	require.NotEmpty(t, vectors.Values)
	for _, v := range vectors.Texts {
		var text string
		require.NoError(t, json.Unmarshal(v.Value, &text))
		require.Equal(t, v.UTF16, codeunit.Count(text), "%q", text)
		require.Equal(t, v.UTF8, len(text), "%q", text)
		require.Equal(t, text, codeunit.Clip(text, v.UTF16), "a text of just the limit stays whole")
		if v.UTF16 > 0 {
			require.Less(t, codeunit.Count(codeunit.Clip(text, v.UTF16-1)), v.UTF16)
		}
		if !strings.ContainsRune(text, 0) {
			require.Equal(t, v.JSON, jsonUnits(t, v.Value), "%q", text)
			continue
		}
		// PostgreSQL can't store NUL, so that such a value is refused whatever its
		// size; without it the size is right.
		_, reject := CompactObject("v", fmt.Appendf(nil, `{"v":%s}`, v.Value), propertiesLimits)
		require.Equal(t, CodePropertiesInvalid, reject.Code)
		const nul = `\u0000`
		rest := json.RawMessage(strings.Replace(string(v.Value), nul, "", 1))
		require.Equal(t, v.JSON-len(nul), jsonUnits(t, rest))
	}
	for _, v := range vectors.Values {
		require.Equal(t, v.JSON, jsonUnits(t, v.Value), "%s", v.Value)
	}
}

// What the web SDK captures of a page arrives in the columns of reports.
func TestWebAttributionVectors(t *testing.T) {
	var vectors []struct {
		Name, Channel string
		Attributes    map[string]any
	}
	readVectors(t, "web-attribution", &vectors)
	require.NotEmpty(t, vectors)
	columns := map[string]string{}
	for _, key := range AttributionKeys {
		columns[key.Key] = key.Column
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			want := map[string]any{}
			for key, value := range v.Attributes {
				column, reported := columns[key]
				switch {
				case reported:
					want[column] = value
				case key == "attribution.provider" || key == "link.entry": // of no report
				default:
					t.Errorf("the SDK captures %s, which the server does not know", key)
				}
			}
			sent, err := json.Marshal(v.Attributes)
			require.NoError(t, err)
			e, reject := decodeOne(
				t, fmt.Sprintf(`{"eventId":"1","name":"a","appUserId":"u","context":{"attribution":%s}}`, sent),
			)
			require.Nil(t, reject)
			require.Equal(t, want, attributionColumns(e.Attribution))
			require.Equal(t, v.Channel, channel.Of(channel.Input{
				ReferrerHost: channel.Host(e.Attribution.Referrer), Source: e.Attribution.Source,
				Medium: e.Attribution.Medium, Platform: "web", Organic: e.Attribution.Organic == session.OrganicTrue,
			}).String())
		})
	}
}

// attributionColumns returns the columns that are filled.
func attributionColumns(a Attribution) map[string]any {
	columns := map[string]any{}
	for column, value := range map[string]string{
		"source": a.Source, "medium": a.Medium, "campaign": a.Campaign, "content": a.Content, "term": a.Term,
		"adset": a.Adset, "creative": a.Creative, "referrer": a.Referrer, "landing_url": a.Landing,
	} {
		if value != "" {
			columns[column] = value
		}
	}
	if a.Organic != session.OrganicAbsent {
		columns["organic"] = a.Organic == session.OrganicTrue
	}
	return columns
}
