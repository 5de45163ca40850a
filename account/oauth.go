package account

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
)

// Paths of the authorization of OAuth clients (OAuth 2.1, as the Model Context Protocol has it).
const (
	ToolsPath             = "/mcp"
	ResourceMetadataPath  = "/.well-known/oauth-protected-resource" // RFC 9728
	ServerMetadataPath    = "/.well-known/oauth-authorization-server"
	OAuthRegistrationPath = "/oauth/register"
	OAuthAuthorizePath    = "/oauth/authorize"
	OAuthTokenPath        = "/oauth/token"
	OAuthRevocationPath   = "/oauth/revoke"
	OAuthConsentPath      = "/connect" // of the dashboard
)

// Bounds of what clients send.
const (
	maxRegistration = 16 << 10 // bytes of a body
	maxRedirects    = 5        // of a client
	maxRedirect     = 500      // bytes of an address
	maxState        = 1000     // bytes
	maxVerifier     = 128      // bytes (RFC 7636 §4.1)
)

// Times of what clients are given.
const (
	consentTime = 10 * time.Minute
	codeTime    = time.Minute
	accessTime  = time.Hour
	refreshTime = 30 * day
)

const (
	oauthClients  = place("an OAuth client")
	oauthRequests = place("a request of an OAuth client")
	oauthCodes    = place("a code of an OAuth client")
)

// ToolScopes are the scopes that tools of /mcp can use, and so all that a client is given.
var ToolScopes = []Capability{AnalyticsRead, CustomersRead, StudioRead, FlowEdit, ViewManage}

func toolScopes() []string {
	names := make([]string, len(ToolScopes))
	for i, scope := range ToolScopes {
		names[i] = string(scope)
	}
	return names
}

// oauthClient is what a client has registered. Its id is this, sealed: strangers register and fill no table.
type oauthClient struct {
	Name      string   `json:"n"`
	Redirects []string `json:"r"`
}

// RegisterOAuth adds the paths of the authorization of OAuth clients.
func (a *Accounts) RegisterOAuth(mux httpserver.Routes) {
	for _, path := range []string{ResourceMetadataPath, ResourceMetadataPath + ToolsPath} {
		mux.HandleFunc("GET "+path, a.describeResource)
	}
	mux.HandleFunc("GET "+ServerMetadataPath, a.describeServer)
	mux.HandleFunc("POST "+OAuthRegistrationPath, a.registerClient)
	mux.HandleFunc("GET "+OAuthAuthorizePath, a.authorizeClient)
	mux.HandleFunc("POST "+OAuthTokenPath, a.giveTokens)
	mux.HandleFunc("POST "+OAuthRevocationPath, a.revokeToken)
}

// resource is what tokens are good for.
func (a *Accounts) resource() string { return a.baseURL + ToolsPath }

// Challenge returns the WWW-Authenticate header that tells a client of /mcp how it is authorized. Refused says that it
// sent something that is not accepted.
func (a *Accounts) Challenge(refused bool) string {
	challenge := `Bearer resource_metadata="` + a.baseURL + ResourceMetadataPath + ToolsPath + `"`
	if refused {
		challenge += `, error="invalid_token"`
	}
	return challenge
}

func (a *Accounts) describeResource(w http.ResponseWriter, _ *http.Request) {
	writeOAuth(w, http.StatusOK, &oauthex.ProtectedResourceMetadata{
		Resource: a.resource(), ResourceName: "Svc", AuthorizationServers: []string{a.baseURL},
		ScopesSupported: toolScopes(), BearerMethodsSupported: []string{"header"},
		ResourceDocumentation: a.baseURL + "/docs/mcp",
	})
}

func (a *Accounts) describeServer(w http.ResponseWriter, _ *http.Request) {
	none := []string{"none"} // clients have no secret
	writeOAuth(w, http.StatusOK, struct {
		oauthex.AuthServerMeta
		JWKSURI string `json:"jwks_uri,omitempty"` // there is none
	}{AuthServerMeta: oauthex.AuthServerMeta{
		Issuer:                            a.baseURL,
		AuthorizationEndpoint:             a.baseURL + OAuthAuthorizePath,
		TokenEndpoint:                     a.baseURL + OAuthTokenPath,
		RegistrationEndpoint:              a.baseURL + OAuthRegistrationPath,
		RevocationEndpoint:                a.baseURL + OAuthRevocationPath,
		ScopesSupported:                   toolScopes(),
		ResponseTypesSupported:            []string{"code"},
		ResponseModesSupported:            []string{"query"},
		GrantTypesSupported:               []string{"authorization_code", "refresh_token"},
		TokenEndpointAuthMethodsSupported: none, RevocationEndpointAuthMethodsSupported: none,
		CodeChallengeMethodsSupported:              []string{"S256"},
		AuthorizationResponseIssParameterSupported: true,
	}})
}

// registerClient answers dynamic registration (RFC 7591).
func (a *Accounts) registerClient(w http.ResponseWriter, r *http.Request) {
	if err := a.countAttempt(r.Context(), registrationsFrom, a.addressOf(r)); err != nil {
		failOAuth(w, err)
		return
	}
	var asked oauthex.ClientRegistrationMetadata
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRegistration)).Decode(&asked); err != nil {
		failOAuth(w, &oauthError{"invalid_client_metadata", "the body must be JSON of at most 16 KiB"})
		return
	}
	id, client, err := a.newClient(asked)
	if err != nil {
		failOAuth(w, err)
		return
	}
	writeOAuth(w, http.StatusCreated, &oauthex.ClientRegistrationResponse{
		ClientID: id, ClientIDIssuedAt: a.now(),
		ClientRegistrationMetadata: oauthex.ClientRegistrationMetadata{
			ClientName: client.Name, RedirectURIs: client.Redirects, TokenEndpointAuthMethod: "none",
			GrantTypes:    []string{"authorization_code", "refresh_token"},
			ResponseTypes: []string{"code"}, Scope: strings.Join(toolScopes(), " "),
		},
	})
}

func (a *Accounts) newClient(asked oauthex.ClientRegistrationMetadata) (string, oauthClient, error) {
	client := oauthClient{Redirects: asked.RedirectURIs}
	if len(client.Redirects) == 0 || len(client.Redirects) > maxRedirects {
		return "", client, &oauthError{"invalid_redirect_uri", "redirect_uris must have 1 to 5 addresses"}
	}
	for _, address := range client.Redirects {
		if !isRedirect(address) {
			return "", client, &oauthError{"invalid_redirect_uri", "redirect_uris must be https, http on a loopback host, " +
				"or of an application's own scheme, of at most 500 bytes and without a fragment"}
		}
	}
	var err error
	client.Name, err = checkOptionalName("client_name", asked.ClientName)
	if err != nil || strings.ContainsFunc(client.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", client, &oauthError{
			"invalid_client_metadata", "client_name must have at most 120 characters, all of them visible",
		}
	}
	if client.Name == "" {
		client.Name = hostOf(client.Redirects[0])
	}
	text, err := json.Marshal(client)
	if err != nil {
		return "", client, err
	}
	id, err := a.sealToken(oauthClients, text)
	if len(id) > maxSealed {
		return "", client, &oauthError{"invalid_client_metadata", "client_name and redirect_uris are too long together"}
	}
	return id, client, err
}

// findClient returns the client of an id.
func (a *Accounts) findClient(id string) (client oauthClient, ok bool) {
	text, ok := a.openToken(oauthClients, id)
	return client, ok && json.Unmarshal(text, &client) == nil
}

// has tells whether an address is one that the client has registered. The port of a loopback address is left open: a
// program takes one that is free (RFC 8252 §7.3).
func (c oauthClient) has(address string) bool {
	return slices.ContainsFunc(c.Redirects, func(registered string) bool {
		return registered == address || withoutPort(registered) == withoutPort(address)
	})
}

func withoutPort(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || !clientaddr.IsLoopback(parsed.Hostname()) || parsed.Scheme != "http" {
		return address
	}
	parsed.Host = strings.TrimSuffix(parsed.Host, ":"+parsed.Port())
	return parsed.String()
}

// editorSchemes are those of programs that have no dot in theirs (RFC 8252 §7.1 wants one): Cursor's own client answers
// at cursor://anysphere.cursor-mcp/oauth/callback, extensions of VS Code and of what is built on it at
// vscode://publisher.extension, with the scheme of the editor. Others, such as Zed, listen on a loopback address.
var editorSchemes = []string{"cursor", "vscode", "vscode-insiders", "windsurf"}

// isRedirect tells whether a browser may be led to an address with a code. Schemes that run or show what follows them
// have no dot.
func isRedirect(address string) bool {
	unusual := func(r rune) bool { return r <= ' ' || r > '~' || r == '#' || r == '\\' }
	parsed, err := url.Parse(address)
	if err != nil || len(address) > maxRedirect || parsed.Hostname() == "" || parsed.User != nil ||
		strings.ContainsFunc(address, unusual) {
		return false
	}
	switch parsed.Scheme {
	case "https":
		return true
	case "http":
		return clientaddr.IsLoopback(parsed.Hostname())
	}
	return strings.Contains(parsed.Scheme, ".") || slices.Contains(editorSchemes, parsed.Scheme)
}

// hostOf returns where an address leads, as people are shown it.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if parsed.Scheme == "https" || parsed.Scheme == "http" {
		return parsed.Hostname()
	}
	return parsed.Scheme + "://" + parsed.Host
}

// addressOf returns whom limits count.
func (a *Accounts) addressOf(r *http.Request) string {
	address, _ := clientaddr.Of(r, a.proxies)
	return clientaddr.LimitKey(address)
}

// oauthError is a refusal in the words of RFC 6749 §5.2.
type oauthError struct{ code, message string }

func (e *oauthError) Error() string { return e.code + ": " + e.message }

func writeOAuth(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the client has left
}

func failOAuth(w http.ResponseWriter, err error) {
	status, refused := http.StatusBadRequest, (*oauthError)(nil)
	if !errors.As(err, &refused) {
		status, refused = http.StatusServiceUnavailable, &oauthError{"temporarily_unavailable", "try again in a moment"}
		if fault.Is(err, fault.RateLimited) {
			status, refused.message = http.StatusTooManyRequests, err.Error()
		}
		w.Header().Set("Retry-After", "60")
	}
	writeOAuth(w, status, map[string]string{"error": refused.code, "error_description": refused.message})
}
