package sdkapi

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/clientaddr"
)

// endpoint is one path: what it takes, and what it does once every check has
// passed.
type endpoint struct {
	path   string
	method string // "" is POST; a GET has no body
	limit  int64  // bytes of the body after decompression
	// beacon accepts the key and the channel in the query and a text/plain body,
	// which is all that a page on its way out can send (wire.md §11).
	beacon  bool
	channel channelRule
	execute func(a *API, w http.ResponseWriter, c *call) *Error
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
	snapshot    *delivery.Snapshot
	environment *delivery.Tenant
	channel     *delivery.Channel // nil with channelNone
	client      netip.Addr
	proxied     bool // the peer is a trusted proxy
	body        payload
	attempt     string // the attempt's id in the path
}

// run makes the checks in the order of wire.md §11, then executes.
func (a *API) run(e *endpoint, w http.ResponseWriter, r *http.Request, attempt string) *Error {
	method := e.method
	if method == "" {
		method = http.MethodPost
	}
	if r.Method != method {
		return methodNotAllowed(w, method)
	}
	c := &call{request: r, snapshot: a.catalogue.Snapshot(), attempt: attempt}
	if method == http.MethodPost {
		body, refusal := admit(r, e.limit, e.beacon)
		if refusal != nil {
			return refusal
		}
		c.body = body
	}
	key := e.key(r)
	c.environment = c.snapshot.Tenant(key)
	if c.environment == nil { // perhaps it was made on another server just now
		c.snapshot = a.catalogue.Learn(r.Context(), key)
		c.environment = c.snapshot.Tenant(key)
	}
	if c.environment == nil {
		w.Header().Set("Www-Authenticate", "Bearer")
		return &Error{
			Status: http.StatusUnauthorized, Code: codeInvalidKey,
			Message: "the publishable key is missing, malformed, unknown or revoked: send authorization: Bearer ob_pk_…",
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !c.environment.AllowsOrigin(origin) {
		return &Error{
			Status: http.StatusForbidden, Code: codeOriginNotAllowed,
			Message: "the app's list of browser origins does not have this page's origin",
		}
	}
	c.client, c.proxied = clientaddr.Of(r, a.config.TrustedProxies)
	if refusal := a.perAddress.refusal(w, r, clientaddr.LimitKey(c.client)); refusal != nil {
		return refusal
	}
	if refusal := a.perKey.refusal(w, r, key); refusal != nil {
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

// key is the publishable key of a request. The header wins over the query.
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
