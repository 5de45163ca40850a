package privacy

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// Record is a row that is stored of a person: the columns of the table by name, without what only the service's own
// workings need.
type Record struct {
	Table string
	Row   json.RawMessage
}

// Archive is a page of everything that is stored of a person.
type Archive struct {
	Devices int // app user ids of the person
	Records []Record
	After   string // what the next page is asked with; empty at the end
}

// ArchiveRecords is how many records a page of an archive has at most.
const ArchiveRecords = 1000

// archiveBytes ends a page before its last record would make it much larger.
const archiveBytes = 1 << 20

// section is a table of the archive. The environment is $1, the devices are $2, the custom user id is $3, and $4 bounds
// the rows.
type section struct {
	table string
	// rows selects a key, which orders the rows and names each once, and the row as JSON. Empty for events.
	rows string
}

// sections are all places where something is stored of a person, the small ones first. A place that is erased is one
// that is given out; a test holds the two to each other.
var sections = []section{
	{"person", `select id::text, to_jsonb(t) from person t where environment_id = $1 and id in (
		select person_id from person_device where environment_id = $1 and app_user_id = any ($2))`},
	{"person_consent", `select to_char(id, 'FM0000000000000000000'), to_jsonb(t) from person_consent t
		where environment_id = $1 and person_id in (
			select person_id from person_device where environment_id = $1 and app_user_id = any ($2))`},
	{"person_device", byDevice("person_device", `app_user_id`)},
	{"product_analytics_first_touch", byDevice("product_analytics_first_touch", `app_user_id`)},
	{"billing_identity", byDevice("billing_identity", `concat_ws(' ', provider, app_user_id, external_id)`)},
	{"checkout_attempt", byDevice("checkout_attempt", `id::text`)},
	{"revenue_ledger", byDevice("revenue_ledger", `to_char(id, 'FM0000000000000000000')`)},
	{"subscription_period", byDevice("subscription_period", `concat_ws(' ', provider, transaction_key)`)},
	{"revenue_mapping", byDevice("revenue_mapping", `concat_ws(' ', provider, subject)`)},
	{"provider_event", `select concat_ws(' ', e.provider, e.event_id), jsonb_build_object('provider', e.provider,
			'event_id', e.event_id, 'type', e.type, 'occurred_at', e.occurred_at, 'received_at', e.received_at,
			'body', convert_from(e.body, 'UTF8'))
		from provider_event e where environment_id = $1 and exists (select from revenue_ledger l
			where l.environment_id = $1 and l.provider = e.provider and l.provider_event_id = e.event_id
				and l.source = 'webhook' and l.app_user_id = any ($2))`},
	{"experiment_served", `select concat_ws(' ', experiment_id, arm, person), to_jsonb(t) from (
		select experiment_id, arm, person, min(day) as day from experiment_served_packed join ` + inPeople + `
		where environment_id = $1 group by 1, 2, 3) t`},
	{"live_user", `select concat_ws(' ', month, person), to_jsonb(t) from (
		select distinct month, person from live_user_packed join ` + inPeople + ` where environment_id = $1) t`},
	{"automation_entry", byDevice("automation_entry", `concat_ws(' ', automation_id, app_user_id, entry_key)`)},
	{"automation_segment_member", byDevice("automation_segment_member", `concat_ws(' ', segment_id, app_user_id)`)},
	{"automation_enrolment", byDevice("automation_enrolment", `to_char(id, 'FM0000000000000000000')`)},
	{"automation_step", `select to_char(t.id, 'FM0000000000000000000'), to_jsonb(t) from automation_step t
		join automation_enrolment e on e.environment_id = t.environment_id and e.id = t.enrolment_id
		where e.environment_id = $1 and e.app_user_id = any ($2)`},
	{"webhook_delivery", byDevice("webhook_delivery", `id::text`)},
	{"webhook_attempt", `select concat_ws(' ', delivery_id, to_char(number, 'FM0000000000')), to_jsonb(t)
		from webhook_attempt t where environment_id = $1 and delivery_id in (
			select id from webhook_delivery where environment_id = $1 and app_user_id = any ($2))`},
	{"segment_members", `select concat_ws(' ', segment_id, m.kind, value),
			to_jsonb(m) || jsonb_build_object('segment', s.name)
		from segment_members m join segments s on s.id = segment_id
		where s.app_id = (select app_id from environments where id = $1)
			and (m.kind = 'app_user' and value = any ($2) or m.kind = 'custom_user' and value = $3 and $3 <> '')`},
	{"product_session", byDevice("product_session", `concat_ws(' ', to_char(started_at, 'YYYYMMDDHH24MISSUS'),
		app_user_id, session_id)`)},
	{"flow_run", byDevice("flow_run", `concat_ws(' ', to_char(first_at, 'YYYYMMDDHH24MISSUS'), flow_id, run_key,
		app_user_id)`)},
	{table: "product_event"}, {table: "flow_event"}, {table: "track_event"},
}

// hashed are the devices as tables have them that need not know who somebody is; see [Person].
const hashed = `(select encode(substr(sha256(convert_to(device, 'UTF8')), 1, 16), 'hex')::uuid
	from unnest($2::text[]) as device)`

// inPeople joins the devices whose hashes are in a packed column. To look for bytes is a hundred times as fast as to
// unpack them, and finds a hash that is no person's about never.
const inPeople = hashed + ` as hashed (person) on position(uuid_send(hashed.person) in people) > 0`

// byDevice selects the rows of a table that names devices.
func byDevice(table, key string) string {
	return fmt.Sprintf(`select %s, to_jsonb(t) from %s t where environment_id = $1 and app_user_id = any ($2)`, key, table)
}

// internals are columns that say nothing of a person: the tenant, transactions, and hits, which events say in words.
const internals = `'{environment_id,changed_xid,hits,contexts,name_id,event_key,custom_user_key,attribution_key,` +
	`place_key,device_key}'`

// place is where in the archive a page ends.
type place struct {
	Section int       `json:"s"`
	Key     string    `json:"k,omitempty"` // of a row
	At      time.Time `json:"t,omitzero"`  // of an event
	Event   uuid.UUID `json:"e,omitzero"`
}

// Archive returns a page of everything that is stored of a person, after that which ended with after. Events that
// arrive while somebody goes from page to page are on the last pages or missing. The error is a fault that names the
// field, or the database's.
func (p *Privacy) Archive(ctx context.Context, r Request, after string) (Archive, error) {
	if err := r.check(); err != nil {
		return Archive{}, err
	}
	from, err := parsePlace(after)
	if err != nil {
		return Archive{}, err
	}
	var page Archive
	err = pgx.BeginTxFunc(ctx, p.db.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		devices, custom, err := devicesOf(ctx, tx, r)
		if err != nil {
			return err
		}
		if len(devices) == 0 {
			return fault.New(fault.NotFound, "nobody has the custom user id")
		}
		page.Devices = len(devices)
		who := subject{r.EnvironmentID, devices, custom}
		for bytes := 0; from.Section < len(sections); from = (place{Section: from.Section + 1}) {
			var full bool
			if bytes, full, err = page.read(ctx, tx, who, &from, bytes); err != nil {
				return fmt.Errorf("read %s: %w", sections[from.Section].table, err)
			}
			if full {
				page.After = from.text()
				return nil
			}
		}
		return nil
	})
	return page, wrap("give out a person's data", err)
}

// subject is whom an archive is about.
type subject struct {
	environment int64
	devices     []string
	custom      string
}

// read adds the rows of a section after from, which it moves on, and says whether the page is full.
func (a *Archive) read(
	ctx context.Context, tx pgx.Tx, who subject, from *place, bytes int,
) (total int, full bool, err error) {
	of, room := sections[from.Section], ArchiveRecords-len(a.Records)
	var rows pgx.Rows
	var row []byte
	var next []any
	if of.rows == "" {
		// The plain bound on the time lets the database leave whole partitions out.
		rows, err = tx.Query(ctx, fmt.Sprintf(`
			select occurred_at, event_key, (to_jsonb(t) - %s::text[])::text from %ss t
			where environment_id = $1 and app_user_id = any ($2)
				and occurred_at >= $3 and (occurred_at, event_key) > ($3, $4)
			order by occurred_at, event_key limit $5`, internals, of.table),
			who.environment, who.devices, from.At, from.Event, room)
		next = []any{&from.At, &from.Event, &row}
	} else {
		rows, err = tx.Query(ctx, fmt.Sprintf(`
			select key collate "C", (data - %s::text[])::text from (%s) as found (key, data)
			where $3::text is not null and key collate "C" > $4 order by 1 limit $5`, internals, of.rows),
			who.environment, who.devices, who.custom, from.Key, room)
		next = []any{&from.Key, &row}
	}
	if err != nil {
		return bytes, false, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(next...); err != nil {
			return bytes, false, err
		}
		a.Records = append(a.Records, Record{of.table, json.RawMessage(string(row))})
		if bytes += len(row); bytes >= archiveBytes || len(a.Records) == ArchiveRecords {
			return bytes, true, nil
		}
	}
	return bytes, false, rows.Err()
}

func (p place) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // texts and times
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func parsePlace(after string) (p place, err error) {
	if after == "" {
		return place{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(after)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.Section < 0 {
		return place{}, fault.Invalid("after", "is not the end of a page")
	}
	return p, nil
}
