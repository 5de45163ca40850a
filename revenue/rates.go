package revenue

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue/fold"
)

// rateAge is how many days a rate may be older than the charge that it converts.
const rateAge = 7

// rates are rates that were looked up, by currency and day; "" is none.
type rates map[string]string

// of returns dollars for a unit of a currency on the day of a charge (UTC): the operator's rate of the nearest earlier
// day, or "".
func (r rates) of(ctx context.Context, tx pgx.Tx, currency string, at time.Time) (string, error) {
	day := at.UTC().Format(time.DateOnly)
	key := currency + day
	if rate, known := r[key]; known {
		return rate, nil
	}
	var rate string
	err := tx.QueryRow(ctx, `
		select usd::text from currency_rate where currency = $1 and day <= $2::date and day >= $2::date - $3::int
		order by day desc limit 1`, currency, day, rateAge).Scan(&rate)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("look for a rate: %w", err)
	}
	r[key] = rate
	return rate, nil
}

// convert returns an amount in units of 10^-exponent of a currency in micro-dollars, by the rate of the day of a
// charge; nil when it is not known or there is no rate.
func (r rates) convert(
	ctx context.Context, tx pgx.Tx, original *int64, currency string, exponent int, at time.Time,
) (micros *int64, rate string, err error) {
	if original == nil || currency == "" {
		return nil, "", nil
	}
	if rate, err = r.of(ctx, tx, currency, at); err != nil || rate == "" {
		return nil, "", err
	}
	value, _ := new(big.Rat).SetString(rate)
	if converted, ok := fold.Convert(*original, exponent, value); ok {
		return &converted, rate, nil
	}
	return nil, "", nil
}

// Rate is what a unit of a currency is worth on a day.
type Rate struct {
	Day      time.Time
	Currency string // ISO 4217
	USD      string // dollars for one unit, decimal
}

// isRate tells whether a text is a decimal number, without a sign.
var isRate = regexp.MustCompile(`^\d{1,15}(\.\d{1,14})?$`)

// ReadRates reads a table of rates: CSV with the header day,currency,usd. The error names the line.
func ReadRates(from io.Reader) (list []Rate, err error) {
	reader := csv.NewReader(from)
	reader.FieldsPerRecord = 3
	reader.TrimLeadingSpace = true
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("rates: %w", err)
		}
		line, _ := reader.FieldPos(0)
		if line == 1 && strings.EqualFold(strings.Join(record, ","), "day,currency,usd") {
			continue
		}
		day, err := time.Parse(time.DateOnly, record[0])
		if err != nil {
			return nil, fmt.Errorf("rates, line %d: %q is not a day such as 2026-01-31", line, record[0])
		}
		currency := strings.ToUpper(record[1])
		if len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return nil, fmt.Errorf("rates, line %d: %q is not a currency such as EUR", line, record[1])
		}
		if !isRate.MatchString(record[2]) || strings.Trim(record[2], "0.") == "" {
			return nil, fmt.Errorf("rates, line %d: %q is not an amount of dollars such as 1.0825", line, record[2])
		}
		list = append(list, Rate{day, currency, record[2]})
	}
	if len(list) == 0 {
		return nil, errors.New("rates: the table has no rows")
	}
	return list, nil
}

// ImportRates puts rates into the table, over those of the same day and currency, and books anew what they convert. It
// returns in how many environments it did.
func (l *Ledger) ImportRates(ctx context.Context, list []Rate) (environments int, err error) {
	days, currencies, values := make([]string, len(list)), make([]string, len(list)), make([]string, len(list))
	for i, r := range list {
		days[i], currencies[i], values[i] = r.Day.Format(time.DateOnly), r.Currency, r.USD
	}
	if _, err := l.pool.Exec(ctx, `
		insert into currency_rate (day, currency, usd)
		select distinct on (day, currency) day::date, currency, usd::numeric
		from unnest($1::text[], $2::text[], $3::text[]) with ordinality as r (day, currency, usd, n)
		order by day, currency, n desc
		on conflict (currency, day) do update set usd = excluded.usd`, days, currencies, values); err != nil {
		return 0, fmt.Errorf("write the rates: %w", err)
	}
	rows, err := l.pool.Query(ctx, `
		select distinct environment_id from revenue_ledger
		where source = 'webhook' and usd_rate_source <> 'provider' and currency = any ($1) order by 1`, currencies)
	if err != nil {
		return 0, fmt.Errorf("look for what the rates convert: %w", err)
	}
	concerned, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return 0, fmt.Errorf("look for what the rates convert: %w", err)
	}
	for _, environment := range concerned {
		if _, err := l.Replay(ctx, environment); err != nil {
			return 0, err
		}
	}
	return len(concerned), nil
}
