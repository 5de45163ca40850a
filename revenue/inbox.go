package revenue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/svc-dev/svc/people/privacy"
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

const (
	// maxComponent is how many deliveries are folded together: what one customer, or one subscription, is told about in
	// decades.
	maxComponent = 5000
	// maxComponentBytes bounds what is read for that: whoever has a secret signs what they like.
	maxComponentBytes = 32 << 20
)

// ReceiveHistory keeps many deliveries and books what they come to together, in one transaction for each environment
// and provider. The result is that of [Ledger.Receive] for each of them, for a fraction of the work.
func (l *Ledger) ReceiveHistory(ctx context.Context, deliveries []Delivery) error {
	groups := map[place][]opened{}
	for _, d := range deliveries {
		o := l.open(d)
		groups[o.place()] = append(groups[o.place()], o)
	}
	for at, list := range groups {
		if _, err := l.receiveTogether(ctx, at, list); err != nil {
			return err
		}
	}
	return nil
}

// receiveTogether keeps and books deliveries in one transaction. The error says that none is kept.
func (l *Ledger) receiveTogether(ctx context.Context, at place, list []opened) (receipts []Receipt, err error) {
	err = pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		b := l.book(tx, at.environment, at.provider)
		if err := b.lock(ctx); err != nil {
			return err
		}
		receipts, err = b.receive(ctx, list)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("keep deliveries of %s: %w", at.provider, err)
	}
	return receipts, nil
}

func (b *book) receive(ctx context.Context, list []opened) ([]Receipt, error) {
	receipts := make([]Receipt, len(list))
	var unbooked []opened
	delivered := map[uuid.UUID]bool{} // connections
	for first := 0; first < len(list); first += maxTogether {
		part := list[first:min(first+maxTogether, len(list))]
		isNew, err := b.keep(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, o := range part {
			receipts[first+i] = Receipt{EventID: o.id, Verdict: o.envelope.Verdict, Duplicate: !isNew[i]}
			if isNew[i] && o.envelope.Verdict.State == fold.Handled {
				unbooked = append(unbooked, o)
			}
			if isNew[i] {
				delivered[o.ConnectionID] = true
			}
		}
	}
	if err := b.noteDeliveries(ctx, slices.Collect(maps.Keys(delivered))); err != nil {
		return nil, err
	}
	verdicts, err := b.bookAll(ctx, unbooked)
	for i := range receipts {
		if v, booked := verdicts[receipts[i].EventID]; booked && !receipts[i].Duplicate {
			receipts[i].Verdict = v
		}
	}
	return receipts, err
}

// bookAll books what follows from deliveries that were just kept and returns what became of them.
func (b *book) bookAll(ctx context.Context, unbooked []opened) (map[string]fold.Verdict, error) {
	all := map[string]fold.Verdict{}
	for len(unbooked) > 0 {
		var next []opened
		for len(unbooked) > 0 && len(next) < maxTogether {
			o := unbooked[0]
			unbooked = unbooked[1:]
			// What was told with others is booked. What transfers purchases has to be told of by itself.
			if _, booked := all[o.id]; !booked || o.envelope.Transferred != nil {
				next = append(next, o)
			}
		}
		verdicts, err := b.bookTogether(ctx, next)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, verdicts)
	}
	return all, nil
}

// bookTogether books what follows from deliveries at once. Where that fails, or they can't be folded together, each is
// booked by itself, so that one that fails does not keep the others from being booked.
func (b *book) bookTogether(ctx context.Context, list []opened) (map[string]fold.Verdict, error) {
	all := map[string]fold.Verdict{}
	var together []string
	for _, o := range list {
		if o.envelope.Transferred == nil {
			together = append(together, o.id)
		}
	}
	if len(together) > 1 {
		var failure error
		err := pgx.BeginFunc(ctx, b.tx, func(inner pgx.Tx) error {
			part := *b
			part.tx = inner
			all, failure = part.fold(ctx, together...)
			return failure
		})
		if err != nil {
			if failure == nil || ctx.Err() != nil || b.tx.Conn().IsClosed() {
				return nil, err
			}
			all = map[string]fold.Verdict{}
		}
	}
	for _, o := range list {
		if _, booked := all[o.id]; booked && o.envelope.Transferred == nil {
			continue
		}
		verdicts, err := b.bookNew(ctx, o.id, o.envelope)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, verdicts)
	}
	return all, nil
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

func (o *opened) place() place { return place{o.environment, o.Provider} }

// keep writes deliveries into the inbox, with the keys of what they belong to, and tells which are new.
func (b *book) keep(ctx context.Context, list []opened) (isNew []bool, err error) {
	isNew = make([]bool, len(list))
	batch := &pgx.Batch{}
	for i, o := range list {
		batch.Queue(`
			with kept as (
				insert into provider_event (environment_id, provider, event_id, connection_id, type, occurred_at, received_at,
					body, state, reason, fold_version)
				values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12) on conflict (environment_id, provider, event_id) do nothing
				returning event_id
			), keys as (
				insert into provider_event_key (environment_id, provider, key, event_id)
				select $1, $2, unnest($11::uuid[]), event_id from kept where $9 = 'handled'
			)
			select from kept`,
			b.environment, b.provider, o.id, o.ConnectionID, o.envelope.Type, o.envelope.OccurredAt, b.now, o.Body,
			o.envelope.Verdict.State, o.envelope.Verdict.Reason, o.envelope.Keys, fold.Version,
		).Exec(func(tag pgconn.CommandTag) error {
			isNew[i] = tag.RowsAffected() > 0
			return nil
		})
	}
	return isNew, b.tx.SendBatch(ctx, batch).Close()
}

// noteDeliveries notes that connections have delivered.
func (b *book) noteDeliveries(ctx context.Context, connections []uuid.UUID) error {
	_, err := b.tx.Exec(ctx, `
		update revenue_connection set last_delivery_at = $2 where id = any ($1)`, connections, b.now)
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

// setVerdicts writes what became of deliveries by the rules of [fold.Version], by their ids.
func (b *book) setVerdicts(ctx context.Context, verdicts map[string]fold.Verdict) error {
	var ids, states, reasons []string
	for id, v := range verdicts {
		ids, states, reasons = append(ids, id), append(states, string(v.State)), append(reasons, v.Reason)
	}
	_, err := b.tx.Exec(ctx, `
		update provider_event e set state = v.state, reason = v.reason, fold_version = $6
		from unnest($3::text[], $4::text[], $5::text[]) as v (event_id, state, reason)
		where e.environment_id = $1 and e.provider = $2 and e.event_id = v.event_id
			and (e.state, e.reason, e.fold_version) is distinct from (v.state, v.reason, $6)`,
		b.environment, b.provider, ids, states, reasons, fold.Version)
	return err
}

// fold folds deliveries with all that belong to them, and writes what they come to. Several that have nothing to do
// with each other can't be folded together when one is of somebody who was erased.
func (b *book) fold(ctx context.Context, eventIDs ...string) (verdicts map[string]fold.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("folding stopped: %v", r)
		}
	}()
	ids, err := b.component(ctx, eventIDs)
	if err != nil {
		return nil, err
	}
	bytes, erased, err := b.weigh(ctx, ids)
	switch {
	case err != nil:
		return nil, err
	case bytes > maxComponentBytes:
		return nil, errTooMany
	case erased && len(eventIDs) > 1:
		return nil, errApart
	}
	result, err := b.write(ctx, ids)
	return result.Verdicts, err
}

var (
	errTooMany = errors.New("too many deliveries belong together")
	errApart   = errors.New("these deliveries have to be folded apart")
)

// component returns the ids of all deliveries that a chain of common keys ties to some.
func (b *book) component(ctx context.Context, eventIDs []string) ([]string, error) {
	known := map[string]bool{}
	for _, id := range eventIDs {
		known[id] = true
	}
	fresh, all := slices.Clone(eventIDs), slices.Clone(eventIDs)
	keys := map[uuid.UUID]bool{}
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

// weigh returns how long the bodies of deliveries are together, and whether any is of somebody who was erased.
func (b *book) weigh(ctx context.Context, ids []string) (bytes int64, erased bool, err error) {
	err = b.tx.QueryRow(ctx, `
		select coalesce(sum(octet_length(body)), 0), coalesce(bool_or(erased), false) from provider_event
		where environment_id = $1 and provider = $2 and event_id = any ($3)`,
		b.environment, b.provider, ids).Scan(&bytes, &erased)
	return bytes, erased, err
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
