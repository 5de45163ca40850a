package sqlrole

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

func refuseCluster(ctx context.Context, tx pgx.Tx) error {
	var cluster bool
	if err := tx.QueryRow(
		ctx, `select exists (select from pg_extension where extname = 'citus')`,
	).Scan(&cluster); err != nil {
		return fmt.Errorf("look for Citus: %w", err)
	}
	if cluster {
		return fault.New(fault.Conflict, "SQL roles can't be made in a Citus cluster, whose nodes know no rights of rows")
	}
	return nil
}

// open are functions that PostgreSQL lets everybody execute and with which a role could fill the disk (large objects,
// messages in the write-ahead log) or hold Svc's own locks. With that of TimescaleDB it could store jobs without
// number, which go on after its sessions.
const open = `
	select format('%s', p.oid::regprocedure) from pg_proc p
	cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
	where g.grantee = 0 and g.privilege_type = 'EXECUTE' and (p.pronamespace = 'pg_catalog'::regnamespace
			and (p.proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message')
				or p.proname like 'pg\_advisory\_%lock%' or p.proname like 'pg\_try\_advisory\_%lock%')
		or p.proname = 'add_job' and exists (select from pg_depend d join pg_extension x on x.oid = d.refobjid
			where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e' and x.extname = 'timescaledb'))
	order by 1`

// closeDatabase takes from everybody what a role must not have, where the server's own role may, and otherwise refuses
// with the statements that somebody has to run who may.
func closeDatabase(ctx context.Context, tx pgx.Tx) error {
	var user, owner, database string
	var super, creates, limits, owns, temporary, public bool
	err := tx.QueryRow(ctx, `
		select quote_ident(current_user), quote_ident(pg_get_userbyid(c.relowner)), quote_ident(d.datname),
		       r.rolsuper, r.rolsuper or r.rolcreaterole, has_parameter_privilege(current_user, 'temp_file_limit', 'set'),
		       pg_has_role(d.datdba, 'usage'),
		       exists (select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) g
		           where g.grantee = 0 and g.privilege_type = 'TEMPORARY'),
		       exists (select from pg_namespace n, aclexplode(n.nspacl) g
		           where n.nspname = 'public' and g.grantee = 0 and g.privilege_type = 'CREATE')
		from pg_database d, pg_roles r, pg_class c
		where d.datname = current_database() and r.rolname = current_user and c.oid = 'sql_roles'::regclass`,
	).Scan(&user, &owner, &database, &super, &creates, &limits, &owns, &temporary, &public)
	if err != nil {
		return fmt.Errorf("read the rights of the server's role: %w", err)
	}
	rows, err := tx.Query(ctx, open)
	if err != nil {
		return fmt.Errorf("read the rights of everybody: %w", err)
	}
	functions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the rights of everybody: %w", err)
	}
	var own, others []string // statements
	if !creates {
		others = append(others, "alter role "+user+" createrole")
	}
	if !limits {
		others = append(others, "grant set on parameter temp_file_limit to "+user)
	}
	add := func(may bool, statements ...string) {
		if may {
			own = append(own, statements...)
		} else {
			others = append(others, statements...)
		}
	}
	if temporary {
		add(owns, "grant temporary on database "+database+" to "+owner,
			"revoke temporary on database "+database+" from public")
	}
	if public {
		add(owns, "grant create on schema public to "+owner, "revoke create on schema public from public")
	}
	if len(functions) > 0 {
		list := strings.Join(functions, ", ")
		add(super, "grant execute on function "+list+" to "+owner, "revoke execute on function "+list+" from public")
	}
	if len(others) > 0 {
		return fault.New(fault.Conflict, "the database is not ready for SQL roles: "+
			"a superuser has to run, in the database %s: %s;", database, strings.Join(others, "; "))
	}
	if _, err := tx.Exec(ctx, strings.Join(own, ";")); err != nil {
		return fmt.Errorf("take rights from everybody: %w", err)
	}
	return nil
}

// dropJobs removes the jobs that a role has stored with TimescaleDB, as it could before closeDatabase forbade it: a
// role that has some can't be dropped.
func dropJobs(ctx context.Context, tx pgx.Tx, name string) error {
	var jobs bool
	if err := tx.QueryRow(
		ctx, `select exists (select from pg_extension where extname = 'timescaledb')`,
	).Scan(&jobs); err != nil {
		return fmt.Errorf("look for TimescaleDB: %w", err)
	}
	if !jobs {
		return nil
	}
	_, err := tx.Exec(ctx, `select delete_job(job_id) from timescaledb_information.jobs
		where owner = (select oid from pg_roles where rolname = $1)`, name)
	if err != nil {
		return fmt.Errorf("remove the jobs of the role: %w", err)
	}
	return nil
}

// rights are what a role has besides the views: memberships, tables, columns, schemas to make something in, functions
// that run as their owner and dblink. What else extensions have, and PostgreSQL's catalogue, is not looked at.
const rights = `
	with objects as (
		select c.oid, c.relname, c.relkind, n.nspname, n.oid as namespace
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', $2)
			and not exists (select from pg_depend d where d.objid = c.oid
				and d.classid = 'pg_class'::regclass and d.deptype = 'e')
	)
	select 'is a member of ' || m.roleid::regrole from pg_auth_members m where m.member = $1::regrole
	union all
	select 'may use the table ' || oid::regclass from objects
	where relkind in ('r', 'p', 'v', 'm', 'f') and has_schema_privilege($1, namespace, 'usage')
		and (has_table_privilege($1, oid, 'select, insert, update, delete, truncate, references, trigger')
			or has_any_column_privilege($1, oid, 'select, insert, update, references'))
	union all
	select 'may create in the schema ' || nspname from pg_namespace where has_schema_privilege($1, oid, 'create')
	union all
	select 'may create in the database' where has_database_privilege($1, current_database(), 'create, temporary')
	union all
	select 'may call ' || p.oid::regprocedure from pg_proc p
	where p.prosecdef and has_function_privilege($1, p.oid, 'execute') and p.pronamespace <> 'pg_catalog'::regnamespace
		and not exists (select from pg_depend d where d.objid = p.oid
			and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
	union all
	select 'may call ' || p.oid::regprocedure || ' of dblink' from pg_proc p
	join pg_depend d on d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e'
	join pg_extension x on x.oid = d.refobjid
	where x.extname = 'dblink' and p.proname = 'dblink_connect' and has_function_privilege($1, p.oid, 'execute')
		and has_schema_privilege($1, p.pronamespace, 'usage')
	order by 1`

// refuseRights refuses a role that may do more than read its views, as where somebody gave rights to everybody.
func refuseRights(ctx context.Context, tx pgx.Tx, name string) error {
	rows, err := tx.Query(ctx, rights, name, postgres.ReadSchema)
	if err != nil {
		return fmt.Errorf("read the rights of the role: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the rights of the role: %w", err)
	}
	if len(found) > 0 {
		shown := slices.Clip(found[:min(len(found), 10)])
		return fault.New(fault.Conflict, "the role was not made, since everybody has rights in this database "+
			"that it would have: it %s. Revoke them from public", strings.Join(shown, ", "))
	}
	return nil
}
