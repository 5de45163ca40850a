package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// advanceArgs name a job that advances the enrolments of an environment that are due.
type advanceArgs struct {
	EnvironmentID int64  `json:"environmentId"`
	Owner         string `json:"owner"`
}

// Kind names the job.
func (advanceArgs) Kind() string { return "automation_advance" }

// InsertOpts are those of all such jobs.
func (advanceArgs) InsertOpts() river.InsertOpts { return insertOpts(advanceQueue) }

type advanceWorker struct {
	river.WorkerDefaults[advanceArgs]
	automations *Automations
}

// Work advances enrolments until none is due.
func (w *advanceWorker) Work(ctx context.Context, job *river.Job[advanceArgs]) error {
	a, environment := w.automations, job.Args.EnvironmentID
	return a.inTurn(ctx, a.advancers, `e.id = $1`, environment, func() error {
		return a.drain(ctx, advanceTime, func(ctx context.Context) (bool, error) {
			return a.advanceBatch(ctx, environment)
		})
	})
}

// A transaction advances at most advanceBatchSize enrolments, and no further ones once their messages have
// advanceBatchBytes.
const (
	advanceBatchSize  = 200
	advanceBatchBytes = 8 << 20
)

// advanceBatch advances some enrolments in one transaction: where they are, what
// became of their steps and the messages they send are written together or not
// at all. It tells whether more may be due.
func (a *Automations) advanceBatch(ctx context.Context, environment int64) (more bool, err error) {
	err = pgx.BeginFunc(ctx, a.db.Pool, func(tx pgx.Tx) error {
		due, err := claimDue(ctx, tx, environment)
		if more = len(due) == advanceBatchSize; err != nil || len(due) == 0 {
			return err
		}
		s, err := a.surroundings(ctx, tx, environment, due)
		if err != nil {
			return err
		}
		w := writes{now: s.now}
		for _, e := range due {
			if w.bytes > advanceBatchBytes {
				more = true
				break
			}
			definition, err := a.registry.definition(ctx, versionKey{e.AutomationID, e.Version})
			if err != nil {
				return err
			}
			person := surroundings{now: s.now, limits: s.limits, disabled: s.isDisabled, recent: s.recent[e.AppUserID]}
			person.suppressed = func(to string) bool { return a.isSuppressed(s.suppressed, environment, to) }
			person.facts = Facts{Event: e.Event, Person: s.people[e.AppUserID]}
			person.facts.Person.AppUserID = e.AppUserID
			moved := definition.advance(e, &person)
			s.recent[e.AppUserID] = person.recent
			w.add(environment, e, moved)
		}
		if err := w.write(ctx, tx); err != nil {
			return err
		}
		woken := 0
		for endpoint := range w.endpoints {
			if woken++; woken > wakeAtOnce {
				break
			}
			if _, err := a.river.InsertTx(ctx, tx, deliverArgs{endpoint, a.owner}, nil); err != nil {
				return fmt.Errorf("insert a job: %w", err)
			}
		}
		if len(w.emails) > 0 && a.mail != nil {
			if _, err := a.river.InsertTx(ctx, tx, mailArgs{environment, a.owner}, nil); err != nil {
				return fmt.Errorf("insert a job: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("advance entries of environment %d: %w", environment, err)
	}
	return more, nil
}

// claimDue reads enrolments that are due, and locks them; those that somebody else is at are left out.
func claimDue(ctx context.Context, tx pgx.Tx, environment int64) ([]*enrolment, error) {
	rows, err := tx.Query(ctx, `
		select id, automation_id, version, app_user_id, event_name, event, node, waiting, event_came, exit_reason, due_at
		from automation_enrolment where environment_id = $1 and due_at <= now() and `+inService("$1")+`
		order by due_at limit $2 for update skip locked`, environment, advanceBatchSize)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[enrolment])
}

// batchSurroundings are what the moves of a batch depend on.
type batchSurroundings struct {
	now      time.Time
	limits   Limits
	people   map[string]Person
	recent   map[string]int
	disabled map[uuid.UUID]bool
	// suppressed are the addresses that get no email, by key.
	suppressed map[string]bool
}

func (s *batchSurroundings) isDisabled(endpoint uuid.UUID) bool { return s.disabled[endpoint] }

func (a *Automations) surroundings(
	ctx context.Context, tx pgx.Tx, environment int64, due []*enrolment,
) (*batchSurroundings, error) {
	s := &batchSurroundings{now: a.now(), recent: map[string]int{}, disabled: map[uuid.UUID]bool{}}
	var err error
	if s.limits, err = readLimits(ctx, tx, environment); err != nil {
		return nil, err
	}
	ids := make([]string, len(due))
	for i, e := range due {
		ids[i] = e.AppUserID
	}
	if s.people, err = readPeople(ctx, tx, environment, ids); err != nil {
		return nil, err
	}
	if s.suppressed, err = a.readSuppressed(ctx, tx, environment, s.people); err != nil {
		return nil, err
	}
	if s.limits.Cap > 0 {
		rows, err := tx.Query(ctx, `
			select app_user_id, count(*) from (
				select app_user_id from webhook_delivery
				where environment_id = $1 and app_user_id = any ($2) and created_at > now() - make_interval(days => $3)
				union all
				select app_user_id from automation_mail
				where environment_id = $1 and app_user_id = any ($2) and created_at > now() - make_interval(days => $3)
					and state <> 'suppressed') messages
			group by 1`, environment, ids, s.limits.CapDays)
		if err != nil {
			return nil, err
		}
		var person string
		var count int
		if _, err := pgx.ForEachRow(rows, []any{&person, &count}, func() error {
			s.recent[person] = count
			return nil
		}); err != nil {
			return nil, err
		}
	}
	rows, err := tx.Query(
		ctx, `select id from webhook_endpoint where environment_id = $1 and disabled_reason <> ''`, environment,
	)
	if err != nil {
		return nil, err
	}
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		s.disabled[id] = true
		return nil
	})
	return s, err
}

// queryer is a pool or a transaction.
type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// readLimits reads what an environment asks of all its automations.
func readLimits(ctx context.Context, q queryer, environment int64) (Limits, error) {
	rows, err := q.Query(ctx, `
		select coalesce(cap, 0), cap_days, coalesce(quiet_from, 0), coalesce(quiet_until, 0), time_zone
		from automation_limit where environment_id = $1`, environment)
	if err != nil {
		return Limits{}, err
	}
	limits := Limits{CapDays: 1, Zone: time.UTC}
	var zone string
	_, err = pgx.ForEachRow(
		rows, []any{&limits.Cap, &limits.CapDays, &limits.QuietFrom, &limits.QuietUntil, &zone}, func() error {
			limits.Zone = zoneOf(zone, time.UTC)
			return nil
		},
	)
	return limits, err
}

// readPeople reads what apps said of people, by app user id.
func readPeople(ctx context.Context, q queryer, environment int64, ids []string) (map[string]Person, error) {
	rows, err := q.Query(ctx, `
		select d.app_user_id, p.custom_user_id, p.email, p.marketing_consent, p.first_name, p.last_name, p.phone, p.locale,
			p.country, p.timezone, p.attributes
		from person_device d join person p on p.environment_id = d.environment_id and p.id = d.person_id
		where d.environment_id = $1 and d.app_user_id = any ($2)`, environment, ids)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Person])
	people := make(map[string]Person, len(list))
	for _, p := range list {
		people[p.AppUserID] = p
	}
	return people, err
}

// writes are the rows that a batch of moves makes.
type writes struct {
	now       time.Time
	moves     []movedRow
	steps     []stepRow
	messages  []messageRow
	emails    []messageRow // without a body
	bytes     int          // of messages
	endpoints map[uuid.UUID]bool
}

type movedRow struct {
	EnvironmentID int64      `json:"environment_id"`
	ID            int64      `json:"id"`
	State         string     `json:"state"`
	Node          string     `json:"node"`
	Waiting       bool       `json:"waiting"`
	DueAt         *time.Time `json:"due_at"`
	EndedAt       *time.Time `json:"ended_at"`
	Reason        string     `json:"reason"`
}

type stepRow struct {
	EnvironmentID int64     `json:"environment_id"`
	EnrolmentID   int64     `json:"enrolment_id"`
	AutomationID  uuid.UUID `json:"automation_id"`
	Node          string    `json:"node"`
	Result        string    `json:"result"`
	Reason        string    `json:"reason"`
	At            time.Time `json:"at"`
}

type messageRow struct {
	EnvironmentID int64     `json:"environment_id"`
	ID            uuid.UUID `json:"id"`
	EndpointID    uuid.UUID `json:"endpoint_id"`
	AutomationID  uuid.UUID `json:"automation_id"`
	EnrolmentID   int64     `json:"enrolment_id"`
	Node          string    `json:"node"`
	AppUserID     string    `json:"app_user_id"`
	Body          string    `json:"body"`
}

func (w *writes) add(environment int64, e *enrolment, m move) {
	row := movedRow{
		EnvironmentID: environment, ID: e.ID, State: m.State, Node: m.Node, Waiting: m.Waiting, Reason: m.Reason,
	}
	if m.State == running {
		row.DueAt = &m.Due
	} else {
		row.EndedAt = &w.now
	}
	w.moves = append(w.moves, row)
	for _, s := range m.Steps {
		w.steps = append(w.steps, stepRow{environment, e.ID, e.AutomationID, s.Node, s.Result, s.Reason, w.now})
	}
	for _, message := range m.Messages {
		if message.Email != nil {
			w.emails = append(w.emails, messageRow{
				EnvironmentID: environment, ID: uuid.Must(uuid.NewV7()), AutomationID: e.AutomationID, EnrolmentID: e.ID,
				Node: message.Node, AppUserID: e.AppUserID,
			})
			continue
		}
		if w.endpoints == nil {
			w.endpoints = map[uuid.UUID]bool{}
		}
		w.endpoints[message.EndpointID] = true
		w.bytes += len(message.Body)
		w.messages = append(w.messages, messageRow{
			environment, uuid.Must(uuid.NewV7()), message.EndpointID, e.AutomationID, e.ID, message.Node, e.AppUserID,
			string(message.Body),
		})
	}
}

// write writes what was added.
func (w *writes) write(ctx context.Context, tx pgx.Tx) error {
	for _, statement := range []struct {
		rows any
		n    int
		sql  string
	}{
		{w.moves, len(w.moves), `
			update automation_enrolment e set state = m.state, node = m.node, waiting = m.waiting, event_came = false,
				due_at = m.due_at, ended_at = m.ended_at, reason = m.reason
			from jsonb_to_recordset($1::jsonb) as m (environment_id bigint, id bigint, state text, node text,
				waiting boolean, due_at timestamptz, ended_at timestamptz, reason text)
			where e.environment_id = m.environment_id and e.id = m.id`},
		{w.steps, len(w.steps), `
			insert into automation_step (environment_id, enrolment_id, automation_id, node, result, reason, at)
			select environment_id, enrolment_id, automation_id, node, result, reason, at
			from jsonb_to_recordset($1::jsonb) as s (environment_id bigint, enrolment_id bigint, automation_id uuid,
				node text, result text, reason text, at timestamptz)`},
		{w.messages, len(w.messages), `
			insert into webhook_delivery (environment_id, id, endpoint_id, automation_id, enrolment_id, node, app_user_id,
				body, next_attempt_at)
			select environment_id, id, endpoint_id, automation_id, enrolment_id, node, app_user_id, body, now()
			from jsonb_to_recordset($1::jsonb) as m (environment_id bigint, id uuid, endpoint_id uuid, automation_id uuid,
				enrolment_id bigint, node text, app_user_id text, body text)`},
		{w.emails, len(w.emails), `
			insert into automation_mail (environment_id, id, automation_id, enrolment_id, node, app_user_id)
			select environment_id, id, automation_id, enrolment_id, node, app_user_id
			from jsonb_to_recordset($1::jsonb) as m (environment_id bigint, id uuid, automation_id uuid,
				enrolment_id bigint, node text, app_user_id text)
			on conflict (environment_id, enrolment_id, node) do nothing`},
	} {
		if statement.n == 0 {
			continue
		}
		argument, err := json.Marshal(statement.rows)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, statement.sql, argument); err != nil {
			return err
		}
	}
	return nil
}
