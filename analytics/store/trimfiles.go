package store

import (
	"slices"
	"time"
)

// Shares of the limit of files: above the first, what was used longest ago is given up until they are below the second.
const (
	fullFiles = 0.9
	trimmedTo = 0.75
)

// trimFiles gives up files when they come near their limit: first environments that nobody has open, then days, those
// that were used longest ago first. The files of a day go when its environment is saved next.
func (s *Store) trimFiles() {
	files := s.settings.Files
	limit := float64(files.Limit())
	if limit == 0 || float64(files.Bytes()) <= fullFiles*limit {
		return
	}
	s.dropClosed(int64(trimmedTo * limit))
	over := files.Bytes() - int64(trimmedTo*limit)
	days := s.savedDays()
	slices.SortFunc(days, func(a, b savedUse) int { return a.used.Compare(b.used) })
	for _, d := range days {
		if over <= 0 {
			return
		}
		d.replica.dropSaved(d.key)
		over -= d.bytes
	}
}

// dropClosed drops the files of environments that are not open, the oldest first, until all files take so many bytes.
func (s *Store) dropClosed(bytes int64) {
	files := s.settings.Files
	environments, err := files.Environments()
	if err != nil {
		return // the next round sees whether that lasts
	}
	type closed struct {
		id int64
		at time.Time
	}
	var all []closed
	for _, id := range environments {
		s.mu.Lock()
		busy := s.replicas[id] != nil || s.opening[id] != nil
		s.mu.Unlock()
		if m, err := files.Peek(id); !busy && err == nil {
			all = append(all, closed{id, m.SavedAt})
		}
	}
	slices.SortFunc(all, func(a, b closed) int { return a.at.Compare(b.at) })
	for _, c := range all {
		if files.Bytes() <= bytes {
			return
		}
		if err := files.Drop(c.id); err != nil {
			s.settings.Logger.Warn("files of the report cache can't be removed", "environment_id", c.id, "error", err)
		}
	}
}

// savedUse is the use of one day that is in files.
type savedUse struct {
	replica *replica
	key     dayKey
	used    time.Time
	bytes   int64
}

// savedDays lists the days of open environments that are in files.
func (s *Store) savedDays() (days []savedUse) {
	for _, r := range s.openReplicas() {
		r.mu.Lock()
		for key, d := range r.days {
			if f := r.data.Frame(key.rows, key.number); f.IsSaved() {
				days = append(days, savedUse{r, key, d.used, int64(len(f.Sealed.File().Bytes()))})
			} else if d.saved != nil {
				days = append(days, savedUse{r, key, d.used, d.saved.Sealed.Bytes})
			}
		}
		r.mu.Unlock()
	}
	return days
}

// dropSaved lets go of a day that is in files. Who holds a view goes on with it.
func (r *replica) dropSaved(key dayKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.days[key]; d.loaded || d.saved != nil {
		r.unload(key)
	}
}
