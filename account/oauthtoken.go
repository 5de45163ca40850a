package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// What begins the tokens of OAuth clients.
const (
	AccessPrefix  = "svc_at_"
	refreshPrefix = "svc_rt_"
)

type tokensKey struct{}

// AcceptTokens makes next and what it asks accept the access tokens of OAuth clients, which are for /mcp alone. It
// stands before [Accounts.Middleware].
func AcceptTokens(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tokensKey{}, true)))
	})
}

func acceptsTokens(ctx context.Context) bool {
	accepts, _ := ctx.Value(tokensKey{}).(bool)
	return accepts
}

// oauthTokens are what a client is given (RFC 6749 §5.1).
type oauthTokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// refuseGrant is the answer to a code or a refresh token that is not good, whatever is wrong with it.
func refuseGrant() error {
	return &oauthError{"invalid_grant", "it is unknown, was used or has run out"}
}

// readForm reads a form of a client.
func (a *Accounts) readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if err := a.countAttempt(r.Context(), tokenRequestsFrom, a.addressOf(r)); err != nil {
		return nil, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxRegistration)
	if err := r.ParseForm(); err != nil {
		return nil, &oauthError{"invalid_request", "the body must be a form of at most 16 KiB"}
	}
	return r.PostForm, nil
}

func (a *Accounts) giveTokens(w http.ResponseWriter, r *http.Request) {
	form, err := a.readForm(w, r)
	if err != nil {
		a.failTokens(w, r, err)
		return
	}
	var tokens *oauthTokens
	switch {
	case !a.isResource(form["resource"]):
		err = &oauthError{"invalid_target", "resource must be " + a.resource()}
	case form.Get("grant_type") == "authorization_code":
		tokens, err = a.redeemCode(r.Context(), form)
	case form.Get("grant_type") == "refresh_token":
		tokens, err = a.refreshTokens(r.Context(), form)
	default:
		err = &oauthError{"unsupported_grant_type", "grant_type must be authorization_code or refresh_token"}
	}
	if err != nil {
		a.failTokens(w, r, err)
		return
	}
	writeOAuth(w, http.StatusOK, tokens)
}

func (a *Accounts) failTokens(w http.ResponseWriter, r *http.Request, err error) {
	if refused := (*oauthError)(nil); !errors.As(err, &refused) && !fault.Is(err, fault.RateLimited) {
		a.logger.WarnContext(r.Context(), "giving tokens to an OAuth client failed", "error", err)
	}
	failOAuth(w, err)
}

// redeemCode makes the key that a member approved, and its tokens. A code that comes a second time was stolen from
// whoever was first or from whoever is second: the key ends.
func (a *Accounts) redeemCode(ctx context.Context, form url.Values) (tokens *oauthTokens, err error) {
	code, err := a.openCode(form)
	if err != nil {
		return nil, err
	}
	scopes := make([]string, len(code.Scopes))
	for i, scope := range code.Scopes {
		scopes[i] = string(scope)
	}
	member := With(ctx, &Principal{UserID: code.User}) // as the audit log has it
	err = a.change(member, func(ctx context.Context, tx *ent.Tx) error {
		if _, err := lockMembers(ctx, tx, code.Workspace, code.User); err != nil {
			return err
		}
		unused := make([]byte, 32) // the hash of no secret
		rand.Read(unused)          // never fails
		if err := tx.APIKey.Create().SetID(code.KeyID).SetWorkspaceID(code.Workspace).SetUserID(code.User).
			SetName(code.Name).SetScopes(scopes).SetHash(unused).SetLastFour("").SetClientHost(code.Host).
			Exec(ctx); err != nil {
			return fmt.Errorf("store the key of an OAuth client: %w", err)
		}
		detail := map[string]any{"name": code.Name, "clientHost": code.Host, "scopes": scopes}
		if err := limitToApp(ctx, tx, code.KeyID, code.App, detail); err != nil {
			return err
		}
		if tokens, err = a.newTokens(ctx, tx, code.KeyID, code.Client); err != nil {
			return err
		}
		tokens.Scope = strings.Join(scopes, " ")
		return Record(ctx, tx, code.Workspace, "oauth_client.approve", code.KeyID.String(), detail)
	})
	switch {
	case ent.IsConstraintError(err):
		return nil, a.endReused(ctx, code.KeyID)
	case fault.Is(err, fault.NotFound): // the member has left
		return nil, refuseGrant()
	}
	return tokens, err
}

func (a *Accounts) openCode(form url.Values) (code oauthCode, err error) {
	text, ok := a.openToken(oauthCodes, form.Get("code"))
	if !ok || json.Unmarshal(text, &code) != nil || a.now().After(code.Until) {
		return code, refuseGrant()
	}
	if subtle.ConstantTimeCompare([]byte(code.Client), []byte(digest(form.Get("client_id")))) != 1 {
		return code, refuseGrant()
	}
	if code.Redirect != digest(form.Get("redirect_uri")) {
		return code, &oauthError{"invalid_grant", "redirect_uri is another than the code was asked for with"}
	}
	verifier := form.Get("code_verifier")
	if len(verifier) > maxVerifier || subtle.ConstantTimeCompare([]byte(digest(verifier)), []byte(code.Challenge)) != 1 {
		return code, &oauthError{"invalid_grant", "code_verifier does not match code_challenge"}
	}
	return code, nil
}

// newTokens stores the tokens that a client has from now on: an access token of before ends.
func (a *Accounts) newTokens(ctx context.Context, tx *ent.Tx, key uuid.UUID, client string) (*oauthTokens, error) {
	tokens := &oauthTokens{
		AccessToken: newSecret(AccessPrefix), RefreshToken: newSecret(refreshPrefix),
		TokenType: "Bearer", ExpiresIn: int(accessTime.Seconds()),
	}
	now := a.now()
	if _, err := tx.ExecContext(ctx, `
		delete from oauth_token where key_id = $1 and (kind = 'access' or expires_at < $2)`, key, now); err != nil {
		return nil, fmt.Errorf("end tokens: %w", err)
	}
	for _, made := range []struct {
		secret, kind string
		lasts        time.Duration
	}{{tokens.AccessToken, "access", accessTime}, {tokens.RefreshToken, "refresh", refreshTime}} {
		if _, err := tx.ExecContext(ctx, `
			insert into oauth_token (hash, key_id, kind, client, expires_at) values ($1, $2, $3, $4, $5)`,
			hashSecret(made.secret), key, made.kind, []byte(client), now.Add(made.lasts)); err != nil {
			return nil, fmt.Errorf("store a token: %w", err)
		}
	}
	return tokens, nil
}

// refreshTokens replaces the tokens of a client. A refresh token that comes a second time ends the key, as a code does.
func (a *Accounts) refreshTokens(ctx context.Context, form url.Values) (tokens *oauthTokens, err error) {
	secret := form.Get("refresh_token")
	if !isSecretOf(refreshPrefix, secret) {
		return nil, refuseGrant()
	}
	var key uuid.UUID
	var scopes []string
	var spent bool
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			select k.id, k.scopes, t.spent
			from oauth_token t join api_keys k on k.id = t.key_id
			join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.user_id
			where t.hash = $1 and t.kind = 'refresh' and t.client = $2 and t.expires_at > $3 and k.revoked_at is null
			for update of t`, hashSecret(secret), []byte(digest(form.Get("client_id"))), a.now())
		if err != nil {
			return fmt.Errorf("read a refresh token: %w", err)
		}
		found := rows.Next()
		if found {
			var names []byte
			if err := rows.Scan(&key, &names, &spent); err != nil {
				return errors.Join(fmt.Errorf("read a refresh token: %w", err), rows.Close())
			}
			if err := json.Unmarshal(names, &scopes); err != nil {
				return errors.Join(fmt.Errorf("read the scopes of a key: %w", err), rows.Close())
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return fmt.Errorf("read a refresh token: %w", err)
		}
		if !found {
			return refuseGrant()
		}
		if spent {
			return nil
		}
		spend := `update oauth_token set spent = true where hash = $1`
		if _, err := tx.ExecContext(ctx, spend, hashSecret(secret)); err != nil {
			return fmt.Errorf("spend a refresh token: %w", err)
		}
		tokens, err = a.newTokens(ctx, tx, key, digest(form.Get("client_id")))
		return err
	})
	if err != nil {
		return nil, err
	}
	if spent {
		return nil, a.endReused(ctx, key)
	}
	tokens.Scope = strings.Join(scopes, " ")
	return tokens, nil
}

// endReused ends the key of a code or a refresh token that came a second time, and returns what its sender is told.
func (a *Accounts) endReused(ctx context.Context, key uuid.UUID) error {
	if err := a.endClient(ctx, key, "oauth_client.reuse"); err != nil {
		return err
	}
	return refuseGrant()
}

// endClient revokes the key of an OAuth client.
func (a *Accounts) endClient(ctx context.Context, id uuid.UUID, action string) error {
	return a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		key, err := tx.APIKey.Get(ctx, id)
		if err != nil {
			return fmt.Errorf("read the key of an OAuth client: %w", err)
		}
		if key.RevokedAt != nil {
			return nil
		}
		if err := tx.APIKey.UpdateOneID(id).SetRevokedAt(a.now()).Exec(ctx); err != nil {
			return fmt.Errorf("end an OAuth client: %w", err)
		}
		return Record(ctx, tx, key.WorkspaceID, action, id.String(), map[string]any{"name": key.Name})
	})
}

// revokeToken ends a client by one of its tokens (RFC 7009). What is unknown is answered as what was ended.
func (a *Accounts) revokeToken(w http.ResponseWriter, r *http.Request) {
	form, err := a.readForm(w, r)
	if err == nil {
		err = a.endByToken(r.Context(), form.Get("token"), form.Get("client_id"))
	}
	if err != nil {
		a.failTokens(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (a *Accounts) endByToken(ctx context.Context, secret, client string) error {
	if !isSecretOf(AccessPrefix, secret) && !isSecretOf(refreshPrefix, secret) {
		return nil
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var key, user uuid.UUID
	err := a.pool.QueryRow(reading, `
		select k.id, k.user_id from oauth_token t join api_keys k on k.id = t.key_id where t.hash = $1 and t.client = $2`,
		hashSecret(secret), []byte(digest(client))).Scan(&key, &user)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read a token: %w", err)
	}
	return a.endClient(With(ctx, &Principal{UserID: user, KeyID: &key}), key, "oauth_client.revoke")
}
