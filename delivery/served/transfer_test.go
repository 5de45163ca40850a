package served

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestServedPeopleTravel(t *testing.T) {
	db, at, ctx := pgtest.New(t), &clock{}, context.Background()
	at.set("2026-03-01 12:00:00")
	c := New(db.Pool, Options{PeoplePerDay: 30, Now: at.now, Logger: quiet})
	for i := range 40 {
		c.Note(newArm(i%2), fmt.Sprint(i))
	}
	c.Note(&delivery.Arm{EnvironmentID: 8, ExperimentID: uuid.UUID{2}}, "a neighbour")
	require.NoError(t, c.Write(ctx))
	at.set("2026-03-02 12:00:00")
	c.Note(newArm(1), "late")
	require.NoError(t, c.Write(ctx))

	export := func(environment int64) (string, int64) {
		var out bytes.Buffer
		n, err := Export(ctx, db.Pool, environment, &out)
		require.NoError(t, err)
		require.EqualValues(t, n, strings.Count(out.String(), "\n"))
		return out.String(), n
	}
	file, lines := export(7)
	require.EqualValues(t, 30+1+1, lines, "people of two days and those left out of one")
	require.Contains(t, file, `{"day":"2026-03-01","leftOut":10}`)

	// Somebody who asked to be erased does not come back with a file.
	_, err := db.Pool.Exec(ctx, `insert into erased_person (environment_id, person, erased_at)
		select 9, person, now() from experiment_served where environment_id = 7 and day = '2026-03-02'`)
	require.NoError(t, err)
	done, err := Import(ctx, db.Pool, 9, strings.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, Imported{Lines: 32, Stored: 30}, done)
	_, err = db.Pool.Exec(ctx, `delete from erased_person`)
	require.NoError(t, err)
	done, err = Import(ctx, db.Pool, 9, strings.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, Imported{Lines: 32, Stored: 1}, done)
	copied, _ := export(9)
	require.Equal(t, file, copied)
	done, err = Import(ctx, db.Pool, 9, strings.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, Imported{Lines: 32}, done, "again")
	for _, environment := range []int{7, 9} {
		require.Equal(t, 30, number(t, db, `select people from experiment_served_count
			where environment_id = $1 and day = '2026-03-01'`, environment))
		require.Equal(t, 10, number(t, db, `select sum(left_out) from experiment_served_count where environment_id = $1`,
			environment))
	}
	require.Equal(t, 1, number(t, db, peopleSQL+` where environment_id = 8`))
}

func TestImportRefusesWhatIsNoLineOfAnExport(t *testing.T) {
	db, ctx := pgtest.New(t), context.Background()
	const good = `{"experimentId":"01000000-0000-0000-0000-000000000000","arm":0,` +
		`"person":"02000000-0000-0000-0000-000000000000","day":"2026-03-01"}`
	for _, bad := range []string{
		`{`, `{}`, `[]`, `{"day":"2026-03-01"}`, `{"day":"yesterday","leftOut":1}`, `{"day":"2026-03-01","leftOut":-1}`,
		strings.Replace(good, `"arm":0,`, ``, 1), strings.Replace(good, `0,`, `-1,`, 1),
		strings.Replace(good, `0,`, `32768,`, 1), strings.Replace(good, `}`, `,"leftOut":2}`, 1), strings.Repeat("x", maxLine+1),
	} {
		_, err := Import(ctx, db.Pool, 7, strings.NewReader(good+"\n"+bad+"\n"))
		require.ErrorContains(t, err, "line 2", bad[:min(len(bad), 60)])
	}
	done, err := Import(ctx, db.Pool, 7, strings.NewReader(good))
	require.NoError(t, err)
	require.Equal(t, Imported{Lines: 1, Stored: 1}, done)
}
