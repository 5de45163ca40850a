package revenue

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue/fold"
)

//go:embed write_ledger.sql
var writeLedgerSQL string

//go:embed write_periods.sql
var writePeriodsSQL string

// ledgerRow is a row of the ledger as the database reads it; the names are those of its columns.
type ledgerRow struct {
	TransactionKey   string     `json:"transaction_key"`
	Kind             fold.Kind  `json:"kind"`
	ProviderEventID  string     `json:"provider_event_id"`
	RefersTo         string     `json:"refers_to"`
	SubscriptionKey  string     `json:"subscription_key"`
	AppUserID        string     `json:"app_user_id"`
	OccurredAt       time.Time  `json:"occurred_at"`
	ChargedAt        time.Time  `json:"charged_at"`
	AmountMicros     *int64     `json:"amount_micros"`
	OriginalAmount   *int64     `json:"original_amount"`
	Currency         string     `json:"currency"`
	CurrencyExponent int        `json:"currency_exponent"`
	USDRate          *string    `json:"usd_rate"`
	USDRateSource    string     `json:"usd_rate_source"`
	TaxPPM           *int64     `json:"tax_ppm"`
	CommissionPPM    *int64     `json:"commission_ppm"`
	ProductID        string     `json:"product_id"`
	Store            string     `json:"store"`
	Country          string     `json:"country"`
	PeriodType       string     `json:"period_type"`
	PeriodStart      *time.Time `json:"period_start"`
	PeriodEnd        *time.Time `json:"period_end"`
	Offer            string     `json:"offer"`
	PersonIDs        []string   `json:"person_ids"`
}

// periodRow is a row of subscription_period.
type periodRow struct {
	TransactionKey  string     `json:"transaction_key"`
	SubscriptionKey string     `json:"subscription_key"`
	ProviderEventID string     `json:"provider_event_id"`
	PeriodType      string     `json:"period_type"`
	StartsAt        time.Time  `json:"starts_at"`
	EndsAt          time.Time  `json:"ends_at"`
	GraceUntil      *time.Time `json:"grace_until"`
	EndedAt         *time.Time `json:"ended_at"`
	AutoRenew       bool       `json:"auto_renew"`
	AmountMicros    *int64     `json:"amount_micros"`
	WholeSeconds    *int64     `json:"whole_seconds"`
	ProductID       string     `json:"product_id"`
	Store           string     `json:"store"`
	Country         string     `json:"country"`
	AppUserID       string     `json:"app_user_id"`
	PersonIDs       []string   `json:"person_ids"`
}

func optional(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func orEmpty(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

// write folds deliveries that belong together and makes the ledger and the periods what they come to: only rows that
// differ are written.
func (b *book) write(ctx context.Context, eventIDs []string) (fold.Result, error) {
	events, erased, err := b.events(ctx, eventIDs)
	if err != nil {
		return fold.Result{}, err
	}
	result := fold.Fold(b.provider, events)
	if erased { // what comes later of somebody who was erased is of nobody as well
		for i := range result.Entries {
			result.Entries[i].PersonIDs = nil
		}
		for i := range result.Periods {
			result.Periods[i].PersonIDs = nil
		}
		if err := b.redact(ctx, events); err != nil {
			return result, err
		}
	}
	// Attempts are locked before the ledger, as erasures do.
	if err := b.confirm(ctx, result.Attempts); err != nil {
		return result, err
	}
	people, err := b.assign(ctx, ownersOf(result))
	if err != nil {
		return result, err
	}
	ledger, err := b.ledgerRows(ctx, result.Entries, people[:len(result.Entries)])
	if err != nil {
		return result, err
	}
	periods, err := b.periodRows(ctx, result.Periods, people[len(result.Entries):], ledger)
	if err != nil {
		return result, err
	}
	ledgerText, err := json.Marshal(ledger)
	if err != nil {
		return result, err
	}
	periodText, err := json.Marshal(periods)
	if err != nil {
		return result, err
	}
	var lost bool
	var fresh []int64
	if err := b.tx.QueryRow(
		ctx, writeLedgerSQL, b.environment, b.provider, eventIDs, ledgerText,
	).Scan(&lost, &fresh); err != nil {
		return result, fmt.Errorf("write the ledger: %w", err)
	}
	rows, err := b.tx.Query(ctx, writePeriodsSQL, b.environment, b.provider, eventIDs, periodText)
	if err != nil {
		return result, fmt.Errorf("write the periods: %w", err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return result, fmt.Errorf("write the periods: %w", err)
	}
	if err := b.tell(ctx, fresh, ended); err != nil {
		return result, err
	}
	if lost { // what is gone can't be followed: readers of reports read the ledger anew
		if _, err := b.tx.Exec(
			ctx, `insert into frame_invalidated (environment_id, home_day, xid) values ($1, null, pg_current_xact_id())`,
			b.environment,
		); err != nil {
			return result, err
		}
	}
	return result, b.setVerdicts(ctx, result.Verdicts)
}

// confirm marks the checkout attempts as paid that were.
func (b *book) confirm(ctx context.Context, attempts []uuid.UUID) error {
	if len(attempts) == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, `
		update checkout_attempt set confirmed_at = $3
		where environment_id = $1 and id = any ($2) and confirmed_at is null`, b.environment, attempts, b.now)
	return err
}

// ownersOf returns whose the entries are, and after them whose the periods.
func ownersOf(result fold.Result) (owners []owner) {
	for _, e := range result.Entries {
		owners = append(owners, owner{subject(e.SubscriptionKey, e.RefersTo, e.TransactionKey), e.ChargedAt, e.PersonIDs})
	}
	for _, p := range result.Periods {
		owners = append(owners, owner{p.SubscriptionKey, p.StartsAt, p.PersonIDs})
	}
	return owners
}

func (b *book) ledgerRows(ctx context.Context, entries []fold.Entry, people []string) ([]ledgerRow, error) {
	rates := rates{}
	rows := make([]ledgerRow, len(entries))
	for i, e := range entries {
		rows[i] = ledgerRow{
			TransactionKey: e.TransactionKey, Kind: e.Kind, ProviderEventID: e.EventID, RefersTo: e.RefersTo,
			SubscriptionKey: e.SubscriptionKey, AppUserID: people[i], OccurredAt: e.OccurredAt, ChargedAt: e.ChargedAt,
			AmountMicros: e.Micros, OriginalAmount: e.Original, Currency: e.Currency, CurrencyExponent: e.Exponent,
			USDRateSource: "provider", TaxPPM: e.TaxPPM, CommissionPPM: e.CommissionPPM, ProductID: e.ProductID,
			Store: e.Store, Country: e.Country, PeriodType: e.PeriodType, PeriodStart: optional(e.PeriodStart),
			PeriodEnd: optional(e.PeriodEnd), Offer: e.Offer, PersonIDs: orEmpty(e.PersonIDs),
		}
		if e.Micros != nil {
			continue
		}
		rows[i].USDRateSource = "none"
		micros, rate, err := rates.convert(ctx, b.tx, e.Original, e.Currency, e.Exponent, e.ChargedAt)
		if err != nil {
			return nil, err
		}
		if micros != nil {
			rows[i].AmountMicros, rows[i].USDRate, rows[i].USDRateSource = micros, &rate, "table"
		}
	}
	return rows, nil
}

func (b *book) periodRows(
	ctx context.Context, periods []fold.Period, people []string, ledger []ledgerRow,
) ([]periodRow, error) {
	charges := map[string]*ledgerRow{}
	for i := range ledger {
		if ledger[i].Kind.IsCharge() {
			charges[ledger[i].TransactionKey] = &ledger[i]
		}
	}
	rates := rates{}
	rows := make([]periodRow, len(periods))
	for i, p := range periods {
		rows[i] = periodRow{
			TransactionKey: p.TransactionKey, SubscriptionKey: p.SubscriptionKey, ProviderEventID: p.EventID,
			PeriodType: p.PeriodType, StartsAt: p.StartsAt, EndsAt: p.EndsAt, GraceUntil: optional(p.GraceUntil),
			EndedAt: optional(p.EndedAt), AutoRenew: p.AutoRenew, AmountMicros: p.Micros, ProductID: p.ProductID,
			Store: p.Store, Country: p.Country, AppUserID: people[i], PersonIDs: orEmpty(p.PersonIDs),
		}
		if p.Whole != 0 {
			seconds := int64(p.Whole / time.Second)
			rows[i].WholeSeconds = &seconds
		}
		if charge := charges[p.TransactionKey]; charge != nil {
			rows[i].AppUserID = charge.AppUserID
		}
		if p.Micros == nil {
			var err error
			rows[i].AmountMicros, _, err = rates.convert(ctx, b.tx, p.Original, p.Currency, p.Exponent, p.ChargedAt)
			if err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// redact takes who it was out of deliveries of somebody who was erased.
func (b *book) redact(ctx context.Context, events []fold.Event) error {
	for _, e := range events {
		body, err := fold.Redact(b.provider, e.Body)
		if err != nil {
			return err
		}
		if _, err := b.tx.Exec(ctx, `
			update provider_event set body = $4, erased = true
			where environment_id = $1 and provider = $2 and event_id = $3 and not erased`,
			b.environment, b.provider, e.ID, body); err != nil {
			return err
		}
	}
	return nil
}
