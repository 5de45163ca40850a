package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
)

// Secrets of endpoints that are there already wait in their order, newest first, to be encrypted by a server.
func TestSecretsOfEndpointsMoveToRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	db := migratedTo(t, 22)
	exec(t, db, `
		insert into webhook_endpoint (environment_id, id, name, url, secrets) values
			(1, '00000000-0000-0000-0000-00000000000a', 'A', 'https://a.example', '{new, old}'),
			(2, '00000000-0000-0000-0000-00000000000b', 'B', 'https://b.example', '{only}')`)
	require.NoError(t, postgres.Migrate(t.Context(), db, options(t)))
	require.Equal(t, []string{"a new", "a old", "b only"}, query[string](t, db, `
		select right(endpoint_id::text, 1) || ' ' || convert_from(sealed, 'UTF8')
		from webhook_endpoint_secret where key_id = '' order by endpoint_id, id desc`))
	require.Equal(t, []bool{true}, query[bool](t, db, `
		select bool_and(substr(id::text, 15, 1) = '7' and id < '01900000-0000-7000-8000-000000000000')
		from webhook_endpoint_secret`))
}
