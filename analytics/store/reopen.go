package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/internal/mapped"
)

// savedFor is how old what files stand for may be: half of how long the database remembers which days lost rows, so
// that a clock that is days off does no harm.
const savedFor = 15 * 24 * time.Hour

// errDoubt reports that files may not say what the database says.
var errDoubt = errors.New("the files of the environment are not used")

func doubt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errDoubt, fmt.Errorf(format, args...))
}

// reopen opens an environment from its files. What they lack is what the next poll brings: it asks for what the
// snapshot that they stand for does not see. It returns nil when there are no files, or when they had to be dropped.
func (s *Store) reopen(ctx context.Context, t *task, id int64) (*replica, error) {
	if s.settings.Files == nil {
		return nil, nil
	}
	m, err := s.settings.Files.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r *replica
	if err != nil {
		err = doubt("%w", err)
	} else {
		err = mapped.Guard(func() (err error) {
			r, err = s.openFiles(ctx, t, m)
			return err
		})
	}
	if isDistrust(err) {
		s.dropFiles(id, err)
		return nil, nil
	}
	return r, err
}

// dropFiles removes the files of an environment, whose rows are read from the database again.
func (s *Store) dropFiles(id int64, why error) {
	s.dropped.Add(1)
	s.settings.Logger.Warn("the report cache of an environment is dropped", "environment_id", id, "error", why)
	if err := s.settings.Files.Drop(id); err != nil {
		s.settings.Logger.Error("files of the report cache can't be removed", "environment_id", id, "error", err)
	}
}

// openFiles makes the replica that a manifest stands for. Days are checked when they are first asked for.
func (s *Store) openFiles(ctx context.Context, t *task, m *framedir.Manifest) (*replica, error) {
	r := s.newReplica(m.Environment)
	var err error
	if r.seen, err = parseSnapshot(m.Snapshot); err != nil {
		return nil, doubt("%w", err)
	}
	identity, now, err := identify(ctx, s.pool)
	if err != nil {
		return nil, err
	}
	t.progress()
	age := time.Since(m.SavedAt)
	switch {
	case m.Identity != identity:
		return nil, doubt("they are of another database: %+v, not %+v", m.Identity, identity)
	case r.seen.next > now.next:
		return nil, doubt("they are of a later transaction than the latest: the database was reset to an earlier time")
	case age > savedFor, age < -time.Hour:
		return nil, doubt("they were written %s ago", age)
	}
	files := fileReader{s.settings.Files, m.Environment, t.progress}
	saved, err := files.dataset(m)
	if err != nil {
		return nil, err
	}
	if r.data, err = frame.OpenDataset(saved, valueBudget(s.frameBudget())); err != nil {
		return nil, doubt("%w", err)
	}
	for _, d := range m.Days {
		if d.Rows >= frame.RowTypes {
			return nil, doubt("a day of type %d", d.Rows)
		}
		known := &day{catalogued: catalogued{bounds{d.First, d.Last}, d.Count}}
		r.days[dayKey{d.Rows, d.Number}] = known
		if d.Sealed == nil {
			continue
		}
		if known.saved, err = files.day(&d); err != nil {
			return nil, doubt("day %d: %w", d.Number, err)
		}
	}
	for rows, c := range m.Catalogues {
		r.catalogues[rows] = catalogue{followed: c.Known, known: c.Known, rowBytes: c.RowBytes}
	}
	if !r.catalogues[frame.Sessions].known {
		return nil, doubt("they do not say which days have sessions")
	}
	s.reopened.Add(1)
	return r, s.makeRoom(r, nil, 0)
}

// fileReader maps files of an environment.
type fileReader struct {
	folder      *framedir.Directory
	environment int64
	progress    func()
}

// open maps a file and checks it.
func (r fileReader) open(f *framedir.File, kind frame.FileKind) (*mapped.File, error) {
	file, err := r.folder.Map(r.environment, *f)
	if err == nil {
		check := func() error { return frame.Check(file.Bytes(), kind, f.Sum, r.progress) }
		if kind.InPieces() {
			err = check() // of its head alone: reading further ahead would bring all of it
		} else {
			err = file.InOrder(check)
		}
	}
	if err != nil {
		return nil, doubt("%s: %w", f.Name, err)
	}
	r.progress()
	return file, nil
}

// openers is how many files are checked at once: reading one from the disk and summing another up overlap.
const openers = 16

// dataset maps and checks everything but the days.
func (r fileReader) dataset(m *framedir.Manifest) (frame.Saved, error) {
	saved := frame.Saved{Touches: make([]*mapped.File, len(m.Touches))}
	var opening errgroup.Group
	opening.SetLimit(openers)
	open := func(file *framedir.File, kind frame.FileKind, to **mapped.File) {
		opening.Go(func() error {
			return mapped.Guard(func() (err error) {
				*to, err = r.open(file, kind)
				return err
			})
		})
	}
	for _, part := range []struct {
		file *framedir.File
		kind frame.FileKind
		to   **mapped.File
	}{
		{&m.Values, frame.ValueFile, &saved.Values}, {&m.Purchases, frame.LedgerFile, &saved.Purchases},
		{m.Visitors, frame.IDFile, &saved.Visitors}, {&m.VisitorTail, frame.TailFile, &saved.VisitorTail},
		{m.CustomIDs, frame.IDFile, &saved.CustomIDs}, {&m.CustomTail, frame.TailFile, &saved.CustomIDTail},
	} {
		if part.file != nil {
			open(part.file, part.kind, part.to)
		}
	}
	for i := range m.Touches {
		open(&m.Touches[i], frame.TouchFile, &saved.Touches[i])
	}
	return saved, opening.Wait()
}

// day maps the files of a day without reading them.
func (r fileReader) day(d *framedir.Day) (saved *savedDay, err error) {
	saved = &savedDay{Day: *d}
	if saved.sealed, err = r.folder.Map(r.environment, *d.Sealed); err != nil {
		return nil, err
	}
	if d.Overlay != nil {
		saved.overlay, err = r.folder.Map(r.environment, *d.Overlay)
	}
	return saved, err
}

// open checks how the rows of a day lie in its files, and returns its frame. Columns are checked when they are read.
func (d *savedDay) open() (*frame.Frame, error) {
	if err := frame.Check(d.sealed.Bytes(), frame.PartFile, d.Sealed.Sum, func() {}); err != nil {
		return nil, err
	}
	part, err := frame.OpenPart(d.sealed)
	switch {
	case err != nil:
		return nil, err
	case part.Type != d.Rows:
		return nil, frame.ErrFile
	case d.overlay != nil:
		verify := func() error { return frame.Verify(d.overlay.Bytes(), frame.OverlayFile, d.Overlay.Sum) }
		if err := d.overlay.InOrder(verify); err != nil {
			return nil, err
		}
	}
	return frame.OpenFrame(d.Number, part, d.overlay)
}

// Identify returns which database this is and what a transaction of now sees, as a manifest of files names them.
func Identify(ctx context.Context, pool *pgxpool.Pool) (framedir.Identity, string, error) {
	id, now, err := identify(ctx, pool)
	return id, now.text(), err
}

// identify returns which database this is, and what a transaction of now sees.
func identify(ctx context.Context, q querier) (id framedir.Identity, now snapshot, err error) {
	var text string
	err = q.QueryRow(ctx, `
		select (select system_identifier::text from pg_control_system()),
			case when pg_is_in_recovery() then (select timeline_id::text from pg_control_checkpoint())
				else left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
			(select oid::bigint from pg_database where datname = current_database()),
			'product_session'::regclass::oid::bigint, 'flow_run'::regclass::oid::bigint, pg_current_snapshot()::text`,
	).Scan(&id.System, &id.Timeline, &id.Database, &id.Sessions, &id.Runs, &text)
	if err != nil {
		return id, now, fmt.Errorf("reading which database it is: %w", err)
	}
	now, err = parseSnapshot(text)
	return id, now, err
}

// verify checks the files of a day, which is loaded then.
func (s *Store) verify(ctx context.Context, r *replica, key dayKey) error {
	saved, opened, err := s.check(r, key)
	if opened == nil {
		return err
	}
	if err := r.writing.acquire(ctx); err != nil {
		return err
	}
	defer r.writing.release()
	r.take(key, saved, opened)
	return nil
}

// verifyHeld does so for a poll, which holds writing: what it brings must not overtake what is in the files.
func (s *Store) verifyHeld(r *replica, key dayKey) error {
	saved, opened, err := s.check(r, key)
	if opened != nil {
		r.take(key, saved, opened)
	}
	return err
}

// check opens the files of a day; the frame is nil when the day has none that was not checked before.
func (s *Store) check(r *replica, key dayKey) (saved *savedDay, opened *frame.Frame, err error) {
	r.mu.Lock()
	if d := r.days[key]; d != nil {
		saved = d.saved
	}
	r.mu.Unlock()
	if saved == nil {
		return nil, nil, nil
	}
	if err := mapped.Guard(func() (err error) {
		opened, err = saved.open()
		return err
	}); err != nil {
		err = doubt("day %d: %w", key.number, err)
		s.distrust(r, err)
		return nil, nil, err
	}
	return saved, opened, nil
}

// take makes a frame of files that of its day, which has lost rows, or was loaded, when it has other files by now. The
// caller holds writing.
func (r *replica) take(key dayKey, saved *savedDay, opened *frame.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.days[key]; d != nil && d.saved == saved {
		r.data.PutFrame(key.rows, nil, opened)
		d.loaded, d.saved, r.view = true, nil, nil
	}
}

// distrust drops the files of a replica, and the replica: what it has may come from them.
func (s *Store) distrust(r *replica, why error) {
	s.mu.Lock()
	mine := s.replicas[r.id] == r || s.replicas[r.id] == nil
	s.mu.Unlock()
	if mine {
		s.dropFiles(r.id, why)
	}
	s.forget(r)
}

// isDistrust tells whether an error says that files can't be trusted. Whoever gets it finds the replica forgotten, and
// reads the environment anew.
func isDistrust(err error) bool { return errors.Is(err, errDoubt) || errors.Is(err, mapped.ErrFault) }
