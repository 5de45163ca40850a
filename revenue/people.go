package revenue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/revenue/fold"
)

// owner is what a person is looked for by: whose money something is.
type owner struct {
	subject   string // of what was said by hand
	at        time.Time
	personIDs []string
}

// subject is what a mapping by hand is about: a subscription, else the single charge.
func subject(subscription, refersTo, transaction string) string {
	switch {
	case subscription != "":
		return subscription
	case refersTo != "":
		return refersTo
	}
	return transaction
}

// link is a device that an id stands for since a time.
type link struct {
	device string
	since  time.Time
}

// assign returns the device of the person of each owner, or "". What was said by hand comes first, then billing
// identities, checkout attempts, and custom user ids or app user ids of metadata. Of several devices the one wins that
// was linked last before the charge, else the one that was linked first after it. Who was erased is nobody.
func (b *book) assign(ctx context.Context, owners []owner) ([]string, error) {
	var subjects []string
	var ids []string
	for _, o := range owners {
		subjects = append(subjects, o.subject)
		ids = append(ids, o.personIDs...)
	}
	hand, err := b.byHand(ctx, subjects)
	if err != nil {
		return nil, err
	}
	transfers, err := b.transfers(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, t := range transfers {
		for _, to := range t.To {
			ids = append(ids, fold.PersonID(fold.ByIdentity, to), fold.PersonID(fold.ByCustomID, to))
		}
	}
	links, err := b.links(ctx, ids)
	if err != nil {
		return nil, err
	}
	devices := make([]string, len(owners))
	for i, o := range owners {
		devices[i] = hand[o.subject]
		if devices[i] == "" {
			devices[i] = findDevice(o, transfers, links)
		}
	}
	return devices, b.dropErased(ctx, devices)
}

// findDevice returns the device of an owner.
func findDevice(o owner, transfers []fold.Transfer, links map[string][]link) string {
	ids := o.personIDs
	// Whoever had taken over by then comes first; whoever did later only where nobody else is known.
	var before, after []string
	for _, t := range transfers {
		concerns := slices.ContainsFunc(t.From, func(from string) bool {
			return slices.Contains(ids, fold.PersonID(fold.ByIdentity, from)) ||
				slices.Contains(before, fold.PersonID(fold.ByIdentity, from))
		})
		if !concerns {
			continue
		}
		for _, to := range t.To {
			taken := []string{fold.PersonID(fold.ByIdentity, to), fold.PersonID(fold.ByCustomID, to)}
			if !t.At.After(o.at) {
				before = append(before, taken...)
			} else {
				after = append(after, taken...)
			}
		}
	}
	for _, group := range [][]string{before, ids, after} {
		for _, kind := range [][]string{{fold.ByIdentity}, {fold.ByAttempt}, {fold.ByCustomID, fold.ByAppUser}} {
			if device := newest(group, kind, links, o.at); device != "" {
				return device
			}
		}
	}
	return ""
}

// newest returns the device that ids of some kinds stood for at a time. Attempts and app user ids stand for one each:
// the first id of them wins.
func newest(ids, kinds []string, links map[string][]link, at time.Time) string {
	var found link
	for _, id := range ids {
		kind, _, _ := strings.Cut(id, ":")
		if !slices.Contains(kinds, kind) {
			continue
		}
		for _, l := range links[id] {
			switch before, foundBefore := !l.since.After(at), !found.since.After(at); {
			case found.device == "", before && !foundBefore:
				found = l
			case before != foundBefore:
			case before && l.since.After(found.since), !before && l.since.Before(found.since),
				l.since.Equal(found.since) && l.device < found.device:
				found = l
			}
		}
		if found.device != "" && (kind == fold.ByAttempt || kind == fold.ByAppUser) {
			return found.device
		}
	}
	return found.device
}

func (b *book) byHand(ctx context.Context, subjects []string) (map[string]string, error) {
	rows, err := b.tx.Query(ctx, `
		select subject, app_user_id from revenue_mapping
		where environment_id = $1 and provider = $2 and subject = any ($3)`, b.environment, b.provider, subjects)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	var subject, device string
	_, err = pgx.ForEachRow(rows, []any{&subject, &device}, func() error {
		found[subject] = device
		return nil
	})
	return found, err
}

// transfers returns what was transferred from any of the ids, and from those who got it, in the order of time.
func (b *book) transfers(ctx context.Context, ids []string) (list []fold.Transfer, err error) {
	if b.provider != fold.RevenueCat {
		return nil, nil
	}
	const mostHops = 8
	asked := map[uuid.UUID]bool{}
	for range mostHops {
		var keys []uuid.UUID
		for _, id := range ids {
			external, is := strings.CutPrefix(id, fold.ByIdentity+":")
			if key := fold.TransferKey(external); is && !asked[key] {
				asked[key] = true
				keys = append(keys, key)
			}
		}
		if len(keys) == 0 {
			break
		}
		rows, err := b.tx.Query(ctx, `
			select distinct on (e.event_id) e.body from provider_event_key k
			join provider_event e using (environment_id, provider, event_id)
			where k.environment_id = $1 and k.provider = $2 and k.key = any ($3)`, b.environment, b.provider, keys)
		if err != nil {
			return nil, err
		}
		bodies, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, body := range bodies {
			if t, is := fold.ReadTransfer(body); is {
				list = append(list, t)
				for _, to := range t.To {
					ids = append(ids, fold.PersonID(fold.ByIdentity, to))
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b fold.Transfer) int { return a.At.Compare(b.At) })
	return list, nil
}

// links returns the devices that ids stand for.
func (b *book) links(ctx context.Context, ids []string) (map[string][]link, error) {
	byKind := map[string][]string{}
	found := map[string][]link{}
	for _, id := range ids {
		kind, value, _ := strings.Cut(id, ":")
		byKind[kind] = append(byKind[kind], value)
		if kind == fold.ByAppUser && len(found[id]) == 0 {
			found[id] = []link{{device: value}}
		}
	}
	collect := func(kind, sql string, args ...any) error {
		rows, err := b.tx.Query(ctx, sql, append([]any{b.environment, byKind[kind]}, args...)...)
		if err != nil {
			return err
		}
		var id string
		var l link
		_, err = pgx.ForEachRow(rows, []any{&id, &l.device, &l.since}, func() error {
			found[fold.PersonID(kind, id)] = append(found[fold.PersonID(kind, id)], l)
			return nil
		})
		return err
	}
	if len(byKind[fold.ByIdentity]) > 0 {
		if err := collect(fold.ByIdentity, `
			select external_id, app_user_id, first_linked_at from billing_identity
			where environment_id = $1 and external_id = any ($2) and provider = $3`, b.provider); err != nil {
			return nil, err
		}
	}
	if len(byKind[fold.ByAttempt]) > 0 {
		if err := collect(fold.ByAttempt, `
			select id::text, app_user_id, created_at from checkout_attempt
			where environment_id = $1 and id = any ($2::text[]::uuid[])`); err != nil {
			return nil, err
		}
	}
	if len(byKind[fold.ByCustomID]) > 0 {
		if err := collect(fold.ByCustomID, `
			select p.custom_user_id, d.app_user_id, d.linked_at from person p
			join person_device d on d.environment_id = p.environment_id and d.person_id = p.id
			where p.environment_id = $1 and p.custom_user_id = any ($2) and p.custom_user_id <> ''`); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// dropErased empties the devices of people who were erased.
func (b *book) dropErased(ctx context.Context, devices []string) error {
	erased, err := privacy.Erased(ctx, b.tx, func(yield func(privacy.Subject) bool) {
		for _, device := range devices {
			if device != "" && !yield(privacy.Subject{EnvironmentID: b.environment, AppUserID: device}) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	for i, device := range devices {
		if erased[privacy.Subject{EnvironmentID: b.environment, AppUserID: device}] {
			devices[i] = ""
		}
	}
	return nil
}

// Linked moves the money of those who have an id by which a person is looked for, after what it stands for has changed
// in the same transaction. It waits for others who book in the environment.
func (l *Ledger) Linked(ctx context.Context, tx pgx.Tx, environmentID int64, personID string) error {
	for _, provider := range []fold.Provider{fold.RevenueCat, fold.Superwall, fold.Stripe} {
		b := l.book(tx, environmentID, provider)
		if err := b.lock(ctx); err != nil {
			return fmt.Errorf("wait for deliveries: %w", err)
		}
		if err := b.remap(ctx, []string{personID}); err != nil {
			return fmt.Errorf("move revenue to a person: %w", err)
		}
	}
	return nil
}

// CustomUserLinked is [Ledger.Linked] for a custom user id.
func (l *Ledger) CustomUserLinked(ctx context.Context, tx pgx.Tx, environmentID int64, customUserID string) error {
	return l.Linked(ctx, tx, environmentID, fold.PersonID(fold.ByCustomID, customUserID))
}

// Map says by hand whose money a subscription, or a single charge, is; no device takes that back.
func (l *Ledger) Map(
	ctx context.Context, tx pgx.Tx, environmentID int64, p fold.Provider, subject, appUserID string,
) error {
	b := l.book(tx, environmentID, p)
	if err := b.lock(ctx); err != nil {
		return err
	}
	var err error
	if appUserID == "" {
		_, err = tx.Exec(ctx, `
			delete from revenue_mapping where environment_id = $1 and provider = $2 and subject = $3`,
			environmentID, p, subject)
	} else {
		_, err = tx.Exec(ctx, `
			insert into revenue_mapping (environment_id, provider, subject, app_user_id, mapped_at) values ($1, $2, $3, $4, $5)
			on conflict (environment_id, provider, subject) do update
			set app_user_id = excluded.app_user_id, mapped_at = excluded.mapped_at`,
			environmentID, p, subject, appUserID, l.now())
	}
	if err != nil {
		return fmt.Errorf("map by hand: %w", err)
	}
	return b.remapSubject(ctx, subject)
}
