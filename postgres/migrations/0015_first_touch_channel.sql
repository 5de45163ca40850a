-- What the acquisition channel and the medium of a first touch need, of the session that it comes from. Rows of older
-- versions have none of it until their person comes back or `svc analytics rebuild` looks at them.

-- +goose Up
alter table product_analytics_first_touch
    add column medium text not null default '',
    add column referrer_host text not null default '', -- empty when it is the landing page's own
    add column organic boolean not null default false, -- as the channel of an app's session reads it
    add column organic_unknown boolean not null default false;
