package automation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/svc-dev/svc/mail"
)

// MailLinks make what emails lead to.
type MailLinks interface {
	// PersonKey stands for an address in an environment, without having it.
	PersonKey(environment int64, address string) []byte
	// UnsubscribePerson leads to the end of the emails of an environment to an address, from a message.
	UnsubscribePerson(environment int64, message uuid.UUID, address string) string
}

// MailOptions are how email is sent.
type MailOptions struct {
	Sender mail.Taker
	Links  MailLinks
	// PerDay bounds how many messages automations of a workspace send within 24 hours; the others wait. 0 means 1,000.
	PerDay int
	// CountTest counts a test message of a member; it fails when there were too many.
	CountTest func(ctx context.Context, user uuid.UUID) error
}

// mailArgs name a job that sends the email of an environment that is due.
type mailArgs struct {
	EnvironmentID int64  `json:"environmentId"`
	Owner         string `json:"owner"`
}

// Kind names the job.
func (mailArgs) Kind() string { return "automation_mail" }

// InsertOpts are those of all such jobs.
func (mailArgs) InsertOpts() river.InsertOpts { return insertOpts(mailQueue) }

type mailWorker struct {
	river.WorkerDefaults[mailArgs]
	automations *Automations
}

// Work sends email until none is due.
func (w *mailWorker) Work(ctx context.Context, job *river.Job[mailArgs]) error {
	a, environment := w.automations, job.Args.EnvironmentID
	return a.inTurn(ctx, a.mailers, `e.id = $1`, environment, func() error {
		return a.drain(ctx, jobTime, func(ctx context.Context) (bool, error) { return a.mailBatch(ctx, environment) })
	})
}

const (
	mailBatchSize = 8
	// mailLease is longer than a message takes with its record.
	mailLease = time.Minute
	// mailLate is how old a message becomes before it is given up.
	mailLate        = 3 * 24 * time.Hour
	maxMailAttempts = 20
	mailersAtOnce   = 4
	// maxMailAddress is how many messages of an environment an address gets within 24 hours: anybody who has the public
	// key may say of any number of people that an address is theirs.
	maxMailAddress = 20
)

// The results of an email.
const (
	mailSent       = "sent"
	mailSuppressed = "suppressed"
	mailFailed     = "failed"
)

// letter is an email that is being sent.
type letter struct {
	ID           uuid.UUID
	AutomationID uuid.UUID
	EnrolmentID  int64
	Node         string
	AppUserID    string
	Attempts     int
	Failures     int
	CreatedAt    time.Time
}

// mailBatch sends some messages of an environment and records the results. It tells whether more may be due.
//
// Each entry has one message a node, whoever tries: a key of the database keeps this so. A server that is killed after
// the SMTP server took the message and before that was stored leaves it to the next one, which sends it again with the
// same Message-ID: SMTP has no way to ask what it took.
func (a *Automations) mailBatch(ctx context.Context, environment int64) (more bool, err error) {
	letters, err := a.claimMail(ctx, environment)
	if err != nil || len(letters) == 0 {
		return false, err
	}
	to, err := a.receivers(ctx, environment, letters)
	if err != nil {
		return false, fmt.Errorf("read whom email goes to: %w", err)
	}
	var sending sync.WaitGroup
	errs := make([]error, len(letters))
	for i := range letters {
		sending.Go(func() { errs[i] = a.sendLetter(ctx, environment, letters[i], to) })
	}
	sending.Wait()
	return len(letters) == mailBatchSize, errors.Join(errs...)
}

// claimMail takes messages that are due for as long as the lease, as many as the workspace may send today.
func (a *Automations) claimMail(ctx context.Context, environment int64) (letters []letter, err error) {
	err = pgx.BeginFunc(ctx, a.db.Pool, func(tx pgx.Tx) error {
		var workspace uuid.UUID
		if err := tx.QueryRow(ctx, `
			select p.workspace_id from environments e join apps p on p.id = e.app_id where e.id = $1`, environment,
		).Scan(&workspace); err != nil {
			return err
		}
		// Two servers that count at once would both take what is left.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
			"automation mail "+workspace.String()); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			update automation_mail set state = 'failed', reason = 'not_in_time', finished_at = now()
			where environment_id = $1 and id in (select id from automation_mail
				where environment_id = $1 and state = 'pending' and next_attempt_at <= now()
					and (created_at < now() - make_interval(secs => $2) or attempts >= $3) limit 1000)`,
			environment, mailLate.Seconds(), maxMailAttempts); err != nil {
			return err
		}
		var counted int
		if err := tx.QueryRow(ctx, `
			select count(*) from automation_mail where counted_at > now() - interval '1 day' and environment_id = any (
				array(select e.id from environments e join apps p on p.id = e.app_id where p.workspace_id = $1))`,
			workspace).Scan(&counted); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			with again as (
				select id from automation_mail
				where environment_id = $1 and state = 'pending' and next_attempt_at <= now() and counted_at is not null
				order by next_attempt_at limit $2 for update skip locked
			), fresh as (
				select id from automation_mail
				where environment_id = $1 and state = 'pending' and next_attempt_at <= now() and counted_at is null
				order by next_attempt_at limit $4 for update skip locked
			)
			update automation_mail set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $3),
				counted_at = coalesce(counted_at, now())
			where environment_id = $1 and `+inService("$1")+` and id in (
				select id from again union all select id from fresh)
			returning id, automation_id, enrolment_id, node, app_user_id, attempts, failures, created_at`,
			environment, mailBatchSize, mailLease.Seconds(), max(0, min(mailBatchSize, a.mail.PerDay-counted)))
		if err != nil {
			return err
		}
		letters, err = pgx.CollectRows(rows, pgx.RowToStructByPos[letter])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim email of environment %d: %w", environment, err)
	}
	return letters, nil
}

// receivers are what the messages of a batch depend on.
type receivers struct {
	app        string
	people     map[string]Person
	entries    map[int64]entered
	suppressed map[string]bool    // by key
	crowded    map[uuid.UUID]bool // messages to addresses that get no more today
}

type entered struct {
	version int
	event   map[string]any
}

func (a *Automations) receivers(ctx context.Context, environment int64, letters []letter) (*receivers, error) {
	r := &receivers{entries: map[int64]entered{}}
	people, entries := make([]string, len(letters)), make([]int64, len(letters))
	for i, l := range letters {
		people[i], entries[i] = l.AppUserID, l.EnrolmentID
	}
	if err := a.db.Pool.QueryRow(ctx, `
		select p.name from environments e join apps p on p.id = e.app_id where e.id = $1`, environment,
	).Scan(&r.app); err != nil {
		return nil, err
	}
	var err error
	if r.people, err = readPeople(ctx, a.db.Pool, environment, people); err != nil {
		return nil, err
	}
	if r.suppressed, err = a.readSuppressed(ctx, a.db.Pool, environment, r.people); err != nil {
		return nil, err
	}
	if r.crowded, err = a.readCrowded(ctx, environment, letters, r.people); err != nil {
		return nil, err
	}
	rows, err := a.db.Pool.Query(ctx, `
		select id, version, event from automation_enrolment where environment_id = $1 and id = any ($2)`,
		environment, entries)
	if err != nil {
		return nil, err
	}
	var id int64
	var e entered
	_, err = pgx.ForEachRow(rows, []any{&id, &e.version, &e.event}, func() error {
		r.entries[id] = e
		e = entered{}
		return nil
	})
	return r, err
}

// readCrowded stores the keys of the addresses of messages, and reads which of the messages come after as many as an
// address gets within a day: an earlier id comes first.
func (a *Automations) readCrowded(
	ctx context.Context, environment int64, letters []letter, people map[string]Person,
) (map[uuid.UUID]bool, error) {
	ids, keys := make([]uuid.UUID, len(letters)), make([][]byte, len(letters))
	for i, l := range letters {
		ids[i], keys[i] = l.ID, a.mail.Links.PersonKey(environment, people[l.AppUserID].Email)
	}
	if _, err := a.db.Pool.Exec(ctx, `
		update automation_mail m set address_key = k.key from unnest($2::uuid[], $3::bytea[]) as k (id, key)
		where m.environment_id = $1 and m.id = k.id and m.state = 'pending'`, environment, ids, keys); err != nil {
		return nil, err
	}
	rows, err := a.db.Pool.Query(ctx, `
		select m.id from automation_mail m where m.environment_id = $1 and m.id = any ($2) and (
			select count(*) from automation_mail o where o.environment_id = $1 and o.address_key = m.address_key
				and o.counted_at > now() - interval '1 day' and o.id < m.id) >= $3`, environment, ids, maxMailAddress)
	if err != nil {
		return nil, err
	}
	crowded := map[uuid.UUID]bool{}
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		crowded[id] = true
		return nil
	})
	return crowded, err
}

// readSuppressed reads which addresses of people get no email of an environment, by key.
func (a *Automations) readSuppressed(
	ctx context.Context, q queryer, environment int64, people map[string]Person,
) (map[string]bool, error) {
	found := map[string]bool{}
	if a.mail == nil {
		return found, nil
	}
	keys := [][]byte{}
	for _, p := range people {
		if p.Email != "" {
			keys = append(keys, a.mail.Links.PersonKey(environment, p.Email))
		}
	}
	if len(keys) == 0 {
		return found, nil
	}
	rows, err := q.Query(ctx, `
		select address_key from mail_suppression where environment_id = $1 and address_key = any ($2)`, environment, keys)
	if err != nil {
		return nil, err
	}
	var key []byte
	_, err = pgx.ForEachRow(rows, []any{&key}, func() error {
		found[string(key)] = true
		return nil
	})
	return found, err
}

// isSuppressed tells whether an address is among those that were read.
func (a *Automations) isSuppressed(found map[string]bool, environment int64, address string) bool {
	return len(found) > 0 && found[string(a.mail.Links.PersonKey(environment, address))]
}

// sendLetter writes a message, hands it over and records the result. Whether the person may still get it is asked anew:
// it may have waited for days.
func (a *Automations) sendLetter(ctx context.Context, environment int64, l letter, to *receivers) error {
	end := func(state, reason string) error { return a.endLetter(ctx, environment, l, state, reason) }
	entry, known := to.entries[l.EnrolmentID]
	if !known {
		return end(mailSuppressed, reasonNodeMissing)
	}
	definition, err := a.registry.definition(ctx, versionKey{l.AutomationID, entry.version})
	if err != nil {
		return err
	}
	n := definition.nodes[l.Node]
	person := to.people[l.AppUserID]
	person.AppUserID = l.AppUserID
	switch {
	case n == nil || n.Email == nil:
		return end(mailFailed, reasonNodeMissing)
	case !mail.IsAddress(person.Email):
		return end(mailSuppressed, reasonNoAddress)
	case definition.Marketing && person.Consent != "granted":
		return end(mailSuppressed, reasonNoConsent)
	case a.isSuppressed(to.suppressed, environment, person.Email):
		return end(mailSuppressed, reasonSuppressed)
	case to.crowded[l.ID]:
		return end(mailSuppressed, reasonCap)
	}
	link := a.mail.Links.UnsubscribePerson(environment, l.ID, person.Email)
	e, fits := n.Email.render(&Facts{Event: entry.event, Person: person}, to.app, link)
	if !fits {
		return end(mailFailed, reasonTooLarge)
	}
	err = a.mail.Sender.Send(ctx, e.message(l.ID, to.app, link))
	if ctx.Err() != nil {
		return nil //nolint:nilerr // cut off by the end of the server: another one goes on when the lease is over
	}
	if err == nil {
		return end(mailSent, "")
	}
	// SMTP servers repeat the receiver's address, which is a person's.
	a.log.Warn("an email of an automation was not taken by the SMTP server", "message", l.ID,
		"error", strings.ReplaceAll(err.Error(), person.Email, "the receiver"))
	reason, final, bounced := "not taken", false, false
	if failure := (*mail.Failure)(nil); errors.As(err, &failure) {
		reason, final, bounced = failure.Reason, failure.Final, failure.Bounced
	}
	if bounced {
		if err := a.suppressBounced(ctx, environment, l, person.Email); err != nil {
			return err
		}
	}
	wait, again := mail.NextAttempt(l.Failures + 1)
	if final || !again {
		return end(mailFailed, reason)
	}
	_, err = a.db.Pool.Exec(ctx, `
		update automation_mail set failures = failures + 1, reason = $3, next_attempt_at = now() + make_interval(secs => $4)
		where environment_id = $1 and id = $2 and state = 'pending'`, environment, l.ID, reason, wait.Seconds())
	return err
}

func (e *RenderedEmail) message(id uuid.UUID, app, unsubscribe string) mail.Message {
	return mail.Message{
		ID: id.String(), FromName: plainLine(app), To: e.To, Subject: e.Subject, Text: e.Text, HTML: e.HTML,
		Unsubscribe: unsubscribe,
	}
}

// endLetter records that a message is done with. What was not sent does not count for the day.
func (a *Automations) endLetter(ctx context.Context, environment int64, l letter, state, reason string) error {
	_, err := a.db.Pool.Exec(ctx, `
		update automation_mail set state = $3, reason = $4, finished_at = now(),
			counted_at = case when $3 = 'suppressed' then null else counted_at end
		where environment_id = $1 and id = $2 and state = 'pending'`, environment, l.ID, state, reason)
	if err != nil {
		return fmt.Errorf("record the result of an email: %w", err)
	}
	return nil
}

// dueMail returns jobs for the environments with email to send.
func (a *Automations) dueMail(ctx context.Context) ([]river.InsertManyParams, error) {
	if a.mail == nil {
		return nil, nil
	}
	rows, err := a.db.Pool.Query(ctx, `
		select e.environment_id from (select distinct environment_id from automation where version > 0) e
		where exists (select from automation_mail m
			where m.environment_id = e.environment_id and m.state = 'pending' and m.next_attempt_at <= now())
		order by random() limit $1`, 2*mailersAtOnce)
	if err != nil {
		return nil, err
	}
	environments, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	jobs := make([]river.InsertManyParams, len(environments))
	for i, environment := range environments {
		jobs[i].Args = mailArgs{environment, a.owner}
	}
	return jobs, err
}
