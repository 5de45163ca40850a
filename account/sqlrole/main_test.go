package sqlrole_test

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// views are those of the schema svc_read.
var views = []string{
	"sessions", "hits", "events", "flow_runs", "flow_steps", "ledger", "subscriptions", "experiments",
	"experiment_people", "annotations",
}

// tenant is a workspace with rows of everything in both environments of one app; all texts have the marker.
type tenant struct {
	workspace, app uuid.UUID
	live, test     int64
}

// store makes a tenant. Its texts are mark-live and mark-test.
func store(t *testing.T, db *postgres.DB, mark string) tenant {
	t.Helper()
	made := tenant{workspace: uuid.New(), app: uuid.New()}
	ctx := context.Background()
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := db.Pool.Exec(ctx, sql, args...)
		require.NoError(t, err, sql)
	}
	user := uuid.New()
	exec(`insert into users (id, email, name, password_hash) values ($1, $2, $2, 'x')`, user, mark+"@example.com")
	exec(`insert into workspaces (id, name) values ($1, $2)`, made.workspace, mark)
	exec(`insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
		values ($1, $2, '[]', '{}', '{}', $3)`, made.app, mark, made.workspace)
	for kind, id := range map[string]*int64{"live": &made.live, "test": &made.test} {
		text := mark + "-" + kind
		require.NoError(t, db.Pool.QueryRow(ctx, `insert into environments (kind, app_id) values ($1, $2) returning id`,
			kind, made.app).Scan(id))
		var channel int64
		require.NoError(t, db.Pool.QueryRow(ctx, `insert into channels (public_id, name, updated_at, environment_id)
			values ($1, $1, now(), $2) returning id`, text, *id).Scan(&channel))
		experiment := uuid.New()
		exec(`insert into experiments (id, name, salt, updated_at, channel_id) values ($1, $2, $2, now(), $3)`,
			experiment, text, channel)
		exec(`insert into variants (id, key, name, position, weight, experiment_id) values ($1, $2, $2, 0, 1, $3)`,
			uuid.New(), text, experiment)
		exec(`insert into experiment_served_packed (environment_id, experiment_id, day, arm, people)
			values ($1, $2, current_date, 0, uuid_send(gen_random_uuid()))`, *id, experiment)
		exec(`insert into notes (id, at, text, updated_at, environment_id, user_id) values ($1, now(), $2, now(), $3, $4)`,
			uuid.New(), text, *id, user)
		exec(`insert into event_name (environment_id, id, kind, text, text_hash) values ($1, 7, 4, $2, gen_random_uuid())`,
			*id, text)
		exec(`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, hits)
			values ($1, $2, $2, now(), now(), current_date, '{7}')`, *id, text)
		exec(`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
			values ($1, now(), now(), gen_random_uuid(), $2, $2)`, *id, text)
		exec(`insert into flow_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, channel_id,
				flow_id, version_id, run_id, step_id)
			values ($1, now(), now(), gen_random_uuid(), 'flow_started', $2, $3, gen_random_uuid(), gen_random_uuid(),
				gen_random_uuid(), $2)`, *id, text, channel)
		exec(`insert into track_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
			values ($1, now(), now(), gen_random_uuid(), $2, $2)`, *id, text)
		exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, occurred_at,
				amount_micros, app_user_id)
			values ($1, 'stripe', $2, 'originating', now(), 5, $2)`, *id, text)
		exec(`insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
				period_type, starts_at, ends_at, auto_renew, store, app_user_id)
			values ($1, 'stripe', $2, $2, $2, 'normal', now(), now(), true, 'stripe', $2)`, *id, text)
	}
	return made
}

// create makes a role that is dropped when the test ends, since a server's databases share their roles.
func create(t *testing.T, db *postgres.DB, workspace uuid.UUID, environment *int64) sqlrole.Made {
	t.Helper()
	made, err := sqlrole.Create(context.Background(), db, "", workspace, environment)
	require.NoError(t, err)
	t.Cleanup(func() {
		if _, err := sqlrole.Drop(context.Background(), db, made.ID); err != nil {
			require.ErrorContains(t, err, "no such SQL role")
		}
	})
	return made
}

// session is a connection of a role that keeps everything that the server says.
type session struct {
	*pgx.Conn
	said *strings.Builder // notices
}

func tryLogin(db *postgres.DB, name, password string) (session, error) {
	address := db.Pool.Config().ConnConfig
	config, err := pgx.ParseConfig((&url.URL{
		Scheme: "postgres", User: url.UserPassword(name, password), Host: fmt.Sprintf("%s:%d", address.Host, address.Port),
		Path: "/" + address.Database, RawQuery: "sslmode=disable",
	}).String())
	if err != nil {
		return session{}, err
	}
	s := session{said: &strings.Builder{}}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { fmt.Fprintln(s.said, n.Message, n.Detail) }
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Conn, err = pgx.ConnectConfig(ctx, config)
	return s, err
}

func login(t *testing.T, db *postgres.DB, role sqlrole.Made) session {
	t.Helper()
	s, err := tryLogin(db, role.Name, role.Password)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// run runs statements and returns all that the server said: values, notices and the error, which it returns too.
func (s session) run(sql string) (said string, rows int, err error) {
	ctx := context.Background()
	s.said.Reset()
	var out strings.Builder
	if strings.HasPrefix(strings.ToLower(sql), "copy ") {
		_, err = s.PgConn().CopyTo(ctx, &out, sql)
	} else {
		var results []*pgconn.Result
		results, err = s.PgConn().Exec(ctx, sql).ReadAll()
		for _, result := range results {
			for _, row := range result.Rows {
				rows++
				for _, value := range row {
					fmt.Fprintf(&out, "%s\t", value)
				}
			}
		}
	}
	if err != nil {
		fmt.Fprintln(&out, err)
		var refused *pgconn.PgError
		if asPg(err, &refused) {
			fmt.Fprintln(&out, refused.Message, refused.Detail, refused.Hint, refused.Where)
		}
	}
	_, _ = io.WriteString(&out, s.said.String())
	_, _ = s.Exec(ctx, "rollback")
	return out.String(), rows, err
}

func newDB(t *testing.T) *postgres.DB {
	t.Helper()
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("there are no SQL roles in a cluster")
	}
	return pgtest.New(t)
}
