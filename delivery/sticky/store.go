package sticky

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/people/privacy"
)

// question is who asks for an arm of which experiment.
type question struct {
	*delivery.Split
	device, custom uuid.UUID
	signedIn       bool // custom is somebody
	bucket         int  // arm of whoever is new: of the custom user id, else of the device
}

// found is what the database says.
type found struct {
	arm   int
	final bool // it never changes
	isNew bool // something is to be remembered
	// hasDevice tells whether the device is remembered.
	hasDevice bool
}

// unit is a row of a device or a custom user id.
type unit struct {
	arm    *int
	custom *uuid.UUID // of a device
}

// answer says what the rows of the device and the custom user id come to.
func (q *question) answer(device unit, custom *int) found {
	switch {
	case q.signedIn && custom != nil:
		isNew := device.arm == nil || device.custom == nil
		return found{arm: *custom, final: !isNew, isNew: isNew}
	case !q.signedIn && device.arm != nil && device.custom != nil && custom != nil:
		return found{arm: *custom, final: true}
	case !q.signedIn && device.arm != nil:
		return found{arm: *device.arm}
	case q.signedIn && device.arm != nil && device.custom == nil: // the arm comes along
		return found{arm: *device.arm, isNew: true}
	}
	return found{arm: q.bucket, isNew: true}
}

// readSQL has one row: the device's arm and its custom user id, and the arm of the custom user id that is signed in,
// else of the device's. Each is null when there is none.
const readSQL = `
	with device as (
		select arm, custom_user from experiment_unit
		where environment_id = $1 and experiment_id = $2 and not is_custom and person = $3
	)
	select device.arm, device.custom_user, custom.arm
	from (select) as one
	left join device on true
	left join experiment_unit custom on custom.environment_id = $1 and custom.experiment_id = $2 and custom.is_custom
		and custom.person = coalesce($4::uuid, device.custom_user)`

func (q *question) read(ctx context.Context, pool *pgxpool.Pool) (found, error) {
	return q.scan(pool.QueryRow(ctx, readSQL, q.EnvironmentID, q.ExperimentID, q.device, q.customOrNil()))
}

func (q *question) scan(row pgx.Row) (found, error) {
	var device unit
	var custom *int
	if err := row.Scan(&device.arm, &device.custom, &custom); err != nil {
		return found{}, fmt.Errorf("read the arm of a person: %w", err)
	}
	known := q.answer(device, custom)
	known.hasDevice = device.arm != nil
	return known, nil
}

func (q *question) customOrNil() *uuid.UUID {
	if q.signedIn {
		return &q.custom
	}
	return nil
}

// addDeviceSQL remembers a device, or whose it is from now on. Of two servers that do so at once the first decides.
const addDeviceSQL = `
	insert into experiment_unit as u (environment_id, experiment_id, is_custom, person, custom_user, arm, day)
	select $1, $2, false, $3, $4::uuid, $5, $6
	where not exists (select from erased_person where environment_id = $1 and person = $3)
	on conflict (environment_id, experiment_id, is_custom, person)
	do update set custom_user = excluded.custom_user where u.custom_user is null and excluded.custom_user is not null`

// addCustomSQL remembers a custom user id: with the arm of the device when it is theirs.
const addCustomSQL = `
	insert into experiment_unit (environment_id, experiment_id, is_custom, person, arm, day)
	select $1, $2, true, $4::uuid, case when custom_user = $4::uuid then arm else $5 end, $6
	from experiment_unit where environment_id = $1 and experiment_id = $2 and not is_custom and person = $3
	on conflict (environment_id, experiment_id, is_custom, person) do nothing`

// add remembers whoever is new, in one transaction and on one way to the database. It returns how many rows were
// written, and what counts then: another server may have been faster.
func (q *question) add(
	ctx context.Context, pool *pgxpool.Pool, was found, date time.Time,
) (added int, known found, err error) {
	args := []any{q.EnvironmentID, q.ExperimentID, q.device, q.customOrNil(), q.bucket, date}
	batch := &pgx.Batch{}
	batch.Queue(privacy.JoinWriters)
	count := func(tag pgconn.CommandTag) error { added += int(tag.RowsAffected()); return nil }
	device := batch.Queue(addDeviceSQL, args...)
	if !was.hasDevice { // else its row was changed, if at all
		device.Exec(count)
	}
	if q.signedIn {
		batch.Queue(addCustomSQL, args...).Exec(count)
	}
	batch.Queue(readSQL, args[:4]...).QueryRow(func(row pgx.Row) error {
		known, err = q.scan(row)
		return err
	})
	if err := pool.SendBatch(ctx, batch).Close(); err != nil {
		return 0, found{}, fmt.Errorf("remember the arm of a person: %w", err)
	}
	return added, known, nil
}

// Count returns how many people were given each of the arms of an experiment: custom user ids, and devices that nobody
// signed in on.
func Count(
	ctx context.Context, pool *pgxpool.Pool, environmentID int64, experiment uuid.UUID, arms int,
) (people []int, err error) {
	people = make([]int, arms)
	rows, err := pool.Query(ctx, `select arm, count(*) from experiment_unit
		where environment_id = $1 and experiment_id = $2 and custom_user is null group by arm`, environmentID, experiment)
	if err != nil {
		return nil, err
	}
	var arm, n int
	_, err = pgx.ForEachRow(rows, []any{&arm, &n}, func() error {
		if arm >= 0 && arm < arms {
			people[arm] = n
		}
		return nil
	})
	return people, err
}

// Units sets what the devices of a map count as in an experiment, all hashed: the custom user id whose device it is, or
// the device itself. Those of which nothing is remembered stay as they are.
func Units(
	ctx context.Context, pool *pgxpool.Pool, environmentID int64, experiment uuid.UUID, units map[uuid.UUID]uuid.UUID,
) error {
	rows, err := pool.Query(ctx, `select person, coalesce(custom_user, person) from experiment_unit
		where environment_id = $1 and experiment_id = $2 and not is_custom`, environmentID, experiment)
	if err != nil {
		return fmt.Errorf("read the units of an experiment: %w", err)
	}
	var device, unit uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&device, &unit}, func() error {
		if _, asked := units[device]; asked {
			units[device] = unit
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the units of an experiment: %w", err)
	}
	return nil
}

// Remembered returns the arm that an experiment remembers for a device, or −1.
func Remembered(
	ctx context.Context, pool *pgxpool.Pool, environmentID int64, experiment uuid.UUID, appUserID string,
) (int, error) {
	q := question{
		Split: &delivery.Split{EnvironmentID: environmentID, ExperimentID: experiment}, device: privacy.Person(appUserID),
		bucket: -1,
	}
	known, err := q.read(ctx, pool)
	return known.arm, err
}
