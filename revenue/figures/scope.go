// Package figures computes what the ledger and the periods of subscriptions come to: money, recurring revenue,
// conversion of trials, lifetime value and retention. Sums are made by the database, within the time of the caller;
// formulas are here. docs/analytics.md defines every figure. It knows no provider and no currency but the dollar.
package figures

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
)

// Basis says when what was taken back counts.
type Basis string

// The bases. Charges count at their own time by both.
const (
	ByEvent  Basis = "event"  // refunds and chargebacks at their own time
	ByCharge Basis = "charge" // at the time of the charge that they take back, so that the past changes
)

// Dimension is what money is broken down by.
type Dimension string

// The dimensions.
const (
	Provider           Dimension = "provider"
	Store              Dimension = "store"
	Product            Dimension = "product"
	Country            Dimension = "country"
	PeriodLength       Dimension = "periodLength"       // one of PeriodLengths; empty for what is bought once
	AcquisitionChannel Dimension = "acquisitionChannel" // of the person's first touch
)

// Dimensions lists them.
var Dimensions = []Dimension{Provider, Store, Product, Country, PeriodLength, AcquisitionChannel}

// PeriodLengths are the lengths of periods as ISO 8601 writes them. A period has the nearest: a month has 22 to 45
// days, so that four weeks are one.
var PeriodLengths = []string{"P1D", "P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"}

// Filter keeps the money and the subscriptions that have one of some values.
type Filter struct {
	Dimension Dimension // Provider, Store, Product, Country or PeriodLength
	Values    []string
}

// MaxValues is how many values a filter may have.
const MaxValues = 100

// Scope is what the figures of a request have in common.
type Scope struct {
	EnvironmentID int64
	Start, End    time.Time      // [Start, End); both zero means the last seven days of the zone
	Location      *time.Location // nil means UTC
	Basis         Basis          // empty means ByEvent
	Filters       []Filter
}

// Resolve checks the scope and fills in its defaults. Errors are joined analytics.FieldErrors.
func (s Scope) Resolve(now time.Time) (Scope, error) {
	times, err := analytics.Scope{Start: s.Start, End: s.End, Location: s.Location}.Resolve(now)
	errs := []error{err}
	s.Start, s.End, s.Location = times.Start, times.End, times.Location
	switch s.Basis {
	case "":
		s.Basis = ByEvent
	case ByEvent, ByCharge:
	default:
		errs = append(errs, analytics.Invalid("basis", "unknown basis %q: use event or charge", s.Basis))
	}
	for _, f := range s.Filters {
		switch {
		case fields[f.Dimension].ledger == "":
			errs = append(errs, analytics.Invalid("filters", "%s can't be filtered by", f.Dimension))
		case len(f.Values) > MaxValues:
			errs = append(errs, analytics.Invalid(string(f.Dimension), "at most %d values", MaxValues))
		case slices.ContainsFunc(f.Values, func(v string) bool { return strings.ContainsRune(v, 0) }):
			errs = append(errs, analytics.Invalid(string(f.Dimension), "a value has a zero byte"))
		}
	}
	return s, errors.Join(errs...)
}

// field is a dimension in SQL: of a row of the ledger, l, and of a period, p.
type field struct{ ledger, period string }

var fields = map[Dimension]field{
	Provider:     {"l.provider", "p.provider"},
	Store:        {"l.store", "p.store"},
	Product:      {"l.product_id", "p.product_id"},
	Country:      {"l.country", "p.country"},
	PeriodLength: {lengthOf("l.period_start", "l.period_end"), lengthOf("p.starts_at", "p.ends_at")},
}

// lengthOf is SQL for the length of a period, one of PeriodLengths; empty without a period.
func lengthOf(start, end string) string {
	return `coalesce((array['` + strings.Join(PeriodLengths, "', '") + `'])[` + lengthNumber(start, end) + `], '')`
}

// lengthNumber is SQL for the place of a period's length among PeriodLengths, from 1.
func lengthNumber(start, end string) string {
	return `1 + width_bucket(extract(epoch from ` + end + ` - ` + start + `) / 86400,
		array[2, 5, 11, 22, 46, 76, 136, 271]::numeric[])`
}

// query is SQL with named parts, and its arguments.
type query struct {
	text string
	args pgx.StrictNamedArgs
	part map[string]string
}

// newQuery returns SQL whose names in braces stand for parts: those of every query, and those that are set.
func newQuery(text string, args pgx.StrictNamedArgs) *query {
	return &query{text, args, map[string]string{
		"customer": customerSQL, "subscriber": subscriberSQL, "monthly": monthlySQL, "spans": spansSQL,
		"length": lengthOf("p.starts_at", "p.ends_at"), "lengthNumber": lengthNumber("p.starts_at", "p.ends_at"),
		"value": "''", "join": "",
	}}
}

// filter sets the parts "ledgerFilter" and "periodFilter", whichever the text has, to the filters of a scope.
func (q *query) filter(filters []Filter) {
	var conditions strings.Builder
	for i, f := range filters {
		name, column := "filter"+string(rune('a'+i)), fields[f.Dimension].period
		if q.isOfLedger() {
			column = fields[f.Dimension].ledger
		}
		conditions.WriteString(" and " + column + " = any (@" + name + "::text[])")
		q.args[name] = f.Values
	}
	q.part["ledgerFilter"], q.part["periodFilter"] = conditions.String(), conditions.String()
}

// sql returns the text with its parts.
func (q *query) sql() string {
	pairs := make([]string, 0, 2*len(q.part))
	for _, name := range slices.Sorted(maps.Keys(q.part)) {
		pairs = append(pairs, "{"+name+"}", q.part[name])
	}
	replacer, text := strings.NewReplacer(pairs...), q.text
	for strings.Contains(text, "{") { // parts may have parts
		text = replacer.Replace(text)
	}
	return text
}

const (
	// customerSQL is who paid a row of the ledger: its person, else whoever has the subscription or the single charge. An
	// index has the same expression.
	customerSQL = `(case when l.app_user_id <> '' then 'person ' || l.app_user_id else l.provider || ' ' || ` +
		`coalesce(nullif(l.subscription_key, ''), nullif(l.refers_to, ''), nullif(l.transaction_key, ''), ` +
		`l.provider_event_id) end)`
	// subscriberSQL is the same of a period.
	subscriberSQL = `(case when p.app_user_id <> '' then 'person ' || p.app_user_id
		else p.provider || ' ' || p.subscription_key end)`
	// monthlySQL is what a period's amount is a month (RevenueCat's factors): by its length.
	monthlySQL = `round(coalesce(p.amount_micros, 0)
		* (array[30, 10, 4, 2, 1, 1, 1, 1, 1])[p.length_number]
		/ (array[1, 1, 1, 1, 1, 2, 3, 6, 12]::numeric[])[p.length_number])`
)

// isOfLedger tells whether the query reads the ledger, else it reads periods.
func (q *query) isOfLedger() bool { return strings.Contains(q.text, "{ledgerFilter}") }
