package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
)

// Prepared is a transaction of a cluster that is committed on the coordinator and prepared on a worker, as it is for a
// moment, or for as long as a worker is down that was killed then.
type Prepared struct {
	Transaction string // its id
	gid, worker string
}

// HalfCommit makes one that runs a statement in the shard of an environment: statement is given the shard's name and
// the transaction's id.
func HalfCommit(
	t testing.TB, db *postgres.DB, environment int64, table string, statement func(shard, xid string) string,
) Prepared {
	t.Helper()
	ctx := context.Background()
	// Citus finishes those of its own names by itself.
	p := Prepared{gid: fmt.Sprintf("citus_test_%s", db.Pool.Config().ConnConfig.Database)}
	var shard, port string
	if err := db.Pool.QueryRow(ctx, `
		select shard_name, nodeport::text from citus_shards
		where shardid = get_shard_id_for_distribution_column($1::text::regclass, $2::bigint)`, table, environment,
	).Scan(&shard, &port); err != nil {
		t.Fatalf("pgtest: looking for the shard: %v", err)
	}
	for _, node := range shared(t).nodes {
		if address, err := url.Parse(node(db.Pool.Config().ConnConfig.Database)); err == nil && address.Port() == port {
			p.worker = address.String()
		}
	}
	if err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select pg_current_xact_id()::text`).Scan(&p.Transaction); err != nil {
			return err
		}
		if err := run(ctx, p.worker, strings.Join([]string{
			"set citus.enable_manual_changes_to_shards = on", "begin", statement(shard, p.Transaction),
			"prepare transaction '" + p.gid + "'",
		}, "; ")); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into pg_dist_transaction (groupid, gid) values (1, $1)`, p.gid)
		return err
	}); err != nil {
		t.Fatalf("pgtest: committing in half: %v", err)
	}
	return p
}

// Finish commits it on the worker.
func (p Prepared) Finish(t testing.TB) {
	t.Helper()
	if err := run(context.Background(), p.worker, "commit prepared '"+p.gid+"'"); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}
