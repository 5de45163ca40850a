package privacy

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/postgres"
)

// Privacy works on a migrated database. Several servers may work on one.
type Privacy struct {
	db *postgres.DB
	// turns are of those who carry a request out: each holds a connection and takes another now and then, so that all of
	// a pool's could wait for each other. One of a workspace works at a time.
	turns *turns.Turns[uuid.UUID]
	// secret signs the places of archives once it was read.
	secret atomic.Pointer[[]byte]
	// pageTime ends a page of an archive that is not full.
	pageTime time.Duration
}

// New makes Privacy.
func New(db *postgres.DB) *Privacy {
	return &Privacy{db: db, turns: turns.New[uuid.UUID](2, 1), pageTime: pageTime}
}

// Request names a person of an environment: by a device, with which all devices of its person go, or by the custom user
// id that the app gave. Exactly one is set.
type Request struct {
	EnvironmentID           int64
	AppUserID, CustomUserID string
}

// Erasure is what became of a request.
type Erasure struct {
	ID            uuid.UUID
	EnvironmentID int64
	RequestedAt   time.Time
	FinishedAt    *time.Time       // nil while it is carried out
	Devices       int              // app user ids of the person
	Removed       map[string]int64 // rows by table, of what is done so far
}

// maxDevices is how many devices of one person are erased with one request.
const maxDevices = 10_000

// Begin writes a request down and keeps out what the person's devices send from now on. [Privacy.Carry] does the rest.
// Somebody of whom nothing is known is erased as well: their events may be on their way. The error is a fault that
// names the field, or the database's.
func (p *Privacy) Begin(ctx context.Context, r Request) (Erasure, error) {
	return p.BeginRecorded(ctx, r, func(context.Context, pgx.Tx, Erasure) error { return nil })
}

// BeginRecorded is [Privacy.Begin] with something that says in the same transaction who asked: what it fails to write
// down does not begin.
func (p *Privacy) BeginRecorded(
	ctx context.Context, r Request, record func(ctx context.Context, tx pgx.Tx, begun Erasure) error,
) (Erasure, error) {
	if err := r.check(); err != nil {
		return Erasure{}, err
	}
	e := Erasure{ID: uuid.Must(uuid.NewV7()), EnvironmentID: r.EnvironmentID, Removed: map[string]int64{}}
	err := pgx.BeginFunc(ctx, p.db.Pool, func(tx pgx.Tx) error {
		devices, custom, err := devicesOf(ctx, tx, r)
		if err != nil {
			return err
		}
		if len(devices) == 0 {
			return fault.New(fault.NotFound, "no person has the custom user id")
		}
		if len(devices) > maxDevices {
			return fault.Invalid("customUserId", "more than %d devices have it", maxDevices)
		}
		e.Devices = len(devices)
		people := make([]uuid.UUID, len(devices))
		for i, device := range devices {
			people[i] = Person(device)
		}
		if _, err := tx.Exec(ctx, `
			insert into erased_person (environment_id, person, erased_at) select $1, unnest($2::uuid[]), now()
			on conflict (environment_id, person) do update set erased_at = excluded.erased_at`,
			r.EnvironmentID, people); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `
			insert into person_erasure (environment_id, id, requested_at, app_user_ids, custom_user_id)
			values ($1, $2, now(), $3, $4) returning requested_at`,
			r.EnvironmentID, e.ID, devices, custom).Scan(&e.RequestedAt); err != nil {
			return err
		}
		return record(ctx, tx, e)
	})
	return e, wrap("begin the erasure", err)
}

func (r Request) check() error {
	switch {
	case (r.AppUserID == "") == (r.CustomUserID == ""):
		return fault.Invalid("appUserId", "name the person by appUserId or by customUserId")
	case len(r.AppUserID) > maxIDBytes:
		return fault.Invalid("appUserId", "longer than any id")
	case len(r.CustomUserID) > maxIDBytes:
		return fault.Invalid("customUserId", "longer than any id")
	}
	return nil
}

// maxIDBytes is more than the longest id of the wire takes.
const maxIDBytes = 1024

// devicesOf returns the app user ids of a person, and the custom user id when they have one.
func devicesOf(ctx context.Context, tx pgx.Tx, r Request) (devices []string, custom string, err error) {
	custom = r.CustomUserID
	if r.AppUserID != "" {
		// The person that apps identified, else the custom id that came with events.
		if err := tx.QueryRow(ctx, `
			select coalesce(
				(select nullif(p.custom_user_id, '') from person_device d
					join person p on p.environment_id = d.environment_id and p.id = d.person_id
					where d.environment_id = $1 and d.app_user_id = $2),
				(select nullif(custom_user_id, '') from product_analytics_first_touch
					where environment_id = $1 and app_user_id = $2), '')`,
			r.EnvironmentID, r.AppUserID).Scan(&custom); err != nil {
			return nil, "", err
		}
		devices = []string{r.AppUserID}
	}
	if custom == "" {
		return devices, "", nil
	}
	rows, err := tx.Query(ctx, `
		select d.app_user_id from person_device d
		join person p on p.environment_id = d.environment_id and p.id = d.person_id
		where d.environment_id = $1 and p.custom_user_id = $2
		union select app_user_id from product_analytics_first_touch where environment_id = $1 and custom_user_id = $2
		union select app_user_id from product_session where environment_id = $1 and custom_user_id = $2`,
		r.EnvironmentID, custom)
	if err != nil {
		return nil, "", err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, "", err
	}
	devices = append(devices, found...)
	slices.Sort(devices)
	return slices.Compact(devices), custom, nil
}

// Get reads a request; a fault when there is none.
func (p *Privacy) Get(ctx context.Context, environmentID int64, id uuid.UUID) (Erasure, error) {
	e, _, err := read(ctx, p.db.Pool, environmentID, id)
	return e, err
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// named is what a request says of the person while it is carried out.
type named struct {
	devices []string
	custom  string
}

func read(ctx context.Context, q querier, environmentID int64, id uuid.UUID) (e Erasure, who named, err error) {
	e.ID, e.EnvironmentID = id, environmentID
	err = q.QueryRow(ctx, `
		select requested_at, finished_at, app_user_ids, custom_user_id, removed from person_erasure
		where environment_id = $1 and id = $2`, environmentID, id,
	).Scan(&e.RequestedAt, &e.FinishedAt, &who.devices, &who.custom, &e.Removed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return e, who, fault.New(fault.NotFound, "no such erasure")
	case err != nil:
		return e, who, wrap("read the erasure", err)
	}
	e.Devices = len(who.devices)
	return e, who, nil
}

// patience is how long a request may be under way before maintenance goes on with it: until then whoever began it does.
const patience = time.Minute

// CarryOldest carries out the oldest request that nobody seems to carry out, and says whether there was one. One of
// later than now was made by a clock that was ahead: waiting for its time would leave the person stored for as long.
func (p *Privacy) CarryOldest(ctx context.Context) (bool, error) {
	var environmentID int64
	var id uuid.UUID
	err := p.db.Pool.QueryRow(ctx, `
		select environment_id, id from person_erasure
		where finished_at is null and requested_at not between now() - make_interval(secs => $1) and now()
		order by requested_at limit 1`, patience.Seconds()).Scan(&environmentID, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, wrap("look for erasures", err)
	}
	e, err := p.Carry(ctx, environmentID, id)
	return err == nil && e.FinishedAt != nil, err
}

// Carry carries a request out, or what is left of it, and returns when nothing of the person is stored, readers of
// reports have been told and no server has the person in a file. It returns at once, with an erasure that is not
// finished, when somebody else is carrying the same request out.
func (p *Privacy) Carry(ctx context.Context, environmentID int64, id uuid.UUID) (Erasure, error) {
	workspace, err := postgres.WorkspaceOf(ctx, p.db.Pool, environmentID)
	if err != nil {
		return Erasure{}, wrap("carry out the erasure", err)
	}
	leave, err := p.turns.Take(ctx, workspace)
	if err != nil {
		return Erasure{}, wrap("carry out the erasure", err)
	}
	defer leave()
	ctx = postgres.ForAll(ctx)
	conn, err := p.db.Pool.Acquire(ctx)
	if err != nil {
		return Erasure{}, wrap("carry out the erasure", err)
	}
	defer conn.Release()
	var free bool
	key := int64(binary.BigEndian.Uint64(id[8:]))
	if err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1)`, key).Scan(&free); err != nil {
		return Erasure{}, wrap("carry out the erasure", err)
	}
	if !free {
		return p.Get(ctx, environmentID, id)
	}
	defer func() {
		// Also when the caller has gone; a connection that cannot say so is closed, which frees the lock.
		if _, err := conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, key); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx))
		}
	}()
	return p.carry(ctx, environmentID, id)
}

func (p *Privacy) carry(ctx context.Context, environmentID int64, id uuid.UUID) (Erasure, error) {
	e, who, err := read(ctx, p.db.Pool, environmentID, id)
	if err != nil || e.FinishedAt != nil {
		return e, err
	}
	if err := p.waitForWriters(ctx, e.EnvironmentID); err != nil {
		return e, err
	}
	for _, table := range eventTables {
		if err := p.removeEvents(ctx, &e, table, who.devices); err != nil {
			return e, err
		}
	}
	if err := p.removeRest(ctx, &e, who); err != nil {
		return e, wrap("erase", err)
	}
	if err := p.waitForFiles(ctx); err != nil {
		return e, err
	}
	return e, wrap("finish the erasure", p.db.Pool.QueryRow(ctx, `
		update person_erasure set finished_at = now(), app_user_ids = '{}', custom_user_id = ''
		where environment_id = $1 and id = $2 returning finished_at`, e.EnvironmentID, e.ID).Scan(&e.FinishedAt))
}

const (
	// silentFor is how long a server counts that is not heard of any more. One that begins again looks for who was erased
	// meanwhile before it uses its files.
	silentFor = 10 * time.Second
	// filesPatience is how long the files of servers are waited for: polls come every five seconds.
	filesPatience = 30 * time.Second
	filesLook     = 100 * time.Millisecond
)

// waitForFiles returns when every server has looked for who was erased until now, and has nobody of them in its files.
func (p *Privacy) waitForFiles(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, filesPatience)
	defer cancel()
	var since time.Time
	if err := p.db.Pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&since); err != nil {
		return wrap("wait for the files of reports", err)
	}
	for {
		var waiting bool
		if err := p.db.Pool.QueryRow(ctx, `
			select exists (select from servers where frames_checked_at < $1 and seen_at > clock_timestamp() - $2::interval)`,
			since, silentFor).Scan(&waiting); err != nil {
			return wrap("wait for the files of reports", err)
		}
		if !waiting {
			return nil
		}
		select {
		case <-ctx.Done():
			return wrap("wait for the files of reports", ctx.Err())
		case <-time.After(filesLook):
		}
	}
}

// waitForWriters returns when every transaction has ended that may not have seen the tombstones.
// In a distributed database the rows of one may be readable only later, when a node has been recovered.
func (p *Privacy) waitForWriters(ctx context.Context, environment int64) error {
	err := pgx.BeginFunc(ctx, p.db.Pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(writersLock))
		return err
	})
	for half := true; half && err == nil; {
		if err = p.db.Pool.QueryRow(
			ctx, `select cardinality(half_committed($1)) > 0`, environment,
		).Scan(&half); half && err == nil {
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-time.After(filesLook):
			}
		}
	}
	return wrap("wait for events on their way", err)
}

var eventTables = []string{"product_event", "flow_event", "track_event"}

// span is a time with events of a person.
type span struct{ First, Last time.Time }

const (
	spanGap    = 2 * time.Minute // between events that are removed with one statement
	spanLength = time.Hour
)

// merged joins spans that follow each other closely: their compressed rows are the same, and a statement for each
// minute of somebody who is busy all day would take longer than a person waits.
func merged(spans []span) (joined []span) {
	for _, next := range spans {
		if n := len(joined) - 1; n >= 0 && next.First.Sub(joined[n].Last) <= spanGap &&
			next.Last.Sub(joined[n].First) <= spanLength {
			joined[n].Last = next.Last
		} else {
			joined = append(joined, next)
		}
	}
	return joined
}

// removeEvents removes the events of devices from a table, those of a span with one statement. Compressed rows are
// found by their filters and taken apart by the thousand, in the order of time: asked for without a time, a person's
// rows would take apart all of their environment's.
func (p *Privacy) removeEvents(ctx context.Context, e *Erasure, table string, devices []string) error {
	rows, err := p.db.Pool.Query(ctx, fmt.Sprintf(`
		select min(occurred_at), max(occurred_at) from %s where environment_id = $1 and app_user_id = any ($2)
		group by date_trunc('minute', occurred_at) order by 1`, table), e.EnvironmentID, devices)
	if err != nil {
		return wrap("look for the events of "+table, err)
	}
	minutes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[span])
	if err != nil {
		return wrap("look for the events of "+table, err)
	}
	for _, within := range merged(minutes) {
		err := p.removeSpan(ctx, e, table, devices, within)
		// The database's maintenance may have a chunk for longer than a statement waits for a lock.
		for pgerr.State(err) == lockNotAvailable && ctx.Err() == nil {
			err = p.removeSpan(ctx, e, table, devices, within)
		}
		if err != nil {
			return wrap("remove events of "+table, err)
		}
	}
	return nil
}

// lockNotAvailable is the SQLSTATE of a statement that waited for a lock for longer than lock_timeout.
const lockNotAvailable = "55P03"

// removeSpan removes the events of a span.
func (p *Privacy) removeSpan(ctx context.Context, e *Erasure, table string, devices []string, within span) error {
	before := e.Removed[table]
	return pgx.BeginFunc(ctx, p.db.Pool, func(tx pgx.Tx) error {
		// TimescaleDB has a limit to the rows that a statement takes apart.
		if _, err := tx.Exec(
			ctx, `select set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)`,
		); err != nil {
			return err
		}
		// Planned with the values: a plan for any values takes all rows of the environment apart.
		tag, err := tx.Exec(
			ctx, fmt.Sprintf(`delete from %s where environment_id = $1 and app_user_id = any ($2)
				and occurred_at between $3 and $4 and %s`, table, postgres.WithinTime(`$3`, `$4`)),
			pgx.QueryExecModeDescribeExec, e.EnvironmentID, devices, within.First, within.Last,
		)
		if err != nil {
			return err
		}
		e.Removed[table] = before + tag.RowsAffected()
		return p.note(ctx, tx, e)
	})
}

// note writes down how much has been removed, in case somebody else has to go on.
func (p *Privacy) note(ctx context.Context, tx pgx.Tx, e *Erasure) error {
	_, err := tx.Exec(ctx, `update person_erasure set removed = $3 where environment_id = $1 and id = $2`,
		e.EnvironmentID, e.ID, e.Removed)
	return err
}

// rest is what is removed of an environment ($1), devices ($2) and a custom user id ($3) besides events, in the order
// in which ingest locks the same tables. Purchases stay in the books without a person.
var rest = []struct{ table, sql string }{
	{"product_session", `delete from product_session where environment_id = $1 and app_user_id = any ($2)`},
	{"product_analytics_first_touch",
		`delete from product_analytics_first_touch where environment_id = $1 and app_user_id = any ($2)`},
	{"flow_run", `delete from flow_run where environment_id = $1 and app_user_id = any ($2)`},
	{"experiment_served", removePacked("experiment_served_packed")},
	{"experiment_unit", `delete from experiment_unit where environment_id = $1 and ` + unitsOfPerson},
	{"live_user", removePacked("live_user_packed")},
	{"billing_identity", `delete from billing_identity where environment_id = $1 and app_user_id = any ($2)`},
	{"checkout_attempt", `delete from checkout_attempt where environment_id = $1 and app_user_id = any ($2)`},
	{"revenue_ledger", `update revenue_ledger set app_user_id = '', person_ids = '{}', changed_xid = pg_current_xact_id()
		where environment_id = $1 and app_user_id = any ($2)`},
	{"webhook_delivery", `delete from webhook_delivery where environment_id = $1 and app_user_id = any ($2)`},
	{"automation_mail", `delete from automation_mail where environment_id = $1 and app_user_id = any ($2)`},
	{"mail_suppression",
		`update mail_suppression set app_user_id = null where environment_id = $1 and app_user_id = any ($2)`},
	{"automation_enrolment", `delete from automation_enrolment where environment_id = $1 and app_user_id = any ($2)`},
	{"automation_segment_member",
		`delete from automation_segment_member where environment_id = $1 and app_user_id = any ($2)`},
	{"automation_entry", `delete from automation_entry where environment_id = $1 and app_user_id = any ($2)`},
	{"subscription_period", `update subscription_period
		set app_user_id = '', person_ids = '{}', changed_xid = pg_current_xact_id()
		where environment_id = $1 and app_user_id = any ($2)`},
	{"revenue_mapping", `delete from revenue_mapping where environment_id = $1 and app_user_id = any ($2)`},
	{"person", `delete from person where environment_id = $1 and id in (
		select person_id from person_device where environment_id = $1 and app_user_id = any ($2))`},
}

// removePacked takes people out of the packed rows of a table.
func removePacked(table string) string {
	return fmt.Sprintf(`update %s set people = remove_people(people, array(select * from %s as all_hashed))
		where environment_id = $1 and exists (select from (select) as one join %s)`, table, hashed, inPeople)
}

// removeRest removes everything but events in one transaction, and tells readers of reports.
func (p *Privacy) removeRest(ctx context.Context, e *Erasure, who named) error {
	return pgx.BeginFunc(ctx, p.db.Pool, func(tx pgx.Tx) error {
		if err := LockMoney(ctx, tx, e.EnvironmentID); err != nil {
			return err
		}
		xid, err := postgres.TransactionID(ctx, tx)
		if err != nil {
			return err
		}
		if err := redactDeliveries(ctx, tx, e, who); err != nil {
			return fmt.Errorf("take the person out of deliveries: %w", err)
		}
		for _, r := range rest {
			args := []any{e.EnvironmentID, who.devices}
			if strings.Contains(r.sql, "$3") {
				args = append(args, who.custom)
			}
			tag, err := tx.Exec(ctx, r.sql, args...)
			if err != nil {
				return fmt.Errorf("remove rows of %s: %w", r.table, err)
			}
			e.Removed[r.table] += tag.RowsAffected()
		}
		if err := removeFromAudiences(ctx, tx, e, who); err != nil {
			return fmt.Errorf("remove from audiences: %w", err)
		}
		if _, err := tx.Exec(ctx, `
			insert into frame_invalidated (environment_id, people, xid)
			select $1, array(select * from `+hashed+` as all_hashed), $3::text::xid8`,
			e.EnvironmentID, who.devices, xid); err != nil {
			return fmt.Errorf("tell readers of reports: %w", err)
		}
		_, err = tx.Exec(
			ctx, `update person_erasure set removed = $3 where environment_id = $1 and id = $2`,
			e.EnvironmentID, e.ID, e.Removed,
		)
		return err
	})
}

// removeFromAudiences takes the person's ids out of the lists that were imported into audiences of the app. An audience
// is touched before its list, as whoever imports does.
func removeFromAudiences(ctx context.Context, tx pgx.Tx, e *Erasure, who named) error {
	const mine = `(m.kind = 'app_user' and m.value = any ($2) or m.kind = 'custom_user' and m.value = $3 and $3 <> '')`
	rows, err := tx.Query(ctx, `
		update segments s set updated_at = now()
		where s.app_id = (select app_id from environments where id = $1)
			and exists (select from segment_members m where m.segment_id = s.id and `+mine+`)
		returning s.id`, e.EnvironmentID, who.devices, who.custom)
	if err != nil {
		return err
	}
	audiences, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	tag, err := tx.Exec(
		ctx, `delete from segment_members m where m.segment_id = any ($1) and `+mine, audiences, who.devices, who.custom,
	)
	e.Removed["segment_members"] += tag.RowsAffected()
	return err
}
