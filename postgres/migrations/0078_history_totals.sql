-- Totals per day that other tools counted. A day of a table belongs to the import that brought it first.

-- +goose Up
create table history_total_day (
    environment_id bigint not null,
    file_table text not null, -- such as imported_pages
    day date not null,
    import_id uuid not null,
    primary key (environment_id, file_table, day)
);

create table history_total (
    environment_id bigint not null,
    dimension text not null, -- such as page; '' for the totals of a day
    day date not null,
    value text not null,
    import_id uuid not null,
    visitors bigint not null,
    sessions bigint not null,
    views bigint not null, -- of events: how often they happened
    bounces bigint not null,
    seconds bigint not null, -- of all sessions together
    primary key (environment_id, dimension, day, value)
);
create index history_total_import on history_total (environment_id, import_id);

-- +goose Down
drop table history_total;
drop table history_total_day;
