-- Sums of the ledger of an environment by bucket, the number of bounds up to a row's time, and value.
with moved as (
    select l.provider, l.kind, l.transaction_key, l.amount_micros, l.tax_ppm, l.commission_ppm, l.app_user_id, l.occurred_at,
        l.kind in ('originating', 'renewal') as is_charge, coalesce(l.amount_micros > 0, true) as is_paid,
        {customer} as customer, {value} as value, width_bucket({at}, @bounds::timestamptz[]) as bucket
    from revenue_ledger l {join}
    where l.environment_id = @environment and {at} >= @start and {at} < @end and l.kind <> 'trial' {ledgerFilter}
), first_payment as (
    select c.customer, (
        select min(l.occurred_at) from revenue_ledger l
        where l.environment_id = @environment and {customer} = c.customer
            and l.kind in ('originating', 'renewal') and (l.amount_micros is null or l.amount_micros > 0)) as at
    from (select distinct customer from moved where is_charge and is_paid) c
), taken_back as (
    select provider, refers_to as transaction_key, true as is_refunded from revenue_ledger
    where environment_id = @environment and refers_to <> '' and kind in ('refund', 'refund_reversal')
    group by provider, refers_to
    having count(*) filter (where kind = 'refund') > count(*) filter (where kind = 'refund_reversal')
)
select m.bucket, m.value,
    coalesce(sum(m.amount_micros) filter (where m.is_charge), 0)::bigint as gross,
    coalesce(-sum(m.amount_micros) filter (where m.kind in ('refund', 'refund_reversal')), 0)::bigint as refunds,
    coalesce(-sum(m.amount_micros) filter (where m.kind in ('chargeback', 'chargeback_reversal')), 0)::bigint as chargebacks,
    coalesce(sum(m.amount_micros) filter (where m.is_charge and m.occurred_at = f.at), 0)::bigint as new,
    coalesce(sum(round(m.amount_micros::numeric * m.tax_ppm / 1000000)), 0)::bigint as tax,
    coalesce(sum(round(m.amount_micros::numeric * m.commission_ppm / 1000000)), 0)::bigint as commission,
    count(*) filter (where m.tax_ppm is null and m.amount_micros <> 0) as tax_unknown,
    count(*) filter (where m.commission_ppm is null and m.amount_micros <> 0) as commission_unknown,
    count(*) filter (where m.is_charge and m.is_paid) as transactions,
    count(*) filter (where m.is_charge and m.is_paid and t.is_refunded) as refunded,
    count(distinct m.customer) filter (where m.is_charge and m.is_paid) as customers,
    count(*) filter (where m.amount_micros is null) as unconverted,
    count(*) filter (where m.app_user_id = '') as without_person_rows,
    coalesce(sum(m.amount_micros) filter (where m.app_user_id = ''), 0)::bigint as without_person
from moved m
left join first_payment f using (customer)
left join taken_back t on t.provider = m.provider and t.transaction_key = m.transaction_key and m.is_charge
group by m.bucket, m.value
order by gross desc, m.value, m.bucket
limit @most::int
