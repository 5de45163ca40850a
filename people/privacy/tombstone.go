package privacy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// Person is what is kept of an app user id: the first 16 bytes of its SHA-256.
func Person(appUserID string) uuid.UUID {
	sum := sha256.Sum256([]byte(appUserID))
	return uuid.UUID(sum[:16])
}

// writersLock is the advisory lock that transactions share which store what people did. An erasure takes it alone, for
// a moment, to know that the rest of them has seen its tombstones.
const writersLock = 0x7376632d65726173 // "svc-eras"

// Subject is somebody about whom something is to be stored.
type Subject struct {
	EnvironmentID int64
	AppUserID     string
}

// JoinWriters is the statement that makes a transaction one for which erasures wait. Tombstones that its next statement
// does not see are of people who are erased after it has ended, with all that it stored.
var JoinWriters = fmt.Sprintf(`select pg_advisory_xact_lock_shared(%d)`, int64(writersLock))

// IsErased says whether one subject is erased, as [Erased] does for many.
func IsErased(ctx context.Context, tx pgx.Tx, subject Subject) (bool, error) {
	erased, err := Erased(ctx, tx, func(yield func(Subject) bool) { yield(subject) })
	return erased[subject], err
}

// Allow refuses, with [fault.PersonErased], to let a transaction store anything of an erased person. The transaction
// must have stored nothing of them yet.
func Allow(ctx context.Context, tx pgx.Tx, subject Subject) error {
	erased, err := IsErased(ctx, tx, subject)
	if err == nil && erased {
		err = fault.New(fault.PersonErased, "the person was erased; nothing of this device is kept for some days")
	}
	return err
}

// Erased returns who of subjects is erased. The transaction must have stored nothing of them yet; whoever is erased
// later, is so after it has ended, with all that it stored.
func Erased(ctx context.Context, tx pgx.Tx, subjects func(yield func(Subject) bool)) (map[Subject]bool, error) {
	// Two statements on one way: the second must see what was committed while the first waited for an erasure.
	batch := &pgx.Batch{}
	batch.Queue(JoinWriters)
	batch.Queue(`select exists (select from erased_person)`)
	results := tx.SendBatch(ctx, batch)
	var some bool
	_, err := results.Exec()
	if err == nil {
		err = results.QueryRow().Scan(&some)
	}
	if err = errors.Join(err, results.Close()); err != nil || !some {
		return nil, wrap("look for tombstones", err)
	}
	type key struct {
		environment int64
		person      uuid.UUID
	}
	asked := map[key]Subject{}
	var environments []int64
	var people []uuid.UUID
	known := map[Subject]bool{}
	for s := range subjects {
		if known[s] {
			continue
		}
		known[s] = true
		k := key{s.EnvironmentID, Person(s.AppUserID)}
		asked[k] = s
		environments, people = append(environments, k.environment), append(people, k.person)
	}
	rows, err := tx.Query(ctx, `
		select environment_id, person from unnest($1::bigint[], $2::uuid[]) as k (environment_id, person)
		join erased_person using (environment_id, person)`, environments, people)
	if err != nil {
		return nil, wrap("look for tombstones", err)
	}
	erased := map[Subject]bool{}
	var found key
	_, err = pgx.ForEachRow(rows, []any{&found.environment, &found.person}, func() error {
		erased[asked[found]] = true
		return nil
	})
	return erased, wrap("look for tombstones", err)
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
