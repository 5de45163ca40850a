package parquetfiles

import "time"

// entry is a row of the ledger of money.
type entry struct {
	Provider         string     `parquet:"provider,dict"`
	ProviderEventID  string     `parquet:"provider_event_id"`
	Kind             string     `parquet:"kind,dict"`
	Source           string     `parquet:"source,dict"`
	OccurredAt       time.Time  `parquet:"occurred_at,timestamp(microsecond)"`
	ChargedAt        *time.Time `parquet:"charged_at,optional,timestamp(microsecond)"` // null: occurred_at
	AppUserID        *string    `parquet:"app_user_id,optional"`
	AmountMicros     *int64     `parquet:"amount_micros,optional"` // micro-USD; null without a rate
	OriginalAmount   *int64     `parquet:"original_amount,optional"`
	Currency         string     `parquet:"currency,dict"` // of original_amount
	CurrencyExponent int16      `parquet:"currency_exponent"`
	TaxPPM           *int32     `parquet:"tax_ppm,optional"`
	CommissionPPM    *int32     `parquet:"commission_ppm,optional"`
	ProductID        *string    `parquet:"product_id,optional,dict"`
	TransactionKey   *string    `parquet:"transaction_key,optional"`
	RefersTo         *string    `parquet:"refers_to,optional"`
	SubscriptionKey  *string    `parquet:"subscription_key,optional"`
	Store            *string    `parquet:"store,optional,dict"`
	Country          *string    `parquet:"country,optional,dict"`
	PeriodType       *string    `parquet:"period_type,optional,dict"`
	PeriodStart      *time.Time `parquet:"period_start,optional,timestamp(microsecond)"`
	PeriodEnd        *time.Time `parquet:"period_end,optional,timestamp(microsecond)"`
	Offer            *string    `parquet:"offer,optional,dict"`
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
