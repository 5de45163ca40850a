package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/internal/mapped"
)

const (
	// saveAgain is how long files stand for the same snapshot at most, so that what a poll has to bring after a restart
	// stays small although nothing changed.
	saveAgain = time.Hour
	// fewIDs is how many ids are written at every saving. Once there are more, and more than a share of those that have
	// a file to be found in, one in so many, all have one.
	fewIDs  = 1 << 16
	idShare = 8
	// savedPerSecond is how many bytes of one environment are written a second at most, in the mean: values that
	// strangers make up are written whole, however little changed.
	savedPerSecond = 1 << 20
)

// saveOpen saves the environments that changed.
func (s *Store) saveOpen(ctx context.Context) {
	if s.settings.Files == nil {
		return
	}
	s.trimFiles()
	for _, r := range s.openReplicas() {
		if ctx.Err() != nil {
			return
		}
		err := mapped.Guard(func() error { return s.save(ctx, r) })
		switch {
		case errors.Is(err, mapped.ErrFault):
			s.dropFiles(r.id, err)
			s.forget(r)
		case err != nil && ctx.Err() == nil:
			s.saveFailures.Add(1)
			s.settings.Logger.Warn("the report cache can't be saved", "environment_id", r.id, "error", err)
		}
	}
}

// saving is the writing of the files of one environment. Files that are there and stay true are kept.
type saving struct {
	store   *Store
	replica *replica
	folder  *framedir.Directory
	view    *frame.View // of what is saved
	m       *framedir.Manifest
}

// save writes what changed of an environment since its files were written, and takes it from the files from then on.
// What it writes is a view, with the snapshot that the view reflects.
func (s *Store) save(ctx context.Context, r *replica) error {
	w := &saving{store: s, replica: r, folder: s.settings.Files}
	if err := r.saves.acquire(ctx); err != nil {
		return err
	}
	defer r.saves.release()
	if due, err := w.begin(ctx); err != nil || !due {
		return err
	}
	var err error
	if w.m.Identity, _, err = identify(ctx, s.pool); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		w.saveFrames, w.saveIDs, w.saveTouches, w.saveValues, w.commit,
	} {
		err := step(ctx)
		switch {
		case errors.Is(err, errErased):
			return nil
		case err != nil:
			r.markUnsaved()
			return err
		}
	}
	return nil
}

// begin takes the view that is saved. It tells whether there is anything to save.
func (w *saving) begin(ctx context.Context) (bool, error) {
	r := w.replica
	if !r.isDue(time.Now()) {
		return false, nil
	}
	if err := r.writing.acquire(ctx); err != nil {
		return false, err
	}
	defer r.writing.release()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.partial || r.polled.IsZero() || r.erased {
		return false, nil // a later round
	}
	w.m = w.folder.Begin(r.id)
	if r.view == nil {
		r.view = r.data.View(math.MinInt32, math.MaxInt32)
	}
	w.view, w.m.Snapshot = r.view, r.seen.text()
	for rows := range r.catalogues {
		c := &r.catalogues[rows]
		w.m.Catalogues[rows] = framedir.Catalogue{Known: c.known, RowBytes: c.rowBytes}
	}
	for key, d := range r.days {
		if r.catalogues[key.rows].known {
			day := framedir.Day{Rows: key.rows, Number: key.number, First: d.first, Last: d.last, Count: d.rows}
			if d.saved != nil {
				day.Sealed, day.Overlay = d.saved.Sealed, d.saved.Overlay
			}
			w.m.Days = append(w.m.Days, day)
		}
	}
	r.unsaved, r.savedAt = false, time.Now()
	return true, nil
}

// create writes a file and maps it.
func (w *saving) create(
	kind frame.FileKind, prefix string, fill func(*frame.Encoder),
) (framedir.File, *mapped.File, error) {
	if w.replica.isErased() {
		return framedir.File{}, nil, errErased
	}
	f, err := w.folder.Create(w.replica.id, kind, prefix, fill)
	if err != nil {
		return f, nil, fmt.Errorf("writing %s: %w", prefix, err)
	}
	file, err := w.folder.Map(w.replica.id, f)
	return f, file, err
}

// createPart writes the rows of a day.
func (w *saving) createPart(d *framedir.Day, part *frame.Part) (framedir.File, *mapped.File, error) {
	return w.create(frame.PartFile, nameOfDay(d), func(e *frame.Encoder) { w.replica.data.SavePart(part, e) })
}

// saveFrames writes the frames of the view that have no file, and what changed in the others.
func (w *saving) saveFrames(ctx context.Context) error {
	days := map[dayKey]*framedir.Day{}
	for i := range w.m.Days {
		d := &w.m.Days[i]
		days[dayKey{d.Rows, d.Number}] = d
	}
	for rows, frames := range [frame.RowTypes][]*frame.Frame{frame.Sessions: w.view.Frames, frame.Runs: w.view.Runs} {
		for _, f := range frames {
			d := days[dayKey{frame.RowType(rows), f.Day}]
			if d == nil {
				continue // its rows are not all known
			}
			if err := w.saveFrame(ctx, d, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *saving) saveFrame(ctx context.Context, d *framedir.Day, f *frame.Frame) error {
	sealed, known := w.folder.Find(w.replica.id, f.Sealed.File())
	overlay, current := w.folder.Find(w.replica.id, f.Overlay())
	if known && (current || !f.HasOverlay()) {
		d.Sealed = &sealed
		if current {
			d.Overlay = &overlay
		}
		return nil
	}
	next := f
	if !known {
		next = f.Compact()
		part := next.Sealed
		written, file, err := w.createPart(d, part)
		if err != nil {
			return err
		}
		if part, err = frame.OpenPart(file); err != nil {
			return err
		}
		if next, err = frame.OpenFrame(f.Day, part, nil); err != nil {
			return err
		}
		d.Sealed = &written
	} else {
		written, file, err := w.create(frame.OverlayFile, nameOfDay(d)+"-changed", f.SaveOverlay)
		if err != nil {
			return err
		}
		if next, err = frame.OpenFrame(f.Day, f.Sealed, file); err != nil {
			return err
		}
		d.Sealed, d.Overlay = &sealed, &written
	}
	return w.swap(ctx, d.Rows, f, next)
}

// swap takes a frame from its file from now on, unless it has changed meanwhile.
func (w *saving) swap(ctx context.Context, rows frame.RowType, was, f *frame.Frame) error {
	r := w.replica
	if err := r.writing.acquire(ctx); err != nil {
		return err
	}
	defer r.writing.release()
	if r.data.PutFrame(rows, was, f) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.partial { // else no other view can be made yet
			r.view = nil
		}
	}
	return nil
}

func nameOfDay(d *framedir.Day) string {
	return [frame.RowTypes]string{frame.Sessions: "sessions", frame.Runs: "runs"}[d.Rows] + "-" +
		dateOf(d.Number).Format(time.DateOnly)
}

// saveIDs writes the ids of people. Those that are not found through a file yet are written at every saving.
func (w *saving) saveIDs(context.Context) error {
	for _, ids := range []struct {
		prefix string
		of     frame.IDs
		first  **framedir.File
		tail   *framedir.File
		adopt  func(*frame.SavedIDs)
	}{
		{"visitors", w.view.Visitors, &w.m.Visitors, &w.m.VisitorTail, w.replica.data.AdoptVisitors},
		{"custom-users", w.view.CustomIDs, &w.m.CustomIDs, &w.m.CustomTail, w.replica.data.AdoptCustomIDs},
	} {
		first, known := w.folder.Find(w.replica.id, ids.of.Saved().File())
		if !known || ids.of.TailLen() > max(fewIDs, (ids.of.Len()-ids.of.TailLen())/idShare) {
			if ids.of.Len() > fewIDs {
				written, file, err := w.create(frame.IDFile, ids.prefix, ids.of.Save)
				if err != nil {
					return err
				}
				saved, err := frame.OpenIDs(file)
				if err != nil {
					return err
				}
				ids.adopt(saved)
				first, known, ids.of = written, true, frame.IDsOf(saved)
			}
		}
		if known {
			*ids.first = &first
		}
		tail, err := w.folder.Create(w.replica.id, frame.TailFile, ids.prefix+"-new", ids.of.SaveTail)
		if err != nil {
			return err
		}
		*ids.tail = tail
	}
	return nil
}

// saveTouches writes the groups of first touches that changed.
func (w *saving) saveTouches(ctx context.Context) error {
	for group := range w.view.TouchGroups() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, known := w.folder.Find(w.replica.id, w.view.TouchFile(group))
		if !known {
			written, file, err := w.create(frame.TouchFile, "first-touches-"+strconv.Itoa(group), func(e *frame.Encoder) {
				w.view.SaveTouches(group, e)
			})
			if err != nil {
				return err
			}
			saved, err := frame.OpenTouches(file)
			if err != nil {
				return err
			}
			w.replica.data.AdoptTouches(w.view, group, saved)
			f = written
		}
		w.m.Touches = append(w.m.Touches, f)
	}
	return nil
}

func (w *saving) saveValues(context.Context) (err error) {
	if w.m.Values, err = w.folder.Create(
		w.replica.id, frame.ValueFile, "values", w.replica.data.SaveValues,
	); err != nil {
		return err
	}
	ledger := &w.replica.ledger
	if !w.folder.Has(w.replica.id, ledger.file) || !slices.Equal(ledger.saved, w.view.Purchases) {
		if ledger.file, err = w.folder.Create(
			w.replica.id, frame.LedgerFile, "purchases", w.view.SavePurchases,
		); err != nil {
			return err
		}
		ledger.saved = w.view.Purchases
	}
	w.m.Purchases = ledger.file
	return nil
}

// savedLedger is the purchases that are in a file. The ledger changes less than everything else, and is long.
type savedLedger struct {
	saved []frame.CodedPurchase
	file  framedir.File
}

func (w *saving) commit(context.Context) error {
	if w.replica.isErased() || !w.store.isOpen(w.replica) {
		return nil
	}
	w.replica.setWritten(w.m.Written())
	return w.folder.Commit(w.m)
}

// text returns the snapshot as PostgreSQL writes it; what was running is told one by one.
func (s snapshot) text() string {
	running := make([]string, len(s.running))
	least := s.next
	for i, xid := range s.running {
		running[i] = strconv.FormatUint(xid, 10)
		least = min(least, xid)
	}
	return fmt.Sprintf("%d:%d:%s", least, s.next, strings.Join(running, ","))
}

// isDue tells whether there is something to save.
func (r *replica) isDue(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := now.Sub(r.savedAt)
	rest := time.Duration(r.written) * time.Second / savedPerSecond
	return r.unsaved && since >= rest || since > saveAgain
}

// setWritten notes how many bytes the latest saving wrote.
func (r *replica) setWritten(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = bytes
}

// markUnsaved notes that files do not say what the replica says.
func (r *replica) markUnsaved() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unsaved = true
}

// errErased reports that files must not be written any more.
var errErased = errors.New("people were erased")

func (r *replica) isErased() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.erased
}

// removeFiles removes the files of an environment of which people were erased, and what is being written.
func (s *Store) removeFiles(ctx context.Context, r *replica) error {
	if s.settings.Files == nil {
		return nil
	}
	r.mu.Lock()
	r.erased = true
	r.mu.Unlock()
	if err := r.saves.acquire(ctx); err != nil {
		return err
	}
	defer r.saves.release()
	return s.settings.Files.Drop(r.id)
}

// saveDay writes the rows of a day that was read, and returns them as those of the file; as they are when they can't be
// written.
func (s *Store) saveDay(r *replica, key dayKey, part *frame.Part) *frame.Part {
	if s.settings.Files == nil || part.Len() == 0 || r.isErased() {
		return part
	}
	w := &saving{store: s, replica: r, folder: s.settings.Files}
	_, file, err := w.createPart(&framedir.Day{Rows: key.rows, Number: key.number}, part)
	if err == nil {
		var saved *frame.Part
		if saved, err = frame.OpenPart(file); err == nil {
			return saved
		}
	}
	s.saveFailures.Add(1)
	s.settings.Logger.Warn("a day can't be saved, and stays in memory", "environment_id", r.id, "error", err)
	return part
}

// Stats counts what happened since the store was made.
type Stats struct {
	DaysRead     int64 // from the database
	Reopened     int64 // environments that were opened from their files
	Dropped      int64 // environments whose files were not trusted
	SaveFailures int64
}

// Stats returns what happened since the store was made.
func (s *Store) Stats() Stats {
	return Stats{s.read.Load(), s.reopened.Load(), s.dropped.Load(), s.saveFailures.Load()}
}

// Guard calls read, which reads what a view has, for those whom nobody else guards against a file that can't be read or
// is damaged: it is distrusted then, and the error wraps analytics.ErrUnavailable.
func (s *Store) Guard(read func() error) error {
	err := mapped.Guard(read)
	if errors.Is(err, mapped.ErrFault) {
		s.Distrust(err)
		return fmt.Errorf("%w: %w", analytics.ErrUnavailable, err)
	}
	return err
}

// Distrust drops the files of the environment whose file is damaged, of every one that is open when a fault does not
// tell which.
func (s *Store) Distrust(why error) {
	var damage *frame.DamageError
	all := s.openReplicas()
	if errors.As(why, &damage) && s.settings.Files != nil {
		for _, r := range all {
			if _, is := s.settings.Files.Find(r.id, damage.File); is {
				s.distrust(r, why)
				return
			}
		}
	}
	for _, r := range all {
		s.distrust(r, why)
	}
}
