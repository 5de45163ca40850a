package resolvers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The subscription sends the report at once and again when somebody comes.
func TestLiveOverServerSentEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	body, err := json.Marshal(
		vars{
			"query": `subscription($a: ID!) { live(appId: $a) { count people { totalCount } } }`, "variables": vars{"a": app},
		},
	)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(
		ctx, http.MethodPost, w.server.URL+"/graphql", strings.NewReader(string(body)),
	)
	require.NoError(t, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	response, err := w.as("viewer").http.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	lines := bufio.NewScanner(response.Body)
	next := func() (count, total json.Number) {
		for lines.Scan() {
			data, found := strings.CutPrefix(lines.Text(), "data: ")
			if !found {
				continue
			}
			var event struct {
				Data struct {
					Live struct {
						Count  json.Number
						People struct{ TotalCount json.Number }
					}
				}
			}
			require.NoError(t, json.Unmarshal([]byte(data), &event), data)
			return event.Data.Live.Count, event.Data.Live.People.TotalCount
		}
		require.NoError(t, lines.Err())
		t.Fatal("the stream ended")
		return "", ""
	}
	count, total := next()
	require.Equal(t, json.Number("3"), count)
	require.Equal(t, count, total)
	w.ingest(app, event{visitor: "v9", session: "z", name: "page_view", page: "/new", at: time.Now()})
	for count != "4" { // minutes change as well
		count, total = next()
		require.Equal(t, count, total)
	}
	require.NoError(t, w.streams.Stop(ctx))
	for lines.Scan() { // what was sent before
	}
	require.NoError(t, lines.Err(), "the stream ends with those of the server")
}
