package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// The rows of tenants can be distributed by environment_id only if no key of
// theirs is unique without it (docs/scaling.md).
func TestKeysOfTenantTablesBeginWithTheTenant(t *testing.T) {
	db := pgtest.New(t)
	// Tables that are not tenants' by their nature: the control plane, which is
	// small and the same everywhere, files that wait there until they are
	// imported, and what belongs to the database as a whole.
	keys := query[string](t, db, `
		select c.relname || ' ' || i.relname || ' ' || a.attname
		from pg_index x
		join pg_class c on c.oid = x.indrelid
		join pg_class i on i.oid = x.indexrelid
		join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
		where x.indisunique and c.relnamespace = 'public'::regnamespace
			and exists (select from pg_attribute e where e.attrelid = c.oid and e.attname = 'environment_id')
			and c.relname not in ('channels', 'publishable_keys', 'webhook_endpoint', 'automation', 'notes', 'sql_roles',
				'alerts', 'shared_links', 'history_upload', 'parquet_export')
		order by 1`)
	require.Greater(t, len(keys), 9, "sessions, first touches, names, ledgers, people and payments at least")
	for _, key := range keys {
		require.Regexp(t, ` environment_id$`, key)
	}
	for _, table := range []string{
		"product_session", "product_analytics_first_touch", "flow_run", "event_name", "flow_name", "event_seen",
		"event_seen_packed",
		"revenue_ledger", "ingest_stat", "ingest_reject_sample", "person", "person_device", "billing_identity", "checkout_attempt",
		"experiment_served_packed", "experiment_served_count", "live_user_packed", "live_user_day", "automation_entry",
		"automation_enrolment", "automation_step", "webhook_delivery", "webhook_attempt",
		"automation_segment", "automation_segment_member", "automation_intake", "automation_mail", "mail_suppression",
	} {
		found := query[bool](
			t, db, `select exists (select from pg_index where indrelid = $1::text::regclass and indisprimary)`, table,
		)
		require.True(t, found[0], table)
	}
}
