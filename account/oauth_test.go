package account

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/svc-dev/svc/internal/fault"
)

const callback = "http://127.0.0.1:8000/callback"

// byClients is a server that OAuth clients ask.
type byClients struct {
	*server
	clock *clock
	mux   *http.ServeMux
}

func newByClients(t *testing.T) *byClients {
	t.Helper()
	s, c := newSignInWorld(t)
	s.baseURL = "https://svc.test"
	w := &byClients{server: s, clock: c, mux: http.NewServeMux()}
	s.RegisterOAuth(w.mux)
	return w
}

func (w *byClients) get(address string) *http.Response {
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	w.mux.ServeHTTP(answer, r.WithContext(w.t.Context()))
	return answer.Result()
}

// post sends a form, or JSON, and returns what is answered.
func (w *byClients) post(path, kind, body string) (status int, answer map[string]any) {
	w.t.Helper()
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	w.mux.ServeHTTP(recorder, r.WithContext(w.t.Context()))
	if recorder.Body.Len() > 0 {
		require.NoError(w.t, json.Unmarshal(recorder.Body.Bytes(), &answer))
	}
	return recorder.Code, answer
}

func (w *byClients) form(path string, form url.Values) (status int, answer map[string]any) {
	w.t.Helper()
	return w.post(path, "application/x-www-form-urlencoded", form.Encode())
}

// register registers a client and returns its id.
func (w *byClients) register(name string, redirects ...string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": redirects})
	require.NoError(w.t, err)
	status, answer := w.post(OAuthRegistrationPath, "application/json", string(body))
	require.Equal(w.t, http.StatusCreated, status, "%v", answer)
	return answer["client_id"].(string)
}

// flow is one authorization.
type flow struct {
	*byClients
	client, verifier string
	ask              url.Values // of the address that the browser is led to
	app              *uuid.UUID // the one that is approved; nil for all
}

func (w *byClients) begin() *flow {
	f := &flow{byClients: w, client: w.register("Editor", callback), verifier: oauth2.GenerateVerifier()}
	f.ask = url.Values{
		"response_type": {"code"}, "client_id": {f.client}, "redirect_uri": {callback}, "state": {"st&te"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(f.verifier)}, "code_challenge_method": {"S256"},
		"resource": {"https://svc.test/mcp"}, "scope": {"analytics:read studio:read flow:publish offline_access"},
	}
	return f
}

// led returns where the browser is led.
func (f *flow) led() *url.URL {
	f.t.Helper()
	answer := f.get(OAuthAuthorizePath + "?" + f.ask.Encode())
	require.Equal(f.t, http.StatusFound, answer.StatusCode)
	to, err := answer.Location()
	require.NoError(f.t, err)
	return to
}

// approve returns the query of the address at which the client is answered.
func (f *flow) approve(v *visitor, workspace uuid.UUID, scopes ...Capability) (answer url.Values, err error) {
	f.t.Helper()
	request := f.led().Query().Get("request")
	require.NotEmpty(f.t, request)
	var address string
	err = v.do(func(ctx context.Context) error {
		address, err = f.ApproveOAuth(ctx, request, workspace, f.app, scopes)
		return err
	})
	to, _ := url.Parse(address)
	return to.Query(), err
}

func (f *flow) exchange(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {f.client}, "redirect_uri": {callback},
		"code_verifier": {f.verifier}, "resource": {"https://svc.test/mcp"},
	}
}

func (f *flow) refresh(tokens map[string]any) url.Values {
	return url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {tokens["refresh_token"].(string)}, "client_id": {f.client},
	}
}

// code returns a code that the owner has approved.
func (f *flow) code() string {
	f.t.Helper()
	owner := f.visitor()
	require.NoError(f.t, owner.signIn("owner@example.com", password))
	answer, err := f.approve(owner, f.workspace("Acme"), AnalyticsRead, StudioRead)
	require.NoError(f.t, err)
	return answer.Get("code")
}

// tokens returns those of a client that the owner has approved.
func (f *flow) tokens() map[string]any {
	f.t.Helper()
	status, tokens := f.form(OAuthTokenPath, f.exchange(f.code()))
	require.Equal(f.t, http.StatusOK, status, "%v", tokens)
	return tokens
}

// caller returns whom a token acts for at /mcp.
func (w *byClients) caller(token any) (p *Principal, err error) {
	r := httptest.NewRequest(http.MethodPost, ToolsPath, nil).WithContext(w.t.Context())
	r.Header.Set("Authorization", "Bearer "+token.(string))
	AcceptTokens(w.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		p, err = From(r.Context())
	}))).ServeHTTP(httptest.NewRecorder(), r)
	return p, err
}

func TestAnOAuthClientActsWithinWhatAMemberApproved(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	f := w.begin()
	owner := w.visitor()
	require.NoError(t, owner.signIn("owner@example.com", password))
	var shown *OAuthRequest
	require.NoError(t, owner.do(func(ctx context.Context) (err error) {
		shown, err = w.OAuthRequest(ctx, f.led().Query().Get("request"))
		return err
	}))
	require.Equal(t, "Editor", shown.Client)
	require.Equal(t, "127.0.0.1", shown.Host)
	require.Equal(t, []Capability{AnalyticsRead, StudioRead}, shown.Scopes) // those that tools have
	require.Equal(t, callback+"?error=access_denied&iss=https%3A%2F%2Fsvc.test&state=st%26te", shown.DeclineURL)

	answer, err := f.approve(owner, w.workspace("Acme"), AnalyticsRead)
	require.NoError(t, err)
	require.Equal(t, "st&te", answer.Get("state"))
	require.Equal(t, "https://svc.test", answer.Get("iss"))
	status, tokens := w.form(OAuthTokenPath, f.exchange(answer.Get("code")))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "analytics:read", tokens["scope"])
	require.EqualValues(t, 3600, tokens["expires_in"])
	p, err := w.caller(tokens["access_token"])
	require.NoError(t, err)
	require.Equal(t, []Capability{AnalyticsRead}, p.Capabilities(w.workspace("Acme")))
	require.Equal(t, []uuid.UUID{w.workspace("Acme")}, p.Workspaces())
	require.Equal(t, []string{"oauth_client.approve"}, w.actions("Acme")[len(w.actions("Acme"))-1:])

	// It is a key as others: the list has it, and revoking it ends its tokens.
	key, err := w.client.APIKey.Get(t.Context(), *p.KeyID)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", *key.ClientHost)
	require.NotNil(t, key.LastUsedAt)
	require.NoError(t, owner.do(func(ctx context.Context) error {
		_, err := w.RevokeKey(ctx, key.ID)
		return err
	}))
	_, err = w.caller(tokens["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	status, _ = w.form(OAuthTokenPath, f.refresh(tokens))
	require.Equal(t, http.StatusBadRequest, status)
}

func TestAnAccessTokenIsForToolsAndForAnHour(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	f := w.begin()
	tokens := f.tokens()
	// Elsewhere it is no key, and a refresh token is none anywhere.
	err := w.with(tokens["access_token"].(string), whoAmI)
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	_, err = w.caller(tokens["refresh_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)

	w.clock.at = w.clock.at.Add(accessTime + time.Second)
	_, err = w.caller(tokens["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	status, next := w.form(OAuthTokenPath, f.refresh(tokens))
	require.Equal(t, http.StatusOK, status)
	_, err = w.caller(next["access_token"])
	require.NoError(t, err)
	w.clock.at = w.clock.at.Add(refreshTime + time.Second)
	status, _ = w.form(OAuthTokenPath, f.refresh(next))
	require.Equal(t, http.StatusBadRequest, status)
}

// What comes a second time was stolen by one of both: nobody has it any more.
func TestWhatAClientSendsTwiceEndsIt(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	f := w.begin()
	code := f.code()
	status, tokens := w.form(OAuthTokenPath, f.exchange(code))
	require.Equal(t, http.StatusOK, status)
	status, answer := w.form(OAuthTokenPath, f.exchange(code))
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "invalid_grant", answer["error"])
	_, err := w.caller(tokens["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)

	f = w.begin()
	first := f.tokens()
	status, second := w.form(OAuthTokenPath, f.refresh(first))
	require.Equal(t, http.StatusOK, status)
	_, err = w.caller(first["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err) // replaced
	status, _ = w.form(OAuthTokenPath, f.refresh(first))
	require.Equal(t, http.StatusBadRequest, status)
	_, err = w.caller(second["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	status, _ = w.form(OAuthTokenPath, f.refresh(second))
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, []string{
		"oauth_client.approve", "oauth_client.reuse", "oauth_client.approve", "oauth_client.reuse",
	}, slices.DeleteFunc(w.actions("Acme"), func(action string) bool { return !strings.HasPrefix(action, "oauth_") }))
}

func TestACodeIsForOneClientOneAddressOneVerifierAndAMinute(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	f := w.begin()
	code := f.code()
	other := w.register("Other", callback)
	for name, change := range map[string]func(form url.Values){
		"another client":    func(form url.Values) { form.Set("client_id", other) },
		"no client":         func(form url.Values) { form.Del("client_id") },
		"another address":   func(form url.Values) { form.Set("redirect_uri", callback+"/x") },
		"another port":      func(form url.Values) { form.Set("redirect_uri", "http://127.0.0.1:9/callback") },
		"another verifier":  func(form url.Values) { form.Set("code_verifier", oauth2.GenerateVerifier()) },
		"no verifier":       func(form url.Values) { form.Del("code_verifier") },
		"the challenge":     func(form url.Values) { form.Set("code_verifier", f.ask.Get("code_challenge")) },
		"a changed code":    func(form url.Values) { form.Set("code", code[:len(code)-2]+"AA") },
		"the request":       func(form url.Values) { form.Set("code", f.led().Query().Get("request")) },
		"the client's id":   func(form url.Values) { form.Set("code", f.client) },
		"another audience":  func(form url.Values) { form.Set("resource", "https://other.test/mcp") },
		"a second audience": func(form url.Values) { form.Add("resource", "https://other.test/mcp") },
		"another grant":     func(form url.Values) { form.Set("grant_type", "password") },
		"a huge form":       func(form url.Values) { form.Set("code", strings.Repeat("a", maxRegistration)) },
	} {
		form := f.exchange(code)
		change(form)
		status, answer := w.form(OAuthTokenPath, form)
		require.Equal(t, http.StatusBadRequest, status, "%s: %v", name, answer)
		require.NotContains(t, answer, "access_token", name)
	}
	w.clock.at = w.clock.at.Add(codeTime + time.Second)
	status, _ := w.form(OAuthTokenPath, f.exchange(code))
	require.Equal(t, http.StatusBadRequest, status)
	require.Zero(t, w.count(`select count(*) from api_keys`))

	tokens := f.tokens()
	stolen := f.refresh(tokens)
	stolen.Set("client_id", other)
	status, _ = w.form(OAuthTokenPath, stolen)
	require.Equal(t, http.StatusBadRequest, status)
	status, _ = w.form(OAuthTokenPath, f.refresh(tokens))
	require.Equal(t, http.StatusOK, status) // who stole it did not end it
}

func TestABrowserIsLedNowhereButToARegisteredAddress(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	for name, to := range map[string]string{
		"another host": "https://evil.test/callback", "another path": "http://127.0.0.1:8000/other",
		"a longer path": callback + "/..", "a query": callback + "?x=1", "user": "http://127.0.0.1@evil.test/callback",
		"another scheme": "https://127.0.0.1:8000/callback", "no address": "//evil.test", "script": "javascript:alert(1)",
	} {
		f := w.begin()
		f.ask.Set("redirect_uri", to)
		require.Equal(t, "/connect?problem=address", f.led().String(), name)
	}
	f := w.begin()
	f.ask.Set("client_id", f.client[:len(f.client)-2]+"AA")
	require.Equal(t, "/connect?problem=client", f.led().String())
	f = w.begin()
	f.ask.Set("redirect_uri", "http://127.0.0.1:54321/callback") // the port is the program's
	require.NotEmpty(t, f.led().Query().Get("request"))
	f.ask.Del("redirect_uri")
	require.NotEmpty(t, f.led().Query().Get("request"))

	for name, wrong := range map[string]struct{ field, value, code string }{
		"no PKCE":          {"code_challenge", "", "invalid_request"},
		"plain PKCE":       {"code_challenge_method", "plain", "invalid_request"},
		"PKCE by default":  {"code_challenge_method", "", "invalid_request"},
		"short challenge":  {"code_challenge", "abc", "invalid_request"},
		"implicit":         {"response_type", "token", "unsupported_response_type"},
		"foreign audience": {"resource", "https://other.test/mcp", "invalid_target"},
		"GraphQL":          {"resource", "https://svc.test/graphql", "invalid_target"},
		"no known scope":   {"scope", "flow:publish app:manage", "invalid_scope"},
		"long state":       {"state", strings.Repeat("s", maxState+1), "invalid_request"},
	} {
		f := w.begin()
		f.ask.Set(wrong.field, wrong.value)
		require.Equal(t, "/connect?problem="+wrong.code, f.led().String(), name)
	}
}

func TestAnOAuthClientReachesTheOneAppThatWasApproved(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	_, app := w.sharedLink("") // makes an app of Acme
	w.create("owner@example.com", "Other")
	owner := w.visitor()
	require.NoError(t, owner.signIn("owner@example.com", password))
	f := w.begin()
	f.app = &app
	_, err := f.approve(owner, w.workspace("Other"), AnalyticsRead) // the app of another workspace
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	answer, err := f.approve(owner, w.workspace("Acme"), AnalyticsRead)
	require.NoError(t, err)
	status, tokens := w.form(OAuthTokenPath, f.exchange(answer.Get("code")))
	require.Equal(t, http.StatusOK, status)
	for range 2 { // a client that refreshes its tokens reaches no more
		p, err := w.caller(tokens["access_token"])
		require.NoError(t, err)
		require.Equal(t, &app, p.App())
		apps, err := w.AppsOfKeys(t.Context(), []uuid.UUID{*p.KeyID, uuid.New()})
		require.NoError(t, err)
		require.Equal(t, map[uuid.UUID]uuid.UUID{*p.KeyID: app}, apps)
		status, tokens = w.form(OAuthTokenPath, f.refresh(tokens))
		require.Equal(t, http.StatusOK, status)
	}
	p, err := w.caller(w.begin().tokens()["access_token"])
	require.NoError(t, err)
	require.Nil(t, p.App())
}

func TestWhoCanApproveAnOAuthClient(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	acme := w.workspace("Acme")
	viewer := w.join("Acme", "viewer@example.com", Viewer)
	w.create("owner@example.com", "Other")
	f := w.begin()
	f.ask.Set("scope", "")
	_, err := f.approve(viewer, acme, FlowEdit)
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	_, err = f.approve(viewer, w.workspace("Other"), StudioRead)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = f.approve(viewer, acme)
	require.True(t, fault.Is(err, fault.InvalidInput), "%v", err)
	_, err = f.approve(viewer, acme, FlowPublish) // nobody asked for it
	require.True(t, fault.Is(err, fault.InvalidInput), "%v", err)
	_, err = f.approve(w.visitor(), acme, StudioRead)
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	request := f.led().Query().Get("request")
	key := w.key("owner@example.com", string(StudioRead))
	for _, work := range []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, err := w.ApproveOAuth(ctx, request, acme, nil, []Capability{StudioRead})
			return err
		},
		func(ctx context.Context) error {
			_, err := w.OAuthRequest(ctx, request)
			return err
		},
	} {
		require.True(t, fault.Is(w.with(key.Secret, work), fault.Forbidden))
	}
	w.clock.at = w.clock.at.Add(consentTime + time.Second)
	err = viewer.do(func(ctx context.Context) error {
		_, err := w.ApproveOAuth(ctx, request, acme, nil, []Capability{StudioRead})
		return err
	})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)

	// Who leaves before the code is used, or after, lets nobody in.
	answer, err := f.approve(viewer, acme, StudioRead)
	require.NoError(t, err)
	early, err := f.approve(viewer, acme, StudioRead)
	require.NoError(t, err)
	status, tokens := w.form(OAuthTokenPath, f.exchange(early.Get("code")))
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, w.RemoveMember(w.as("owner@example.com"), acme, w.userID("viewer@example.com")))
	status, _ = w.form(OAuthTokenPath, f.exchange(answer.Get("code")))
	require.Equal(t, http.StatusBadRequest, status)
	_, err = w.caller(tokens["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	status, _ = w.form(OAuthTokenPath, f.refresh(tokens))
	require.Equal(t, http.StatusBadRequest, status)
}

func TestAClientEndsItsOwnTokens(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	f := w.begin()
	tokens := f.tokens()
	revoke := func(token any, client string) {
		t.Helper()
		status, _ := w.form(OAuthRevocationPath, url.Values{"token": {token.(string)}, "client_id": {client}})
		require.Equal(t, http.StatusOK, status)
	}
	revoke("nothing", f.client)
	revoke(tokens["access_token"], w.register("Other", callback))
	_, err := w.caller(tokens["access_token"])
	require.NoError(t, err)
	revoke(tokens["refresh_token"], f.client)
	_, err = w.caller(tokens["access_token"])
	require.True(t, fault.Is(err, fault.Unauthenticated), "%v", err)
	require.Equal(t, []string{"oauth_client.revoke"}, w.actions("Acme")[len(w.actions("Acme"))-1:])
}

func TestWhatAClientCanRegister(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	w.register("", "https://app.test/callback")
	w.register("Ünïcode 😀", "com.example.app://callback", "http://[::1]/x")
	w.register("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost:8787/callback",
		"https://www.cursor.com/agents/mcp/oauth/callback") // all that it registers at once
	for _, scheme := range editorSchemes {
		w.register("Extension", scheme+"://publisher.extension/callback")
	}
	many := slices.Repeat([]string{callback}, maxRedirects+1)
	long := "https://app.test/" + strings.Repeat("a", maxRedirect)
	for name, asked := range map[string]map[string]any{
		"no address":      {"client_name": "x"},
		"many addresses":  {"redirect_uris": many},
		"a long address":  {"redirect_uris": []string{long}},
		"script":          {"redirect_uris": []string{"javascript://x/%0aalert(1)"}},
		"data":            {"redirect_uris": []string{"data://x/text/html"}},
		"plain http":      {"redirect_uris": []string{"http://app.test/callback"}},
		"like a loopback": {"redirect_uris": []string{"http://127.0.0.1.evil.test/"}},
		"a fragment":      {"redirect_uris": []string{callback + "#x"}},
		"a user":          {"redirect_uris": []string{"https://good.test@evil.test/"}},
		"a backslash":     {"redirect_uris": []string{`https://good.test\@evil.test/`}},
		"another scheme":  {"redirect_uris": []string{"zed://callback"}},
		"no host":         {"redirect_uris": []string{"https:callback"}},
		"a port alone":    {"redirect_uris": []string{"https://:443/callback"}},
		"a long name":     {"client_name": strings.Repeat("n", 121), "redirect_uris": []string{callback}},
		"hidden letters":  {"client_name": "Edi\u202etor", "redirect_uris": []string{callback}},
		"a huge body":     {"client_name": strings.Repeat("n", maxRegistration), "redirect_uris": []string{callback}},
	} {
		body, err := json.Marshal(asked)
		require.NoError(t, err)
		status, answer := w.post(OAuthRegistrationPath, "application/json", string(body))
		require.Equal(t, http.StatusBadRequest, status, name)
		require.Contains(t, []any{"invalid_redirect_uri", "invalid_client_metadata"}, answer["error"], name)
	}
	w.resetAttempts(t.Context(), registrationsFrom, "192.0.2.1")
	w.takeAlmostAll(registrationsFrom, "192.0.2.1")
	w.register("Last", callback)
	status, answer := w.post(OAuthRegistrationPath, "application/json", `{"redirect_uris":["`+callback+`"]}`)
	require.Equal(t, http.StatusTooManyRequests, status, "%v", answer)
	// The longest that is taken works.
	full := "https://app.test/" + strings.Repeat("a", maxRedirect-len("https://app.test/"))
	w.endWindows()
	f := w.begin()
	f.client = w.register(strings.Repeat("n", 120), slices.Repeat([]string{full}, maxRedirects)...)
	f.ask.Set("client_id", f.client)
	f.ask.Set("redirect_uri", full)
	f.ask.Set("state", strings.Repeat("s", maxState))
	require.NotEmpty(t, f.led().Query().Get("request"))
}

func TestWhatTheServerSaysOfItsAuthorization(t *testing.T) {
	t.Parallel()
	w := newByClients(t)
	for _, path := range []string{ResourceMetadataPath, ResourceMetadataPath + ToolsPath} {
		var resource oauthex.ProtectedResourceMetadata
		require.NoError(t, json.NewDecoder(w.get(path).Body).Decode(&resource))
		require.Equal(t, "https://svc.test/mcp", resource.Resource)
		require.Equal(t, []string{"https://svc.test"}, resource.AuthorizationServers)
	}
	var server map[string]any
	require.NoError(t, json.NewDecoder(w.get(ServerMetadataPath).Body).Decode(&server))
	require.Equal(t, "https://svc.test", server["issuer"])
	require.Equal(t, []any{"S256"}, server["code_challenge_methods_supported"])
	require.NotContains(t, server, "jwks_uri")
	require.Equal(t,
		`Bearer resource_metadata="https://svc.test/.well-known/oauth-protected-resource/mcp", error="invalid_token"`,
		w.Challenge(true))
}
