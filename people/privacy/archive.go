package privacy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
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

// pageTime ends a page of which events are looked for among many of other people. What was begun is finished, and takes
// about as long again at most.
const pageTime = 200 * time.Millisecond

// archiveBytes ends a page before its last record would make it much larger.
const archiveBytes = 1 << 20

// section is a table of the archive, read in one of three ways.
type section struct {
	table string
	// rows selects a key, which orders the rows and names each once, and the row. The environment is $1, the devices are
	// $2 and the custom user id is $3. All keys of the person are sorted for each page.
	rows string
	// json is what is given out of the row t; empty is all of it.
	json string
	// order are columns of type orderType that an index has after the environment and the device: what is read by these
	// is read a device after the other, and costs a page no more than the page has. Empty for events, without rows.
	order     []string
	orderType string
}

// sections are all places where something is stored of a person, the small ones first. A place that is erased is one
// that is given out; a test holds the two to each other.
var sections = []section{
	{table: "person", rows: `select id::text, t from person t where environment_id = $1 and id in (
		select person_id from person_device where environment_id = $1 and app_user_id = any ($2))`},
	{table: "person_consent", rows: `select to_char(id, 'FM0000000000000000000'), t from person_consent t
		where environment_id = $1 and person_id in (
			select person_id from person_device where environment_id = $1 and app_user_id = any ($2))`},
	{table: "person_device", rows: byDevice("person_device", `app_user_id`)},
	{table: "product_analytics_first_touch", rows: byDevice("product_analytics_first_touch", `app_user_id`)},
	{table: "billing_identity", rows: byDevice("billing_identity",
		`concat_ws(' ', provider, app_user_id, external_id)`)},
	{table: "checkout_attempt", rows: byDevice("checkout_attempt", `id::text`)},
	{table: "revenue_ledger", rows: byDevice("revenue_ledger", `to_char(id, 'FM0000000000000000000')`)},
	{table: "subscription_period", rows: byDevice("subscription_period", `concat_ws(' ', provider, transaction_key)`)},
	{table: "revenue_mapping", rows: byDevice("revenue_mapping", `concat_ws(' ', provider, subject)`)},
	{table: "provider_event", rows: `
		select concat_ws(' ', provider, event_id), t from provider_event t
		where environment_id = $1 and exists (select from revenue_ledger l
			where l.environment_id = $1 and l.provider = t.provider and l.provider_event_id = t.event_id
				and l.source = 'webhook' and l.app_user_id = any ($2))`,
		json: `jsonb_build_object('provider', (t).provider, 'event_id', (t).event_id, 'type', (t).type,
			'occurred_at', (t).occurred_at, 'received_at', (t).received_at, 'body', convert_from((t).body, 'UTF8'))`},
	{table: "experiment_served", rows: `select concat_ws(' ', experiment_id, arm, person), t from (
		select experiment_id, arm, person, min(day) as day from experiment_served_packed join ` + inPeople + `
		where environment_id = $1 group by 1, 2, 3) t`},
	{table: "experiment_unit", rows: `select concat_ws(' ', experiment_id, is_custom, person), t from experiment_unit t
		where environment_id = $1 and ` + unitsOfPerson},
	{table: "live_user", rows: `select concat_ws(' ', month, person), t from (
		select distinct month, person from live_user_packed join ` + inPeople + ` where environment_id = $1) t`},
	{table: "automation_entry", rows: byDevice("automation_entry",
		`concat_ws(' ', automation_id, app_user_id, entry_key)`)},
	{table: "automation_segment_member", rows: byDevice("automation_segment_member",
		`concat_ws(' ', segment_id, app_user_id)`)},
	{table: "automation_enrolment", rows: byDevice("automation_enrolment", `to_char(id, 'FM0000000000000000000')`)},
	{table: "automation_step", rows: `select to_char(t.id, 'FM0000000000000000000'), t from automation_step t
		join automation_enrolment e on e.environment_id = t.environment_id and e.id = t.enrolment_id
		where e.environment_id = $1 and e.app_user_id = any ($2)`},
	{table: "webhook_delivery", rows: byDevice("webhook_delivery", `id::text`)},
	{table: "webhook_attempt", rows: `select concat_ws(' ', delivery_id, to_char(number, 'FM0000000000')), t
		from webhook_attempt t where environment_id = $1 and delivery_id in (
			select id from webhook_delivery where environment_id = $1 and app_user_id = any ($2))`},
	{table: "automation_mail", rows: byDevice("automation_mail", `id::text`)},
	{table: "mail_suppression", rows: byDevice("mail_suppression", `id::text`)},
	{table: "segment_members", rows: `select concat_ws(' ', segment_id, kind, value), t from (
		select m.*, s.name as segment from segment_members m join segments s on s.id = segment_id
		where s.app_id = (select app_id from environments where id = $1)
			and (m.kind = 'app_user' and value = any ($2) or m.kind = 'custom_user' and value = $3 and $3 <> '')) t`},
	{table: "product_session", order: []string{"session_id"}, orderType: "text"},
	{table: "flow_run", order: []string{"flow_id", "run_key"}, orderType: "uuid"},
	{table: "product_event"}, {table: "flow_event"}, {table: "track_event"},
}

// hashed are the devices as tables have them that need not know who somebody is; see [Person].
const hashed = `(select encode(substr(sha256(convert_to(device, 'UTF8')), 1, 16), 'hex')::uuid
	from unnest($2::text[]) as device)`

// inPeople joins the devices whose hashes are in a packed column. To look for bytes is a hundred times as fast as to
// unpack them, and finds a hash that is no person's about never.
const inPeople = hashed + ` as hashed (person) on position(uuid_send(hashed.person) in people) > 0`

// unitsOfPerson are the rows of a person among those of experiments that are split by custom user id: of their devices,
// also of some that nothing else knows, and of the id.
const unitsOfPerson = `(not is_custom and person in ` + hashed + ` or $3 <> ''
	and encode(substr(sha256(convert_to($3, 'UTF8')), 1, 16), 'hex')::uuid
		in (custom_user, case when is_custom then person end))`

// byDevice selects the rows of a table that names devices.
func byDevice(table, key string) string {
	return fmt.Sprintf(`select %s, t from %s t where environment_id = $1 and app_user_id = any ($2)`, key, table)
}

// internals are columns that say nothing of a person: the tenant, transactions, and hits, which events say in words.
const internals = `'{environment_id,changed_xid,hits,contexts,name_id,event_key,custom_user_key,attribution_key,` +
	`place_key,device_key,density}'`

// Archive returns a page of everything that is stored of a person, after that which ended with after, which goes on for
// the same caller only: a member, or an API key. What is stored while somebody goes from page to page may be missing
// where they have been; what was there before is given once. A page may have no records although more follow. The error
// is a fault that names the field, or the database's.
func (p *Privacy) Archive(ctx context.Context, caller uuid.UUID, r Request, after string) (Archive, error) {
	if err := r.check(); err != nil {
		return Archive{}, err
	}
	from, err := p.parsePlace(ctx, caller, r, after)
	if err != nil {
		return Archive{}, err
	}
	var page Archive
	err = pgx.BeginTxFunc(ctx, p.db.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if len(from.Devices) == 0 {
			if from.Devices, from.Custom, err = devicesOf(ctx, tx, r); err != nil {
				return err
			}
		}
		if len(from.Devices) == 0 {
			return fault.New(fault.NotFound, "no person has the custom user id")
		}
		page.Devices = len(from.Devices)
		pages := pageReader{tx: tx, environment: r.EnvironmentID, time: p.pageTime, page: &page}
		for ; from.Section < len(sections); from = from.nextSection() {
			if err := pages.read(ctx, sections[from.Section], &from); err != nil {
				return fmt.Errorf("read %s: %w", sections[from.Section].table, err)
			}
			if pages.full() {
				page.After, err = p.placeText(ctx, caller, r, from)
				return err
			}
		}
		return nil
	})
	return page, wrap("give out a person's data", err)
}

// pageReader fills a page.
type pageReader struct {
	tx          pgx.Tx
	environment int64
	time        time.Duration // after which a page ends that is not full
	until       time.Time     // when that is, once events are looked for
	page        *Archive
	bytes       int
	isLate      bool
	isLimited   bool // the time of statements
}

func (r *pageReader) full() bool {
	return r.isLate || r.bytes >= archiveBytes || len(r.page.Records) == ArchiveRecords
}

// read adds the rows of a section after from, which it moves on, until the page is full.
func (r *pageReader) read(ctx context.Context, of section, from *place) error {
	switch {
	case of.rows != "":
		// Rows are written as JSON once they are of the page: most are sorted for naught.
		_, err := r.take(ctx, of.table, fmt.Sprintf(`
			select key, (%s - %s::text[])::text from (
				select key collate "C" as key, t from (%s) as found (key, t)
				where $3::text is not null and key collate "C" > $4 order by 1 limit $5
			) as page order by 1`, cmp.Or(of.json, `to_jsonb(t)`), internals, of.rows),
			[]any{r.environment, from.Devices, from.Custom, from.Key, r.room()}, &from.Key)
		return err
	case of.order != nil:
		return r.readDevices(ctx, of, from)
	}
	return r.readEvents(ctx, of.table, from)
}

// isTimeUp tells whether the page has to end, and ends it then. Its place must have moved on, or its span be shorter.
func (r *pageReader) isTimeUp() bool {
	r.isLate = time.Now().After(r.until)
	return r.isLate
}

func (r *pageReader) room() int { return ArchiveRecords - len(r.page.Records) }

// take adds the rows that a query selects, a place and the row as JSON each, until the page is full. It returns how
// many it added; the place is that of the last.
func (r *pageReader) take(ctx context.Context, table, sql string, args []any, place ...any) (n int, err error) {
	// Planned with the values: a plan for any values reads all rows of a person to find those of a second.
	rows, err := r.tx.Query(ctx, sql, append([]any{pgx.QueryExecModeDescribeExec}, args...)...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var row []byte
	for !r.full() && rows.Next() {
		if err := rows.Scan(append(place, &row)...); err != nil {
			return n, err
		}
		r.add(table, row)
		n++
	}
	rows.Close()
	return n, rows.Err()
}

func (r *pageReader) add(table string, row []byte) {
	r.page.Records = append(r.page.Records, Record{table, json.RawMessage(row)})
	r.bytes += len(row)
}

// readDevices reads a table a device after the other, in the order of an index.
func (r *pageReader) readDevices(ctx context.Context, of section, from *place) error {
	columns := strings.Join(of.order, ", ")
	for ; from.Device < len(from.Devices); from.Device, from.Key = from.Device+1, "" {
		args := []any{r.environment, from.Devices[from.Device], r.room()}
		after := ""
		if from.Key != "" {
			// The key is an array as the database writes it.
			values := make([]string, len(of.order))
			for i := range values {
				values[i] = fmt.Sprintf(`($4::%s[])[%d]`, of.orderType, i+1)
			}
			after = fmt.Sprintf(`and (%s) > (%s)`, columns, strings.Join(values, ", "))
			args = append(args, from.Key)
		}
		if _, err := r.take(ctx, of.table, fmt.Sprintf(`
			select array[%s]::text, (to_jsonb(t) - %s::text[])::text from %s t
			where environment_id = $1 and app_user_id = $2 %s order by %[1]s limit $3`,
			columns, internals, of.table, after), args, &from.Key); err != nil || r.full() {
			return err
		}
	}
	return nil
}

const (
	// firstSpan is the time of which events are looked for first. It doubles while the page has room.
	firstSpan = time.Hour
	// spanEvents is how many events may be sorted for a page; a span that has more is cut into halves.
	spanEvents = 4 * ArchiveRecords
	// shortestSpan is the least by which times of events differ; see analytics.md §2.
	shortestSpan = time.Millisecond
	longestSpan  = 10 * 365 * 24 * time.Hour
	// longestSearch is for how long a span may be read that is followed by a longer one.
	longestSearch = pageTime / 4
	// searchTime is after how long a search is given up for one of half the span. The index that leads to a person's
	// events has the events of all in the order of time (product_event_bin_tenth; that of the person is read where
	// they have few), so that what others did in a dense moment is read, too: a million of one second takes 0.6 s.
	searchTime = 3 * pageTime / 4
	// indexSpan is what that index tells apart where it has five minutes as one: a search of less takes no less, so it is
	// not given up. It would be for each millisecond. What it looked at is not kept for the next page either, which is
	// another request, of another server at times.
	indexSpan = 5 * time.Minute
)

// never is later than any event.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// readEvents reads events by spans of time, which are as long as the person's events are rare: a page looks at what it
// has and little more, whether all were in a second or one was in each year.
func (r *pageReader) readEvents(ctx context.Context, table string, from *place) error {
	if r.until.IsZero() {
		r.until = time.Now().Add(r.time)
	}
	if from.At.IsZero() {
		if err := r.limitTime(ctx, false); err != nil {
			return err
		}
		var first time.Time
		err := r.tx.QueryRow(
			ctx, `select occurred_at from `+table+` where environment_id = $1 order by `+postgres.InTime+` limit 1`,
			r.environment,
		).Scan(&first)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		from.endBefore(first)
		from.Span = firstSpan
	}
	for {
		asked, began, end := time.Now(), from.At, from.At.Add(from.Span)
		if end.After(time.Now()) {
			end = never
		}
		n, done, err := r.search(ctx, table, from, end)
		if err != nil {
			return err
		}
		if !done {
			from.Span = max(min(from.Span, time.Since(began))/2, shortestSpan)
			if r.isTimeUp() || r.full() {
				return nil
			}
			continue
		}
		switch {
		case r.full(): // as many again are about in
			span := float64(from.At.Sub(began)) * float64(len(r.page.Records)) / float64(n)
			from.Span = time.Duration(min(max(span, float64(shortestSpan)), float64(longestSpan)))
			return nil
		case end.Equal(never):
			return nil
		}
		from.endBefore(end)
		switch took := time.Since(asked); {
		case took < longestSearch:
			from.Span *= 2
		case took > 2*longestSearch: // more events of others, or a disk that is busy
			from.Span = max(from.Span/2, min(from.Span, firstSpan))
		}
		if r.isTimeUp() {
			return nil
		}
	}
}

// search takes the events of the person in a span of time, and moves the place to the last that it took. It is not done
// with a span where there are too many, nor where it takes too long.
func (r *pageReader) search(
	ctx context.Context, table string, from *place, end time.Time,
) (n int, done bool, err error) {
	isLimited := from.Span > indexSpan
	if err := r.limitTime(ctx, isLimited); err != nil {
		return 0, false, err
	}
	limit := spanEvents + 1
	if from.Span <= shortestSpan { // it can't be cut
		limit = math.MaxInt32
	}
	// A statement that is canceled ends the transaction that it is in.
	err = pgx.BeginFunc(ctx, r.tx, func(pgx.Tx) (err error) {
		n, done, err = r.takeEvents(ctx, table, from, end, limit)
		return err
	})
	var canceled *pgconn.PgError
	if isLimited && ctx.Err() == nil && errors.As(err, &canceled) && canceled.Code == queryCanceled {
		return 0, false, nil
	}
	return n, done, err
}

// queryCanceled is the code of what statement_timeout ends.
const queryCanceled = "57014"

// limitTime has statements given up that take longer than searchTime, or no longer.
func (r *pageReader) limitTime(ctx context.Context, isLimited bool) error {
	if r.isLimited == isLimited {
		return nil
	}
	limit := "default"
	if isLimited {
		limit = strconv.FormatInt(searchTime.Milliseconds(), 10)
	}
	_, err := r.tx.Exec(ctx, `set local statement_timeout = `+limit)
	r.isLimited = isLimited
	return err
}

// takeEvents takes the events of the person from a place up to a time, and none where the limit of them is found: it is
// not done then. They are looked for once: who has few among the many that others did in the same minutes reads those
// of all of them.
func (r *pageReader) takeEvents(
	ctx context.Context, table string, from *place, end time.Time, limit int,
) (n int, done bool, err error) {
	// The plain bounds on the time lead the database to an index, and let it leave whole partitions out. Events are
	// written as JSON once they are of the page.
	rows, err := r.tx.Query(ctx, fmt.Sprintf(`
		select occurred_at, event_key, found, (to_jsonb(t) - %s::text[] - 'found'::text)::text from (
			select *, count(*) over () as found from (
				select * from %s
				where environment_id = $1 and app_user_id = any ($2)
					and occurred_at >= $3 and occurred_at < $4 and %s and (occurred_at, event_key) > ($3, $5)
				limit $6
			) as few order by occurred_at, event_key limit $7
		) as t order by occurred_at, event_key`, internals, table+"s", postgres.WithinTime(`$3`, `$4`)),
		pgx.QueryExecModeDescribeExec, r.environment, from.Devices, from.At, end, from.Event, limit, r.room())
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	done = true
	for done && !r.full() && rows.Next() {
		var found int
		var row []byte
		next := *from
		if err := rows.Scan(&next.At, &next.Event, &found, &row); err != nil {
			return n, false, err
		}
		if done = found < limit; done {
			*from = next
			r.add(table, row)
			n++
		}
	}
	rows.Close() // it may be given up while what is left of its rows comes in
	return n, done, rows.Err()
}
