-- No query asks which elements hits have. To analyze a table of sessions with forty hits each took three times the
-- processor time, most of it to count them, while events came in.

-- +goose Up

-- +goose StatementBegin
do $$
declare
    distributed boolean := false;
begin
    if to_regclass('pg_dist_partition') is not null then
        distributed := exists (select from pg_dist_partition where logicalrelid = 'product_session'::regclass);
    end if;
    if not distributed then -- Citus refuses it of a table that is
        alter table product_session alter column hits set statistics 0;
    end if;
end $$;
-- +goose StatementEnd
