package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// oauthRequest is what a client asks for, sealed in the address of the page that asks the member.
type oauthRequest struct {
	Client    string       `json:"c"` // SHA-256 of its id
	Name      string       `json:"n"`
	Redirect  string       `json:"r"`
	State     string       `json:"s"`
	Challenge string       `json:"p"`
	Scopes    []Capability `json:"a"`
	Until     time.Time    `json:"u"`
}

// OAuthRequest is what an OAuth client asks a member for.
type OAuthRequest struct {
	// Client is how it calls itself, Host where the answer goes.
	Client, Host string
	Scopes       []Capability
	// DeclineURL is where the browser goes when the member declines.
	DeclineURL string
}

// oauthCode is what a code stands for, sealed in it. It is good once, since the key that it makes has the id KeyID.
type oauthCode struct {
	KeyID     uuid.UUID    `json:"k"`
	User      uuid.UUID    `json:"m"`
	Workspace uuid.UUID    `json:"w"`
	App       *uuid.UUID   `json:"o,omitempty"` // the only one
	Client    string       `json:"c"`
	Name      string       `json:"n"`
	Host      string       `json:"h"`
	Redirect  string       `json:"r"` // its SHA-256
	Challenge string       `json:"p"`
	Scopes    []Capability `json:"a"`
	Until     time.Time    `json:"u"`
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorizeClient leads a browser to the page that asks the member, also when the client asks for something wrong: it
// would be led to any address by a link of this server otherwise, since strangers register theirs (RFC 9700 §4.11.2).
func (a *Accounts) authorizeClient(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	asked := r.URL.Query()
	client, known := a.findClient(asked.Get("client_id"))
	redirect := asked.Get("redirect_uri")
	if redirect == "" && len(client.Redirects) == 1 {
		redirect = client.Redirects[0]
	}
	switch {
	case !known:
		http.Redirect(w, r, OAuthConsentPath+"?problem=client", http.StatusFound)
		return
	case !client.has(redirect):
		http.Redirect(w, r, OAuthConsentPath+"?problem=address", http.StatusFound)
		return
	}
	request := oauthRequest{
		Client: digest(asked.Get("client_id")), Name: client.Name, Redirect: redirect, State: asked.Get("state"),
		Challenge: asked.Get("code_challenge"), Until: a.now().Add(consentTime),
	}
	token, err := a.checkRequest(&request, asked)
	if err != nil {
		http.Redirect(w, r, OAuthConsentPath+"?problem="+err.code, http.StatusFound)
		return
	}
	http.Redirect(w, r, OAuthConsentPath+"?"+url.Values{"request": {token}}.Encode(), http.StatusFound)
}

// checkRequest completes a request and seals it.
func (a *Accounts) checkRequest(request *oauthRequest, asked url.Values) (string, *oauthError) {
	if len(request.State) > maxState {
		return "", &oauthError{"invalid_request", "state must have at most 1000 bytes"}
	}
	if asked.Get("response_type") != "code" {
		return "", &oauthError{"unsupported_response_type", "response_type must be code"}
	}
	sum, err := base64.RawURLEncoding.DecodeString(request.Challenge)
	if asked.Get("code_challenge_method") != "S256" || err != nil || len(sum) != sha256.Size {
		return "", &oauthError{"invalid_request", "code_challenge must be there, with code_challenge_method S256"}
	}
	if !a.isResource(asked["resource"]) {
		return "", &oauthError{"invalid_target", "resource must be " + a.resource()}
	}
	if request.Scopes = scopesOf(asked.Get("scope")); len(request.Scopes) == 0 {
		return "", &oauthError{"invalid_scope", "scope must name some of " + strings.Join(toolScopes(), " ")}
	}
	text, err := json.Marshal(request)
	if err != nil {
		return "", &oauthError{"server_error", "the request can't be kept"}
	}
	token, err := a.sealToken(oauthRequests, text)
	if err != nil || len(token) > maxSealed {
		return "", &oauthError{"invalid_request", "the request is too long"}
	}
	return token, nil
}

// isResource tells whether a request is for what tokens are good for (RFC 8707); one that does not say is.
func (a *Accounts) isResource(named []string) bool {
	return !slices.ContainsFunc(named, func(name string) bool { return strings.TrimSuffix(name, "/") != a.resource() })
}

// scopesOf returns those that are asked for, as far as clients can have them; all of those when none is named.
func scopesOf(asked string) []Capability {
	named := strings.Fields(asked)
	return slices.DeleteFunc(slices.Clone(ToolScopes), func(scope Capability) bool {
		return len(named) > 0 && !slices.Contains(named, string(scope))
	})
}

// answerURL returns the client's address with an answer.
func (a *Accounts) answerURL(request oauthRequest, answer url.Values) string {
	to, err := url.Parse(request.Redirect)
	if err != nil {
		return "/" // it was parsed when the client registered
	}
	if request.State != "" {
		answer.Set("state", request.State)
	}
	answer.Set("iss", a.baseURL) // RFC 9207
	query := to.Query()
	for name, values := range answer {
		query[name] = values
	}
	to.RawQuery = query.Encode()
	return to.String()
}

func (a *Accounts) openRequest(token string) (request oauthRequest, err error) {
	text, ok := a.openToken(oauthRequests, token)
	if !ok || json.Unmarshal(text, &request) != nil || a.now().After(request.Until) {
		return request, fault.New(fault.NotFound, "the request is unknown or has run out: begin again in the program")
	}
	return request, nil
}

// OAuthRequest returns what a client asks for. It fails with not_found for one that has run out.
func (a *Accounts) OAuthRequest(ctx context.Context, token string) (*OAuthRequest, error) {
	if _, err := requirePerson(ctx); err != nil {
		return nil, err
	}
	request, err := a.openRequest(token)
	if err != nil {
		return nil, err
	}
	return &OAuthRequest{
		Client: request.Name, Host: hostOf(request.Redirect), Scopes: request.Scopes,
		DeclineURL: a.answerURL(request, url.Values{"error": {"access_denied"}}),
	}, nil
}

// ApproveOAuth lets the client of a request act for the caller in a workspace, or in one app of it alone, and returns
// where the browser goes.
func (a *Accounts) ApproveOAuth(
	ctx context.Context, token string, workspace uuid.UUID, app *uuid.UUID, scopes []Capability,
) (string, error) {
	p, err := Enter(ctx, workspace)
	if err != nil {
		return "", err
	}
	if err := p.refuseKey(); err != nil {
		return "", err
	}
	request, err := a.openRequest(token)
	if err != nil {
		return "", err
	}
	if err := a.checkAppOf(ctx, workspace, app); err != nil {
		return "", err
	}
	if len(scopes) == 0 {
		return "", fault.Invalid("scopes", "name at least one scope")
	}
	for _, scope := range scopes {
		if !slices.Contains(request.Scopes, scope) {
			return "", fault.Invalid("scopes", "%s is not asked for", scope)
		}
		if !p.Can(workspace, scope) {
			return "", fault.New(fault.Forbidden, "you cannot give the scope %s, which you lack", scope)
		}
	}
	if err := a.countAttempt(ctx, keysCreated, p.UserID.String()); err != nil {
		return "", err
	}
	slices.Sort(scopes)
	text, err := json.Marshal(oauthCode{
		KeyID: uuid.Must(uuid.NewV7()), User: p.UserID, Workspace: workspace, App: app, Client: request.Client,
		Name: request.Name, Host: hostOf(request.Redirect), Redirect: digest(request.Redirect), Challenge: request.Challenge,
		Scopes: slices.Compact(scopes), Until: a.now().Add(codeTime),
	})
	if err != nil {
		return "", err
	}
	code, err := a.sealToken(oauthCodes, text)
	if err != nil {
		return "", err
	}
	return a.answerURL(request, url.Values{"code": {code}}), nil
}
