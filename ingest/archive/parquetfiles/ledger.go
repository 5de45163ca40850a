package parquetfiles

import "time"

// entry is a row of the ledger of money.
type entry struct {
	Provider         string     `db:"provider" parquet:"provider,dict"`
	ProviderEventID  string     `db:"provider_event_id" parquet:"provider_event_id"`
	Kind             string     `db:"kind" parquet:"kind,dict"`
	Source           string     `db:"source" parquet:"source,dict"`
	OccurredAt       time.Time  `db:"occurred_at" parquet:"occurred_at,timestamp(microsecond)"`
	ChargedAt        *time.Time `db:"charged_at" parquet:"charged_at,optional,timestamp(microsecond)"` // null: occurred_at
	AppUserID        *string    `db:"app_user_id" parquet:"app_user_id,optional"`
	AmountMicros     *int64     `db:"amount_micros" parquet:"amount_micros,optional"` // micro-USD; null without a rate
	OriginalAmount   *int64     `db:"original_amount" parquet:"original_amount,optional"`
	Currency         string     `db:"currency" parquet:"currency,dict"` // of original_amount
	CurrencyExponent int16      `db:"currency_exponent" parquet:"currency_exponent"`
	TaxPPM           *int32     `db:"tax_ppm" parquet:"tax_ppm,optional"`
	CommissionPPM    *int32     `db:"commission_ppm" parquet:"commission_ppm,optional"`
	ProductID        *string    `db:"product_id" parquet:"product_id,optional,dict"`
	TransactionKey   *string    `db:"transaction_key" parquet:"transaction_key,optional"`
	RefersTo         *string    `db:"refers_to" parquet:"refers_to,optional"`
	SubscriptionKey  *string    `db:"subscription_key" parquet:"subscription_key,optional"`
	Store            *string    `db:"store" parquet:"store,optional,dict"`
	Country          *string    `db:"country" parquet:"country,optional,dict"`
	PeriodType       *string    `db:"period_type" parquet:"period_type,optional,dict"`
	PeriodStart      *time.Time `db:"period_start" parquet:"period_start,optional,timestamp(microsecond)"`
	PeriodEnd        *time.Time `db:"period_end" parquet:"period_end,optional,timestamp(microsecond)"`
	Offer            *string    `db:"offer" parquet:"offer,optional,dict"`
}

var ledger = tableOf[entry]{
	name: "ledger",
	summary: `select (occurred_at at time zone 'utc')::date, count(*),
			sum(hashtextextended(id::text, changed_xid::text::bigint))::text
		from revenue_ledger` + eventsWithin + ` group by 1 order by 1`,
	selects: []string{`select provider, provider_event_id, kind, source, occurred_at, charged_at, amount_micros,
			original_amount, currency, currency_exponent, tax_ppm, commission_ppm, period_start, period_end, ` +
		texts("app_user_id, product_id, transaction_key, refers_to, subscription_key, store, country, period_type, offer") + `
		from revenue_ledger` + eventsWithin + ` order by occurred_at, id`},
}
