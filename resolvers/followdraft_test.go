package resolvers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// events are the answers of a subscription.
type events struct {
	t     *testing.T
	lines *bufio.Scanner
}

// subscribe opens a stream until the test is over.
func (c *client) subscribe(query string, variables vars) *events {
	t := c.w.t
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	body, err := json.Marshal(vars{"query": query, "variables": variables})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(
		ctx, http.MethodPost, c.w.server.URL+"/graphql", strings.NewReader(string(body)),
	)
	require.NoError(t, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	response, err := c.http.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return &events{t, bufio.NewScanner(response.Body)}
}

// next waits for an answer.
func (e *events) next() (next answer) {
	e.t.Helper()
	for e.lines.Scan() {
		if data, found := strings.CutPrefix(e.lines.Text(), "data: "); found {
			require.NoError(e.t, json.Unmarshal([]byte(data), &next), data)
			return next
		}
	}
	require.NoError(e.t, e.lines.Err())
	e.t.Fatal("the stream ended")
	return next
}

const (
	followDraft = `subscription($f: ID!) {
		draftEdits(flowId: $f, after: 1) { revision reset edits { revision clientId person steps } } }`
	nameFlow = `mutation($f: ID!, $c: ID!, $s: Int!, $n: JSON!) { editDraft(input: {
		flowId: $f, baseRevision: 1, clientId: $c, sequence: $s,
		steps: [{operations: [{op: set, node: "flow", path: ["name"], value: $n}]}]}) { revision } }`
)

// Two people hear of what each does; whoever loses the right hears nothing more, and why.
func TestDraftsAreFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	flow := w.as("owner").text(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "F"}) { id } }`,
		vars{"a": app}, "createFlow", "id")
	require.Equal(t, "not_found", w.as("stranger").subscribe(followDraft, vars{"f": flow}).next().code())
	viewers, owners := w.as("viewer").subscribe(followDraft, vars{"f": flow}), w.as("owner").subscribe(followDraft, vars{"f": flow})
	edit := func(who string, sequence int, client, name string) {
		w.as(who).must(nameFlow, vars{"f": flow, "c": client, "s": sequence, "n": name})
	}
	ofOwner, ofEditor := uuid.NewString(), uuid.NewString()
	edit("owner", 1, ofOwner, "One")
	for _, stream := range []*events{viewers, owners} {
		got := stream.next()
		require.Equal(t, ofOwner, got.at(t, "draftEdits", "edits", 0, "clientId"))
		require.Equal(t, "owner@example.com", got.at(t, "draftEdits", "edits", 0, "person"))
	}
	edit("editor", 1, ofEditor, "Two")
	require.Equal(t, ofEditor, owners.next().at(t, "draftEdits", "edits", 0, "clientId"))
	require.Equal(t, ofEditor, viewers.next().at(t, "draftEdits", "edits", 0, "clientId"))

	_, err := w.db.Pool.Exec(t.Context(), `
		delete from memberships where user_id = (select id from users where email = 'viewer@example.com')`)
	require.NoError(t, err)
	require.Equal(t, "not_found", viewers.next().code())
	edit("editor", 2, ofEditor, "Three")
	require.EqualValues(t, "4", fmt.Sprint(owners.next().at(t, "draftEdits", "revision")))
}
