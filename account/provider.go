package account

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/svc-dev/svc/internal/fault"
)

// Provider is an OpenID provider that the operator trusts to say who somebody of its domains is.
type Provider struct {
	// Issuer is its address, where /.well-known/openid-configuration is below.
	Issuer, ClientID, ClientSecret string
	// Name is what the button of the sign-in calls it.
	Name string
	// Domains are those of the emails that it speaks for.
	Domains []string
	// TrustEmails takes emails that the provider does not say are verified: only where nobody chooses their own.
	TrustEmails bool
	// RoleClaim names the claim, a text or a list of texts, that gives roles by Roles.
	RoleClaim string
	Roles     []ClaimedRole
}

// ClaimedRole gives a role in a workspace to whose claim has the value.
type ClaimedRole struct {
	Value     string
	Workspace uuid.UUID
	Role      Role
}

const (
	// providerTime bounds what the provider is asked for within one request.
	providerTime = 10 * time.Second
	// maxProviderAnswer bounds what it answers, in bytes.
	maxProviderAnswer = 1 << 20
)

// discovery knows the provider's endpoints and keys, from the first sign-in on: a server starts without it.
type discovery struct {
	found  atomic.Pointer[oidc.Provider]
	asking singleflight.Group
}

// HasProvider tells whether people sign in by an OpenID provider too.
func (a *Accounts) HasProvider() bool { return a.provider != nil && a.ring != nil }

// ProviderName returns what the button of the sign-in says; empty without a provider.
func (a *Accounts) ProviderName() string {
	if !a.HasProvider() {
		return ""
	}
	return a.provider.Name
}

// boundedTransport ends answers of the provider that are too long.
type boundedTransport struct{ next http.RoundTripper }

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxProviderAnswer), answer.Body}
	}
	return answer, err
}

var providerClient = &http.Client{Transport: boundedTransport{http.DefaultTransport}, Timeout: providerTime}

// discover returns the provider with its endpoints and keys. Who comes while it is asked waits for the same answer, no
// longer than ctx.
func (a *Accounts) discover(ctx context.Context) (*oidc.Provider, error) {
	if found := a.found.found.Load(); found != nil {
		return found, nil
	}
	answer := a.found.asking.DoChan("", func() (any, error) {
		// The library keeps the client of this context for the keys that it reads later.
		found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), providerClient), a.provider.Issuer)
		if err != nil {
			return nil, fmt.Errorf("read what the OpenID provider says of itself: %w", err)
		}
		a.found.found.Store(found)
		return nil, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case asked := <-answer:
		return a.found.found.Load(), asked.Err
	}
}

func (a *Accounts) oauth(p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: a.provider.ClientID, ClientSecret: a.provider.ClientSecret, Endpoint: p.Endpoint(),
		RedirectURL: a.baseURL + CallbackPath, Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// claims are what an ID token says of somebody.
type claims struct {
	Issuer, Subject string
	Email           string
	Name            string
	// Values are those of the claim that gives roles.
	Values []string
}

// redeem turns the code of a callback into what the provider says of who signed in. The token must be signed by a key
// of the provider, for this server, now, and for this very attempt.
func (a *Accounts) redeem(ctx context.Context, code string, at attempt) (*claims, error) {
	provider, err := a.discover(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, providerClient)
	tokens, err := a.oauth(provider).Exchange(ctx, code, oauth2.VerifierOption(at.Verifier))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unauthenticated, "the provider did not take the code")
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := provider.Verifier(&oidc.Config{ClientID: a.provider.ClientID, Now: a.now}).Verify(ctx, raw)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unauthenticated, "the provider's token is not valid")
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(at.Nonce)) != 1 {
		return nil, fault.New(fault.Unauthenticated, "the provider's token is of another sign-in")
	}
	return a.readClaims(token)
}

// readClaims reads what a valid token says, and refuses whom the provider does not speak for.
func (a *Accounts) readClaims(token *oidc.IDToken) (*claims, error) {
	said := map[string]json.RawMessage{}
	if err := token.Claims(&said); err != nil {
		return nil, fault.Wrap(err, fault.Unauthenticated, "the provider's token can't be read")
	}
	text := func(name string) (value string) {
		_ = json.Unmarshal(said[name], &value) // empty when it is none
		return value
	}
	if party := text("azp"); party != "" && party != a.provider.ClientID || len(token.Audience) > 1 && party == "" {
		return nil, fault.New(fault.Unauthenticated, "the provider's token is for another client")
	}
	if token.Subject == "" {
		return nil, fault.New(fault.Unauthenticated, "the provider's token is of nobody")
	}
	c := &claims{Issuer: token.Issuer, Subject: token.Subject, Values: valuesOf(said[a.provider.RoleClaim])}
	// Some providers write it as a text.
	verified := string(said["email_verified"])
	if verified != "true" && verified != `"true"` && !a.provider.TrustEmails {
		return nil, fault.New(fault.Forbidden, "the provider does not say that the email is verified")
	}
	var err error
	if c.Email, err = checkEmail("email", text("email")); err != nil {
		return nil, fault.Wrap(err, fault.Forbidden, "the provider gives no email")
	}
	if c.Name, err = checkOptionalName("name", text("name")); err != nil {
		c.Name = ""
	}
	if !a.provider.speaksFor(c.Email) {
		return nil, fault.New(fault.Forbidden, "the provider does not speak for the domain of this email")
	}
	return c, nil
}

// speaksFor tells whether an email is of one of the domains; those below a domain are others.
func (p *Provider) speaksFor(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	for _, one := range p.Domains {
		if strings.EqualFold(one, domain) {
			return true
		}
	}
	return false
}

// valuesOf reads a text or a list of texts.
func valuesOf(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var list []any
	_ = json.Unmarshal(raw, &list) // nothing when it is none
	values := []string{}
	for _, value := range list {
		if text, ok := value.(string); ok {
			values = append(values, text)
		}
	}
	return values
}
