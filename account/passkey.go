package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

const (
	// maxPasskeys is how many passkeys a person has.
	maxPasskeys = 20
	// ceremonyTime is how long a browser may take to ask its owner.
	ceremonyTime = 5 * time.Minute
	// maxCredential bounds what a browser answers, in bytes.
	maxCredential = 16 << 10
)

// Passkey is a key of a person's that signs them in without a password.
type Passkey struct {
	ID         uuid.UUID
	Name       string
	CreatedAt  time.Time
	LastUsedAt *time.Time
	// Cloned tells that its counter once went back: there may be a copy of the key.
	Cloned bool
}

// Ceremony is what a browser is asked to sign.
type Ceremony struct {
	// Token holds the question, sealed; it is given back with the answer, once, within five minutes.
	Token string
	// Options are those of navigator.credentials (WebAuthn Level 3, in JSON).
	Options json.RawMessage
}

// newRelyingParty returns who passkeys are for: the host of the server's public address. Nil where browsers offer none:
// without https, except on localhost, and for bare IP addresses.
func newRelyingParty(baseURL string) *webauthn.WebAuthn {
	address, err := url.Parse(baseURL)
	if err != nil || address.Hostname() == "" || address.Scheme != "https" && address.Hostname() != "localhost" {
		return nil
	}
	if _, err := netip.ParseAddr(address.Hostname()); err == nil {
		return nil
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: address.Hostname(), RPDisplayName: "Svc", RPOrigins: []string{address.Scheme + "://" + address.Host},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil
	}
	return party
}

// HasPasskeys tells whether the server takes passkeys.
func (a *Accounts) HasPasskeys() bool { return a.party != nil && a.ring != nil }

func (a *Accounts) requirePasskeys() error {
	if !a.HasPasskeys() {
		return fault.New(fault.Unavailable, "passkeys need a base_url that begins with https:// and a name of a host")
	}
	return nil
}

// passkeyUser is a person with their passkeys, as the library asks for them.
type passkeyUser struct {
	id          uuid.UUID
	email, name string
	credentials []webauthn.Credential
}

func (u *passkeyUser) WebAuthnID() []byte                         { return u.id[:] }
func (u *passkeyUser) WebAuthnName() string                       { return u.email }
func (u *passkeyUser) WebAuthnCredentials() []webauthn.Credential { return u.credentials }
func (u *passkeyUser) WebAuthnDisplayName() string {
	if u.name == "" {
		return u.email
	}
	return u.name
}

// question is what a ceremony's token holds.
type question struct {
	Session webauthn.SessionData
	User    uuid.UUID // nil of a sign-in
	Until   time.Time
}

const (
	addsPasskey = place("passkey to add")
	signsIn     = place("passkey to sign in")
)

// askBrowser seals a question into a token: the server keeps nothing that strangers could fill it with.
func (a *Accounts) askBrowser(
	for_ place, session *webauthn.SessionData, user uuid.UUID, options any,
) (*Ceremony, error) {
	text, err := json.Marshal(question{*session, user, a.now().Add(ceremonyTime)})
	if err != nil {
		return nil, fmt.Errorf("write the question: %w", err)
	}
	written, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("write the question: %w", err)
	}
	token, err := a.sealToken(for_, text)
	return &Ceremony{Token: token, Options: written}, err
}

// wrongQuestion refuses a token that opens nothing.
var wrongQuestion = fault.Invalid("token", "is unknown, used or older than five minutes")

// takeQuestion opens a token of askBrowser, which works once on all servers.
func (a *Accounts) takeQuestion(ctx context.Context, for_ place, token string) (*question, error) {
	text, ok := a.openToken(for_, token)
	if !ok {
		return nil, wrongQuestion
	}
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, fmt.Errorf("read a question: %w", err)
	}
	if a.now().After(q.Until) {
		return nil, wrongQuestion
	}
	if err := a.countAttempt(ctx, questionUses, q.Session.Challenge); fault.Is(err, fault.RateLimited) {
		return nil, wrongQuestion
	} else if err != nil {
		return nil, err
	}
	return &q, nil
}

// BeginPasskey asks the caller's browser to make a passkey.
func (a *Accounts) BeginPasskey(ctx context.Context) (*Ceremony, error) {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.requirePasskeys(); err != nil {
		return nil, err
	}
	user, err := a.passkeysOf(ctx, p.UserID)
	if err != nil {
		return nil, err
	}
	if len(user.credentials) >= maxPasskeys {
		return nil, fault.New(fault.Conflict, "you have %d passkeys, the most there are; remove one", maxPasskeys)
	}
	creation, session, err := a.party.BeginRegistration(user,
		webauthn.WithExclusions(webauthn.Credentials(user.credentials).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("begin a passkey: %w", err)
	}
	return a.askBrowser(addsPasskey, session, p.UserID, creation.Response)
}

// AddPasskey stores the passkey that a browser made. The session becomes one of two factors.
func (a *Accounts) AddPasskey(ctx context.Context, token, name string, credential []byte) (*Passkey, error) {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.requirePasskeys(); err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	refused := fault.Invalid("credential", "is not what this server asked the browser for")
	if len(credential) > maxCredential {
		return nil, refused
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credential)
	if err != nil {
		return nil, refused
	}
	q, err := a.takeQuestion(ctx, addsPasskey, token)
	if err != nil {
		return nil, err
	}
	if q.User != p.UserID {
		return nil, wrongQuestion
	}
	made, err := a.party.CreateCredential(&passkeyUser{id: p.UserID, email: p.Email}, q.Session, parsed)
	if err != nil {
		return nil, refused
	}
	key, err := a.storePasskey(ctx, p.UserID, name, made)
	if err != nil {
		return nil, err
	}
	return key, a.raiseSession(ctx, p, ByPasskey)
}

func (a *Accounts) storePasskey(
	ctx context.Context, person uuid.UUID, name string, made *webauthn.Credential,
) (*Passkey, error) {
	made.Attestation = webauthn.CredentialAttestation{} // nobody asks for it again, and it may be long
	data, err := json.Marshal(made)
	if err != nil {
		return nil, fmt.Errorf("write a passkey: %w", err)
	}
	key := &Passkey{ID: uuid.Must(uuid.NewV7()), Name: name, CreatedAt: a.now()}
	return key, a.changeFactor(ctx, "passkey.add", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select from users where id = $1 for no key update`, person); err != nil {
			return fmt.Errorf("lock the user: %w", err)
		}
		tag, err := tx.Exec(ctx, `
			insert into passkey (id, user_id, credential_id, name, data, sign_count, created_at)
			select $1, $2, $3, $4, $5, $6, $7 where (select count(*) from passkey where user_id = $2) < $8
			on conflict (credential_id) do nothing`,
			key.ID, person, made.ID, name, data, int64(made.Authenticator.SignCount), key.CreatedAt, maxPasskeys)
		if err != nil {
			return fmt.Errorf("store a passkey: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "the passkey is there already, or you have %d", maxPasskeys)
		}
		return nil
	})
}

// RenamePasskey gives a passkey of the caller's another name. One of somebody else is not found.
func (a *Accounts) RenamePasskey(ctx context.Context, id uuid.UUID, name string) (*Passkey, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	k := &Passkey{ID: id}
	err = a.changeFactor(ctx, "passkey.rename", func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			update passkey set name = $3 where id = $1 and user_id = $2
			returning name, created_at, last_used_at, cloned`, id, p.UserID, name,
		).Scan(&k.Name, &k.CreatedAt, &k.LastUsedAt, &k.Cloned)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Missing("passkey")
		}
		if err != nil {
			return fmt.Errorf("rename a passkey: %w", err)
		}
		return nil
	})
	return k, err
}

// RemovePasskey ends a passkey of the caller's. One of somebody else is not found.
func (a *Accounts) RemovePasskey(ctx context.Context, id uuid.UUID) error {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return err
	}
	return a.changeFactor(ctx, "passkey.remove", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from passkey where id = $1 and user_id = $2`, id, p.UserID)
		if err != nil {
			return fmt.Errorf("remove a passkey: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.Missing("passkey")
		}
		return nil
	})
}

// passkeysOf reads a person with their passkeys.
func (a *Accounts) passkeysOf(ctx context.Context, person uuid.UUID) (*passkeyUser, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	u := &passkeyUser{id: person}
	err := a.pool.QueryRow(ctx, `
		select u.email, u.name, coalesce(jsonb_agg(k.data) filter (where k.id is not null), '[]')
		from users u left join passkey k on k.user_id = u.id where u.id = $1 group by u.id`, person,
	).Scan(&u.email, &u.name, &u.credentials)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("user")
	}
	if err != nil {
		return nil, fmt.Errorf("read the passkeys: %w", err)
	}
	return u, nil
}
