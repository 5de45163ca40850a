package backup

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// settings make the text of a row the same on every server.
const settings = `
	set local timezone = 'UTC';
	set local datestyle = 'ISO, YMD';
	set local intervalstyle = 'postgres';
	set local bytea_output = 'hex';
	set local extra_float_digits = 1;
	set local search_path = pg_catalog;
	set local statement_timeout = 0;
	set local idle_in_transaction_session_timeout = 0`

// ours are the tables that are neither the server's nor an extension's.
const ours = `
	from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where c.relkind in ('r', 'p') and not c.relispartition
		and n.nspname !~ '^(pg_|information_schema$|_timescaledb_|timescaledb_|toolkit_)'
		and not exists (
			select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

// describeTables counts and hashes what a transaction sees of every table. Columns of transaction ids are left out.
func describeTables(ctx context.Context, tx pgx.Tx) ([]Table, error) {
	if _, err := tx.Exec(ctx, settings); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		select format('%I.%I', n.nspname, c.relname), coalesce((
			select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
			where attrelid = c.oid and attnum > 0 and not attisdropped and atttypid <> 'xid8'::regtype), '')`+ours+`
		order by 1`)
	if err != nil {
		return nil, err
	}
	type source struct{ Name, Columns string }
	sources, err := pgx.CollectRows(rows, pgx.RowToStructByPos[source])
	if err != nil {
		return nil, err
	}
	tables := make([]Table, len(sources))
	for i, from := range sources {
		tables[i].Name = from.Name
		if err := tx.QueryRow(ctx, fmt.Sprintf(
			`select count(*), coalesce(sum(hashtextextended(row(%s)::text, 0)::numeric), 0)::text from %s`,
			from.Columns, from.Name,
		)).Scan(&tables[i].Rows, &tables[i].Hash); err != nil {
			return nil, fmt.Errorf("read %s: %w", from.Name, err)
		}
	}
	return tables, nil
}

// differences names the tables that are not what they were.
func differences(were, are []Table) []string {
	now := make(map[string]Table, len(are))
	for _, table := range are {
		now[table.Name] = table
	}
	var found []string
	for _, was := range were {
		switch is, ok := now[was.Name]; {
		case !ok:
			found = append(found, fmt.Sprintf("%s is missing", was.Name))
		case is.Rows != was.Rows:
			found = append(found, fmt.Sprintf("%s has %d rows instead of %d", was.Name, is.Rows, was.Rows))
		case is.Hash != was.Hash:
			found = append(found, fmt.Sprintf("%s has %d rows, and not all are those of the backup", was.Name, is.Rows))
		}
	}
	return found
}

// stamped is a column of transaction ids by which changes are followed.
type stamped struct{ Table, Column string }

// stampedColumns lists the columns of transaction ids.
func stampedColumns(ctx context.Context, conn *pgx.Conn) ([]stamped, error) {
	rows, err := conn.Query(ctx, `
		select format('%I.%I', n.nspname, c.relname), quote_ident(a.attname)`+
		strings.Replace(ours, "where", `join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			and a.atttypid = 'xid8'::regtype where`, 1)+` order by 1, 2`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[stamped])
}
