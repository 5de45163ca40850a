package automation

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue"
)

var (
	//go:embed enter.sql
	enterSQL string
	//go:embed signal.sql
	signalSQL string
)

// Wants tells whether something may follow from what happens in an environment.
// It is cheap enough to ask for every event.
func (a *Automations) Wants(environmentID int64) bool { return a.registry.of(environmentID) != nil }

// Happened does, in the transaction that stores facts, what follows from them:
// it enrols people, wakes enrolments that wait and ends those that a fact ends.
func (a *Automations) Happened(ctx context.Context, tx pgx.Tx, facts []Fact) error {
	if err := addAnswers(ctx, tx, facts, func(f *Fact) bool {
		rules := a.registry.of(f.EnvironmentID)
		return rules != nil && rules.wantsAnswers(f)
	}); err != nil {
		return err
	}
	environments, err := a.apply(ctx, pgxStatements{tx}, facts)
	if err != nil {
		return err
	}
	for environment := range environments {
		if err := a.wakeIn(ctx, tx, environment); err != nil {
			return err
		}
	}
	return nil
}

// Booked tells of money that providers report, in the transaction that books it: see [revenue.Follower]. What is told
// more than three days late, as after a long outage or for a person who becomes known later, starts nothing.
func (a *Automations) Booked(ctx context.Context, tx pgx.Tx, changes []revenue.Change) error {
	var facts []Fact
	for _, c := range changes {
		if a.now().Sub(c.OccurredAt) <= maxMoneyAge {
			facts = append(facts, ofChange(c))
		}
	}
	return a.Happened(ctx, tx, facts)
}

// maxMoneyAge is as long as providers try again to deliver.
const maxMoneyAge = 3 * 24 * time.Hour

// Execer is a transaction of database/sql or ent.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Recorded is [Automations.Happened] for facts that are stored through
// database/sql, such as rows of the ledger. Whom it enrols is looked at within a
// second.
func (a *Automations) Recorded(ctx context.Context, tx Execer, facts ...Fact) error {
	_, err := a.apply(ctx, sqlStatements{tx}, facts)
	return err
}

// apply returns the environments in which enrolments have something to do now.
func (a *Automations) apply(ctx context.Context, run statements, facts []Fact) (map[int64]bool, error) {
	var entries []entry
	var signals []signal
	once := map[entryKey]bool{}
	for i := range facts {
		f := &facts[i]
		rules := a.registry.of(f.EnvironmentID)
		if rules == nil || f.AppUserID == "" {
			continue
		}
		entering, told := rules.match(f)
		signals = append(signals, told...)
		for _, e := range entering {
			// One statement can't decide twice about one person: the first of a batch enters.
			key := entryKey{e.EnvironmentID, e.AutomationID, e.AppUserID, e.EntryKey}
			if e.Always || !once[key] {
				once[key] = true
				entries = append(entries, e)
			}
		}
	}
	environments := map[int64]bool{}
	if entries = a.intake.admit(entries, a.now()); len(entries) > 0 {
		argument, err := json.Marshal(entries)
		if err != nil {
			return nil, fmt.Errorf("enter: %w", err)
		}
		entered, err := run.enter(ctx, argument)
		if err != nil {
			return nil, fmt.Errorf("enter: %w", err)
		}
		a.intake.add(entered, a.now())
		for environment := range entered {
			environments[environment] = true
		}
	}
	if len(signals) > 0 {
		argument, err := json.Marshal(signals)
		if err != nil {
			return nil, fmt.Errorf("notify entries: %w", err)
		}
		woken, err := run.exec(ctx, signalSQL, argument)
		if err != nil {
			return nil, fmt.Errorf("notify entries: %w", err)
		}
		for i := 0; woken > 0 && i < len(signals); i++ {
			environments[signals[i].EnvironmentID] = true
		}
	}
	return environments, nil
}
