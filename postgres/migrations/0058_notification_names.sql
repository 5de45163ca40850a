-- PostgreSQL lets every role listen and notify on any channel whose name it knows. The names of the server's channels end in
-- what only the database knows, so that a login that reads by SQL neither hears what servers tell each other nor makes it up.

-- +goose Up
create table notification_names (suffix text not null);
insert into notification_names (suffix) values (replace(gen_random_uuid()::text, '-', ''));

-- +goose StatementBegin
create function svc_notify(channel text, payload text) returns void language sql as $$
    select pg_notify(channel || '_' || suffix, payload) from public.notification_names
$$;
-- +goose StatementEnd
revoke execute on function svc_notify(text, text) from public;

-- +goose Down
drop function svc_notify(text, text);
drop table notification_names;
