package e2e

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const oauthCallback = "http://127.0.0.1/callback"

// approve does in place of a member's browser what /oauth/authorize leads to, and returns the query of the answer.
func (s *Studio) approve(address string, scopes ...string) (url.Values, error) {
	s.t.Helper()
	led, err := Do(unled, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	page, err := url.Parse(led.Header.Get("Location"))
	if err != nil {
		return nil, err
	}
	request := page.Query().Get("request")
	if request == "" {
		return nil, errors.New("led to " + page.String())
	}
	var viewer struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
		OauthRequest struct{ Scopes []string }
	}
	s.Query(`query($t: String!) { oauthRequest(token: $t) { scopes } viewer { workspaces { nodes { workspace { id } } } } }`,
		map[string]any{"t": request}, &viewer)
	if len(scopes) == 0 {
		scopes = viewer.OauthRequest.Scopes
	}
	var approved struct{ ApproveOAuthRequest struct{ URL string } }
	s.Query(`mutation($i: ApproveOAuthRequestInput!) { approveOAuthRequest(input: $i) { url } }`,
		map[string]any{"i": map[string]any{
			"token": request, "workspaceId": viewer.Viewer.Workspaces.Nodes[0].Workspace.ID, "scopes": scopes,
		}}, &approved)
	answer, err := url.Parse(approved.ApproveOAuthRequest.URL)
	if err != nil {
		return nil, err
	}
	return answer.Query(), nil
}

// approvedCode registers a client and returns what it asks for tokens with.
func approvedCode(t *testing.T, d *Dev, studio *Studio) map[string]any {
	t.Helper()
	answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/oauth/register",
		map[string]any{"client_name": "Described", "redirect_uris": []string{oauthCallback}})
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		ID string `json:"client_id"`
	}
	answer.Decode(t, &client)
	verifier := oauth2.GenerateVerifier()
	approved, err := studio.approve(d.BaseURL + "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {oauthCallback},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"},
	}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"client_id": client.ID, "code": approved.Get("code"), "redirect_uri": oauthCallback, "code_verifier": verifier,
	}
}

// The official client finds the authorization by itself, registers, and acts within what a member approved.
func TestTheOfficialClientIsAuthorized(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	studio := d.SignIn(t, d.BaseURL)
	asked := 0
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Go", RedirectURIs: []string{oauthCallback}},
		},
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			asked++
			answer, err := studio.approve(args.URL, "ANALYTICS_READ")
			return &auth.AuthorizationResult{
				Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss"),
			}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := connectTools(t, &mcp.StreamableClientTransport{
		Endpoint: d.BaseURL + "/mcp", OAuthHandler: handler, DisableStandaloneSSE: true,
	})
	var list struct{ Data []struct{ Apps []any } }
	client.call("list_apps", nil, &list)
	if len(list.Data) != 1 || len(list.Data[0].Apps) == 0 || asked != 1 {
		t.Errorf("%v after %d requests", list.Data, asked)
	}
	if text, refused := client.try("list_flows", map[string]any{"app": d.Apps[0].ID}); !refused ||
		!strings.Contains(text, "studio:read") {
		t.Errorf("without the scope: %s", text)
	}

	// The token opens nothing else.
	tokens, err := handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := tokens.Token()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/graphql", "/v1/flows/" + d.Apps[0].ID + "/export"} {
		body := any(map[string]any{"query": `{ viewer { userId } }`})
		method := http.MethodPost
		if path != "/graphql" {
			method, body = http.MethodGet, nil
		}
		answer, err := Do(unled, method, d.BaseURL+path, body, "Authorization", "Bearer "+token.AccessToken)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(answer.Body), "unauthenticated") {
			t.Errorf("%s answers an access token with %d %s", path, answer.Status, answer.Body)
		}
	}

	// It is listed among the keys and ends with its.
	var listed struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct {
					Workspace struct {
						APIKeys struct {
							Nodes []struct{ ID, Name, ClientHost string }
						}
					}
				}
			}
		}
	}
	studio.Query(`{ viewer { workspaces { nodes { workspace { apiKeys { nodes { id name clientHost } } } } } } }`, nil, &listed)
	keys := listed.Viewer.Workspaces.Nodes[0].Workspace.APIKeys.Nodes
	at := slices.IndexFunc(keys, func(key struct{ ID, Name, ClientHost string }) bool { return key.ClientHost != "" })
	if at < 0 || keys[at].Name != "Go" || keys[at].ClientHost != "127.0.0.1" {
		t.Fatalf("listed are %v", keys)
	}
	studio.Query(`mutation($i: ID!) { revokeApiKey(input: {id: $i}) { id } }`, map[string]any{"i": keys[at].ID}, nil)
	answer, err := Do(unled, http.MethodPost, d.BaseURL+"/mcp", map[string]any{}, "Authorization", "Bearer "+token.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	if challenge := answer.Header.Get("WWW-Authenticate"); answer.Status != http.StatusUnauthorized ||
		!strings.Contains(challenge, "resource_metadata=") || !strings.Contains(challenge, "invalid_token") {
		t.Errorf("%d, WWW-Authenticate: %s", answer.Status, challenge)
	}
}
