package people

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/people/privacy"
)

// Store keeps people in a migrated database. Several servers may work on one.
type Store struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	linked func(ctx context.Context, tx pgx.Tx, environmentID int64, customUserID string) error
}

// Options are the settings of a Store.
type Options struct {
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Linked is told, in the same transaction, that a device belongs to a custom user id from now on; nil for nobody.
	Linked func(ctx context.Context, tx pgx.Tx, environmentID int64, customUserID string) error
}

// New makes a Store.
func New(pool *pgxpool.Pool, options Options) *Store {
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Store{pool: pool, now: options.Now, linked: options.Linked}
}

// Identify makes a change to the person who uses a device. The same change again
// leaves the same person and gets the same answer, whatever happens at the same
// time, on this server or another. The error is a [fault.Error] that
// names the field of which there would be too much, or says that the person was
// erased, or the database's.
func (p *Store) Identify(ctx context.Context, change Change) (answer Answer, err error) {
	now := p.now().UTC().Truncate(time.Microsecond) // what the database keeps
	err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		subject := privacy.Subject{EnvironmentID: change.EnvironmentID, AppUserID: change.AppUserID}
		if err := privacy.Allow(ctx, tx, subject); err != nil {
			return err
		}
		s := &identification{tx: tx, environment: change.EnvironmentID, now: now}
		if err := s.lock(ctx, change); err != nil {
			return err
		}
		person, err := s.findOrCreatePerson(ctx, change)
		if err != nil {
			return err
		}
		changes := person.consentChanges(change)
		linked := change.CustomUserID != "" && (s.linked || person.CustomUserID != change.CustomUserID)
		if err := person.apply(change, now); err != nil {
			return err
		}
		s.protection.restore(person)
		maps.DeleteFunc(changes, func(topic string, consent Consent) bool { return !person.holds(topic, consent) })
		if err := s.save(ctx, person); err != nil {
			return err
		}
		if err := s.log(ctx, person, change.AppUserID, changes); err != nil {
			return err
		}
		if linked && p.linked != nil {
			if err := p.linked(ctx, tx, change.EnvironmentID, change.CustomUserID); err != nil {
				return err
			}
		}
		answer, err = s.answer(ctx, person, change.AppUserID)
		return err
	})
	if err != nil {
		return Answer{}, fmt.Errorf("identify: %w", err)
	}
	return answer, nil
}

// identification is the one transaction of a change.
type identification struct {
	tx          pgx.Tx
	environment int64
	now         time.Time
	linked      bool // the device was linked to another person than before
	protection  *protection
}

// lock keeps other changes of the same device and of the same custom user id
// waiting until this one is committed: both may have no row yet that could be
// locked. Locks are taken in one order, so that two changes never wait for each
// other.
func (s *identification) lock(ctx context.Context, change Change) error {
	keys := []int64{lockKey(s.environment, "device", change.AppUserID)}
	if change.CustomUserID != "" {
		keys = append(keys, lockKey(s.environment, "custom", change.CustomUserID))
	}
	slices.Sort(keys)
	for _, key := range keys {
		if _, err := s.tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, key); err != nil {
			return fmt.Errorf("wait for other changes: %w", err)
		}
	}
	return nil
}

func lockKey(environment int64, kind, id string) int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", environment, kind, id))
	return int64(binary.BigEndian.Uint64(sum[:8])) // negative ones are as good
}

// findOrCreatePerson finds or makes the person whom a change is about, locks its row, and
// links the device to it. Only that one row is locked: two changes that swap
// people between devices would otherwise wait for each other. An anonymous
// person needs no lock of its own, its one device is locked.
func (s *identification) findOrCreatePerson(ctx context.Context, change Change) (*person, error) {
	current, err := s.read(
		ctx, `id = (select person_id from person_device where environment_id = $1 and app_user_id = $2)`, change.AppUserID,
	)
	if err != nil {
		return nil, err
	}
	if current != nil && (change.CustomUserID == "" || current.CustomUserID == change.CustomUserID) {
		if current, err = s.readLocked(ctx, `id = $2`, current.ID); err != nil {
			return nil, err
		}
		s.protection, err = s.protect(ctx, change, current)
		return current, err
	}
	anonymous := current != nil && current.CustomUserID == ""
	var target *person
	if change.CustomUserID != "" {
		if target, err = s.readLocked(ctx, `custom_user_id = $2`, change.CustomUserID); err != nil {
			return nil, err
		}
	}
	if target != nil {
		if s.protection, err = s.protect(ctx, change, target); err != nil {
			return nil, err
		}
	}
	switch {
	case target == nil && anonymous:
		return current, nil // the device's person gets its name
	case target == nil:
		// A device nobody knows, or one that somebody else uses now: what is known
		// of its former user is not theirs.
		target = &person{ID: uuid.Must(uuid.NewV7()), MarketingConsent: Unknown, CreatedAt: s.now}
		target.setDefaults()
		if err := s.insert(ctx, target); err != nil {
			return nil, err
		}
	case anonymous:
		target.mergeAnonymous(current)
	}
	if err := s.link(ctx, change.AppUserID, target); err != nil {
		return nil, err
	}
	if anonymous {
		if _, err := s.tx.Exec(
			ctx, `update person_consent set person_id = $3 where environment_id = $1 and person_id = $2`,
			s.environment, current.ID, target.ID,
		); err != nil {
			return nil, fmt.Errorf("take over the consent log: %w", err)
		}
		if _, err := s.tx.Exec(
			ctx, `delete from person where environment_id = $1 and id = $2`, s.environment, current.ID,
		); err != nil {
			return nil, fmt.Errorf("remove the anonymous person: %w", err)
		}
	}
	return target, nil
}

func (p *person) setDefaults() {
	if p.TopicConsents == nil {
		p.TopicConsents = map[string]topicConsent{}
	}
	if p.Attributes == nil {
		p.Attributes = map[string]json.RawMessage{}
	}
}

// readLocked reads as read does, with the row locked until the end of the transaction.
func (s *identification) readLocked(ctx context.Context, condition string, value any) (*person, error) {
	return s.read(ctx, condition+` for update`, value)
}

// read finds a person of the environment; nil is nobody.
func (s *identification) read(ctx context.Context, condition string, value any) (*person, error) {
	rows, err := s.tx.Query(ctx, `
		select id, custom_user_id, email, marketing_consent, marketing_consent_at, topic_consents,
			first_name, last_name, phone, locale, country, timezone, attributes, created_at
		from person where environment_id = $1 and `+condition, s.environment, value)
	if err != nil {
		return nil, fmt.Errorf("read a person: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[person])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a person: %w", err)
	}
	found.setDefaults()
	return found, nil
}

func (s *identification) insert(ctx context.Context, p *person) error {
	_, err := s.tx.Exec(ctx, `
		insert into person (environment_id, id, created_at, identified_at)
		values ($1, $2, $3, $3)`, s.environment, p.ID, p.CreatedAt)
	if err != nil {
		return fmt.Errorf("make a person: %w", err)
	}
	return nil
}

func (s *identification) link(ctx context.Context, device string, p *person) error {
	_, err := s.tx.Exec(ctx, `
		insert into person_device (environment_id, app_user_id, person_id, linked_at) values ($1, $2, $3, $4)
		on conflict (environment_id, app_user_id) do update
		set person_id = excluded.person_id, linked_at = excluded.linked_at`,
		s.environment, device, p.ID, s.now)
	if err != nil {
		return fmt.Errorf("link a device to its person: %w", err)
	}
	s.linked = true
	return nil
}

func (s *identification) save(ctx context.Context, p *person) error {
	_, err := s.tx.Exec(ctx, `
		update person set custom_user_id = $3, email = $4, marketing_consent = $5, marketing_consent_at = $6,
		topic_consents = $7,
			first_name = $8, last_name = $9, phone = $10, locale = $11, country = $12, timezone = $13, attributes = $14,
			created_at = $15, identified_at = $16
		where environment_id = $1 and id = $2`,
		s.environment, p.ID, p.CustomUserID, p.Email, p.MarketingConsent, p.MarketingConsentAt, p.TopicConsents,
		p.FirstName, p.LastName, p.Phone, p.Locale, p.Country, p.Timezone, p.Attributes, p.CreatedAt, s.now)
	if err != nil {
		return fmt.Errorf("keep a person: %w", err)
	}
	return nil
}

// log keeps changes of consents, by topic, and of a person the latest [MaxConsentLog].
func (s *identification) log(ctx context.Context, p *person, device string, changes map[string]Consent) error {
	if len(changes) == 0 {
		return nil
	}
	topics := sortedKeys(changes)
	consents := make([]string, len(topics))
	for i, topic := range topics {
		consents[i] = string(changes[topic])
	}
	batch := &pgx.Batch{}
	batch.Queue(`
		insert into person_consent (environment_id, person_id, at, topic, consent, app_user_id)
		select $1, $2, $3, topic, consent, $4 from unnest($5::text[], $6::text[]) as t (topic, consent)`,
		s.environment, p.ID, s.now, device, topics, consents)
	batch.Queue(`
		delete from person_consent where environment_id = $1 and person_id = $2 and id <= (
			select id from person_consent where environment_id = $1 and person_id = $2 order by id desc offset $3 limit 1)`,
		s.environment, p.ID, MaxConsentLog)
	if err := s.tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("log consents: %w", err)
	}
	return nil
}

func (s *identification) answer(ctx context.Context, p *person, device string) (Answer, error) {
	answer := Answer{MarketingConsent: p.MarketingConsent, TopicConsents: map[string]Consent{}}
	for topic, consent := range p.TopicConsents {
		answer.TopicConsents[topic] = consent.Consent
	}
	err := s.tx.QueryRow(ctx, `
		select exists (select from person_device where environment_id = $1 and person_id = $2 and app_user_id <> $3)`,
		s.environment, p.ID, device).Scan(&answer.Merged)
	if err != nil {
		return Answer{}, fmt.Errorf("read a person's devices: %w", err)
	}
	return answer, nil
}
