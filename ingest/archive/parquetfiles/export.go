package parquetfiles

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrOtherApp is returned for a folder that holds files of another app.
var ErrOtherApp = errors.New("the folder holds the export of another app")

// tables are in the order in which they are written.
var tables = []table{events, sessions, hits, ledger, subscriptions, experiments, annotations}

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
	Dir        string
	Progress   func(written int64) // told rows so far after each file; may be nil
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

// folder returns where files of the environment are.
func (what Options) folder() string { return filepath.Join(what.Dir, "environment="+what.Environment) }

const (
	partSuffix    = ".part"
	manifestEvery = 32 // files: what a killed export writes again at most
)

// Export makes the folder say what the database says, table by table and day by day: days that have changed since the
// last export are written anew, and files of days that have no rows any more are removed. All is read in one
// snapshot. A file is there under its name when it is whole; an export that was cut off goes on where it was.
func Export(ctx context.Context, pool *pgxpool.Pool, what Options) (done Summary, err error) {
	dir := what.folder()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return done, err
	}
	files, err := readManifest(dir, what)
	if err != nil {
		return done, err
	}
	e := exporter{what: what, dir: dir, files: files}
	snapshot := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	err = pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
		// A disk may be slower than the statement timeout allows.
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		scope, err := readScope(ctx, tx, what)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if len(what.Tables) == 0 || slices.Contains(what.Tables, t.Name()) {
				if err := e.mirror(ctx, tx, t, scope); err != nil {
					return fmt.Errorf("export %s: %w", t.Name(), err)
				}
			}
		}
		return nil
	})
	return e.done, errors.Join(err, writeManifest(dir, what, e.files))
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
	what    Options
	dir     string
	files   map[string]File // by path
	unsaved int             // of files, since the manifest was written
	done    Summary
}

// mirror makes the files of a table those of the days that have rows.
func (e *exporter) mirror(ctx context.Context, tx pgx.Tx, t table, scope pgx.NamedArgs) error {
	days, err := t.versions(ctx, tx, scope)
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
	for _, day := range days {
		name := path.Join(folder, "day="+day.Day.Format(time.DateOnly), t.Name()+".parquet")
		delete(gone, name)
		if e.current(name, day) {
			e.done.Kept++
			continue
		}
		one := maps.Clone(scope)
		one["from"], one["until"] = day.Day, day.Day.AddDate(0, 0, 1)
		file := File{Path: name, Version: day.String()}
		if err := e.write(&file, func(w io.Writer) (int64, error) { return t.write(ctx, tx, one, w) }); err != nil {
			return err
		}
		if err := e.wrote(file); err != nil {
			return err
		}
	}
	for name := range gone {
		if err := os.Remove(e.place(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(filepath.Dir(e.place(name))) // stays when somebody put something beside the file
		delete(e.files, name)
		e.done.Removed++
	}
	return nil
}

// dayOf returns the day of a file of a folder of a table.
func dayOf(file, folder string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(path.Dir(file), folder+"/day=")
	day, err := time.Parse(time.DateOnly, rest)
	return day, ok && err == nil
}

func (e *exporter) place(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

// current reports whether a file is there and has the rows that a day has.
func (e *exporter) current(name string, day version) bool {
	file, known := e.files[name]
	if !known || file.Version != day.String() {
		return false
	}
	found, err := os.Stat(e.place(name))
	return err == nil && found.Size() == file.Bytes
}

// write writes a file beside its place and moves it there at the end, and fills in what it holds.
func (e *exporter) write(file *File, content func(io.Writer) (int64, error)) (err error) {
	place := e.place(file.Path)
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return err
	}
	part, err := os.Create(place + partSuffix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(part, sum), 1<<18)
	file.Rows, err = content(out)
	if err == nil {
		err = out.Flush()
	}
	var made fs.FileInfo
	if err == nil {
		if made, err = part.Stat(); err == nil {
			file.Bytes, file.SHA256 = made.Size(), hex.EncodeToString(sum.Sum(nil))
			err = part.Sync()
		}
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), place)
}

// wrote notes a file that is in its place.
func (e *exporter) wrote(file File) error {
	e.files[file.Path] = file
	e.done.Files, e.done.Rows, e.done.Bytes = e.done.Files+1, e.done.Rows+file.Rows, e.done.Bytes+file.Bytes
	if e.what.Progress != nil {
		e.what.Progress(e.done.Rows)
	}
	if e.unsaved++; e.unsaved < manifestEvery {
		return nil
	}
	e.unsaved = 0
	return writeManifest(e.dir, e.what, e.files)
}
