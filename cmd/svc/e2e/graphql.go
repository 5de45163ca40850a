package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Studio is a signed-in person at one server's GraphQL.
type Studio struct {
	t      testing.TB
	client *http.Client
	url    string
}

// SignIn signs the administrator of d in at the server with this address.
func (d *Dev) SignIn(t testing.TB, address string) *Studio {
	t.Helper()
	s := &Studio{t: t, client: Browser(), url: address + "/graphql"}
	s.Query(`mutation($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }`,
		map[string]any{"e": d.Admin.Email, "p": d.Admin.Password}, nil)
	return s
}

// GraphQLError is the first error of an answer.
type GraphQLError struct {
	Status  int
	Message string
	Code    string
}

func (e *GraphQLError) Error() string {
	return fmt.Sprintf("graphql %d %s: %s", e.Status, e.Code, e.Message)
}

// Ask sends a document and reads the data; headers are pairs.
func Ask(client *http.Client, url, document string, variables map[string]any, data any, headers ...string) error {
	answer, err := Do(client, http.MethodPost, url, map[string]any{"query": document, "variables": variables}, headers...)
	if err != nil {
		return err
	}
	var body struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(answer.Body, &body); err != nil {
		return fmt.Errorf("graphql answered %d %q", answer.Status, answer.Body)
	}
	if len(body.Errors) > 0 {
		return &GraphQLError{answer.Status, body.Errors[0].Message, body.Errors[0].Extensions.Code}
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(body.Data, data)
}

// Query sends a document that must succeed.
func (s *Studio) Query(document string, variables map[string]any, data any) {
	s.t.Helper()
	if err := Ask(s.client, s.url, document, variables, data); err != nil {
		s.t.Fatalf("%s: %v", document, err)
	}
}

// CreateChannel makes a live channel and returns its id.
func (s *Studio) CreateChannel(app, name string) string {
	s.t.Helper()
	var data struct{ CreateChannel struct{ ID string } }
	s.Query(`mutation($a: ID!, $n: String!) { createChannel(input: {appId: $a, environment: LIVE, name: $n}) { id } }`,
		map[string]any{"a": app, "n": name}, &data)
	return data.CreateChannel.ID
}

// Publish makes a flow of a manifest and publishes it; it returns flow and
// version.
func (s *Studio) Publish(app, name string, manifest any) (flow, version string) {
	s.t.Helper()
	var made struct{ CreateFlow struct{ ID string } }
	s.Query(`mutation($a: ID!, $n: String!, $m: JSON) { createFlow(input: {appId: $a, name: $n, manifest: $m}) { id } }`,
		map[string]any{"a": app, "n": name, "m": manifest}, &made)
	return made.CreateFlow.ID, s.PublishAgain(made.CreateFlow.ID)
}

// PublishAgain publishes the flow's draft as its next version.
func (s *Studio) PublishAgain(flow string) string {
	s.t.Helper()
	var published struct {
		PublishFlow struct{ Version struct{ ID string } }
	}
	s.Query(`mutation($f: ID!) { publishFlow(input: {id: $f}) { version { id } } }`, map[string]any{"f": flow}, &published)
	return published.PublishFlow.Version.ID
}

// Pin pins a version to a channel.
func (s *Studio) Pin(channel, version string) {
	s.t.Helper()
	s.Query(`mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`,
		map[string]any{"c": channel, "v": version}, nil)
}

// StartExperiment starts an experiment of a day on a channel, with two versions at equal weights.
func (s *Studio) StartExperiment(channel, control, treatment string) (experiment string, variants []string) {
	s.t.Helper()
	var made struct {
		CreateExperiment struct {
			ID       string
			Variants []struct{ ID string }
		}
	}
	s.Query(`mutation($i: CreateExperimentInput!) { createExperiment(input: $i) { id variants { id } } }`,
		map[string]any{"i": map[string]any{
			"channelId": channel, "name": "Split",
			"endsAt": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
			"variants": []any{
				map[string]any{"key": "control", "weight": 1, "versionId": control},
				map[string]any{"key": "other", "weight": 1, "versionId": treatment},
			},
		}}, &made)
	s.Query(
		`mutation($e: ID!) { startExperiment(input: {id: $e}) { status } }`, map[string]any{"e": made.CreateExperiment.ID},
		nil,
	)
	for _, v := range made.CreateExperiment.Variants {
		variants = append(variants, v.ID)
	}
	return made.CreateExperiment.ID, variants
}
