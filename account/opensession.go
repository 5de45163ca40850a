package account

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/mileusna/useragent"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// Method is how a session was opened.
type Method string

// The methods. All but the password alone prove two things: something that the person knows or is, and something that
// they have.
const (
	ByPassword Method = "password"
	ByCode     Method = "code" // password and a code of an authenticator app, or a recovery code
	ByPasskey  Method = "passkey"
	ByProvider Method = "provider" // the OpenID provider, which asks for its own second factor
)

const (
	// maxSessions is how many sessions a person has; one more ends the one that was not used for longest.
	maxSessions = 100
	// freshness is how long after a sign-in a person may change how they sign in.
	freshness = 15 * time.Minute
	// seenEvery is how exact the time of last use is.
	seenEvery = 5 * time.Minute
)

// openSession starts a session for the person and sets its cookie. The session that the browser had ends.
func (a *Accounts) openSession(ctx context.Context, person *ent.User, method Method) error {
	e := exchangeOf(ctx)
	if e.writer == nil {
		return fmt.Errorf("open a session: no response to set the cookie on")
	}
	if err := a.countAttempt(ctx, signIns, person.ID.String()); err != nil {
		return err
	}
	row := sessionRow{
		id: uuid.Must(uuid.NewV7()), user: person.ID, at: a.now(), method: method,
		device: deviceOf(e.request), address: e.address,
	}
	if err := a.endReplaced(ctx, person.ID); err != nil {
		return err
	}
	// A request that signs in with an Authorization header has no session data yet.
	ctx, err := a.sessions.Load(context.WithValue(ctx, sessionRowKey{}, row), "")
	if err != nil {
		return fmt.Errorf("prepare a session: %w", err)
	}
	if err := a.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	a.sessions.Put(ctx, sessionUser, person.ID.String())
	a.sessions.Put(ctx, sessionStamp, passwordStamp(person.PasswordHash))
	a.sessions.Put(ctx, sessionID, row.id.String())
	token, expiry, err := a.sessions.Commit(ctx)
	if err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	a.sessions.WriteSessionCookie(ctx, e.writer, token, expiry)
	return nil
}

// endReplaced ends the session of the browser that signs in again, and those of the person that are too many.
func (a *Accounts) endReplaced(ctx context.Context, person uuid.UUID) error {
	replaced := uuid.Nil
	if p, err := From(ctx); err == nil {
		replaced = p.SessionID
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	_, err := a.pool.Exec(ctx, `
		delete from web_session where id = $2 or id in (
			select id from web_session where user_id = $1 order by seen_at desc, id desc offset $3)`,
		person, replaced, maxSessions-1)
	if err != nil {
		return fmt.Errorf("end earlier sessions: %w", err)
	}
	return nil
}

// recordSeen stores that a session was used, from where, every few minutes.
func (a *Accounts) recordSeen(ctx context.Context, p *Principal, seen time.Time) {
	if a.now().Sub(seen) < seenEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	if _, err := a.pool.Exec(ctx, `update web_session set seen_at = $2, address = $3 where id = $1`,
		p.SessionID, a.now(), exchangeOf(ctx).address); err != nil {
		a.logger.WarnContext(ctx, "storing the use of a session failed", "error", err)
	}
}

// requireFresh returns who signed in within the last minutes: whoever finds an open browser must not make themselves
// another way in, or take that of its owner. Nor must who knows the password alone, where it does not suffice.
func (a *Accounts) requireFresh(ctx context.Context) (*Principal, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return nil, err
	}
	if a.now().Sub(p.signedInAt) > freshness {
		return nil, fault.New(fault.SignInAgain, "sign in again to change how you sign in")
	}
	if p.method != ByPassword {
		return p, nil
	}
	bypasses, err := a.bypassesFactor(ctx, p)
	if err == nil && bypasses {
		err = fault.New(fault.Forbidden, "sign in by your passkey, code or provider to change how you sign in")
	}
	return p, err
}

// bypassesFactor tells whether a session by password could make itself the second factor that it was not asked for: of
// somebody with an authenticator app, or with a passkey or an account of the provider that a workspace asks them for.
func (a *Accounts) bypassesFactor(ctx context.Context, p *Principal) (has bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	err = a.pool.QueryRow(ctx, `
		select exists (select from totp where user_id = $1 and confirmed_at is not null) or $2 and (
			exists (select from passkey where user_id = $1) or
			$3 and exists (select from user_identity where user_id = $1))`,
		p.UserID, slices.Contains(slices.Collect(maps.Values(p.closed)), NeedsSecondFactor), a.HasProvider()).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for a second factor: %w", err)
	}
	return has, nil
}

// maxAgent bounds what is read of a User-Agent header.
const maxAgent = 512

// deviceOf names the browser and the system that a request says it comes from: Firefox on Linux. Empty when it says
// neither.
func deviceOf(r *http.Request) string {
	text := r.UserAgent()
	agent := useragent.Parse(text[:min(len(text), maxAgent)])
	name, system := shown(agent.Name), shown(agent.OS)
	if name == "" || system == "" {
		return name + system
	}
	return name + " on " + system
}

// shown returns the beginning of a text that a stranger wrote, without what can't be stored or seen.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
	return text[:min(len(text), 40)]
}
