package parquetfiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
)

// ErrOtherApp is returned for a place that holds files of another app.
var ErrOtherApp = errors.New("the place holds the export of another app")

// ErrManifest is returned for a place whose manifest can't be gone on with: it is of something else, or of a newer
// version.
var ErrManifest = errors.New("the manifest is not one to go on with")

// tables are in the order in which they are written.
var tables = []table{
	events, sessions, hits, flowRuns, flowSteps, ledger, subscriptions, experiments, experimentPeople, annotations,
}

// TableNames returns what Options.Tables may name.
func TableNames() (names []string) {
	for _, t := range tables {
		names = append(names, t.Name())
	}
	return names
}

// Options says what is written where.
type Options struct {
	App           string // public id
	Environment   string // live or test
	EnvironmentID int64
	Tables        []string // none: all
	// First and End are UTC days, End excluded; zero is without a bound. Files of other days stay as they are.
	First, End time.Time
	To         Place
	// AtOnce is how many files are made at the same time, each by a connection of its own; 0 is one.
	AtOnce   int
	Progress func(so Summary) // told what is done after each file, one at a time; may be nil
}

// Summary counts what an export did.
type Summary struct {
	Files   int   `json:"files"` // written
	Kept    int   `json:"kept"`  // nothing had changed in them
	Removed int   `json:"removed"`
	Rows    int64 `json:"rows"`  // in written files
	Bytes   int64 `json:"bytes"` // of written files
}

func (what Options) has(day time.Time) bool {
	return !day.Before(what.First) && (what.End.IsZero() || day.Before(what.End))
}

// at returns the name of a file of the environment.
func (what Options) at(name string) string { return path.Join("environment="+what.Environment, name) }

// manifestEvery is how many files a killed export writes again at most.
const manifestEvery = 32

// manifestTime bounds the end of an export that was cut off.
const manifestTime = 30 * time.Second

// Export makes the place say what the database says, table by table and day by day: days that have changed since the
// last export are written anew, and files of days that have no rows any more are removed. All is read in one
// snapshot. A file is there under its name when it is whole; an export that was cut off goes on where it was.
func Export(ctx context.Context, pool *pgxpool.Pool, what Options) (done Summary, err error) {
	files, err := readManifest(ctx, what)
	if err != nil {
		return done, err
	}
	e := exporter{what: what, files: files}
	err = inSnapshot(ctx, pool, max(1, what.AtOnce), func(txs []pgx.Tx) error {
		scope, err := readScope(ctx, txs[0], what)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if len(what.Tables) == 0 || slices.Contains(what.Tables, t.Name()) {
				prepared, err := t.prepared(ctx, txs[0], scope)
				if err == nil {
					err = e.mirror(ctx, txs, prepared, scope)
				}
				if err != nil {
					return fmt.Errorf("export %s: %w", t.Name(), err)
				}
			}
		}
		return nil
	})
	// What is there is written down, also when the export was cut off.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), manifestTime)
	defer cancel()
	return e.done, errors.Join(err, writeManifest(ctx, what, e.files))
}

// readScope returns the arguments that statements of tables take.
func readScope(ctx context.Context, tx pgx.Tx, what Options) (pgx.NamedArgs, error) {
	rows, err := tx.Query(ctx, `select id, public_id from channels where environment_id = $1`, what.EnvironmentID)
	if err != nil {
		return nil, err
	}
	numbers, ids, number, id := []int64{}, []string{}, int64(0), ""
	if _, err := pgx.ForEachRow(rows, []any{&number, &id}, func() error {
		numbers, ids = append(numbers, number), append(ids, id)
		return nil
	}); err != nil {
		return nil, err
	}
	end := what.End
	if end.IsZero() {
		end = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return pgx.NamedArgs{
		"environment": what.EnvironmentID, "from": what.First, "until": end, "channel_numbers": numbers, "channel_ids": ids,
	}, nil
}

// exporter is an export under way.
type exporter struct {
	what Options

	lock    sync.Mutex      // of all below while files are made
	files   map[string]File // by path
	unsaved int             // of files, since the manifest was written
	done    Summary
}

// stale is a file that is to be written.
type stale struct {
	file File
	day  time.Time
}

// mirror makes the files of a table those of the days that have rows.
func (e *exporter) mirror(ctx context.Context, txs []pgx.Tx, t table, scope pgx.NamedArgs) error {
	days, err := t.versions(ctx, txs[0], scope)
	if err != nil {
		return err
	}
	folder := "table=" + t.Name()
	gone := map[string]bool{}
	for file := range e.files {
		if day, ok := dayOf(file, folder); ok && e.what.has(day) {
			gone[file] = true
		}
	}
	var changed []stale
	for _, day := range days {
		name := path.Join(folder, "day="+day.Day.Format(time.DateOnly), t.Name()+".parquet")
		delete(gone, name)
		version := shapeOf(t) + ":" + day.String()
		if there, err := e.current(ctx, name, version); err != nil {
			return err
		} else if there {
			e.done.Kept++
			continue
		}
		changed = append(changed, stale{File{Path: name, Version: version}, day.Day})
	}
	if err := e.writeAll(ctx, txs, t, scope, changed); err != nil {
		return err
	}
	for name := range gone {
		if err := e.what.To.Remove(ctx, e.what.at(name)); err != nil {
			return err
		}
		delete(e.files, name)
		e.done.Removed++
	}
	return nil
}

// writeAll writes files of a table, as many at once as there are transactions.
func (e *exporter) writeAll(ctx context.Context, txs []pgx.Tx, t table, scope pgx.NamedArgs, all []stale) error {
	next := make(chan stale, len(all))
	for _, one := range all {
		next <- one
	}
	close(next)
	writers, ctx := errgroup.WithContext(ctx)
	for _, tx := range txs[:min(len(txs), len(all))] {
		writers.Go(func() error {
			for one := range next {
				within := maps.Clone(scope)
				within["from"], within["until"] = one.day, one.day.AddDate(0, 0, 1)
				content := func(w io.Writer) (int64, error) { return t.write(ctx, tx, within, w) }
				if err := e.write(ctx, &one.file, content); err != nil {
					return err
				}
				if err := e.wrote(ctx, one.file); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return writers.Wait()
}

// dayOf returns the day of a file of a folder of a table.
func dayOf(file, folder string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(path.Dir(file), folder+"/day=")
	day, err := time.Parse(time.DateOnly, rest)
	return day, ok && err == nil
}

// current reports whether a file is there and has the rows of a version.
func (e *exporter) current(ctx context.Context, name, version string) (bool, error) {
	file, known := e.files[name]
	if !known || file.Version != version {
		return false, nil
	}
	size, err := e.what.To.Size(ctx, e.what.at(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return size == file.Bytes, err
}

// write writes a file and fills in what it holds.
func (e *exporter) write(ctx context.Context, file *File, content func(io.Writer) (int64, error)) (err error) {
	sum := sha256.New()
	file.Bytes, err = e.what.To.Write(ctx, e.what.at(file.Path), func(w io.Writer) (err error) {
		file.Rows, err = content(io.MultiWriter(w, sum))
		return err
	})
	file.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// wrote notes a file that is in its place.
func (e *exporter) wrote(ctx context.Context, file File) error {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.files[file.Path] = file
	e.done.Files, e.done.Rows, e.done.Bytes = e.done.Files+1, e.done.Rows+file.Rows, e.done.Bytes+file.Bytes
	if e.what.Progress != nil {
		e.what.Progress(e.done)
	}
	if e.unsaved++; e.unsaved < manifestEvery {
		return nil
	}
	e.unsaved = 0
	return writeManifest(ctx, e.what, e.files)
}
