package revenue

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// remap looks for the people anew of everything that has one of some ids.
func (b *book) remap(ctx context.Context, personIDs []string) error {
	return b.remapWhere(ctx, `person_ids && $3`, `person_ids && $3`, personIDs)
}

// remapSubject looks for the people anew of a subscription, or of a single charge and what takes it back.
func (b *book) remapSubject(ctx context.Context, subject string) error {
	return b.remapWhere(
		ctx, `(subscription_key = $3 or subscription_key = '' and $3 in (transaction_key, refers_to))`,
		`subscription_key = $3`, subject,
	)
}

// remapWhere looks for the people anew of the rows of the ledger that meet a condition, and of the periods that meet
// another one: those of a charge go with it.
func (b *book) remapWhere(ctx context.Context, entries, periods string, arg any) error {
	if err := b.remapUncharged(ctx, periods, arg); err != nil {
		return err
	}
	type row struct {
		owner
		id     int64
		device string
	}
	var list []row
	rows, err := b.tx.Query(ctx, `
		select id, subscription_key, refers_to, transaction_key, coalesce(charged_at, occurred_at), person_ids, app_user_id
		from revenue_ledger where environment_id = $1 and provider = $2 and source = 'webhook' and `+entries,
		b.environment, b.provider, arg)
	if err != nil {
		return err
	}
	var r row
	var subscription, refersTo, transaction string
	if _, err := pgx.ForEachRow(
		rows, []any{&r.id, &subscription, &refersTo, &transaction, &r.at, &r.personIDs, &r.device}, func() error {
			r.subject = subject(subscription, refersTo, transaction)
			list = append(list, r)
			r.personIDs = nil
			return nil
		},
	); err != nil || len(list) == 0 {
		return err
	}
	owners := make([]owner, len(list))
	for i := range list {
		owners[i] = list[i].owner
	}
	devices, err := b.assign(ctx, owners)
	if err != nil {
		return err
	}
	var ids, found []int64 // rows that move, and those of them that had no person
	var moved []string
	for i := range list {
		if devices[i] != list[i].device {
			ids, moved = append(ids, list[i].id), append(moved, devices[i])
			if list[i].device == "" {
				found = append(found, list[i].id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if _, err := b.tx.Exec(ctx, `
		update revenue_ledger l set app_user_id = m.device, changed_xid = pg_current_xact_id()
		from unnest($2::bigint[], $3::text[]) as m (id, device) where l.environment_id = $1 and l.id = m.id`,
		b.environment, ids, moved); err != nil {
		return err
	}
	// Of a period that ended before its person was known the end is news as well.
	if rows, err = b.tx.Query(ctx, `
		with found as (select transaction_key from revenue_ledger where environment_id = $1 and id = any ($3))
		update subscription_period p set app_user_id = l.app_user_id, changed_xid = pg_current_xact_id()
		from revenue_ledger l
		where l.environment_id = $1 and l.id = any ($2) and l.source = 'webhook'
			and p.environment_id = $1 and p.provider = l.provider and p.transaction_key = l.transaction_key
			and l.kind in ('trial', 'originating', 'renewal')
		returning case when p.ended_at is not null and p.transaction_key in (select * from found)
			then p.transaction_key else '' end`, b.environment, ids, found); err != nil {
		return err
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	return b.tell(ctx, found, ended)
}

// remapUncharged looks for the people anew of periods that no charge is of: those that a balance paid.
func (b *book) remapUncharged(ctx context.Context, condition string, arg any) error {
	rows, err := b.tx.Query(ctx, `
		select transaction_key, subscription_key, starts_at, person_ids from subscription_period p
		where environment_id = $1 and provider = $2 and `+condition+` and not exists (
			select from revenue_ledger l where l.environment_id = $1 and l.provider = $2 and l.source = 'webhook'
				and l.transaction_key = p.transaction_key and l.kind in ('trial', 'originating', 'renewal'))`,
		b.environment, b.provider, arg)
	if err != nil {
		return err
	}
	var transactions []string
	var owners []owner
	var transaction string
	var o owner
	if _, err := pgx.ForEachRow(rows, []any{&transaction, &o.subject, &o.at, &o.personIDs}, func() error {
		transactions, owners = append(transactions, transaction), append(owners, o)
		o.personIDs = nil
		return nil
	}); err != nil || len(owners) == 0 {
		return err
	}
	devices, err := b.assign(ctx, owners)
	if err != nil {
		return err
	}
	_, err = b.tx.Exec(ctx, `
		update subscription_period p set app_user_id = m.device, changed_xid = pg_current_xact_id()
		from unnest($3::text[], $4::text[]) as m (transaction_key, device)
		where p.environment_id = $1 and p.provider = $2 and p.transaction_key = m.transaction_key
			and p.app_user_id <> m.device`, b.environment, b.provider, transactions, devices)
	return err
}
