package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Reader runs the transactions of those who follow changes by the ids of the transactions that made them.
type Reader struct {
	pool    *pgxpool.Pool
	options atomic.Pointer[pgx.TxOptions] // nil: not asked yet
}

// NewReader makes a Reader on pool.
func NewReader(pool *pgxpool.Pool) *Reader { return &Reader{pool: pool} }

// Read calls read in a transaction that only reads. On one server it sees one snapshot. Of a distributed database each
// statement sees what its node has committed by then, which may be more than what [Snapshot] told and is never less: a
// snapshot of the node that is older than the answer of half_committed would lack rows.
func (r *Reader) Read(ctx context.Context, read func(tx pgx.Tx) error) error {
	options := r.options.Load()
	if options == nil {
		sharded, err := isSharded(ctx, r.pool)
		if err != nil {
			return err
		}
		options = &pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		if sharded {
			options.IsoLevel = pgx.ReadCommitted
		}
		r.options.Store(options)
	}
	return pgx.BeginTxFunc(ctx, r.pool, *options, read)
}

// OfEnvironment stands in a statement, before a condition, for that its first parameter is the environment.
// [Reader.Route] writes that there for a cluster, which asks one node then and not all of them. One server must not
// read it: it could take an index of the environment that has nothing to do with the rest.
const OfEnvironment = "/* of the environment */"

// Route returns a statement with [OfEnvironment] for this database. It has to be called within [Reader.Read], which
// finds out what that is.
func (r *Reader) Route(sql string) string {
	if options := r.options.Load(); options == nil || options.IsoLevel != pgx.ReadCommitted {
		return sql
	}
	return strings.ReplaceAll(sql, OfEnvironment, "environment_id = $1 and")
}

// Snapshot returns, as the text of a pg_snapshot, which transactions are over whose rows of an environment the
// following statements of the transaction see. It has to be the first statement of a transaction of [Reader.Read]. The
// transaction gets settings, each a name and a value.
func Snapshot(ctx context.Context, tx pgx.Tx, environment int64, settings [][2]string) (string, error) {
	sql, arguments := `select pg_current_snapshot()::text, half_committed($1)::text[]`, []any{environment}
	for _, setting := range settings {
		sql += fmt.Sprintf(`, set_config($%d, $%d, true)`, len(arguments)+1, len(arguments)+2)
		arguments = append(arguments, setting[0], setting[1])
	}
	var text string
	var half []string
	into := append([]any{&text, &half}, make([]any, len(settings))...)
	if err := tx.QueryRow(ctx, sql, arguments...).Scan(into...); err != nil {
		return "", fmt.Errorf("reading the snapshot: %w", err)
	}
	return withoutHalf(text, half)
}

// withoutHalf returns a snapshot in which transactions that are committed in half still run.
func withoutHalf(text string, half []string) (string, error) {
	if len(half) == 0 {
		return text, nil
	}
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 3 {
		return "", fmt.Errorf("reading the snapshot: %q", text)
	}
	var running []uint64
	for _, id := range slices.Concat(strings.Split(parts[2], ","), half) {
		if id == "" {
			continue
		}
		xid, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			return "", fmt.Errorf("reading the snapshot: %w", err)
		}
		running = append(running, xid)
	}
	next, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return "", fmt.Errorf("reading the snapshot: %w", err)
	}
	// Those from next on are not over anyway.
	running = slices.DeleteFunc(running, func(xid uint64) bool { return xid >= next })
	slices.Sort(running)
	running = slices.Compact(running)
	lowest, list := parts[0], make([]string, len(running))
	for i, xid := range running {
		list[i] = strconv.FormatUint(xid, 10)
	}
	if len(list) > 0 {
		lowest = list[0]
	}
	return lowest + ":" + parts[1] + ":" + strings.Join(list, ","), nil
}
