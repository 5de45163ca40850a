package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// keeper is a store whose frames are in files, and that ends and begins again.
type keeper struct {
	t     *testing.T
	pool  *pgxpool.Pool
	path  string
	limit int64
	*Store

	sender *sender
	writes int
}

func newKeeper(t *testing.T, db *postgres.DB) *keeper { return newKeeperWithin(t, db, 0) }

// newKeeperWithin makes a keeper whose files may take so many bytes; 0 is no bound.
func newKeeperWithin(t *testing.T, db *postgres.DB, limit int64) *keeper {
	k := &keeper{limit: limit, t: t, pool: db.Pool, path: filepath.Join(t.TempDir(), "frames"), sender: newSender(t, db)}
	k.begin()
	t.Cleanup(func() { k.end() })
	return k
}

func (k *keeper) begin() {
	files, err := framedir.Open(k.path, k.limit)
	require.NoError(k.t, err)
	k.Store = newStore(k.t, k.pool, Settings{Files: files, SaveEach: time.Hour})
}

func (k *keeper) end() {
	require.NoError(k.t, k.Stop(context.Background()))
	require.NoError(k.t, k.settings.Files.Close())
}

func (k *keeper) restart() {
	k.end()
	k.begin()
}

// saveNow saves what is open, and returns the folder of the environment.
func (k *keeper) saveNow() (folder string) {
	k.t.Helper()
	for _, r := range k.openReplicas() {
		r.setWritten(0) // as if time had passed
		require.NoError(k.t, k.save(k.t.Context(), r))
	}
	require.Zero(k.t, k.saveFailures.Load())
	return filepath.Join(k.path, fmt.Sprint(environmentID))
}

// change lets people run flows and visit pages, some for the first time.
func (k *keeper) change() {
	k.sender.sendSome(k.t, 30, 14)
	for range 5 {
		k.writes++
		at := time.Now().Add(-time.Duration(k.writes*7%100) * time.Hour)
		write(k.t, k.pool, fmt.Sprint("late", k.writes%9), fmt.Sprint("s", k.writes%20), at, at.Add(time.Minute))
	}
}

// requireTruth compares every report of sessions, and every run, with what is read from the database now.
func (k *keeper) requireTruth() {
	k.t.Helper()
	want, runs := reportsOf(k.t, newStore(k.t, k.pool, Settings{})), storedRuns(k.t, k.pool)
	k.again(func() { requireSameReports(k.t, want, reportsOf(k.t, k.Store)) })
	k.again(func() { require.Equal(k.t, runs, seenRuns(k.t, k.Store)) })
}

// again does what a server does: where a report finds that a file is damaged its request fails, and the next one finds
// what the database has.
func (k *keeper) again(read func()) {
	k.t.Helper()
	if err := k.Guard(func() error {
		read()
		return nil
	}); err != nil {
		require.ErrorIs(k.t, err, analytics.ErrUnavailable)
		read()
	}
}

func TestFramesOutliveTheProcess(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 3, 60)
	k := newKeeper(t, db)
	k.requireTruth()
	require.NotZero(t, k.read.Load())
	k.saveNow()
	k.requireTruth()
	heap := k.Bytes()

	k.restart()
	k.requireTruth()
	require.Zero(t, k.read.Load(), "nothing is read again")
	require.EqualValues(t, 1, k.reopened.Load())
	require.LessOrEqual(t, k.Bytes(), heap)
	for range 3 {
		k.change()
		k.requireTruth()
		k.saveNow()
		k.change()
		k.restart()
		k.requireTruth()
		require.Zero(t, k.dropped.Load())
	}
}

func (k *keeper) filesOf(folder string) (files []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(k.t, err)
	for _, entry := range entries {
		files = append(files, filepath.Join(folder, entry.Name()))
	}
	return files
}

// Whatever happens to the files between two readings, the answer is that of the database.
func TestDamagedFilesAreReadAnew(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 8, 30)
	k := newKeeper(t, db)
	k.requireTruth()
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	damaged := 0
	for round := range rounds {
		folder := k.saveNow()
		if random.IntN(3) == 0 {
			k.change()
		}
		k.end()
		files := k.filesOf(folder)
		path := files[random.IntN(len(files))]
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		switch round % 4 {
		case 0:
			require.NoError(t, os.Remove(path))
		case 1:
			require.NoError(t, os.Truncate(path, random.Int64N(int64(len(raw)))))
		default:
			raw[random.IntN(len(raw))] ^= 1 << random.IntN(8)
			require.NoError(t, os.WriteFile(path, raw, 0o600))
		}
		k.begin()
		k.requireTruth()
		damaged += int(k.dropped.Load())
	}
	require.Greater(t, damaged, rounds/2)
}

// A file that is made shorter while it is mapped is noticed, and the process goes on.
func TestAFileThatVanishesUnderAReader(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 9, 30)
	k := newKeeper(t, db)
	k.requireTruth()
	folder := k.saveNow()
	k.restart()
	_, err := k.view(t.Context(), environmentID) // opens it
	require.NoError(t, err)
	for _, path := range k.filesOf(folder) {
		require.NoError(t, os.Truncate(path, 0))
	}
	k.requireTruth()
	require.NotZero(t, k.dropped.Load())
}

// Files of another database, or of the same at another time, are not used.
func TestFilesOfAnotherDatabaseAreDropped(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 4, 20)
	k := newKeeper(t, db)
	for name, change := range map[string]func(m *framedir.Manifest){
		"another cluster":    func(m *framedir.Manifest) { m.Identity.System = "1" },
		"a promoted replica": func(m *framedir.Manifest) { m.Identity.Timeline += "1" },
		"a restored dump":    func(m *framedir.Manifest) { m.Identity.Sessions++ },
		"an earlier time": func(m *framedir.Manifest) {
			m.Snapshot = snapshot{next: 1 << 60}.text()
		},
		"what nobody remembers": func(m *framedir.Manifest) { m.Snapshot = "no snapshot" },
	} {
		k.requireTruth()
		k.saveNow()
		m, err := k.settings.Files.Read(environmentID)
		require.NoError(t, err)
		change(m)
		require.NoError(t, k.settings.Files.Commit(m))
		k.restart()
		k.requireTruth()
		require.EqualValues(t, 1, k.dropped.Load(), name)
	}
}

// What is erased is not in the bytes of any file.
func TestErasureReachesTheFiles(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 6, 30)
	// An id as long as real ones: a short one stands among the bytes of keys by chance.
	const person, other = "7c1f0c52-somebody-to-be-erased", "02e9d1aa-somebody-who-stays"
	write(t, db.Pool, person, "s", time.Now().Add(-time.Hour))
	write(t, db.Pool, other, "s", time.Now().Add(-time.Hour))
	k := newKeeper(t, db)
	k.requireTruth()
	folder := k.saveNow()
	holds := func(text string) bool {
		for _, path := range k.filesOf(folder) {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			if bytes.Contains(raw, []byte(text)) {
				return true
			}
		}
		return false
	}
	require.True(t, holds(person))
	erase(t, privacy.New(db), person)
	k.requireTruth()
	require.NoDirExists(t, folder)
	k.saveNow()
	require.NoDirExists(t, folder, "values of them may be left in memory")
	write(t, k.pool, "late", "s", time.Now().Add(-time.Hour))
	k.restart()
	k.requireTruth()
	k.saveNow()
	require.True(t, holds(other))
	require.False(t, holds(person))
}

// While files are written, days are loaded and rows change, nobody sees anything but what the database has.
func TestSavingUnderLoad(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 12, 40)
	k := newKeeper(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			for _, r := range k.openReplicas() {
				r.markUnsaved()
				_ = k.save(ctx, r)
			}
		}
	}()
	for range 6 {
		k.change()
		k.requireTruth()
		for _, r := range k.openReplicas() { // days come and go
			for key := range r.daysNow() {
				if key.number%2 == 0 {
					r.drop(key)
				}
			}
		}
	}
	cancel()
	<-done
	k.requireTruth()
	k.saveNow()
	k.restart()
	k.requireTruth()
	require.Zero(t, k.dropped.Load())
}

func (r *replica) daysNow() map[dayKey]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	days := map[dayKey]bool{}
	for key, d := range r.days {
		days[key] = d.loaded
	}
	return days
}

// An erasure waits for the files of every server: also for those of environments that nobody has open, and of one that
// has begun again.
func TestFilesOfWhatIsNotOpenAreSearched(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 6, 30)
	k := newKeeper(t, db)
	k.requireTruth()
	folder := k.saveNow()
	k.restart()
	require.NoError(t, k.dropErased(t.Context()))
	require.DirExists(t, folder)
	_, files := k.FilesChecked()
	require.True(t, files)

	erase(t, privacy.New(db), "v3")
	erased := time.Now()
	ago, _ := k.FilesChecked()
	require.True(t, time.Now().Add(-ago).Before(erased), "nobody has looked")
	require.NoError(t, k.dropErased(t.Context()))
	require.NoDirExists(t, folder)
	_, files = k.FilesChecked()
	require.False(t, files)
	k.requireTruth()
	k.saveNow()
	require.DirExists(t, folder, "what is read after an erasure may be kept")
}

// What retention removes is in no file, whether anybody looks at the environment or not.
func TestWhatIsRemovedLeavesTheFiles(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 6, 30)
	k := newKeeper(t, db)
	k.requireTruth()
	folder := k.saveNow()
	remove := func() {
		_, err := db.Pool.Exec(t.Context(), `
			with gone as (delete from product_session where home_day = (select min(home_day) from product_session)
				returning environment_id, home_day)
			insert into frame_invalidated (environment_id, home_day, xid)
			select distinct environment_id, home_day, pg_current_xact_id() from gone`)
		require.NoError(t, err)
	}
	days, err := filepath.Glob(filepath.Join(folder, "sessions-????-??-??-*"))
	require.NoError(t, err)
	require.NotEmpty(t, days)
	remove()
	wholeView(t, k.Store)
	k.saveNow()
	require.NoFileExists(t, days[0], "the day is read anew")
	require.FileExists(t, days[len(days)-1])
	k.restart()
	remove()
	require.NoError(t, k.dropErased(t.Context()))
	require.NoDirExists(t, folder, "nobody has it open")
	k.requireTruth()
}

// After an erasure an environment is read anew, and is in files again.
func TestAnEnvironmentIsRenewedAfterAnErasure(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 6, 30)
	k := newKeeper(t, db)
	k.requireTruth()
	folder := k.saveNow()
	erase(t, privacy.New(db), "v3")
	k.requireTruth()
	require.NoDirExists(t, folder)
	for _, r := range k.openReplicas() {
		r.opened = r.opened.Add(-renewEach)
	}
	k.renewErased(t.Context())
	k.requireTruth()
	k.saveNow()
	k.restart()
	k.requireTruth()
	require.EqualValues(t, 1, k.reopened.Load())
	require.Zero(t, k.read.Load(), "the days that were loaded are in the files")
}

// Files stay within their limit, and whatever has no room is read from the database.
func TestFilesAreBounded(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 14, 60)
	k := newKeeper(t, db)
	k.requireTruth()
	k.saveNow()
	all := k.settings.Files.Bytes()

	bounded := newKeeperWithin(t, db, all*2/3)
	for range 4 {
		bounded.requireTruth()
		bounded.saveOpen(t.Context()) // what can't be written stays in memory
		bounded.saveOpen(t.Context())
		require.Less(t, bounded.settings.Files.Bytes(), all)
		bounded.restart()
	}
	bounded.requireTruth()
	require.NoError(t, bounded.Stop(t.Context()))

	// Environments that nobody has open go first.
	folder := filepath.Join(k.path, fmt.Sprint(environmentID))
	k.limit = all * 10 / 9
	k.restart()
	require.DirExists(t, folder)
	k.trimFiles()
	require.NoDirExists(t, folder)
	k.requireTruth()
}

// What is written to files is bounded over time, however often something changes.
func TestSavingIsBounded(t *testing.T) {
	r := &replica{unsaved: true, savedAt: today, written: 100 * savedPerSecond}
	require.False(t, r.isDue(today.Add(99*time.Second)))
	require.True(t, r.isDue(today.Add(100*time.Second)))
	r.unsaved = false
	require.False(t, r.isDue(today.Add(saveAgain)))
	require.True(t, r.isDue(today.Add(saveAgain+1)))

	db := pgtest.New(t)
	newCrowd(t, db, 3, 20)
	k := newKeeper(t, db)
	k.requireTruth()
	k.saveNow()
	for _, r := range k.openReplicas() {
		require.NotZero(t, r.written)
		k.change()
		k.requireTruth()
		k.saveNow()
		require.Less(t, r.written, k.settings.Files.Bytes(), "what did not change is not written again")
	}
}

// What changed after files were written comes with the next poll, also into days that nobody has asked for yet.
func TestChangesReachDaysOfFiles(t *testing.T) {
	db := pgtest.New(t)
	newCrowd(t, db, 11, 30)
	k := newKeeper(t, db)
	k.requireTruth()
	k.saveNow()
	k.restart()
	_, err := k.view(t.Context(), environmentID) // opens it, and needs no day
	require.NoError(t, err)
	for range 3 {
		k.change()
		_, err = k.view(t.Context(), environmentID)
		require.NoError(t, err)
	}
	k.requireTruth()
}
