package parquetfiles

import (
	"time"

	"github.com/svc-dev/svc/postgres"
)

// period is a paid or free period of a subscription. Its day is that on which it starts.
type period struct {
	Provider        string     `parquet:"provider,dict"`
	SubscriptionKey string     `parquet:"subscription_key,dict"`
	TransactionKey  string     `parquet:"transaction_key"`
	PeriodType      string     `parquet:"period_type,dict"`
	StartsAt        time.Time  `parquet:"starts_at,timestamp(microsecond)"`
	EndsAt          time.Time  `parquet:"ends_at,timestamp(microsecond)"`
	GraceUntil      *time.Time `parquet:"grace_until,optional,timestamp(microsecond)"`
	EndedAt         *time.Time `parquet:"ended_at,optional,timestamp(microsecond)"`
	AutoRenew       bool       `parquet:"auto_renew"`
	PeriodLength    string     `parquet:"period_length,dict"`
	AmountMicros    *int64     `parquet:"amount_micros,optional"` // micro-USD; null without a rate
	ProductID       *string    `parquet:"product_id,optional,dict"`
	Store           *string    `parquet:"store,optional,dict"`
	Country         *string    `parquet:"country,optional,dict"`
	AppUserID       *string    `parquet:"app_user_id,optional"`
}

const periodsWithin = ` where environment_id = @environment and starts_at >= @from and starts_at < @until`

var subscriptions = tableOf[period]{
	name: "subscriptions",
	summary: `select (starts_at at time zone 'utc')::date, count(*), sum(hashtextextended(p::text, 0))::text
		from subscription_period p` + periodsWithin + ` group by 1 order by 1`,
	selects: []string{`select provider, subscription_key, transaction_key, period_type, starts_at, ends_at, grace_until,
			ended_at, auto_renew, amount_micros, ` + postgres.PeriodLength + ` as period_length, ` +
		texts("product_id, store, country, app_user_id") + `
		from subscription_period` + periodsWithin + ` order by starts_at, provider, transaction_key`},
}

// variant is an arm of an experiment. Its day is that on which the experiment was made.
type variant struct {
	ExperimentID string     `parquet:"experiment_id,dict"`
	Name         string     `parquet:"name,dict"`
	Status       string     `parquet:"status,dict"`
	SplitBy      *string    `parquet:"split_by,optional,dict"`
	ChannelID    string     `parquet:"channel_id,dict"`
	CreatedAt    time.Time  `parquet:"created_at,timestamp(microsecond)"`
	StartedAt    *time.Time `parquet:"started_at,optional,timestamp(microsecond)"`
	StoppedAt    *time.Time `parquet:"stopped_at,optional,timestamp(microsecond)"`
	VariantID    string     `parquet:"variant_id"`
	Arm          int64      `parquet:"arm"`
	Variant      string     `parquet:"variant"`
	VariantName  *string    `parquet:"variant_name,optional"`
	Weight       int64      `parquet:"weight"`
}

const variantsWithin = `
		from experiments x join variants a on a.experiment_id = x.id
		where x.channel_id = any(@channel_numbers::bigint[]) and x.created_at >= @from and x.created_at < @until`

var experiments = tableOf[variant]{
	name: "experiments",
	summary: `select (x.created_at at time zone 'utc')::date, count(*),
			sum(hashtextextended(x::text || a::text, 0))::text` + variantsWithin + ` group by 1 order by 1`,
	selects: []string{`select x.id::text as experiment_id, x.name, x.status, nullif(x.split_by, '') as split_by,
			(@channel_ids::text[])[array_position(@channel_numbers::bigint[], x.channel_id)] as channel_id,
			x.created_at, x.started_at, x.stopped_at, a.id::text as variant_id, a.position as arm, a.key as variant,
			nullif(a.name, '') as variant_name, a.weight` + variantsWithin + ` order by x.created_at, x.id, a.position`},
}

// servedPerson is somebody who was served an experiment. Its day is the first one.
type servedPerson struct {
	ExperimentID string `parquet:"experiment_id,dict"`
	Person       string `parquet:"person"` // a hash
	Day          int32  `parquet:"day,date"`
	Arm          int16  `parquet:"arm"`
}

const (
	servedDays = ` day >= (@from::timestamptz at time zone 'utc')::date
		and day < (@until::timestamptz at time zone 'utc')::date`
	servedPeople = ` from experiment_served where environment_id = @environment`
)

var experimentPeople = tableOf[servedPerson]{
	name: "experiment_people",
	summary: `select day, count(*), sum(uuid_hash_extended(experiment_id, arm) # uuid_hash_extended(person, 0))::text` +
		servedPeople + ` and` + servedDays + ` group by 1 order by 1`,
	// Who is in rows of several days counts on the first, so all of an experiment is read, but no other one.
	selects: []string{`select experiment_id::text as experiment_id, person::text as person,
			day - date '1970-01-01' as day, arm` +
		servedPeople + ` and experiment_id = any (array(
			select distinct experiment_id from experiment_served_packed
			where environment_id = @environment and` + servedDays + `))
			and` + servedDays + ` order by experiment_id, arm, person`},
}

// annotation is a note on the charts. Its day is the one that it is of.
type annotation struct {
	ID        string    `parquet:"id"`
	At        time.Time `parquet:"at,timestamp(microsecond)"`
	Text      *string   `parquet:"text,optional"`
	CreatedAt time.Time `parquet:"created_at,timestamp(microsecond)"`
}

const notesWithin = ` where environment_id = @environment and at >= @from and at < @until`

var annotations = tableOf[annotation]{
	name: "annotations",
	summary: `select (at at time zone 'utc')::date, count(*), sum(hashtextextended(n::text, 0))::text
		from notes n` + notesWithin + ` group by 1 order by 1`,
	selects: []string{`select id::text as id, at, nullif(text, '') as text, created_at
		from notes` + notesWithin + ` order by at, id`},
}
