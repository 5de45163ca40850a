package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/fault"
)

// LinkPrefix starts the token of every shared link.
const LinkPrefix = "svc_link_"

const (
	linkBytes  = 16 // of a token
	linkDigits = 22 // of base62
	// linkKeyTime is how long somebody who gave the password of a link is let in.
	linkKeyTime = 12 * time.Hour
)

// Link is what readers of a shared link may see: reports of one environment, limited to a scope.
type Link struct {
	ID            uuid.UUID
	Name          string
	App           uuid.UUID
	EnvironmentID int64
	Environment   string          // test or live
	Reports       []string        // as GraphQL writes them
	Scope         json.RawMessage // in the shape of GraphQL's ViewScopeInput
	PoweredBy     bool
	ExpiresAt     *time.Time
	// FrameOrigins are those of the pages that may embed the reports, or * alone.
	FrameOrigins []string

	passwordHash string // empty without a password
	lastOpenedAt *time.Time
	recorded     atomic.Bool // by one of those who share what was read
}

// Link returns the shared link whose reader makes the request; nil for members, API keys and the operator. A reader
// belongs to no workspace, so that every right that is asked for is refused.
func (p *Principal) Link() *Link { return p.link }

// LinkOf returns the shared link whose reader makes the request of ctx; nil for everybody else.
func LinkOf(ctx context.Context) *Link {
	p, err := From(ctx)
	if err != nil {
		return nil
	}
	return p.link
}

// NewLinkToken makes the token of a shared link, of 128 random bits, and what is stored of it.
func NewLinkToken() (token string, hash []byte) {
	token = LinkPrefix + base62.Random(linkBytes)
	return token, hashSecret(token)
}

// HashLinkPassword checks the password of a new shared link and returns what is stored of it.
func (a *Accounts) HashLinkPassword(ctx context.Context, password string) (string, error) {
	if err := checkPassword("password", password); err != nil {
		return "", err
	}
	return a.hashing.hash(ctx, exchangeOf(ctx).client, password)
}

// findLink returns the link of a token; nil for one that is unknown, expired or revoked, or whose app is archived. A
// link that was sent to many is opened by many at once, who share it.
func (a *Accounts) findLink(ctx context.Context, token string) (*Link, error) {
	if !strings.HasPrefix(token, LinkPrefix) || len(token) != len(LinkPrefix)+linkDigits {
		return nil, nil
	}
	return a.links.Read(ctx, token, lookupTime, func(ctx context.Context) (*Link, error) { return a.readLink(ctx, token) })
}

func (a *Accounts) readLink(ctx context.Context, token string) (*Link, error) {
	var l Link
	err := a.pool.QueryRow(ctx, `
		select l.id, l.name, e.app_id, e.id, e.kind, l.reports, l.scope, l.powered_by, l.expires_at, l.frame_origins,
			l.password_hash, l.last_opened_at
		from shared_links l
		join environments e on e.id = l.environment_id
		join apps a on a.id = e.app_id and a.archived_at is null
		where l.hash = $1 and l.revoked_at is null and (l.expires_at is null or l.expires_at > $2)`,
		hashSecret(token), a.now(),
	).Scan(&l.ID, &l.Name, &l.App, &l.EnvironmentID, &l.Environment, &l.Reports, &l.Scope, &l.PoweredBy, &l.ExpiresAt,
		&l.FrameOrigins, &l.passwordHash, &l.lastOpenedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the shared link: %w", err)
	}
	return &l, nil
}

// FrameOrigins returns the origins of the pages that may embed the reports of a token, or * alone; none of one that
// opens nothing.
func (a *Accounts) FrameOrigins(ctx context.Context, token string) ([]string, error) {
	l, err := a.findLink(ctx, token)
	if err != nil || l == nil {
		return nil, err
	}
	return l.FrameOrigins, nil
}

// byLink returns the reader of a shared link. The secret is its token or, of one with a password, a key that OpenLink
// gave out.
func (a *Accounts) byLink(ctx context.Context, secret string) (*Principal, error) {
	token, proof, _ := strings.Cut(secret, ".")
	l, err := a.findLink(ctx, token)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, fault.New(fault.Unauthenticated, "unknown, expired or revoked shared link")
	}
	if l.passwordHash != "" && !a.proves(l, proof) {
		return nil, fault.New(fault.Forbidden, "this shared link needs its password: send what openSharedLink answers")
	}
	a.recordOpened(ctx, l)
	return &Principal{Name: l.Name, link: l, roles: map[uuid.UUID]Role{}}, nil
}

// recordOpened stores that a link was opened, at most once a minute: the time is for members who wonder whether it is
// still in use.
func (a *Accounts) recordOpened(ctx context.Context, l *Link) {
	now := a.now()
	if l.lastOpenedAt != nil && now.Sub(*l.lastOpenedAt) < time.Minute || l.recorded.Swap(true) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := a.pool.Exec(ctx, `update shared_links set last_opened_at = $2 where id = $1`, l.ID, now)
	if err != nil {
		a.logger.WarnContext(ctx, "storing the use of a shared link failed", "link", l.ID, "error", err)
	}
}

// LinkKey lets in who knows the password of a shared link.
type LinkKey struct {
	Key       string
	ExpiresAt time.Time
}

// OpenLink lets in who knows the password of a shared link. It fails with not_found where the token opens nothing, and
// after too many wrong passwords with rate_limited. An attempt counts before its password is looked at, as at a
// sign-in.
func (a *Accounts) OpenLink(ctx context.Context, token, password string) (*LinkKey, error) {
	l, err := a.findLink(ctx, token)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, fault.Missing("shared link")
	}
	if l.passwordHash == "" {
		return nil, fault.Invalid("password", "this shared link has none: its token opens it")
	}
	client, link := exchangeOf(ctx).client, l.ID.String()
	from := link + " " + client
	if err := a.countAttempt(ctx, wrongLinkPasswordsFrom, from); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, wrongLinkPasswords, link); err != nil {
		return nil, err
	}
	matches, err := a.hashing.verify(ctx, client, password, l.passwordHash)
	if err == nil && !matches {
		return nil, fault.Invalid("password", "is wrong")
	}
	a.uncountAttempt(ctx, wrongLinkPasswords, link) // not forget: others try too
	a.uncountAttempt(ctx, wrongLinkPasswordsFrom, from)
	if err != nil {
		return nil, err
	}
	expires := a.now().Add(linkKeyTime).Truncate(time.Second)
	if l.ExpiresAt != nil && l.ExpiresAt.Before(expires) {
		expires = *l.ExpiresAt
	}
	stamp := strconv.FormatInt(expires.Unix(), 10)
	return &LinkKey{Key: token + "." + stamp + "." + l.sign(stamp), ExpiresAt: expires}, nil
}

// proves tells whether the proof, the second from which on it is none and its signature, was given out for the link.
func (a *Accounts) proves(l *Link, proof string) bool {
	stamp, signature, _ := strings.Cut(proof, ".")
	if !hmac.Equal([]byte(signature), []byte(l.sign(stamp))) {
		return false
	}
	expires, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && a.now().Unix() < expires
}

// sign returns the signature of a proof. Its key is what is stored of the password, which nobody learns who knows the
// password or the token.
func (l *Link) sign(stamp string) string {
	mac := hmac.New(sha256.New, []byte(l.passwordHash))
	mac.Write([]byte(l.ID.String() + "\x00" + stamp))
	return hex.EncodeToString(mac.Sum(nil))
}
