package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/people/privacy"
)

// rowBytes is about what one event takes in a COPY; it sizes the buffer.
const rowBytes = 700

// retryDelays are the pauses before a failed flush is tried again. A restart of
// the database takes longer than their sum: then the batch is given back to its
// clients, which keep it and retry with the same ids.
var retryDelays = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond}

// flush stores items and sets their outcomes. What the database refuses is
// halved until the bad event is alone. An error means that the outcomes of some
// items are still pending because the store can't take writes.
func (w *Writer) flush(ctx context.Context, items []*item) error {
	err := w.attempt(ctx, items)
	for _, delay := range retryDelays {
		if err == nil || isRefusal(err, items) || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
			err = w.attempt(ctx, items)
		}
	}
	switch {
	case err == nil:
		return nil
	case !isRefusal(err, items):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case len(items) == 1:
		w.log.Warn(
			"the database refused an event", "environment", items[0].environment, "path", items[0].path, "key", items[0].key,
			"sqlstate", pgerr.State(err),
		)
		items[0].outcome = outcomeRefused
		return nil
	}
	half := len(items) / 2
	if err := w.flush(ctx, items[:half]); err != nil {
		return err // it was not the data, or no longer: the other half would meet the same
	}
	return w.flush(ctx, items[half:])
}

// isRefusal tells whether the database refused items for what is in them. Of a COPY that a node of a cluster refused,
// Citus passes on the message without the code, which is told when the event is alone (see [eventTable.write]).
func isRefusal(err error, items []*item) bool {
	return pgerr.IsBadData(err) || len(items) > 1 && pgerr.State(err) == internalError
}

// internalError is the code of errors that have none of their own.
const internalError = "XX000"

// attempt stores items in one transaction and sets their outcomes when it has
// committed.
func (w *Writer) attempt(ctx context.Context, items []*item) error {
	ctx, cancel := context.WithTimeout(ctx, w.settings.FlushTimeout)
	defer cancel()
	productOver, err := w.names.assign(ctx, items)
	if err != nil {
		return err
	}
	flowOver, err := w.flowNames.assign(ctx, items)
	if err != nil {
		return err
	}
	if err := w.details.assign(ctx, items); err != nil {
		return err
	}
	if err := w.db.EnsurePartitions(ctx, occurredTimes(items)); err != nil {
		// Not fatal: rows without a partition of their own go to the default one.
		w.log.Warn("making event partitions failed", "error", err)
	}
	dense, err := w.db.HasDensity(ctx)
	if err != nil {
		return err
	}
	for i, it := range items {
		it.place = i
	}
	var wanted, fresh []*item // not of erased people, and not stored before
	var overLimit map[int64]int64
	err = pgx.BeginFunc(ctx, w.db.Pool, func(tx pgx.Tx) error {
		if wanted, err = withoutErased(ctx, tx, items); err != nil {
			return err
		}
		if fresh, err = w.ledger.enter(ctx, tx, wanted); err != nil {
			return err
		}
		if fresh, err = withoutStored(ctx, tx, fresh); err != nil {
			return err
		}
		if dense {
			w.densities.tell(fresh)
		}
		if err := copyEvents(ctx, tx, fresh); err != nil {
			return err
		}
		arrived := inOrderOfArrival(fresh)
		if sessions := foldSessions(arrived); len(sessions) > 0 {
			if overLimit, err = mergeSessions(ctx, tx, sessions, w.settings.SessionHitLimit); err != nil {
				return err
			}
		}
		if runs := foldRuns(arrived); len(runs) > 0 {
			if err := mergeRuns(ctx, tx, runs, w.settings.RunHitLimit); err != nil {
				return err
			}
		}
		return w.tellAutomations(ctx, tx, arrived)
	})
	if err != nil {
		return err
	}
	for _, it := range items {
		it.outcome = outcomeErased
	}
	for _, it := range wanted {
		it.outcome = outcomeDuplicate
		if it.accepted != nil {
			it.accepted(it.appUserID())
		}
	}
	for _, it := range fresh {
		it.outcome = outcomeStored
	}
	w.stats.addOver(PathProduct, productOver, overLimit)
	w.stats.addOver(PathFlow, flowOver, nil)
	return nil
}

// withoutErased leaves out events of people who are erased.
func withoutErased(ctx context.Context, tx pgx.Tx, items []*item) ([]*item, error) {
	subject := func(it *item) privacy.Subject {
		return privacy.Subject{EnvironmentID: it.environment, AppUserID: it.appUserID()}
	}
	erased, err := privacy.Erased(ctx, tx, func(yield func(privacy.Subject) bool) {
		for _, it := range items {
			if !yield(subject(it)) {
				return
			}
		}
	})
	if err != nil || len(erased) == 0 {
		return items, err
	}
	return slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return erased[subject(it)] }), nil
}

// inOrderOfArrival undoes the order of keys: a session keeps the hits that came first, up to its limit.
func inOrderOfArrival(items []*item) []*item {
	return slices.SortedFunc(slices.Values(items), func(a, b *item) int { return cmp.Compare(a.place, b.place) })
}

func occurredTimes(items []*item) func(yield func(time.Time) bool) {
	return func(yield func(time.Time) bool) {
		for _, it := range items {
			if !yield(it.occurredAt()) {
				return
			}
		}
	}
}

// copyEvents writes the raw events, each to the table of its path. They go in by
// time: neighbours in the index by time are then written one after another, and
// the database fills its pages instead of splitting them in halves.
func copyEvents(ctx context.Context, tx pgx.Tx, fresh []*item) error {
	fresh = slices.SortedFunc(slices.Values(fresh), func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), a.occurredAt().Compare(b.occurredAt()))
	})
	for _, table := range []*eventTable{productTable, flowTable, trackTable} {
		buffer, rows := (*copyBuffer)(nil), 0
		for _, it := range fresh {
			if it.path != table.path {
				continue
			}
			if buffer == nil {
				buffer = newCopyBuffer(rowBytes * len(fresh))
			}
			it.appendTo(buffer)
			rows++
		}
		if buffer == nil {
			continue
		}
		if err := table.write(ctx, tx.Conn().PgConn(), buffer, rows); err != nil {
			return fmt.Errorf("write %s events: %w", table.path, err)
		}
	}
	return nil
}

// chooseLane spreads visitors over n writers, so that one session is always written
// by one writer of a process.
func chooseLane(environment int64, appUserID string, n int) int {
	h := hashPerson(uint64(environment), appUserID)
	h ^= h >> 32
	return int(h % uint64(n))
}

// hashPerson is the FNV-1a hash of the bytes of a number and a person.
func hashPerson(of uint64, appUserID string) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := range 8 {
		h = (h ^ uint64(byte(of>>(8*i)))) * prime
	}
	for i := range len(appUserID) {
		h = (h ^ uint64(appUserID[i])) * prime
	}
	return h
}
