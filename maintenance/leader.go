package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// leaderLock is the advisory lock of the one server that leads: "svw" in ASCII.
const leaderLock = 0x737677

// electTimeout bounds each step of an election and of a look at the connection,
// so that a database that hangs is noticed.
const electTimeout = 10 * time.Second

// leaderSettings are those of the leader's connection. A statement that waits
// for a lock longer than two seconds, or takes longer than ten, gives up and is
// tried again later, because others may wait behind it. A crash may undo the
// latest batches, which only means that they are done again. When the leader's
// machine vanishes, the database ends the connection within a minute, which
// frees the lock; it does the same to a leader that hangs, see pace.idle.
const leaderSettings = `
	set application_name = 'svc maintenance';
	set statement_timeout = '10s';
	set lock_timeout = '2s';
	set synchronous_commit = off;
	set tcp_keepalives_idle = 30;
	set tcp_keepalives_interval = 10;
	set tcp_keepalives_count = 3`

// elect tries to become the leader. It returns the connection that holds the
// lock, or nil when another server has it.
func (u *Worker) elect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, electTimeout)
	defer cancel()
	pooled, err := u.db.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect for maintenance: %w", err)
	}
	var leads bool
	if err := pooled.QueryRow(ctx, `select pg_try_advisory_lock($1)`, leaderLock).Scan(&leads); err != nil || !leads {
		pooled.Release()
		return nil, err
	}
	// From here on the connection is the leader's own: the pool opens another.
	conn := pooled.Hijack()
	settings := fmt.Sprintf("%s; set idle_session_timeout = %d", leaderSettings, u.pace.idle.Milliseconds())
	if _, err := conn.Exec(ctx, settings); err != nil {
		u.resign(conn)
		return nil, fmt.Errorf("prepare the connection of maintenance: %w", err)
	}
	return conn, nil
}

// probe closes the connection when it, and the lock with it, is lost.
func (u *Worker) probe(ctx context.Context, conn *pgx.Conn) {
	probing, cancel := context.WithTimeout(ctx, electTimeout)
	defer cancel()
	if err := conn.Ping(probing); err != nil {
		u.resign(conn)
	}
}

// resign closes the connection, which frees the lock.
func (u *Worker) resign(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // a connection that is lost can't be closed any better
}
