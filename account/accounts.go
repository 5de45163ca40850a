package account

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/joined"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres/transaction"
)

// CookieName is the cookie that holds a dashboard session.
const CookieName = "svc_session"

// sessionLifetime is how long a sign-in lasts.
const sessionLifetime = 30 * 24 * time.Hour

// Options are the settings of accounts.
type Options struct {
	// Secure marks the session cookie for https only. Set it whenever the server
	// is reached over https.
	Secure bool
	// TrustedProxies may name the client's address in X-Forwarded-For; limits count
	// by it.
	TrustedProxies []netip.Prefix
	// OperatorKey is the secret of who runs the server; empty means that nobody is an operator.
	OperatorKey string
	// Ring encrypts the secrets of authenticator apps; nil means that there are none.
	Ring *seal.Ring
	// BaseURL is the public address of the server; passkeys are for its host.
	BaseURL string
	// Provider is the OpenID provider; nil without one.
	Provider *Provider
	Logger   *slog.Logger // nil means slog.Default()
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Accounts are the use cases of this package.
type Accounts struct {
	client   *ent.Client
	pool     *pgxpool.Pool
	sessions *scs.SessionManager
	hashing  *hasher
	proxies  []netip.Prefix
	ring     *seal.Ring
	baseURL  string
	party    *webauthn.WebAuthn // nil without passkeys
	provider *Provider
	found    discovery
	links    joined.Reads[string, *Link] // by token
	operator []byte                      // hash of the operator's key; nil without one
	logger   *slog.Logger
	now      func() time.Time
}

// New makes accounts on the control plane's tables. Dashboard sessions and the
// look-up of API keys use the pool directly.
func New(client *ent.Client, pool *pgxpool.Pool, opts Options) *Accounts {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	sessions := scs.New()
	sessions.Store = sessionStore{pool} // the one in memory that it replaces keeps an idle goroutine: ending that races
	sessions.Lifetime = sessionLifetime
	sessions.HashTokenInStore = true
	sessions.Cookie.Name = CookieName
	sessions.Cookie.HttpOnly = true
	sessions.Cookie.SameSite = http.SameSiteLaxMode
	sessions.Cookie.Secure = opts.Secure
	var operator []byte
	if opts.OperatorKey != "" {
		operator = hashSecret(opts.OperatorKey)
	}
	return &Accounts{
		operator: operator,
		client:   client,
		pool:     pool,
		sessions: sessions,
		hashing:  newHasher(),
		ring:     opts.Ring,
		baseURL:  opts.BaseURL,
		party:    newRelyingParty(opts.BaseURL),
		provider: opts.Provider,
		proxies:  opts.TrustedProxies,
		logger:   opts.Logger,
		now:      opts.Now,
	}
}

// lookupTime bounds each step that asks the database, so that one that hangs is
// reported within five seconds.
const lookupTime = 4 * time.Second

// change runs work in a transaction of at most lookupTime.
func (a *Accounts) change(ctx context.Context, work func(ctx context.Context, tx *ent.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return transaction.Run(ctx, a.client, func(tx *ent.Tx) error { return work(ctx, tx) })
}
