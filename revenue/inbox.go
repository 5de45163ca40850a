package revenue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/privacy"
	"github.com/svc-dev/svc/revenue/fold"
)

// Delivery is what a provider sent, verified.
type Delivery struct {
	ConnectionID uuid.UUID
	Provider     fold.Provider
	// Live and Test are the environments of the connection's app: money of a sandbox goes to Test.
	Live, Test int64
	// ID names the delivery where the body does not.
	ID   string
	Body []byte
}

// Receipt is what became of a delivery.
type Receipt struct {
	EventID   string
	Verdict   fold.Verdict
	Duplicate bool // the same event came before: nothing was done
}

// maxComponent is how many deliveries are folded together: what one customer, or one subscription, is told about in
// decades.
const maxComponent = 5000

// Receive keeps a delivery and books what follows from it, in one transaction: when it returns, both are committed. A
// delivery whose booking fails is kept as failed. The error says that nothing was kept, so that the provider must send
// it again.
func (l *Ledger) Receive(ctx context.Context, d Delivery) (Receipt, error) {
	opened := l.open(d)
	receipt := Receipt{EventID: opened.id, Verdict: opened.envelope.Verdict}
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		b := l.book(tx, opened.environment, d.Provider)
		if err := b.lock(ctx); err != nil {
			return err
		}
		isNew, err := b.keep(ctx, opened)
		if err != nil {
			return err
		}
		if receipt.Duplicate = !isNew; receipt.Duplicate {
			return nil
		}
		if err := b.noteDelivery(ctx, d.ConnectionID); err != nil || opened.envelope.Verdict.State != fold.Handled {
			return err
		}
		verdicts, err := b.bookNew(ctx, opened.id, opened.envelope)
		receipt.Verdict = verdicts[opened.id]
		return err
	})
	if err != nil {
		return receipt, fmt.Errorf("keep a delivery of %s: %w", d.Provider, err)
	}
	return receipt, nil
}

// ReceiveHistory keeps many deliveries and books what they come to together, in one transaction for each environment
// and provider. The result is that of [Ledger.Receive] for each of them, for a fraction of the work.
func (l *Ledger) ReceiveHistory(ctx context.Context, deliveries []Delivery) error {
	type place struct {
		environment int64
		provider    fold.Provider
	}
	groups := map[place][]opened{}
	for _, d := range deliveries {
		o := l.open(d)
		groups[place{o.environment, d.Provider}] = append(groups[place{o.environment, d.Provider}], o)
	}
	for at, list := range groups {
		if err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
			b := l.book(tx, at.environment, at.provider)
			if err := b.lock(ctx); err != nil {
				return err
			}
			return b.receiveAll(ctx, list)
		}); err != nil {
			return fmt.Errorf("keep deliveries of %s: %w", at.provider, err)
		}
	}
	return nil
}

func (b *book) receiveAll(ctx context.Context, list []opened) error {
	var unbooked []opened
	noted := map[uuid.UUID]bool{}
	for _, o := range list {
		isNew, err := b.keep(ctx, o)
		if err != nil {
			return err
		}
		if isNew && o.envelope.Verdict.State == fold.Handled {
			unbooked = append(unbooked, o)
		}
		if isNew && !noted[o.ConnectionID] {
			noted[o.ConnectionID] = true
			if err := b.noteDelivery(ctx, o.ConnectionID); err != nil {
				return err
			}
		}
	}
	booked := map[string]bool{}
	for _, o := range unbooked {
		// What transfers purchases has to be told of by itself.
		if booked[o.id] && o.envelope.Transferred == nil {
			continue
		}
		verdicts, err := b.bookNew(ctx, o.id, o.envelope)
		if err != nil {
			return err
		}
		for id := range verdicts {
			booked[id] = true
		}
	}
	return nil
}

// opened is a delivery with what it says of itself.
type opened struct {
	Delivery
	id          string
	environment int64
	envelope    fold.Envelope
}

func (l *Ledger) open(d Delivery) opened {
	if d.Body == nil {
		d.Body = []byte{} // nothing was sent, and that is kept
	}
	o := opened{Delivery: d, environment: d.Live, envelope: fold.Open(d.Provider, d.Body)}
	if o.envelope.Test {
		o.environment = d.Test
	}
	if o.id = o.envelope.ID; !isEventID(o.id) {
		o.id = d.ID
	}
	if !isEventID(o.id) {
		sum := sha256.Sum256(d.Body)
		o.id = "sha256:" + hex.EncodeToString(sum[:])
	}
	if o.envelope.OccurredAt.IsZero() {
		o.envelope.OccurredAt = l.now()
	}
	return o
}

// keep writes a delivery into the inbox, with the keys of what it belongs to, and tells whether it is new.
func (b *book) keep(ctx context.Context, o opened) (isNew bool, err error) {
	tag, err := b.tx.Exec(ctx, `
		with kept as (
			insert into provider_event (environment_id, provider, event_id, connection_id, type, occurred_at, received_at,
				body, state, reason)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (environment_id, provider, event_id) do nothing
			returning event_id
		), keys as (
			insert into provider_event_key (environment_id, provider, key, event_id)
			select $1, $2, unnest($11::uuid[]), event_id from kept where $9 = 'handled'
		)
		select from kept`,
		b.environment, b.provider, o.id, o.ConnectionID, o.envelope.Type, o.envelope.OccurredAt, b.now, o.Body,
		o.envelope.Verdict.State, o.envelope.Verdict.Reason, o.envelope.Keys)
	return err == nil && tag.RowsAffected() > 0, err
}

// noteDelivery notes that a connection has delivered.
func (b *book) noteDelivery(ctx context.Context, connection uuid.UUID) error {
	_, err := b.tx.Exec(ctx, `update revenue_connection set last_delivery_at = $2 where id = $1`, connection, b.now)
	return err
}

// maxEventID is the longest id of an event that is kept as it is, in bytes.
const maxEventID = 256

// isEventID tells whether an id can be kept as it is: those of headers may be any bytes.
func isEventID(id string) bool {
	return id != "" && len(id) <= maxEventID && utf8.ValidString(id) && !strings.Contains(id, "\x00")
}

// book writes what deliveries of a provider come to, within a transaction.
type book struct {
	tx          pgx.Tx
	environment int64
	provider    fold.Provider
	now         time.Time
	follower    Follower // nil tells nobody
}

func (l *Ledger) book(tx pgx.Tx, environment int64, provider fold.Provider) *book {
	return &book{tx, environment, provider, l.now(), l.follower}
}

// lock keeps others from booking in the environment until the transaction ends, so that whoever folds has seen every
// delivery and every id of a person. Erasures wait for it.
func (b *book) lock(ctx context.Context) error {
	if _, err := b.tx.Exec(ctx, privacy.JoinWriters); err != nil {
		return err
	}
	return privacy.LockMoney(ctx, b.tx, b.environment)
}

// bookNew books what follows from a delivery that was just kept, and returns what became of all that were folded. What
// goes wrong by itself makes it failed; an error is that of the database as a whole.
func (b *book) bookNew(
	ctx context.Context, eventID string, envelope fold.Envelope,
) (verdicts map[string]fold.Verdict, err error) {
	var failure error
	err = pgx.BeginFunc(ctx, b.tx, func(inner pgx.Tx) error {
		part := *b
		part.tx = inner
		verdicts, failure = part.fold(ctx, eventID)
		if failure == nil && envelope.Transferred != nil {
			ids := make([]string, len(envelope.Transferred))
			for i, id := range envelope.Transferred {
				ids[i] = fold.PersonID(fold.ByIdentity, id)
			}
			failure = part.remap(ctx, ids)
		}
		return failure
	})
	if err == nil {
		return verdicts, nil
	}
	if failure == nil || ctx.Err() != nil || b.tx.Conn().IsClosed() {
		return nil, err
	}
	failed := fold.Verdict{State: fold.Failed, Reason: clipReason(failure)}
	verdicts = map[string]fold.Verdict{eventID: failed}
	return verdicts, b.setVerdicts(ctx, verdicts)
}

// clipReason says why a booking failed. It names no values of the delivery.
func clipReason(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = text[:most]
	}
	return text
}

// setVerdicts writes what became of deliveries, by their ids.
func (b *book) setVerdicts(ctx context.Context, verdicts map[string]fold.Verdict) error {
	var ids, states, reasons []string
	for id, v := range verdicts {
		ids, states, reasons = append(ids, id), append(states, string(v.State)), append(reasons, v.Reason)
	}
	_, err := b.tx.Exec(ctx, `
		update provider_event e set state = v.state, reason = v.reason
		from unnest($3::text[], $4::text[], $5::text[]) as v (event_id, state, reason)
		where e.environment_id = $1 and e.provider = $2 and e.event_id = v.event_id
			and (e.state, e.reason) is distinct from (v.state, v.reason)`,
		b.environment, b.provider, ids, states, reasons)
	return err
}

// fold folds a delivery with all that belong to it, and writes what they come to.
func (b *book) fold(ctx context.Context, eventID string) (verdicts map[string]fold.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("folding stopped: %v", r)
		}
	}()
	ids, err := b.component(ctx, eventID)
	if err != nil {
		return nil, err
	}
	result, err := b.write(ctx, ids)
	return result.Verdicts, err
}

var errTooMany = errors.New("too many deliveries belong together")

// component returns the ids of all deliveries that a chain of common keys ties to one.
func (b *book) component(ctx context.Context, eventID string) ([]string, error) {
	known, fresh := map[string]bool{eventID: true}, []string{eventID}
	keys := map[uuid.UUID]bool{}
	all := []string{eventID}
	for len(fresh) > 0 {
		rows, err := b.tx.Query(ctx, `
			select distinct key from provider_event_key where environment_id = $1 and provider = $2 and event_id = any ($3)`,
			b.environment, b.provider, fresh)
		if err != nil {
			return nil, err
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return nil, err
		}
		var asked []uuid.UUID
		for _, k := range found {
			if !keys[k] {
				keys[k] = true
				asked = append(asked, k)
			}
		}
		if len(asked) == 0 {
			break
		}
		if rows, err = b.tx.Query(ctx, `
			select distinct event_id from provider_event_key where environment_id = $1 and provider = $2 and key = any ($3)
			limit $4`, b.environment, b.provider, asked, maxComponent+1); err != nil {
			return nil, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		fresh = nil
		for _, id := range ids {
			if !known[id] {
				known[id] = true
				fresh = append(fresh, id)
			}
		}
		if all = append(all, fresh...); len(all) > maxComponent {
			return nil, errTooMany
		}
	}
	return all, nil
}

// events reads deliveries.
func (b *book) events(ctx context.Context, ids []string) (events []fold.Event, erased bool, err error) {
	rows, err := b.tx.Query(ctx, `
		select e.event_id, e.body, e.erased, c.stores from provider_event e
		left join revenue_connection c on c.id = e.connection_id
		where environment_id = $1 and e.provider = $2 and event_id = any ($3)`,
		b.environment, b.provider, ids)
	if err != nil {
		return nil, false, err
	}
	var e fold.Event
	var gone bool
	_, err = pgx.ForEachRow(rows, []any{&e.ID, &e.Body, &gone, &e.Stores}, func() error {
		erased = erased || gone
		events = append(events, e)
		e = fold.Event{}
		return nil
	})
	return events, erased, err
}
