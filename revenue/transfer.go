package revenue

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/people/privacy"
)

// carried is what the money of an environment is made of, in the order of a file. A line has one object under a name.
// The ledger and the periods are folded again from it. Secrets of connections are not among it.
//
// rows are those of the environment $1. store keeps the row r, of the given fields, in the environment $1 of the app $2
// unless it is there; erased has a row when r is of somebody who was erased.
var carried = []struct{ name, rows, fields, store string }{
	{
		"rate",
		`select currency, day, usd from currency_rate
		where currency in (select currency from revenue_ledger where environment_id = $1) order by currency, day`,
		`currency text, day date, usd numeric`,
		`insert into currency_rate (currency, day, usd) select currency, day, usd from r`,
	},
	{
		"connection", // without a secret it is of no use but to tell what deliveries are of: it is archived
		`select id, provider, name, stores, created_at as "createdAt", archived_at as "archivedAt" from revenue_connection
		where id in (select connection_id from provider_event where environment_id = $1) order by id`,
		`id uuid, provider text, name text, stores text[], "createdAt" timestamptz, "archivedAt" timestamptz`,
		`insert into revenue_connection (id, app_id, provider, name, stores, created_at, archived_at)
		select id, $2, provider, name, stores, "createdAt", coalesce("archivedAt", now()) from r`,
	},
	{
		"identity",
		`select provider, external_id as "externalId", app_user_id as "appUserId", linked_at as "linkedAt",
			first_linked_at as "firstLinkedAt"
		from billing_identity where environment_id = $1 order by provider, external_id, app_user_id`,
		`provider text, "externalId" text, "appUserId" text, "linkedAt" timestamptz, "firstLinkedAt" timestamptz`,
		`insert into billing_identity (environment_id, provider, external_id, app_user_id, linked_at, first_linked_at)
		select $1, provider, "externalId", "appUserId", "linkedAt", "firstLinkedAt" from r where not exists (table erased)`,
	},
	{
		"device", // of people with custom ids who have paid, or who are named with money
		`with money as (
			select app_user_id, person_ids from revenue_ledger where environment_id = $1
			union all
			select app_user_id, person_ids from subscription_period where environment_id = $1
		)
		select p.custom_user_id as "customUserId", d.app_user_id as "appUserId", d.linked_at as "linkedAt"
		from person p join person_device d on d.environment_id = p.environment_id and d.person_id = p.id
		where p.environment_id = $1 and p.custom_user_id <> '' and (
			'custom:' || p.custom_user_id in (select unnest(person_ids) from money)
			or p.id in (select person_id from person_device
				where environment_id = $1 and app_user_id in (select app_user_id from money)))
		order by p.custom_user_id, d.app_user_id`,
		`"customUserId" text, "appUserId" text, "linkedAt" timestamptz`,
		`, of as (
			insert into person (environment_id, id, custom_user_id, created_at, identified_at)
			select $1, gen_random_uuid(), "customUserId", "linkedAt", "linkedAt" from r where not exists (table erased)
			on conflict (environment_id, custom_user_id) where custom_user_id <> ''
			do update set custom_user_id = excluded.custom_user_id returning id
		)
		insert into person_device (environment_id, app_user_id, person_id, linked_at)
		select $1, "appUserId", of.id, "linkedAt" from r, of`,
	},
	{
		"attempt", // its channel is none of where it comes to
		`select id, app_user_id as "appUserId", flow_id as "flowId", version_id as "versionId",
			experiment_id as "experimentId", variant_id as "variantId", surface_id as "surfaceId",
			payment_link_url as "paymentLinkUrl", attribution, created_at as "createdAt", expires_at as "expiresAt",
			cancelled_at as "cancelledAt", confirmed_at as "confirmedAt"
		from checkout_attempt where environment_id = $1 order by created_at, id`,
		`id uuid, "appUserId" text, "flowId" uuid, "versionId" uuid, "experimentId" uuid, "variantId" text,
			"surfaceId" text, "paymentLinkUrl" text, attribution jsonb, "createdAt" timestamptz, "expiresAt" timestamptz,
			"cancelledAt" timestamptz, "confirmedAt" timestamptz`,
		`insert into checkout_attempt (environment_id, id, channel_id, app_user_id, flow_id, version_id, experiment_id,
			variant_id, surface_id, payment_link_url, attribution, created_at, expires_at, cancelled_at, confirmed_at)
		select $1, id, 0, "appUserId", "flowId", "versionId", "experimentId", "variantId", "surfaceId", "paymentLinkUrl",
			attribution, "createdAt", "expiresAt", "cancelledAt", "confirmedAt" from r where not exists (table erased)`,
	},
	{
		"mapping",
		`select provider, subject, app_user_id as "appUserId", mapped_at as "mappedAt" from revenue_mapping
		where environment_id = $1 order by provider, subject`,
		`provider text, subject text, "appUserId" text, "mappedAt" timestamptz`,
		`insert into revenue_mapping (environment_id, provider, subject, app_user_id, mapped_at)
		select $1, provider, subject, "appUserId", "mappedAt" from r where not exists (table erased)`,
	},
	{
		"purchase", // that was recorded by hand
		`select provider, provider_event_id as "providerEventId", kind, app_user_id as "appUserId",
			occurred_at as "occurredAt", amount_micros as "amountMicros", currency, product_id as "productId"
		from revenue_ledger where environment_id = $1 and source = 'hand' order by id`,
		`provider text, "providerEventId" text, kind text, "appUserId" text, "occurredAt" timestamptz,
			"amountMicros" bigint, currency text, "productId" text`,
		`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
			amount_micros, currency, product_id)
		select $1, provider, "providerEventId", kind, case when exists (table erased) then '' else "appUserId" end,
			"occurredAt", "amountMicros", currency, "productId" from r`,
	},
	{
		"delivery",
		`select provider, event_id as "eventId", connection_id as "connectionId", type, occurred_at as "occurredAt",
			received_at as "receivedAt", translate(encode(body, 'base64'), E'\n', '') as body, state, reason, erased
		from provider_event where environment_id = $1 order by received_at, provider, event_id`,
		`provider text, "eventId" text, "connectionId" uuid, type text, "occurredAt" timestamptz,
			"receivedAt" timestamptz, body text, state text, reason text, erased boolean`,
		`insert into provider_event (environment_id, provider, event_id, connection_id, type, occurred_at, received_at, body,
			state, reason, erased)
		select $1, provider, "eventId", "connectionId", type, "occurredAt", "receivedAt", decode(body, 'base64'), state,
			reason, r.erased from r`,
	},
}

// storeSQL keeps a line.
func storeSQL(fields, store string) string {
	return `with r as (select * from jsonb_to_record($3) as r (` + fields + `)), erased as (
		select from erased_person where environment_id = $1 and person = $4 and $2::uuid is not null
	) ` + store + ` on conflict do nothing`
}

// Export writes what the money of an environment is made of, one JSON object a line, as of one moment: deliveries,
// connections without their secrets, whose money is whose, what was recorded by hand, and rates of its currencies. It
// returns how many lines those are.
func Export(ctx context.Context, pool *pgxpool.Pool, environmentID int64, w io.Writer) (lines int64, err error) {
	out := bufio.NewWriterSize(w, 1<<18)
	snapshot := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	err = pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
		// The reader sets the pace: a slow pipe is no reason to give up.
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		for _, what := range carried {
			rows, err := tx.Query(ctx, `select jsonb_build_object($2::text, to_jsonb(r))::text from (`+what.rows+`) as r`,
				environmentID, what.name)
			if err != nil {
				return err
			}
			var text string
			if _, err := pgx.ForEachRow(rows, []any{&text}, func() error {
				lines++
				_, err := out.WriteString(text + "\n")
				return err
			}); err != nil {
				return fmt.Errorf("%s: %w", what.name, err)
			}
		}
		return nil
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return lines, fmt.Errorf("export revenue data: %w", err)
	}
	return lines, nil
}

// Imported says what an import did.
type Imported struct {
	Lines  int64 `json:"lines"`
	Stored int64 `json:"stored"` // what was not there
	Replayed
}

const (
	maxImportLine = 3 << 20 // bytes: the largest delivery, in base64, and what is said of it
	importLines   = 500     // of a transaction, at most
	importBytes   = 8 << 20 // of a transaction, with which it ends
)

// Import stores the lines that [Export] writes, and books the deliveries of the environment anew. What is there already
// stays, so a file may be imported again; of whoever is erased here, only the money is kept. Connections become
// archived ones of the app. The error names the first line that is none; lines before it may be stored.
func Import(
	ctx context.Context, pool *pgxpool.Pool, app uuid.UUID, environmentID int64, r io.Reader,
) (done Imported, err error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxImportLine)
	var rows []importedRow
	size := 0
	store := func() error {
		stored, failed, err := storeRows(ctx, pool, app, environmentID, rows)
		if err != nil {
			return fmt.Errorf("line %d: %w", done.Lines-int64(len(rows)-failed)+1, err)
		}
		done.Stored += stored
		rows, size = rows[:0], 0
		return nil
	}
	for scanner.Scan() {
		row, err := readImported(scanner.Bytes())
		if err != nil {
			return done, fmt.Errorf("line %d: %w", done.Lines+1, err)
		}
		done.Lines++
		rows = append(rows, row)
		if size += len(row.text); len(rows) == importLines || size > importBytes {
			if err := store(); err != nil {
				return done, err
			}
		}
	}
	if err := scanner.Err(); err != nil {
		return done, fmt.Errorf("line %d: %w", done.Lines+1, err)
	}
	if err := store(); err != nil {
		return done, err
	}
	done.Replayed, err = New(pool, Options{}).Replay(ctx, environmentID)
	return done, err
}

// importedRow is a line.
type importedRow struct {
	sql    string
	text   []byte
	person uuid.UUID // hash of whom it is of
}

func readImported(line []byte) (row importedRow, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return row, fmt.Errorf("not a line of an export: %w", err)
	}
	if len(members) == 1 {
		for _, what := range carried {
			text, is := members[what.name]
			if !is {
				continue
			}
			var of struct {
				AppUserID string `json:"appUserId"`
			}
			if err := json.Unmarshal(text, &of); err != nil {
				return row, fmt.Errorf("%s: %w", what.name, err)
			}
			return importedRow{storeSQL(what.fields, what.store), text, privacy.Person(of.AppUserID)}, nil
		}
	}
	return row, errors.New("not a line of an export: it must have one member that is known")
}

// storeRows keeps rows in one transaction; failed is the place of the one that an error is about.
func storeRows(
	ctx context.Context, pool *pgxpool.Pool, app uuid.UUID, environmentID int64, rows []importedRow,
) (stored int64, failed int, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		if err := privacy.LockMoney(ctx, tx, environmentID); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, row := range rows {
			batch.Queue(row.sql, environmentID, app, row.text, row.person)
		}
		results := tx.SendBatch(ctx, batch)
		for failed = range rows {
			tag, err := results.Exec()
			if err != nil {
				_ = results.Close() // it says the same
				return err
			}
			stored += tag.RowsAffected()
		}
		return results.Close()
	})
	return stored, failed, err
}
