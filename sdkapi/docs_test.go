package sdkapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/docstest"
)

var (
	curlAddress = regexp.MustCompile(`curl -s http://127\.0\.0\.1:4000(\S+)`)
	curlHeader  = regexp.MustCompile(`-H (?:"([^"]*)"|'([^']*)')`)
	curlBody    = regexp.MustCompile(`-d '([^']*)'`)
)

// Whoever copies a call from the documentation and fills in the ids gets an answer.
func TestCallsOfTheDocumentationAreAnswered(t *testing.T) {
	w := newWorld(t)
	version := w.versions[0]
	fill := strings.NewReplacer("$KEY", w.app.Live.Key, "$CHANNEL", w.pinned.PublicID,
		"'$FLOW'", version.FlowID.String(), "'$VERSION'", version.ID.String())
	for _, example := range docstest.Examples(t, "..", "sh", "docs/rest.md") {
		text := fill.Replace(example.Text)
		address := curlAddress.FindStringSubmatch(text)
		body := curlBody.FindStringSubmatch(text)
		require.NotNil(t, address, example.Text)
		require.NotNil(t, body, example.Text)
		request, err := http.NewRequest(http.MethodPost, w.server.URL+address[1], strings.NewReader(body[1]))
		require.NoError(t, err)
		for _, header := range curlHeader.FindAllStringSubmatch(text, -1) {
			name, value, _ := strings.Cut(header[1]+header[2], ": ")
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, example.Text)
	}
}
