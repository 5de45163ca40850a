package history

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ingest/archive"
)

// HoldsTotals reports whether exports of the source hold what it counted per day, and no events.
func (s Source) HoldsTotals() bool { return s == Plausible }

const (
	// totalsHeld is how many totals are put together before they are stored.
	totalsHeld = 20_000
	// maxTotalRows bounds a table: which rows were there is remembered, some 20 bytes each.
	maxTotalRows = 5_000_000
)

// storeTotals stores tables of totals in one transaction: an import that was killed has stored nothing and begins anew.
func (s Storage) storeTotals(ctx context.Context, record *Running, lines Lines) (archive.ImportCounts, error) {
	var done archive.ImportCounts
	tx, err := s.DB.Pool.Begin(ctx)
	if err != nil {
		return done, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it is committed, or the error is told
	t := &totalsImport{tx: tx, environment: lines.Into.EnvironmentID, id: uuid.Nil, held: map[totalKey]Counted{}}
	if record != nil {
		t.id = record.ID
	}
	err = eachTotalsFile(lines.Open, lines.MaxUnpacked, func(name string, in io.Reader) error {
		file, err := openTotals(name, in)
		if err != nil {
			return err
		}
		return t.store(ctx, file, &lines, &done)
	})
	// What was refused is kept also of a file that is not.
	if err := errors.Join(err, lines.Keep(1, archive.ImportCounts{})); err != nil || lines.DryRun {
		return done, err
	}
	if err := tx.Commit(ctx); err != nil {
		return done, fmt.Errorf("store the totals: %w", err)
	}
	return done, nil
}

type totalKey struct {
	day       time.Time
	dimension string
	value     string
}

// totalsImport is an import of totals under way.
type totalsImport struct {
	tx          pgx.Tx
	environment int64
	id          uuid.UUID
	held        map[totalKey]Counted
}

// store stores a table. Days that another import brought stay as they are.
func (t *totalsImport) store(ctx context.Context, file *totalsFile, lines *Lines, done *archive.ImportCounts) error {
	before := done.Lines
	done.Lines++ // the header
	seen, seed := map[uint64]bool{}, maphash.MakeSeed()
	own := map[time.Time]bool{}
	for {
		read, err := file.next(lines.Into.ReceivedAt)
		if errors.Is(err, io.EOF) {
			return t.flush(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		done.Lines++
		if read.reject != nil {
			done.Rejected++
			lines.Rejected(archive.Reject{
				Line: before + int64(read.line), Code: read.reject.Code, Message: read.reject.Message,
			})
			if lines.MaxRejected > 0 && done.Rejected > lines.MaxRejected {
				return archive.ErrTooManyRejected
			}
			continue
		}
		key := maphash.String(seed, read.key)
		day := read.totals[0].Day
		mine, known := own[day]
		if !known {
			if mine, err = t.claim(ctx, file.totalsTable.name, day); err != nil {
				return err
			}
			own[day] = mine
		}
		if !mine || seen[key] {
			done.Duplicates++
			continue
		}
		if seen[key] = true; len(seen) > maxTotalRows {
			return fmt.Errorf("%s has more than %d rows: cut it by its dates", file.name, maxTotalRows)
		}
		done.Stored++
		for _, total := range read.totals {
			key := totalKey{total.Day, total.Dimension, total.Value}
			sum := t.held[key]
			sum.add(total.Counted)
			t.held[key] = sum
		}
		if len(t.held) >= totalsHeld {
			if err := t.flush(ctx); err != nil {
				return err
			}
			if err := lines.Keep(1, archive.ImportCounts{}); err != nil {
				return err
			}
		}
	}
}

// claim takes a day of a table for the import; false when another one has it.
func (t *totalsImport) claim(ctx context.Context, table string, day time.Time) (mine bool, err error) {
	err = t.tx.QueryRow(ctx, `
		with claimed as (
			insert into history_total_day (environment_id, file_table, day, import_id) values ($1, $2, $3, $4)
			on conflict do nothing returning import_id)
		select coalesce(coalesce((select import_id from claimed),
			(select import_id from history_total_day where environment_id = $1 and file_table = $2 and day = $3)) = $4, false)`,
		t.environment, table, day, t.id).Scan(&mine)
	if err != nil {
		return false, fmt.Errorf("take the day %s of %s: %w", day.Format(time.DateOnly), table, err)
	}
	return mine, nil
}

// flush stores what is put together.
func (t *totalsImport) flush(ctx context.Context) error {
	if len(t.held) == 0 {
		return nil
	}
	var dimensions, values []string
	var days []time.Time
	counts := make([][]int64, 5)
	for key, c := range t.held {
		dimensions, values, days = append(dimensions, key.dimension), append(values, key.value), append(days, key.day)
		for i, n := range []int64{c.Visitors, c.Sessions, c.Views, c.Bounces, c.Seconds} {
			counts[i] = append(counts[i], n)
		}
	}
	clear(t.held)
	_, err := t.tx.Exec(ctx, `
		insert into history_total as t
			(environment_id, import_id, dimension, day, value, visitors, sessions, views, bounces, seconds)
		select $1, $2, * from unnest($3::text[], $4::date[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
			$9::bigint[], $10::bigint[])
		on conflict (environment_id, dimension, day, value) do update set visitors = t.visitors + excluded.visitors,
			sessions = t.sessions + excluded.sessions, views = t.views + excluded.views,
			bounces = t.bounces + excluded.bounces, seconds = t.seconds + excluded.seconds`,
		t.environment, t.id, dimensions, days, values, counts[0], counts[1], counts[2], counts[3], counts[4])
	if err != nil {
		return fmt.Errorf("store totals: %w", err)
	}
	return nil
}

// PreviewTotals reads the first rows of each table of an export, about as many as limit in all.
func PreviewTotals(
	open func() (io.ReadCloser, error), most int64, limit int,
) (totals []Total, rejects []archive.Reject, err error) {
	const ofTable = 3
	started := time.Now()
	err = eachTotalsFile(open, most, func(name string, in io.Reader) error {
		file, err := openTotals(name, in)
		if err != nil {
			return err
		}
		for shown := 0; shown < ofTable && len(totals)+len(rejects) < limit; {
			read, err := file.next(started)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if shown++; read.reject != nil {
				rejects = append(rejects, archive.Reject{
					Line: int64(read.line), Code: read.reject.Code, Message: read.reject.Message,
				})
				continue
			}
			totals = append(totals, read.totals[0])
		}
		return nil
	})
	return totals, rejects, err
}

const (
	// maxTables is how many files of an archive are read.
	maxTables = 100
	// maxContents bounds the table of contents of an archive, in bytes: all of it is held at once, at several times its
	// size, and each file takes 46 bytes and its name.
	maxContents = 1 << 20
)

// contentsReader reads an archive, and at most so much until its table of contents is known.
type contentsReader struct {
	in   io.ReaderAt
	left int64
}

func (r *contentsReader) ReadAt(into []byte, offset int64) (int, error) {
	if r.left -= int64(len(into)); r.left < 0 {
		return 0, fmt.Errorf("its table of contents is larger than %d bytes", maxContents)
	}
	return r.in.ReadAt(into, offset)
}

// eachTotalsFile reads the tables of an export: those of a ZIP archive, or the one that the file is.
func eachTotalsFile(
	open func() (io.ReadCloser, error), most int64, read func(name string, in io.Reader) error,
) error {
	file, err := open()
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if magic, err := in.Peek(4); err != nil || !bytes.Equal(magic, []byte("PK\x03\x04")) {
		unpacked, err := archive.Unpack(in)
		if err != nil {
			return err
		}
		return read("the file", &unpackedReader{in: unpacked, left: most})
	}
	// The table of contents of an archive stands at its end.
	kept, err := os.CreateTemp("", "svc-import-")
	if err != nil {
		return fmt.Errorf("keep the archive: %w", err)
	}
	defer func() {
		_ = kept.Close() // it is not needed any more
		_ = os.Remove(kept.Name())
	}()
	size, err := io.Copy(kept, in)
	if err != nil {
		return fmt.Errorf("keep the archive: %w", err)
	}
	contents := &contentsReader{in: kept, left: maxContents}
	files, err := zip.NewReader(contents, size)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	contents.left = math.MaxInt64
	left, tables := most, 0
	for _, entry := range files.File {
		name := path.Base(strings.ReplaceAll(entry.Name, `\`, "/"))
		if !strings.HasSuffix(name, ".csv") || strings.HasPrefix(name, ".") {
			continue
		}
		if tables++; tables > maxTables {
			return fmt.Errorf("the archive has more than %d tables", maxTables)
		}
		packed, err := entry.Open()
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		unpacked := &unpackedReader{in: packed, left: left}
		err = errors.Join(read(name, unpacked), packed.Close())
		if left = unpacked.left; err != nil {
			return err
		}
	}
	if tables == 0 {
		return errors.New("the archive has no CSV file")
	}
	return nil
}

// removeTotals takes out the totals that an import brought.
func removeTotals(ctx context.Context, tx pgx.Tx, environmentID int64, id uuid.UUID) error {
	for _, table := range []string{"history_total", "history_total_day"} {
		if _, err := tx.Exec(ctx, `delete from `+table+` where environment_id = $1 and import_id = $2`,
			environmentID, id); err != nil {
			return fmt.Errorf("remove totals: %w", err)
		}
	}
	return nil
}
