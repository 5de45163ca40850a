package sqlrole

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// grace is how much longer than its limit a statement or an idle transaction may take, so that PostgreSQL's own limit
// comes first and says what happened.
const grace = 5 * time.Second

// EndOverdue ends the sessions of roles that have gone over a limit: a role can turn off those of its session, and
// catch a cancellation. The session is ended, not the statement, for the same reason. A session that holds an advisory
// lock is ended too, since Svc's own locks are such. It sees the sessions of the server that pool is connected to.
func EndOverdue(ctx context.Context, pool *pgxpool.Pool) error {
	return endOver(ctx, pool, StatementTimeout+grace, IdleTimeout+grace)
}

// endOver ends sessions whose statement, or whose transaction without one, takes longer than a limit.
func endOver(ctx context.Context, pool *pgxpool.Pool, statement, idle time.Duration) error {
	_, err := pool.Exec(ctx, `
		select pg_terminate_backend(a.pid) from pg_stat_activity a
		join sql_roles r on r.name = a.usename
		where a.datname = current_database() and (
			a.state = 'active' and a.query_start < clock_timestamp() - $1::interval
			or a.state like 'idle in transaction%' and a.state_change < clock_timestamp() - $2::interval
			or exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory'))`,
		statement, idle)
	if err != nil {
		return fmt.Errorf("end overdue sessions of SQL roles: %w", err)
	}
	return nil
}

// endSessions ends the sessions of a role, which go on with a password or a role that is no more, and waits for each.
func endSessions(ctx context.Context, pool *pgxpool.Pool, name string) error {
	_, err := pool.Exec(ctx, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = $1`, name)
	if err != nil {
		return fmt.Errorf("end the sessions of the role: %w", err)
	}
	return nil
}
