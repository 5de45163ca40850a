package privacy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue/fold"
)

// LockMoney keeps others from booking money in an environment until the transaction ends.
func LockMoney(ctx context.Context, tx pgx.Tx, environmentID int64) error {
	sum := sha256.Sum256(fmt.Appendf(nil, "revenue %d", environmentID))
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(sum[:8])))
	return wrap("wait for deliveries", err)
}

// redactDeliveries takes a person out of what billing providers delivered: out of every delivery that has one of their
// ids anywhere, and of all that belong together with it. The money stays, of nobody.
func redactDeliveries(ctx context.Context, tx pgx.Tx, e *Erasure, who named) error {
	rows, err := tx.Query(ctx, `
		select unnest($2::text[]) union select $3 where $3 <> ''
		union select external_id from billing_identity where environment_id = $1 and app_user_id = any ($2)
		union select id::text from checkout_attempt where environment_id = $1 and app_user_id = any ($2)`,
		e.EnvironmentID, who.devices, who.custom)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	var written [][]byte // as JSON writes them
	for _, id := range ids {
		text, err := json.Marshal(id)
		if err != nil {
			return err
		}
		written = append(written, text)
	}
	type delivery struct {
		Provider fold.Provider
		EventID  string
		Body     []byte
	}
	if rows, err = tx.Query(ctx, `
		select provider, event_id, body from provider_event where environment_id = $1 and not erased
			and exists (select from unnest($2::bytea[]) as id where position(id in body) > 0)`,
		e.EnvironmentID, written); err != nil {
		return err
	}
	var providers, events []string
	var d delivery
	if _, err := pgx.ForEachRow(rows, []any{&d.Provider, &d.EventID, &d.Body}, func() error {
		if fold.Names(d.Provider, d.Body, ids) {
			providers, events = append(providers, string(d.Provider)), append(events, d.EventID)
		}
		return nil
	}); err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, `
		with recursive concerned (provider, event_id) as (
			select provider, event_id from (
				select * from unnest($2::text[], $3::text[])
				union select provider, provider_event_id from revenue_ledger
				where environment_id = $1 and source = 'webhook' and app_user_id = any ($4)) as named (provider, event_id)
			union
			select other.provider, other.event_id from concerned c
			join provider_event_key k on k.environment_id = $1 and k.provider = c.provider and k.event_id = c.event_id
			join provider_event_key other
				on other.environment_id = $1 and other.provider = k.provider and other.key = k.key
		)
		select provider, event_id, body from concerned join provider_event e using (provider, event_id)
		where e.environment_id = $1 and not e.erased`, e.EnvironmentID, providers, events, who.devices); err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[delivery])
	if err != nil {
		return err
	}
	for _, d := range list {
		body, err := fold.Redact(d.Provider, d.Body)
		if err != nil {
			return err
		}
		for _, sql := range []string{
			`update provider_event set body = $4, erased = true where environment_id = $1 and provider = $2 and event_id = $3`,
			`update revenue_ledger set app_user_id = '', person_ids = '{}', changed_xid = pg_current_xact_id()
			where environment_id = $1 and provider = $2 and provider_event_id = $3 and source = 'webhook'
				and $4::bytea is not null`,
			`update subscription_period set app_user_id = '', person_ids = '{}', changed_xid = pg_current_xact_id()
			where environment_id = $1 and provider = $2 and provider_event_id = $3 and $4::bytea is not null`,
		} {
			if _, err := tx.Exec(ctx, sql, e.EnvironmentID, d.Provider, d.EventID, body); err != nil {
				return err
			}
		}
	}
	e.Removed["provider_event"] += int64(len(list))
	return nil
}
