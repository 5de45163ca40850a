package automation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/people/privacy"
)

// Segments says who is in a segment. Who met a goal today or yesterday (UTC) is one as well, by the id of the goal:
// what is said of segments here, and in the tables automation_segment and automation_segment_member, is said of it too.
type Segments interface {
	// Members returns the app user ids of a segment's members, each once, in any order, as they were at since or later.
	// The error is ErrTooManyMembers when there are more than most. A segment that does not exist has no members.
	Members(
		ctx context.Context, environmentID int64, segment uuid.UUID, since time.Time, most int,
	) ([]string, error)
}

// ErrTooManyMembers says that a segment has more members than automations follow.
var ErrTooManyMembers = errors.New("the segment has too many members")

const (
	// segmentEvery is how long after one evaluation of a segment the next one begins.
	segmentEvery = 58 * time.Second
	// segmentAge is how old an answer may be that reports remember, unless it is the first: less than segmentEvery, so
	// that no evaluation sees the people of the one before it, or of an earlier time.
	segmentAge = 30 * time.Second
	// segmentLook is how often a server looks for segments to evaluate.
	segmentLook = 2 * time.Second
	// MaxSegmentMembers is how many members a segment may have that an automation follows: their ids are in memory
	// while they are compared, one segment at a time.
	MaxSegmentMembers = 500_000
	// enterBatch is how many people who entered a segment are enrolled in one transaction.
	enterBatch = 1000
	// segmentTime is how long an evaluation may take.
	segmentTime = 2 * time.Minute
	// segmentLock is the advisory lock of the one server that evaluates: "svs" in ASCII.
	segmentLock = 0x737673
)

// SegmentWatch enrols people who enter segments. Several servers may have one on one database: one of them works.
type SegmentWatch struct {
	automations *Automations
	segments    Segments
	log         *slog.Logger
	loops       service.Loops
}

// WatchSegments returns a watch for a started Automations.
func WatchSegments(a *Automations, segments Segments) *SegmentWatch {
	return &SegmentWatch{automations: a, segments: segments, log: a.log}
}

// Start begins to look for segments that are to be evaluated.
func (w *SegmentWatch) Start(context.Context) error {
	w.loops.Every(segmentLook, func(ctx context.Context) {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("evaluating the segments of automations failed", "error", err)
		}
	})
	return nil
}

// Stop ends it; what is being evaluated is evaluated again later.
func (w *SegmentWatch) Stop(ctx context.Context) error { return w.loops.Stop(ctx) }

type segmentKey struct {
	environment int64
	segment     uuid.UUID
}

// look evaluates what is due, unless another server does.
func (w *SegmentWatch) look(ctx context.Context) error {
	followed := w.automations.registry.snapshot.Load().segments
	if len(followed) == 0 {
		return nil
	}
	connection, err := w.automations.db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer connection.Release()
	var mine bool
	if err := connection.QueryRow(ctx, `select pg_try_advisory_lock($1)`, segmentLock).Scan(&mine); err != nil || !mine {
		return err
	}
	defer func() {
		unlocking, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		// A connection that can't unlock is closed, which unlocks as well.
		if _, err := connection.Exec(unlocking, `select pg_advisory_unlock($1)`, segmentLock); err != nil {
			_ = connection.Conn().Close(unlocking)
		}
	}()
	due, err := w.due(ctx, followed)
	if err != nil {
		return err
	}
	var errs []error
	for _, key := range due {
		if err := w.evaluate(ctx, key); err != nil {
			errs = append(errs, fmt.Errorf("segment %s: %w", key.segment, err))
		}
	}
	return errors.Join(errs...)
}

// due returns the segments that must be evaluated now, and forgets those that nobody follows any more: when somebody
// does again, they begin anew.
func (w *SegmentWatch) due(ctx context.Context, followed map[segmentKey][]*published) ([]segmentKey, error) {
	rows, err := w.automations.db.Pool.Query(ctx, `
		select environment_id, segment_id, evaluated_at > now() - make_interval(secs => $1) from automation_segment`,
		segmentEvery.Seconds())
	if err != nil {
		return nil, err
	}
	waiting := maps.Clone(followed)
	var forgotten []segmentKey
	var key segmentKey
	var fresh bool
	if _, err := pgx.ForEachRow(rows, []any{&key.environment, &key.segment, &fresh}, func() error {
		if followed[key] == nil {
			forgotten = append(forgotten, key)
		} else if fresh {
			delete(waiting, key)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for _, key := range forgotten {
		if _, err := w.automations.db.Pool.Exec(ctx, `
			delete from automation_segment where environment_id = $1 and segment_id = $2`, key.environment, key.segment,
		); err != nil {
			return nil, err
		}
	}
	return interleave(slices.Collect(maps.Keys(waiting))), nil
}

// evaluate compares who is in a segment with who was, and enrols those who are new. The first evaluation enrols nobody.
func (w *SegmentWatch) evaluate(ctx context.Context, key segmentKey) error {
	ctx, cancel := context.WithTimeout(ctx, segmentTime)
	defer cancel()
	began := w.automations.now()
	first, err := w.isFirst(ctx, key)
	if err != nil {
		return err
	}
	since := began // who came before an automation was activated has not entered
	if !first {
		since = began.Add(-segmentAge)
	}
	members, err := w.segments.Members(ctx, key.environment, key.segment, since, MaxSegmentMembers)
	if err != nil {
		problem := "failed"
		if errors.Is(err, ErrTooManyMembers) {
			problem, err = "too_many_members", nil
		}
		_, noted := w.automations.db.Pool.Exec(ctx, `
			insert into automation_segment (environment_id, segment_id, evaluated_at, members, digest, problem)
			values ($1, $2, $3, 0, '', $4)
			on conflict (environment_id, segment_id) do update set evaluated_at = excluded.evaluated_at,
				problem = excluded.problem`, key.environment, key.segment, began, problem)
		return errors.Join(err, noted)
	}
	slices.Sort(members)
	digest := digestOf(members)
	var known []byte // empty before the first evaluation is complete
	if err := w.automations.db.Pool.QueryRow(ctx, `
		insert into automation_segment (environment_id, segment_id, evaluated_at, members, digest)
		values ($1, $2, $3, 0, '')
		on conflict (environment_id, segment_id) do update set problem = '' returning digest`,
		key.environment, key.segment, began).Scan(&known); err != nil {
		return err
	}
	if !bytes.Equal(known, digest) {
		if err := w.follow(ctx, key, members, len(known) > 0, began); err != nil {
			return err
		}
	}
	_, err = w.automations.db.Pool.Exec(ctx, `
		update automation_segment set evaluated_at = $3, members = $4, digest = $5
		where environment_id = $1 and segment_id = $2`, key.environment, key.segment, began, len(members), digest)
	return err
}

// isFirst tells whether no evaluation of a segment is complete.
func (w *SegmentWatch) isFirst(ctx context.Context, key segmentKey) (first bool, err error) {
	err = w.automations.db.Pool.QueryRow(ctx, `
		select not exists (select from automation_segment where environment_id = $1 and segment_id = $2 and digest <> '')`,
		key.environment, key.segment).Scan(&first)
	return first, err
}

// follow makes the stored members those of a sorted list, and enrols who is new if it is told to. Whoever is stored is
// enrolled: when it is cut off, the next evaluation goes on.
func (w *SegmentWatch) follow(ctx context.Context, key segmentKey, members []string, enrol bool, at time.Time) error {
	rows, err := w.automations.db.Pool.Query(ctx, `
		select app_user_id from automation_segment_member where environment_id = $1 and segment_id = $2
		order by app_user_id collate "C"`, key.environment, key.segment)
	if err != nil {
		return err
	}
	var leaving []string
	entering := members[:0:0]
	var known string
	next := 0
	if _, err := pgx.ForEachRow(rows, []any{&known}, func() error {
		for ; next < len(members) && members[next] < known; next++ {
			entering = append(entering, members[next])
		}
		if next < len(members) && members[next] == known {
			next++
		} else {
			leaving = append(leaving, known)
		}
		return nil
	}); err != nil {
		return err
	}
	entering = append(entering, members[next:]...)
	for batch := range slices.Chunk(leaving, 10*enterBatch) {
		if _, err := w.automations.db.Pool.Exec(ctx, `
			delete from automation_segment_member
			where environment_id = $1 and segment_id = $2 and app_user_id = any ($3)`,
			key.environment, key.segment, batch); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(entering, enterBatch) {
		if err := w.enter(ctx, key, batch, enrol, at); err != nil {
			return err
		}
	}
	return nil
}

// enter stores people as members and enrols them, in one transaction.
func (w *SegmentWatch) enter(ctx context.Context, key segmentKey, people []string, enrol bool, at time.Time) error {
	return pgx.BeginFunc(ctx, w.automations.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, privacy.JoinWriters); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			insert into automation_segment_member (environment_id, segment_id, app_user_id)
			select $1, $2, id from unnest($3::text[]) id where not exists (
				select from erased_person p where p.environment_id = $1
					and p.person = encode(substr(sha256(convert_to(id, 'UTF8')), 1, 16), 'hex')::uuid)
			on conflict do nothing returning app_user_id`, key.environment, key.segment, people)
		if err != nil {
			return err
		}
		entered, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || !enrol {
			return err
		}
		name := "segment_entered"
		if w.isGoal(key) {
			name = "goal_met"
		}
		facts := make([]Fact, len(entered))
		for i, person := range entered {
			facts[i] = Fact{
				Kind: SegmentEntered, EnvironmentID: key.environment, AppUserID: person, OccurredAt: at,
				Name: name, SegmentID: key.segment, Key: uuid.New(),
			}
		}
		return w.automations.Happened(ctx, tx, facts)
	})
}

// isGoal tells whether what is followed is a goal.
func (w *SegmentWatch) isGoal(key segmentKey) bool {
	return slices.ContainsFunc(w.automations.registry.snapshot.Load().segments[key], func(p *published) bool {
		return p.definition.Trigger.Type == OnGoal
	})
}

// digestOf tells lists of members apart that differ.
func digestOf(members []string) []byte {
	hash := sha256.New()
	for _, id := range members {
		hash.Write([]byte(id))
		hash.Write([]byte{0})
	}
	return hash.Sum(nil)
}
