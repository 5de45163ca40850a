package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

// byProvider is a server with a test provider that speaks for acme.test, where staff are editors of Acme.
type byProvider struct {
	*server
	clock    *clock
	provider *testProvider
	mux      *http.ServeMux
}

func newByProvider(t *testing.T) *byProvider {
	t.Helper()
	s, c := newSignInWorld(t)
	p := newTestProvider(t)
	w := &byProvider{server: s, clock: c, provider: p, mux: http.NewServeMux()}
	s.baseURL = "https://svc.test"
	s.provider = &Provider{
		Issuer: p.URL, ClientID: "svc", ClientSecret: "secret", Name: "Acme", Domains: []string{"acme.test"},
		RoleClaim: "groups", Roles: []ClaimedRole{
			{"staff", s.workspace("Acme"), Editor}, {"guests", s.workspace("Acme"), Viewer},
			{"boss", s.workspace("Acme"), Admin},
		},
	}
	s.RegisterProvider(w.mux)
	return w
}

// browser keeps the cookies of somebody.
type browser struct {
	w    *byProvider
	jar  map[string]*http.Cookie
	last *http.Response
}

func (w *byProvider) browser() *browser { return &browser{w: w, jar: map[string]*http.Cookie{}} }

// get opens an address of the server and returns where it leads.
func (b *browser) get(address string) string {
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.RemoteAddr = "192.0.2.1:1"
	for _, cookie := range b.jar {
		r.AddCookie(cookie)
	}
	answer := httptest.NewRecorder()
	b.w.mux.ServeHTTP(answer, r)
	b.last = answer.Result()
	for _, cookie := range b.last.Cookies() {
		b.jar[cookie.Name] = cookie
		if cookie.MaxAge < 0 {
			delete(b.jar, cookie.Name)
		}
	}
	return b.last.Header.Get("Location")
}

// signIn goes to the provider and back, and returns where that led.
func (b *browser) signIn() string {
	return b.get(b.w.provider.authorize(b.get(ProviderPath + "?to=/account")).RequestURI())
}

func (b *browser) visitor() *visitor {
	v := b.w.server.visitor()
	v.cookie = b.jar[CookieName]
	return v
}

func TestAProviderSignsIn(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	b := w.browser()
	require.Equal(t, "/account", b.signIn())
	require.Equal(t, map[string]Role{"Acme": Editor}, b.visitor().roles())
	require.Equal(t, ByProvider, b.visitor().method())
	require.NotContains(t, b.jar, attemptCookie)
	requireCode(t, fault.Unauthenticated, w.visitor().signIn("new@acme.test", noPassword), "there is no password")
	again := w.browser()
	require.Equal(t, "/account", again.signIn())
	require.Equal(t, 2, w.count(`select count(*) from users`), "the same person")

	w.provider.says = map[string]any{"groups": []any{"guests", 7, "boss"}}
	again.signIn()
	require.Equal(t, map[string]Role{"Acme": Admin}, b.visitor().roles(), "the strongest that the claim gives")
	w.provider.says = map[string]any{"groups": "guests"}
	again.signIn()
	require.Equal(t, map[string]Role{"Acme": Viewer}, b.visitor().roles())
	key, err := w.CreateKey(w.as("new@acme.test"), w.workspace("Acme"), "k", []string{"studio:read"}, nil)
	require.NoError(t, err)
	w.provider.says = map[string]any{"groups": nil}
	again.signIn()
	require.Empty(t, b.visitor().roles(), "the claim gives none any more")
	_, err = w.byKey(t.Context(), key.Secret)
	requireCode(t, fault.Unauthenticated, err)
	require.Equal(t, []string{
		"workspace.create", "member.role", "member.role", "member.role", "api_key.create", "member.remove",
	}, w.actions("Acme"))
}

func TestWhatAProviderDoesNotSayIsRefused(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	public, err := x509.MarshalPKIXPublicKey(&w.provider.key.PublicKey)
	require.NoError(t, err)
	hs256 := encode([]byte(`{"alg":"HS256","kid":"a"}`))
	for name, c := range map[string]struct {
		says  map[string]any
		forge func(header, payload string) string
		leads string
	}{
		"expired":               {says: map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}, leads: "refused"},
		"for another client":    {says: map[string]any{"aud": "other"}, leads: "refused"},
		"for several":           {says: map[string]any{"aud": []string{"svc", "other"}}, leads: "refused"},
		"for another party":     {says: map[string]any{"azp": "other"}, leads: "refused"},
		"of another issuer":     {says: map[string]any{"iss": "https://evil.test"}, leads: "refused"},
		"of another attempt":    {says: map[string]any{"nonce": "another"}, leads: "refused"},
		"without a nonce":       {says: map[string]any{"nonce": nil}, leads: "refused"},
		"of nobody":             {says: map[string]any{"sub": ""}, leads: "refused"},
		"of a foreign domain":   {says: map[string]any{"email": "a@evil.test"}, leads: "stranger"},
		"of a domain below":     {says: map[string]any{"email": "a@x.acme.test"}, leads: "stranger"},
		"of a domain around":    {says: map[string]any{"email": "a@acme.test.evil.test"}, leads: "stranger"},
		"with two ats":          {says: map[string]any{"email": `"a@acme.test"@evil.test`}, leads: "stranger"},
		"without an email":      {says: map[string]any{"email": nil}, leads: "stranger"},
		"of an unproved email":  {says: map[string]any{"email_verified": false}, leads: "stranger"},
		"of who has no role":    {says: map[string]any{"groups": []string{"others"}}, leads: "stranger"},
		"of an existing member": {says: map[string]any{"email": "owner@acme.test"}, leads: "link"},
		"signed by another": {forge: func(header, payload string) string {
			return w.provider.signWith(other, header, payload)
		}, leads: "refused"},
		"not signed": {forge: func(_, payload string) string {
			return encode([]byte(`{"alg":"none"}`)) + "." + payload + "."
		}, leads: "refused"},
		"signed by the public key": {forge: func(_, payload string) string {
			mac := hmac.New(sha256.New, public)
			mac.Write([]byte(hs256 + "." + payload))
			return hs256 + "." + payload + "." + encode(mac.Sum(nil))
		}, leads: "refused"},
		"cut": {forge: func(header, payload string) string { return header + "." + payload }, leads: "refused"},
	} {
		if name == "of an existing member" {
			_, err := w.pool.Exec(t.Context(), `update users set email = 'owner@acme.test' where email = 'owner@example.com'`)
			require.NoError(t, err)
		}
		w.provider.says, w.provider.forge = c.says, c.forge
		b := w.browser()
		require.Equal(t, "/sign-in?problem="+c.leads, b.signIn(), name)
		require.NotContains(t, b.jar, CookieName, name)
	}
	require.Equal(t, 1, w.count(`select count(*) from users`))
}

func TestAnswersAreTakenOnceFromTheBrowserThatAsked(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	b := w.browser()
	back := w.provider.authorize(b.get(ProviderPath))
	attempt := *b.jar[attemptCookie]
	require.True(t, attempt.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, attempt.SameSite)
	victim := w.browser()
	require.Equal(t, "/sign-in?problem=refused", victim.get(back.RequestURI()), "another browser's")
	require.Equal(t, "/", b.get(back.RequestURI()))
	require.Equal(t, "/sign-in?problem=refused", b.get(back.RequestURI()), "a second time")
	b.jar[attemptCookie] = &attempt
	require.Equal(t, "/sign-in?problem=refused", b.get(back.RequestURI()), "the attempt is used up")
	require.Equal(t, 1, w.provider.asked, "nobody who keeps the cookie has the provider asked again")

	guesser := w.browser()
	back = w.provider.authorize(guesser.get(ProviderPath))
	kept := guesser.jar[attemptCookie]
	answer := back.Query()
	answer.Set("code", "guess")
	require.Equal(t, "/sign-in?problem=refused", guesser.get(back.Path+"?"+answer.Encode()))
	asked := w.provider.asked
	for range 5 {
		guesser.jar[attemptCookie] = kept
		require.Equal(t, "/sign-in?problem=refused", guesser.get(back.Path+"?"+answer.Encode()))
	}
	require.Equal(t, asked, w.provider.asked)

	w.provider.replay = true
	require.Equal(t, "/sign-in?problem=refused", w.browser().signIn(), "the token of an earlier attempt")
	w.provider.replay = false
	for _, change := range []func(url.Values){
		func(v url.Values) { v.Set("state", "x") }, func(v url.Values) { v.Del("state") },
		func(v url.Values) { v.Set("error", "access_denied") }, func(v url.Values) { v.Set("iss", "https://evil.test") },
		func(v url.Values) { v.Set("code", "guess") },
	} {
		b := w.browser()
		back := w.provider.authorize(b.get(ProviderPath))
		answer := back.Query()
		change(answer)
		require.Equal(t, "/sign-in?problem=refused", b.get(back.Path+"?"+answer.Encode()), answer)
	}
	late := w.browser()
	back = w.provider.authorize(late.get(ProviderPath))
	w.clock.at = w.clock.at.Add(attemptTime + time.Second)
	require.Equal(t, "/sign-in?problem=refused", late.get(back.RequestURI()))
}

func TestOnlyPathsOfTheServerAreFollowed(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/account": "/account", "/apps/a?b=c#d": "/apps/a?b=c#d", "": "/", "account": "/", "//evil.test": "/",
		"/\\evil.test": "/", "https://evil.test": "/", "/\t/evil.test": "/", "javascript:alert(1)": "/",
		"/" + strings.Repeat("a", 2000): "/",
	} {
		require.Equal(t, want, localPath(to), to)
	}
}

// An account whose password somebody else may know is not given to the provider's: its owner signs in first.
func TestAnAccountIsLinkedByWhoIsSignedInToIt(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	w.join("Acme", "staff@acme.test", Viewer)
	w.provider.says = map[string]any{"email": "Staff@Acme.test"}
	b := w.browser()
	require.Equal(t, "/sign-in?problem=link", b.signIn())
	v := w.visitor()
	require.NoError(t, v.signIn("owner@example.com", password))
	b.jar[CookieName] = v.cookie
	require.Equal(t, "/sign-in?problem=link", b.signIn(), "somebody else is signed in")
	require.NoError(t, v.signIn("staff@acme.test", password))
	b.jar[CookieName] = v.cookie
	require.Equal(t, "/account", b.signIn())
	require.Equal(t, map[string]Role{"Acme": Editor}, b.visitor().roles())
	require.Equal(t, "/account", w.browser().signIn(), "linked once and for all")
	w.provider.says["sub"] = "2"
	b = w.browser()
	v = w.visitor()
	require.NoError(t, v.signIn("staff@acme.test", password))
	b.jar[CookieName] = v.cookie
	require.Equal(t, "/sign-in?problem=stranger", b.signIn(), "the email was given to somebody else")
}

func TestAProviderThatIsDownIsSaid(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	w.provider.Close()
	require.Equal(t, "/sign-in?problem=failed", w.browser().get(ProviderPath))
	for range providerSignInsFrom.most {
		w.browser().get(ProviderPath)
	}
	require.Equal(t, "/sign-in?problem=often", w.browser().get(ProviderPath))
	bare := http.NewServeMux()
	w.server.provider = nil
	w.RegisterProvider(bare)
	_, pattern := bare.Handler(httptest.NewRequest(http.MethodGet, ProviderPath, nil))
	require.Empty(t, pattern)
	require.Empty(t, w.ProviderName())
}

// Whoever leaves while a provider does not answer waits for nothing, and one request is enough for all who wait.
func TestAProviderThatHangsHoldsNobody(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	asked, release := make(chan struct{}, 2), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	defer hanging.Close()
	w.server.provider.Issuer = hanging.URL
	waits := make(chan error)
	go func() {
		_, err := w.discover(context.Background())
		waits <- err
	}()
	<-asked
	left, leave := context.WithCancel(t.Context())
	leave()
	_, err := w.discover(left)
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	require.ErrorContains(t, <-waits, "read what the OpenID provider says")
	require.Empty(t, asked)
}

func TestRulesHoldForSessionsAndNotForKeys(t *testing.T) {
	t.Parallel()
	w := newByProvider(t)
	workspace := w.workspace("Acme")
	editor := w.join("Acme", "editor@example.com", Editor)
	owner := w.visitor()
	require.NoError(t, owner.signIn("owner@example.com", password))
	set := func(v *visitor, rule SignInRule) error {
		return v.do(func(ctx context.Context) error { return w.SetSignInRule(ctx, workspace, rule) })
	}
	requireCode(t, fault.Forbidden, set(editor, NeedsSecondFactor))
	requireCode(t, fault.Conflict, set(owner, NeedsSecondFactor), "it would lock its owner out")
	owner.enrol(w.clock)
	require.NoError(t, set(owner, NeedsSecondFactor))
	require.Equal(t, map[string]Role{"Acme": Owner}, owner.roles())

	key, err := w.CreateKey(w.as("editor@example.com"), workspace, "k", []string{"studio:read"}, nil)
	require.NoError(t, err)
	p, err := w.byKey(t.Context(), key.Secret)
	require.NoError(t, err)
	require.True(t, p.Can(workspace, StudioRead), "keys go on")
	require.Empty(t, editor.roles())
	require.NoError(t, editor.do(func(ctx context.Context) error {
		_, err := Enter(ctx, workspace)
		requireCode(t, fault.Forbidden, err)
		_, err = Authorize(ctx, workspace, StudioRead)
		requireCode(t, fault.Forbidden, err)
		requireCode(t, fault.NotFound, AuthorizeApp(ctx, App{Workspace: workspace}, "app", StudioRead))
		closed, err := w.ClosedWorkspaces(ctx)
		require.Equal(t, []*ClosedWorkspace{{workspace, "Acme", NeedsSecondFactor}}, closed)
		return err
	}))
	editor.enrol(w.clock)
	require.Equal(t, map[string]Role{"Acme": Editor}, editor.roles(), "who complies is let in at once")

	require.NoError(t, set(owner, ProviderOnly), "the owner does without, for when the provider is broken")
	require.Empty(t, editor.roles())
	require.Equal(t, map[string]Role{"Acme": Owner}, owner.roles())
	b := w.browser()
	require.Equal(t, "/account", b.signIn())
	require.Equal(t, map[string]Role{"Acme": Editor}, b.visitor().roles())
	require.NoError(t, set(owner, AnySignIn))
	require.Equal(t, map[string]Role{"Acme": Editor}, editor.roles())
	w.server.provider = nil
	requireCode(t, fault.InvalidInput, set(owner, ProviderOnly))
	other := w.create("owner@example.com", "Other")
	requireCode(t, fault.NotFound, editor.do(func(ctx context.Context) error {
		return w.SetSignInRule(ctx, other, AnySignIn)
	}))
}
