-- What login roles read (package sqlrole, docs/sql.md). The role has no right on any table: its environments are
-- those that sql_roles names for whoever logged in, and views read tables as their owner. All are security barriers, so
-- that a condition of the reader is not asked of a row that is not theirs.
--
-- A text is nullif(text, ''): empty texts are null, as in Parquet files, and the planner, which knows the frequent values of
-- a column from all tenants' rows, knows none of an expression. Otherwise "explain" would tell them.

create schema if not exists svc_read;

create or replace view sql_role_environments as
select e.id, e.app_id, e.kind
from sql_roles r
join apps a on a.workspace_id = r.workspace_id
join environments e on e.app_id = a.id
where r.name = session_user::text and (r.environment_id is null or r.environment_id = e.id);

create or replace view svc_read.sessions with (security_barrier) as
select v.app_id, v.kind::text as environment, nullif(s.app_user_id, '') as app_user_id,
       nullif(s.custom_user_id, '') as custom_user_id, nullif(s.session_id, '') as session_id, s.started_at, s.last_at,
       nullif(s.source, '') as source, nullif(s.medium, '') as medium, nullif(s.campaign, '') as campaign,
       nullif(s.content, '') as content, nullif(s.term, '') as term, nullif(s.adset, '') as adset,
       nullif(s.creative, '') as creative, nullif(s.referrer, '') as referrer, nullif(s.landing_url, '') as landing_url,
       s.organic, s.organic_unknown, nullif(s.country, '') as country, nullif(s.region, '') as region,
       nullif(s.city, '') as city, nullif(s.platform, '') as platform, nullif(s.device, '') as device,
       nullif(s.browser, '') as browser, nullif(s.os, '') as os, cardinality(s.hits) as hits, s.hits_over_limit
from product_session s
join sql_role_environments v on v.id = s.environment_id
where s.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.hits with (security_barrier) as
select v.app_id, v.kind::text as environment, nullif(s.app_user_id, '') as app_user_id,
       nullif(s.session_id, '') as session_id, s.started_at as session_started_at,
       timestamptz '2020-01-01 00:00:00+00' + (h >> 22) * interval '1 millisecond' as at,
       case n.kind when 1 then 'session_start' when 2 then 'first_visit' when 3 then 'first_open'
           when 4 then 'page_view' when 5 then 'screen_view' else 'custom' end as kind,
       nullif(n.text, '') as name
from product_session s
join sql_role_environments v on v.id = s.environment_id
cross join unnest(s.hits) h
join event_name n on n.environment_id = s.environment_id and n.id = h & 4194303
where s.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.events with (security_barrier) as
select v.app_id, v.kind::text as environment, e.kind, e.event_id, nullif(e.name, '') as name, e.occurred_at, e.received_at,
       nullif(e.app_user_id, '') as app_user_id, nullif(e.custom_user_id, '') as custom_user_id,
       nullif(e.session_id, '') as session_id, nullif(e.page, '') as page, nullif(e.country, '') as country,
       nullif(e.region, '') as region, nullif(e.city, '') as city, nullif(e.platform, '') as platform,
       nullif(e.device, '') as device, nullif(e.browser, '') as browser, nullif(e.os, '') as os,
       nullif(e.app_version, '') as app_version, nullif(e.locale, '') as locale,
       e.attribution, e.custom_properties, e.properties
from (
    select environment_id, 'product' as kind, event_id, name, occurred_at, received_at, app_user_id, custom_user_id, session_id,
           page, country, region, city, platform, device, browser, os, app_version, locale,
           attribution, custom_properties, properties from product_events
    union all
    select environment_id, 'flow', event_id, name, occurred_at, received_at, app_user_id, custom_user_id, session_id,
           '', country, region, city, platform, device, browser, os, app_version, locale,
           attribution, custom_properties, properties from flow_events
    union all
    select environment_id, 'track', event_id, name, occurred_at, received_at, app_user_id, custom_user_id, session_id,
           page, country, region, city, platform, device, browser, os, app_version, locale,
           attribution, custom_properties, properties from track_events
) e
join sql_role_environments v on v.id = e.environment_id
where e.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.flow_steps with (security_barrier) as
select v.app_id, v.kind::text as environment, nullif(f.app_user_id, '') as app_user_id, f.flow_id, f.version_id,
       nullif(c.public_id, '') as channel_id, f.run_id, nullif(f.session_id, '') as session_id, f.seq, f.occurred_at as at,
       nullif(f.name, '') as name, nullif(f.step_id, '') as step_id, nullif(f.from_step_id, '') as from_step_id,
       f.experiment_id, nullif(f.variant_id, '') as variant_id
from flow_events f
join sql_role_environments v on v.id = f.environment_id
left join channels c on c.id = f.channel_id
where f.environment_id = any (array(select id from sql_role_environments));

-- Events without a run id are of a session or a day and of what was served, cut before every start but the first. Attributes
-- come in groups, each whole from the first event that has any of it.
create or replace view svc_read.flow_runs with (security_barrier) as
select v.app_id, v.kind::text as environment, nullif(f.app_user_id, '') as app_user_id, f.flow_id, f.run_id, f.owner as session_id,
       (array_agg(f.version_id order by f.occurred_at, f.seq))[1] as version_id,
       (array_agg(nullif(c.public_id, '') order by f.occurred_at, f.seq))[1] as channel_id,
       (array_agg(f.experiment_id order by f.occurred_at, f.seq))[1] as experiment_id,
       (array_agg(nullif(f.variant_id, '') order by f.occurred_at, f.seq))[1] as variant_id,
       coalesce(min(f.occurred_at) filter (where f.name = 'flow_started'), min(f.occurred_at)) as started_at,
       min(f.occurred_at) filter (where f.name = 'flow_completed') as completed_at,
       max(f.occurred_at) as last_at,
       bool_or(f.name = 'flow_started') as started, bool_or(f.name = 'flow_completed') as completed,
       bool_or(f.name = 'flow_abandoned') as abandoned, bool_or(f.name = 'surface_presented') as paywall_viewed,
       array_agg(distinct f.step_id) filter (where f.name in ('step_viewed', 'surface_presented') and f.step_id <> '') as steps,
       nullif((array_agg(f.country order by f.occurred_at, f.seq) filter (where f.country || f.region || f.city <> ''))[1], '') as country,
       nullif((array_agg(f.platform order by f.occurred_at, f.seq)
           filter (where f.platform || f.locale || f.app_version <> ''))[1], '') as platform,
       nullif((array_agg(f.locale order by f.occurred_at, f.seq)
           filter (where f.platform || f.locale || f.app_version <> ''))[1], '') as locale,
       nullif((array_agg(f.app_version order by f.occurred_at, f.seq)
           filter (where f.platform || f.locale || f.app_version <> ''))[1], '') as app_version,
       count(*) as events
from (
    select k.*, case when k.run_id is null then greatest(1, count(*) filter (where k.name = 'flow_started') over (
               partition by k.environment_id, k.app_user_id, k.flow_id, k.run_id, k.owner, k.served
               order by k.occurred_at, k.name <> 'flow_started', k.event_key rows unbounded preceding)) end as part
    from (
        select e.*, case when e.run_id is null
                   then coalesce(nullif(e.session_id, ''), 'day:' || (e.occurred_at at time zone 'UTC')::date) end as owner,
               case when e.run_id is null then row(e.channel_id, e.version_id, e.experiment_id, e.variant_id)::text end as served
        from flow_events e
        where e.environment_id = any (array(select id from sql_role_environments))
    ) k
) f
join sql_role_environments v on v.id = f.environment_id
left join channels c on c.id = f.channel_id
group by v.app_id, v.kind, f.app_user_id, f.flow_id, f.run_id, f.owner, f.served, f.part;

create or replace view svc_read.ledger with (security_barrier) as
select v.app_id, v.kind::text as environment, nullif(l.provider, '') as provider,
       nullif(l.provider_event_id, '') as provider_event_id, nullif(l.kind, '') as kind, nullif(l.source, '') as source,
       l.occurred_at, l.charged_at, nullif(l.app_user_id, '') as app_user_id, l.amount_micros, l.original_amount,
       nullif(l.currency, '') as currency, l.currency_exponent, l.tax_ppm, l.commission_ppm,
       nullif(l.product_id, '') as product_id, nullif(l.transaction_key, '') as transaction_key,
       nullif(l.refers_to, '') as refers_to, nullif(l.subscription_key, '') as subscription_key,
       nullif(l.store, '') as store, nullif(l.country, '') as country, nullif(l.period_type, '') as period_type,
       l.period_start, l.period_end, nullif(l.offer, '') as offer
from revenue_ledger l
join sql_role_environments v on v.id = l.environment_id
where l.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.subscriptions with (security_barrier) as
select v.app_id, v.kind::text as environment, nullif(s.provider, '') as provider,
       nullif(s.subscription_key, '') as subscription_key, nullif(s.transaction_key, '') as transaction_key,
       nullif(s.period_type, '') as period_type, s.starts_at, s.ends_at, s.grace_until, s.ended_at, s.auto_renew, s.amount_micros,
       nullif(s.product_id, '') as product_id, nullif(s.store, '') as store, nullif(s.country, '') as country,
       nullif(s.app_user_id, '') as app_user_id,
       {period_length} as period_length
from subscription_period s
join sql_role_environments v on v.id = s.environment_id
where s.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.experiments with (security_barrier) as
select v.app_id, v.kind::text as environment, x.id as experiment_id, nullif(x.name, '') as name,
       nullif(x.status, '') as status, nullif(x.split_by, '') as split_by, nullif(c.public_id, '') as channel_id,
       x.started_at, x.stopped_at, a.id as variant_id, a.position as arm, nullif(a.key, '') as variant,
       nullif(a.name, '') as variant_name, a.weight
from experiments x
join channels c on c.id = x.channel_id
join sql_role_environments v on v.id = c.environment_id
join variants a on a.experiment_id = x.id
where c.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.experiment_people with (security_barrier) as
select v.app_id, v.kind::text as environment, p.experiment_id, p.person, p.day, p.arm
from experiment_served p
join sql_role_environments v on v.id = p.environment_id
where p.environment_id = any (array(select id from sql_role_environments));

create or replace view svc_read.annotations with (security_barrier) as
select v.app_id, v.kind::text as environment, n.id, n.at, nullif(n.text, '') as text, n.created_at
from notes n
join sql_role_environments v on v.id = n.environment_id
where n.environment_id = any (array(select id from sql_role_environments));
