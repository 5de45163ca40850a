package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
)

// Paths of the sign-in by an OpenID provider.
const (
	ProviderPath = "/sign-in/provider"
	CallbackPath = "/sign-in/callback"
)

const (
	attemptCookie = "svc_sign_in"
	// attemptTime is how long somebody may take at the provider.
	attemptTime = 10 * time.Minute
	startsOidc  = place("sign-in by a provider")
)

// attempt is one sign-in by the provider. It is kept, sealed, in a cookie of the browser that began it: the answer to
// another browser's attempt is refused, and strangers fill no table.
type attempt struct {
	State, Nonce, Verifier string
	// To is where the browser goes on: a path of this server.
	To    string
	Until time.Time
}

// RegisterProvider adds the paths of the sign-in by an OpenID provider.
func (a *Accounts) RegisterProvider(mux httpserver.Routes) {
	if !a.HasProvider() {
		return
	}
	mux.Handle("GET "+ProviderPath, a.Middleware(http.HandlerFunc(a.leaveForProvider)))
	mux.Handle("GET "+CallbackPath, a.Middleware(http.HandlerFunc(a.returnFromProvider)))
}

func (a *Accounts) leaveForProvider(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), providerTime)
	defer cancel()
	at := attempt{
		State: randomText(), Nonce: randomText(), Verifier: oauth2.GenerateVerifier(),
		To: localPath(r.URL.Query().Get("to")), Until: a.now().Add(attemptTime),
	}
	provider, sealed, err := a.beginAttempt(ctx, at)
	if err != nil {
		a.failProvider(w, r, err)
		return
	}
	http.SetCookie(w, a.newAttemptCookie(sealed, int(attemptTime.Seconds())))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, a.oauth(provider).AuthCodeURL(
		at.State, oidc.Nonce(at.Nonce), oauth2.S256ChallengeOption(at.Verifier)), http.StatusFound)
}

func (a *Accounts) beginAttempt(ctx context.Context, at attempt) (*oidc.Provider, string, error) {
	if err := a.countAttempt(ctx, providerSignInsFrom, exchangeOf(ctx).client); err != nil {
		return nil, "", err
	}
	provider, err := a.discover(ctx)
	if err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(at)
	if err != nil {
		return nil, "", err
	}
	sealed, err := a.sealToken(startsOidc, text)
	return provider, sealed, err
}

func (a *Accounts) returnFromProvider(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), providerTime)
	defer cancel()
	cookie, _ := r.Cookie(attemptCookie)
	http.SetCookie(w, a.newAttemptCookie("", -1)) // it is of one attempt
	w.Header().Set("Cache-Control", "no-store")
	at, err := a.readAttempt(cookie, r.URL.Query().Get("state"))
	if err == nil {
		err = a.signInByProvider(ctx, r.URL.Query(), at)
	}
	if err != nil {
		a.failProvider(w, r, err)
		return
	}
	http.Redirect(w, r, at.To, http.StatusFound)
}

// readAttempt returns the attempt of the browser, when the answer is to it.
func (a *Accounts) readAttempt(cookie *http.Cookie, state string) (at attempt, err error) {
	refused := fault.New(fault.Unauthenticated, "this browser did not begin this sign-in, or too long ago")
	if cookie == nil {
		return at, refused
	}
	text, ok := a.openToken(startsOidc, cookie.Value)
	if !ok {
		return at, refused
	}
	if err := json.Unmarshal(text, &at); err != nil {
		return at, refused
	}
	if a.now().After(at.Until) || subtle.ConstantTimeCompare([]byte(state), []byte(at.State)) != 1 {
		return at, refused
	}
	return at, nil
}

func (a *Accounts) signInByProvider(ctx context.Context, answer url.Values, at attempt) error {
	if err := lookupFailure(ctx); err != nil {
		return err
	}
	if answer.Get("error") != "" {
		return fault.New(fault.Unauthenticated, "the provider refused")
	}
	if iss := answer.Get("iss"); iss != "" && iss != a.provider.Issuer { // RFC 9207
		return fault.New(fault.Unauthenticated, "this is the answer of another provider")
	}
	if err := a.countAttempt(ctx, attemptUses, at.State); fault.Is(err, fault.RateLimited) {
		return fault.New(fault.Unauthenticated, "this sign-in was answered already")
	} else if err != nil {
		return err
	}
	said, err := a.redeem(ctx, answer.Get("code"), at)
	if err != nil {
		return err
	}
	person, err := a.enterByProvider(ctx, said)
	if err != nil {
		return err
	}
	return a.openSession(ctx, person, ByProvider)
}

// failProvider leads back to the sign-in, which says what went wrong: by a code, so that nobody writes on it.
func (a *Accounts) failProvider(w http.ResponseWriter, r *http.Request, err error) {
	problem := "failed"
	switch {
	case fault.Is(err, fault.Unauthenticated):
		problem = "refused"
	case fault.Is(err, fault.Forbidden):
		problem = "stranger"
	case fault.Is(err, fault.Conflict):
		problem = "link"
	case fault.Is(err, fault.RateLimited):
		problem = "often"
	}
	a.logger.WarnContext(r.Context(), "a sign-in by the OpenID provider failed", "problem", problem, "error", err)
	http.Redirect(w, r, "/sign-in?problem="+problem, http.StatusFound)
}

func (a *Accounts) newAttemptCookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: attemptCookie, Value: value, Path: "/sign-in", MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: a.sessions.Cookie.Secure,
	}
}

func randomText() string {
	random := make([]byte, 32)
	rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// localPath returns a path of this server, or / for anything else.
func localPath(to string) string {
	address, err := url.Parse(to)
	if err != nil || address.IsAbs() || address.Host != "" || len(to) > 2000 ||
		!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}
