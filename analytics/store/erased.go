package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// renewEach is how long after it was opened an environment of which people were erased is read anew, so that it may be
// in files again.
const renewEach = 10 * time.Minute

// FilesChecked returns how long ago it was when nobody who had been erased until then was in any file, and whether
// there are files.
func (s *Store) FilesChecked() (ago time.Duration, files bool) {
	if s.settings.Files == nil {
		return 0, false
	}
	environments, err := s.settings.Files.Environments()
	if err != nil {
		return time.Since(s.checked.get()), true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range environments {
		at := s.checked.get()
		if r := s.replicas[id]; r != nil {
			at = r.lastPolled()
		}
		ago, files = max(ago, time.Since(at)), true
	}
	return ago, files
}

// lookForErased does what dropErased does. What fails is tried again in the next round; until then no erasure is done.
func (s *Store) lookForErased(ctx context.Context) {
	if err := s.dropErased(ctx); err != nil && ctx.Err() == nil {
		s.settings.Logger.Warn("the report cache can't be searched for erased people", "error", err)
	}
}

// dropErased drops the files of environments that are not open where people were erased, or rows removed, since they
// were written, and those that are too old to be opened. Polls do it where they are open.
func (s *Store) dropErased(ctx context.Context) error {
	if s.settings.Files == nil {
		return nil
	}
	began := time.Now()
	environments, err := s.settings.Files.Environments()
	if err != nil {
		return err
	}
	opening := false
	for _, id := range environments {
		s.mu.Lock()
		open := s.replicas[id] != nil
		opening = opening || s.opening[id] != nil
		skip := open || s.opening[id] != nil
		s.mu.Unlock()
		if skip {
			continue
		}
		gone, err := s.hasLost(ctx, id)
		switch {
		case isDistrust(err):
			s.dropFiles(id, err)
		case err == nil && gone:
			if err := s.settings.Files.Drop(id); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	if !opening { // else its first poll looks
		s.checked.set(began)
	}
	return nil
}

// hasLost tells whether anything of an environment was removed that its files may have.
func (s *Store) hasLost(ctx context.Context, id int64) (gone bool, err error) {
	m, err := s.settings.Files.Peek(id)
	if err != nil {
		return false, doubt("%w", err)
	}
	seen, err := parseSnapshot(m.Snapshot)
	if err != nil {
		return false, doubt("%w", err)
	}
	if time.Since(m.SavedAt) > savedFor {
		return true, nil
	}
	err = s.reader.Read(ctx, func(tx pgx.Tx) error {
		sql := s.reader.Route(`select exists (` + unseenSQL(``, `frame_invalidated`, `xid`) + `)`)
		return tx.QueryRow(ctx, sql, seen.args(id)...).Scan(&gone)
	})
	return gone, err
}

// renewErased reads environments anew of which people were erased, whose values may be left in memory and so must not
// be in files.
func (s *Store) renewErased(ctx context.Context) {
	for _, r := range s.openReplicas() {
		if ctx.Err() == nil && r.isErased() && time.Since(r.opened) > renewEach {
			if err := s.renew(ctx, r); err != nil && !errors.Is(err, errBudget) && ctx.Err() == nil {
				s.settings.Logger.Warn("an environment could not be read anew", "environment_id", r.id, "error", err)
			}
		}
	}
}

// renew reads an environment and the days that it has anew, and replaces it.
func (s *Store) renew(ctx context.Context, r *replica) error {
	return s.wait(ctx, s.start(hangLimit, func(ctx context.Context, t *task) error {
		fresh, err := s.open(ctx, t, r.id, nil)
		if err != nil {
			return err
		}
		for rows := range r.catalogues {
			if r.knows(frame.RowType(rows)) {
				if err := s.know(ctx, fresh, tables[rows]); err != nil {
					return err
				}
			}
		}
		if _, err := s.load(ctx, fresh, r.sharedDays(fresh)); err != nil {
			return err
		}
		fresh.markUsedAt(r.lastUsed())
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.replicas[r.id] == r {
			s.replicas[r.id] = fresh
		}
		return nil
	}))
}

// knows tells whether the days of the rows of a type are known.
func (r *replica) knows(rows frame.RowType) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.catalogues[rows].known
}

// sharedDays lists the days that are loaded and that another replica knows, too.
func (r *replica) sharedDays(other *replica) (days []dayKey) {
	r.mu.Lock()
	for key, d := range r.days {
		if d.loaded {
			days = append(days, key)
		}
	}
	r.mu.Unlock()
	other.mu.Lock()
	defer other.mu.Unlock()
	known := days[:0]
	for _, key := range days {
		if other.days[key] != nil {
			known = append(known, key)
		}
	}
	return known
}

func (r *replica) markUsedAt(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = at
}
