package sdkapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/role"
)

// endpoint is one path: what it takes, and what it does once every check has
// passed.
type endpoint struct {
	role         role.Role // that a server must have
	method, path string    // as http.ServeMux has them
	limit        int64     // bytes of the body after decompression
	// beacon accepts the key and the channel in the query and a text/plain body,
	// which is all that a page on its way out can send (wire.md §11).
	beacon  bool
	channel channelRule
	execute func(a *API, w http.ResponseWriter, c *call) *Error
}

// attemptsPath is where checkout attempts are opened; those of one attempt are
// below it.
const attemptsPath = "/v1/sdk/stripe/checkout-attempts"

var endpoints = []endpoint{
	{role.Resolve, "POST", "/v1/sdk/resolve", maxResolveBody, false, channelServing, (*API).resolve},
	{role.Resolve, "POST", "/v1/sdk/resolve-all", maxResolveBody, false, channelNone, (*API).resolveAll},
	{role.Resolve, "POST", "/v1/sdk/preview", maxRecordBody, false, channelNone, (*API).preview},
	{role.Ingest, "POST", "/v1/sdk/events", maxEventBody, true, channelKnown, (*API).flowEvents},
	{role.Ingest, "POST", "/v1/sdk/analytics/events", maxEventBody, true, channelNone, (*API).productEvents},
	{role.Ingest, "POST", "/v1/sdk/track", maxEventBody, true, channelNone, (*API).track},
	{role.Ingest, "POST", "/v1/sdk/identify", maxRecordBody, false, channelNone, (*API).identify},
	{role.Ingest, "POST", "/v1/sdk/billing-identities", maxRecordBody, false, channelNone, (*API).billingIdentity},
	{role.Ingest, "POST", attemptsPath, maxRecordBody, false, channelKnown, (*API).createAttempt},
	{role.Ingest, "GET", attemptsPath + "/{attemptId}", 0, false, channelKnown, (*API).readAttempt},
	{role.Ingest, "POST", attemptsPath + "/{attemptId}/cancel", maxRecordBody, false, channelKnown, (*API).cancelAttempt},
}

// channelRule says which channel a request must name.
type channelRule int

const (
	channelNone    channelRule = iota // no channel is read
	channelKnown                      // archived ones too: runs in progress still report
	channelServing                    // archived is 410
)

// call is a request that has passed its checks.
type call struct {
	request     *http.Request
	answer      http.ResponseWriter
	snapshot    *delivery.Snapshot
	environment *delivery.Tenant
	channel     *delivery.Channel // nil with channelNone
	client      netip.Addr
	proxied     bool // the peer is a trusted proxy
	server      bool // it has a server key of the workspace
	body        payload
}

// maxOrigin is the longest Origin header that is compared with an app's list: a
// host name has at most 253 characters.
const maxOrigin = 512

// run makes the checks in the order of wire.md §11, then executes. What headers
// tell comes before the first byte of a body is read: whoever has no key, or
// sends too much, costs nothing more.
func (a *API) run(e *endpoint, w http.ResponseWriter, c *call) *Error {
	r := c.request
	c.client, c.proxied = clientaddr.Of(r, a.config.TrustedProxies)
	address := clientaddr.LimitKey(c.client)
	// A request that is refused counts as well, though its own refusal is named
	// first.
	tooMany := a.perAddress.refusal(address)
	if e.method == http.MethodPost {
		c.body = payload{request: r, limit: e.limit, hold: a.config.Bodies.Hold(address)}
		if refusal := c.body.checkHeaders(e.beacon); refusal != nil {
			return refusal
		}
	}
	key, refusal := a.findEnvironment(e, w, c)
	if refusal != nil {
		return refusal
	}
	if refusal := c.checkOrigin(); refusal != nil {
		return refusal
	}
	lifted, refusal := a.serverKeys.lifts(r, address, c.environment.WorkspaceID)
	if refusal != nil {
		return refusal
	}
	c.server = lifted
	if tooMany != nil && !lifted {
		return tooMany
	}
	if refusal := a.perKey.refusal(key); refusal != nil {
		return refusal
	}
	if a.config.Gate != nil {
		if refusal := a.config.Gate.Refusal(r.Context(), c.environment); refusal != nil {
			return refusal
		}
	}
	if refusal := e.findChannel(c); refusal != nil {
		return refusal
	}
	return e.execute(a, w, c)
}

// findEnvironment finds the environment of the request's key, which it returns.
func (a *API) findEnvironment(e *endpoint, w http.ResponseWriter, c *call) (key string, refusal *Error) {
	key = e.key(c.request)
	c.environment = c.snapshot.Tenant(key)
	if c.environment == nil { // perhaps it was made on another server just now
		c.snapshot = a.catalogue.Learn(c.request.Context(), key)
		c.environment = c.snapshot.Tenant(key)
	}
	if c.environment == nil {
		w.Header().Set("Www-Authenticate", "Bearer")
		return "", &Error{
			Status: http.StatusUnauthorized, Code: codeInvalidKey,
			Message: "the publishable key is missing, malformed, unknown or revoked: send authorization: Bearer ob_pk_…",
		}
	}
	return key, nil
}

// checkOrigin compares a browser's origin with the app's list.
func (c *call) checkOrigin() *Error {
	origin := c.request.Header.Get("Origin")
	switch {
	case origin == "":
		return nil
	case len(origin) > maxOrigin:
		return &Error{
			Status: http.StatusForbidden, Code: codeOriginNotAllowed,
			Message: fmt.Sprintf("the Origin header is longer than %d characters", maxOrigin),
		}
	case !c.environment.AllowsOrigin(origin):
		return &Error{
			Status: http.StatusForbidden, Code: codeOriginNotAllowed,
			Message: "the app's list of browser origins does not have this page's origin",
		}
	}
	return nil
}

// key returns the publishable key of a request. The header wins over the query.
func (e *endpoint) key(r *http.Request) string {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, key, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return ""
		}
		return strings.TrimSpace(key)
	}
	if e.beacon && r.URL.RawQuery != "" {
		return r.URL.Query().Get("key")
	}
	return ""
}

func (e *endpoint) findChannel(c *call) *Error {
	if e.channel == channelNone {
		return nil
	}
	id := strings.TrimSpace(c.request.Header.Get("X-Svc-Channel"))
	if id == "" && e.beacon && c.request.URL.RawQuery != "" {
		id = strings.TrimSpace(c.request.URL.Query().Get("channel"))
	}
	if id == "" {
		return &Error{
			Status: http.StatusBadRequest, Code: codeChannelRequired,
			Message: "the header X-Svc-Channel is missing or blank: name the channel's public id",
		}
	}
	channel, condition := c.snapshot.Channel(c.environment, id)
	if condition != "" {
		return conditionError(condition)
	}
	if channel.Archived && e.channel == channelServing {
		return conditionError(delivery.ChannelArchived)
	}
	c.channel = channel
	return nil
}
