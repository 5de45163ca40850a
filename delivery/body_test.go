package delivery

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/delivery/integration"
)

func fixedID(last string) uuid.UUID {
	return uuid.MustParse("0197aa00-0000-7000-8000-0000000000" + last)
}

// fixedCompiler compiles against rows that the test holds.
func fixedCompiler(
	t *testing.T, surroundings Surroundings, versions map[uuid.UUID]Content, experiments ...experimentRow,
) *compiler {
	t.Helper()
	around, err := surroundingsPart(surroundings)
	require.NoError(t, err)
	return &compiler{
		environment:  "live",
		surroundings: around,
		experiment: func(id uuid.UUID) *experimentRow {
			for i := range experiments {
				if experiments[i].id == id {
					return &experiments[i]
				}
			}
			return nil
		},
		version: func(id uuid.UUID) *version {
			content, ok := versions[id]
			if !ok {
				return nil
			}
			sent, err := contentPart(content)
			require.NoError(t, err)
			return &version{id: id, flowID: fixedID("f1"), number: 3, content: sent}
		},
	}
}

func plainText(t *testing.T, body *Body) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, body.Write(&out, false))
	require.Equal(t, body.ContentLength(false), []string{strconv.Itoa(out.Len())})
	return out.Bytes()
}

func gunzipped(t require.TestingT, body *Body) []byte {
	var out bytes.Buffer
	require.NoError(t, body.Write(&out, true))
	require.Equal(t, body.ContentLength(true), []string{strconv.Itoa(out.Len())})
	reader, err := gzip.NewReader(&out)
	require.NoError(t, err)
	reader.Multistream(false)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Zero(t, out.Len(), "bytes after the gzip member")
	return text
}

// The two files under testdata are what clients see; a person can read them.
func TestDocumentsAgainstGoldenFiles(t *testing.T) {
	branding := json.RawMessage(
		`{"appIcon":{"url":"https://cdn.example/icon.png","source":"upload"},"colorPresets":[],"gradientPresets":[],"fontFamilies":[]}`,
	)
	manifest := json.RawMessage(
		`{"flowId":"0197aa00-0000-7000-8000-0000000000f1","schemaVersion":7,"version":3,"defaultLocale":"en","locales":["en"],"entryScreenId":"scr_a","screens":[]}`,
	)
	pinned := fixedID("a1")
	experiment := experimentRow{id: fixedID("e1"), salt: "s1", status: "running", arms: []armRow{
		{id: fixedID("b1"), key: "control", weight: 1, versionID: &pinned},
	}}
	compiler := fixedCompiler(t,
		Surroundings{
			Features: Features{Attribution: true}, Integrations: integration.Parse([]byte(`{"revenuecat":{"enabled":true}}`)),
			Branding: branding,
		},
		map[uuid.UUID]Content{
			pinned: {Manifest: manifest, MediaMap: map[string]string{"m1": "https://cdn.example/media/ab.png"}},
		},
		experiment)

	for name, row := range map[string]channelRow{
		"pinned.json": {publicID: "ch_live_a", assignment: "direct", assignmentVersion: 4, versionID: &pinned},
		"experiment.json": {
			publicID: "ch_live_b", assignment: "experiment", assignmentVersion: 9, experimentID: &experiment.id,
		},
	} {
		t.Run(name, func(t *testing.T) {
			channel, err := compiler.compileChannel(row)
			require.NoError(t, err)
			answer, condition := channel.Resolve("dev-1", "")
			require.Empty(t, condition)
			golden, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			text := plainText(t, answer.Body)
			require.JSONEq(t, string(golden), string(text))
			require.Equal(t, text, gunzipped(t, answer.Body))
			require.Contains(t, string(text), string(manifest), "the manifest is sent byte for byte")

			var document Document
			require.NoError(t, json.Unmarshal(text, &document))
			require.Equal(t, ETag(document.AssignmentVersion, document.VersionID), answer.ETag, "the client's rebuild rule")
		})
	}
}

func TestBodyEncodingsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 3000), 1, 5).Draw(t, "texts")
		var want []byte
		var parts []part
		for i, text := range texts {
			want = append(want, text...)
			if i%2 == 0 {
				parts = append(parts, storedPart(text))
				continue
			}
			deflated, err := deflatedPart(text)
			require.NoError(t, err)
			parts = append(parts, deflated)
		}
		require.Equal(t, string(want), string(gunzipped(t, newBody(parts...))))
	})
}

// A stored block holds at most 65,535 bytes; longer text takes several.
func TestStoredPartOfAnySize(t *testing.T) {
	for _, size := range []int{0, 1, maxStored, maxStored + 1, 3*maxStored + 7} {
		text := []byte(strings.Repeat("x", size))
		body := newBody(storedPart(text))
		require.Equal(t, string(text), string(gunzipped(t, body)))
		require.Equal(t, string(text), string(plainText(t, body)))
	}
}

func TestListBody(t *testing.T) {
	var entries []*Body
	for range 3 {
		entries = append(entries, newBody(storedPart([]byte(`{"kind":"flow"}`))))
		body := ListBody(entries)
		text := plainText(t, body)
		require.Equal(t, text, gunzipped(t, body))
		var list struct{ Channels []Head }
		require.NoError(t, json.Unmarshal(text, &list))
		require.Len(t, list.Channels, len(entries))
	}
	require.Equal(t, `{"channels":[]}`, string(plainText(t, ListBody(nil))))
}

func TestContentMustBeJSON(t *testing.T) {
	_, err := contentPart(Content{Manifest: json.RawMessage(`{"a":`)})
	require.ErrorContains(t, err, "manifest is not JSON")
	_, err = surroundingsPart(Surroundings{Branding: json.RawMessage(`{`)})
	require.ErrorContains(t, err, "surroundings")
}

func TestBodyWriteDoesNotAllocate(t *testing.T) {
	content, err := contentPart(Content{Manifest: json.RawMessage(`"` + strings.Repeat("a", 20_000) + `"`)})
	require.NoError(t, err)
	body := newBody(storedPart([]byte(`{`)), content)
	for _, gzip := range []bool{false, true} {
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = body.Write(io.Discard, gzip) }))
	}
}

type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestBodyWriteReportsErrors(t *testing.T) {
	body := newBody(storedPart([]byte(`{}`)))
	for left := range 3 {
		require.ErrorIs(t, body.Write(&failingWriter{left: left}, true), io.ErrClosedPipe)
	}
	require.ErrorIs(t, body.Write(&failingWriter{}, false), io.ErrClosedPipe)
}
