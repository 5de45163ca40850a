package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// limit bounds how often something is done within a time, over all servers.
type limit struct {
	name string // what is counted, for one subject
	most int
	per  time.Duration
}

const day = 24 * time.Hour

// The limits (docs/roles.md). Those before signIns bound guessing and the
// processor time of hashing passwords, the others what one person can fill the database
// with.
var (
	failedSignIns     = limit{"failed sign-ins of an email", 10, 15 * time.Minute}
	failedSignInsFrom = limit{"failed sign-ins from an address", 100, 15 * time.Minute}
	// Guesses of the current password have a count of their own: strangers who use
	// up an email's sign-ins must not keep its owner from changing the password.
	failedChanges = limit{"wrong current passwords of a person", 10, 15 * time.Minute}
	// Whoever has a link must not keep others with it out for long, and many addresses must not guess on.
	wrongLinkPasswordsFrom = limit{"wrong passwords of a shared link from an address", 10, 15 * time.Minute}
	wrongLinkPasswords     = limit{"wrong passwords of a shared link", 100, 15 * time.Minute}

	// A code is guessed by who has the password already. Each has three of a million for half a minute.
	wrongCodes = limit{"wrong codes of a person", 10, time.Hour}
	// A question of a passkey is answered once; it is forgotten after it has run out.
	questionUses        = limit{"uses of a passkey's question", 1, 2 * ceremonyTime}
	providerSignInsFrom = limit{"sign-ins by the provider from an address", 100, 15 * time.Minute}
	// Whoever keeps the cookie of an attempt must not have the provider asked again and again.
	attemptUses = limit{"answers to a sign-in by the provider", 1, 2 * attemptTime}

	// Emails that strangers ask for, and links that they try.
	resetsAsked     = limit{"password resets asked for an email", 5, time.Hour}
	resetsAskedFrom = limit{"password resets asked for from an address", 30, time.Hour}
	resetsFrom      = limit{"password resets from an address", 30, time.Hour}

	registrationsFrom = limit{"registrations of OAuth clients from an address", 100, time.Hour}
	tokenRequestsFrom = limit{"token requests of OAuth clients from an address", 1000, 15 * time.Minute}

	setUpsFrom = limit{"set-ups from an address", 100, day}

	signIns           = limit{"sign-ins of a person", 500, day}
	workspacesCreated = limit{"workspaces created by a person", 10, day}
	invitationsMade   = limit{"invitations by a person", 100, day}
	mailsAsked        = limit{"emails that a person asked for", 10, day}
	keysCreated       = limit{"API keys created by a person", 100, day}
)

// subject identifies what a limit counts in the table: a hash, so that the table
// keeps neither emails nor addresses, and its rows stay small.
func (l limit) subject(of string) []byte {
	sum := sha256.Sum256([]byte(l.name + "\x00" + of))
	return sum[:]
}

// countAttempt counts one more for the subject and fails with code rate_limited when
// that is one too many. Counting and comparing are one statement: of any number
// of callers at once, on any number of servers, no more than l.most pass.
func (a *Accounts) countAttempt(ctx context.Context, l limit, of string) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var taken int
	err := a.pool.QueryRow(ctx, `
		insert into rate_limit as known (subject, taken, ends_at) values ($1, 1, now() + $3)
		on conflict (subject) do update set
			taken = case when known.ends_at <= now() then 1 else known.taken + 1 end,
			ends_at = case when known.ends_at <= now() then excluded.ends_at else known.ends_at end
		where known.taken < $2 or known.ends_at <= now()
		returning taken`, l.subject(of), l.most, l.per).Scan(&taken)
	if errors.Is(err, pgx.ErrNoRows) {
		return a.newRefusal(ctx, l, of)
	}
	if err != nil {
		return fmt.Errorf("count the %s: %w", l.name, err)
	}
	return nil
}

// CountMail counts an email to themselves that a person asks for, and fails with code rate_limited when that is one
// too many: the address of an account may be somebody else's.
func (a *Accounts) CountMail(ctx context.Context, person uuid.UUID) error {
	return a.countAttempt(ctx, mailsAsked, person.String())
}

// newRefusal returns the error that says when the limit's window ends.
func (a *Accounts) newRefusal(ctx context.Context, l limit, of string) error {
	var wait time.Duration
	err := a.pool.QueryRow(ctx, `select ends_at - now() from rate_limit where subject = $1`, l.subject(of)).Scan(&wait)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) { // it may have been swept since
		return fmt.Errorf("read the %s: %w", l.name, err)
	}
	wait = max(wait, time.Second)
	return fault.Limited(wait, "too many %s: at most %d in %s; try again in %s",
		l.name, l.most, formatWait(l.per), formatWait(wait))
}

// formatWait writes a duration in its largest whole unit, rounded up.
func formatWait(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"hours", time.Hour}, {"minutes", time.Minute}} {
		if d > unit.size {
			return fmt.Sprintf("%d %s", (d+unit.size-1)/unit.size, unit.name)
		}
	}
	return "a minute"
}

// uncountAttempt takes one count off again, for what turned out to be allowed. That it
// fails is only logged: the count ends by itself.
func (a *Accounts) uncountAttempt(ctx context.Context, l limit, of string) {
	a.lowerCount(ctx, `update rate_limit set taken = taken - 1 where subject = $1 and taken > 0`, l, of)
}

// resetAttempts begins to count anew for the subject.
func (a *Accounts) resetAttempts(ctx context.Context, l limit, of string) {
	a.lowerCount(ctx, `delete from rate_limit where subject = $1`, l, of)
}

func (a *Accounts) lowerCount(ctx context.Context, statement string, l limit, of string) {
	// The caller may have left; what it was allowed counts all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTime)
	defer cancel()
	if _, err := a.pool.Exec(ctx, statement, l.subject(of)); err != nil {
		a.logger.WarnContext(ctx, "lowering a count failed", "limit", l.name, "error", err)
	}
}
