package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/clientaddr"
	"github.com/svc-dev/svc/internal/fault"
)

// What a dashboard session holds.
const (
	sessionUser  = "user"
	sessionStamp = "stamp"
	sessionID    = "id"
)

// exchange is what the use cases need of the HTTP request: where a cookie can be
// set, whom limits count, and what says who makes it.
type exchange struct {
	writer  http.ResponseWriter
	client  string
	address string // that of the client, as people write it
	request *http.Request
}

type exchangeKey struct{}

// exchangeOf returns the zero value outside of a request.
func exchangeOf(ctx context.Context) exchange {
	e, _ := ctx.Value(exchangeKey{}).(exchange)
	return e
}

// Middleware finds out who makes a request, from the Authorization header or
// from the session cookie, and leaves it in the context for [From]. It refuses
// nothing itself but cross-origin writes that carry the cookie: reading fields
// decides what an anonymous request may see.
func (a *Accounts) Middleware(next http.Handler) http.Handler {
	identified := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _ := clientaddr.Of(r, a.proxies)
		ctx := context.WithValue(r.Context(), exchangeKey{}, exchange{
			writer: w, client: clientaddr.LimitKey(address), address: address.String(), request: r,
		})
		next.ServeHTTP(w, r.WithContext(a.identify(ctx, r)))
	})
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		const refusal = `{"errors":[{"message":"this request came from another site","extensions":{"code":%q}}]}`
		fmt.Fprintf(w, refusal, fault.Forbidden)
	}))
	protected := protection.Handler(identified)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A header cannot be forged by another site without a preflight, a cookie can.
		if r.Header.Get("Authorization") != "" {
			identified.ServeHTTP(w, r)
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// identify leaves the principal, or the reason why there is none, in the context.
func (a *Accounts) identify(ctx context.Context, r *http.Request) context.Context {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, secret, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return withFailure(ctx, fault.New(fault.Unauthenticated,
				"the Authorization header must be Bearer with a workspace API key"))
		}
		p, err := a.byKey(ctx, strings.TrimSpace(secret))
		if err != nil {
			return withFailure(ctx, err)
		}
		return With(ctx, p)
	}
	token := ""
	if cookie, err := r.Cookie(CookieName); err == nil {
		token = cookie.Value
	}
	loaded, err := a.sessions.Load(ctx, token)
	if err != nil {
		return withFailure(ctx, fmt.Errorf("identify the request: %w", err))
	}
	p, err := a.bySession(loaded)
	if err != nil {
		return withFailure(loaded, err)
	}
	if p == nil {
		return loaded
	}
	return With(loaded, p)
}

// Reidentify finds out anew who makes the request of ctx: an answer that goes on
// for long asks whether the session or the key still works and what it may do.
func (a *Accounts) Reidentify(ctx context.Context) (*Principal, error) {
	r := exchangeOf(ctx).request
	if r == nil {
		return From(ctx)
	}
	// The request's own context has nothing of what was found out before.
	return From(a.identify(r.Context(), r))
}

// bySession returns who signed in; nil when nobody did, or when the password was
// changed since.
func (a *Accounts) bySession(ctx context.Context) (*Principal, error) {
	id, err := uuid.Parse(a.sessions.GetString(ctx, sessionUser))
	if err != nil {
		return nil, nil
	}
	session, err := uuid.Parse(a.sessions.GetString(ctx, sessionID))
	if err != nil {
		return nil, nil
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	// One round trip: it is paid for by every page of the dashboard.
	var passwordHash string
	var workspaces []uuid.UUID
	var roles, rules []string
	var seen time.Time
	p := &Principal{UserID: id, SessionID: session, roles: map[uuid.UUID]Role{}, closed: map[uuid.UUID]SignInRule{}}
	err = a.pool.QueryRow(reading, `
		select u.email, u.name, u.password_hash, m.workspaces, m.roles, m.rules, s.method, s.created_at, s.seen_at
		from users u join web_session s on s.user_id = u.id and s.id = $2, lateral (
			select array_agg(k.workspace_id) as workspaces, array_agg(k.role) as roles,
				array_agg(coalesce(r.rule, 'any')) as rules
			from memberships k left join sign_in_rule r on r.workspace_id = k.workspace_id where k.user_id = u.id
		) m where u.id = $1`, id, session,
	).Scan(&p.Email, &p.Name, &passwordHash, &workspaces, &roles, &rules, &p.method, &p.signedInAt, &seen)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the signed-in user: %w", err)
	}
	if passwordStamp(passwordHash) != a.sessions.GetString(ctx, sessionStamp) {
		return nil, nil
	}
	for i, workspace := range workspaces {
		if rule := SignInRule(rules[i]); rule.admits(p.method, Role(roles[i])) {
			p.roles[workspace] = Role(roles[i])
		} else {
			p.closed[workspace] = rule
		}
	}
	a.recordSeen(ctx, p, seen)
	return p, nil
}

// PrincipalOf returns the person with this e-mail as if they had signed in: for
// operators' commands, which hold the database's address and need no password.
func (a *Accounts) PrincipalOf(ctx context.Context, email string) (*Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	person, err := a.client.User.Query().Where(user.Email(normalEmail(email))).WithMemberships().Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("user")
	}
	if err != nil {
		return nil, fmt.Errorf("read the user: %w", err)
	}
	return principalOf(person), nil
}

func principalOf(person *ent.User) *Principal {
	p := &Principal{UserID: person.ID, Email: person.Email, Name: person.Name, roles: map[uuid.UUID]Role{}}
	for _, m := range person.Edges.Memberships {
		p.roles[m.WorkspaceID] = m.Role
	}
	return p
}

// passwordStamp ties a session to the password it was opened with, without
// giving the hash away.
func passwordStamp(passwordHash string) string {
	sum := sha256.Sum256([]byte(passwordHash))
	return hex.EncodeToString(sum[:8])
}

// byKey returns the person who made the key, limited to the key's workspace and
// scopes, the operator for theirs, a reader of a shared link, or, where access tokens are accepted, who approved an
// OAuth client.
func (a *Accounts) byKey(ctx context.Context, secret string) (*Principal, error) {
	refused := fault.New(fault.Unauthenticated, "unknown or revoked workspace API key")
	if a.operator != nil && subtle.ConstantTimeCompare(hashSecret(secret), a.operator) == 1 {
		return Operator(), nil
	}
	if strings.HasPrefix(secret, LinkPrefix) {
		return a.byLink(ctx, secret)
	}
	isToken := acceptsTokens(ctx) && isSecretOf(AccessPrefix, secret)
	if !isToken && !isSecretOf(KeyPrefix, secret) {
		return nil, refused
	}
	which, args := `k.hash = $1`, []any{hashSecret(secret)}
	if isToken {
		which = `k.id = (select key_id from oauth_token where hash = $1 and kind = 'access' and expires_at > $2)`
		args = append(args, a.now())
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	// One round trip: it is paid for by every report that a program reads.
	var id, userID, workspaceID uuid.UUID
	var scopes []string
	var lastUsed *time.Time
	var email, name string
	var role Role
	var app *uuid.UUID
	err := a.pool.QueryRow(reading, `
		select k.id, k.user_id, k.workspace_id, k.scopes, k.last_used_at, u.email, u.name, m.role, l.app_id
		from api_keys k
		left join api_key_app l on l.key_id = k.id
		join users u on u.id = k.user_id
		join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.user_id -- its maker may have left
		where k.revoked_at is null and `+which, args...,
	).Scan(&id, &userID, &workspaceID, &scopes, &lastUsed, &email, &name, &role, &app)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, refused
	}
	if err != nil {
		return nil, fmt.Errorf("read the API key: %w", err)
	}
	p := &Principal{
		UserID: userID, KeyID: &id, Email: email, Name: name, app: app,
		roles: map[uuid.UUID]Role{workspaceID: role}, scopes: []Capability{},
	}
	for _, scope := range scopes {
		p.scopes = append(p.scopes, Capability(scope))
	}
	a.recordUse(ctx, id, lastUsed)
	return p, nil
}

// recordUse stores that a key was used, at most once a minute: the time is for
// people who wonder whether a key is still in use.
func (a *Accounts) recordUse(ctx context.Context, key uuid.UUID, lastUsed *time.Time) {
	now := a.now()
	if lastUsed != nil && now.Sub(*lastUsed) < time.Minute {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	if err := a.client.APIKey.UpdateOneID(key).SetLastUsedAt(now).Exec(ctx); err != nil {
		a.logger.WarnContext(ctx, "storing the use of an API key failed", "key", key, "error", err)
	}
}
