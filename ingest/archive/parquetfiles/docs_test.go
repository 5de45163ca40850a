package parquetfiles

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// TestFilesHaveTheColumnsOfTheViews compares each table with the view of its name, and the differences with those that
// docs/parquet.md names.
func TestFilesHaveTheColumnsOfTheViews(t *testing.T) {
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("there are no views in a cluster")
	}
	db := pgtest.New(t)
	page, err := os.ReadFile("../../../docs/parquet.md")
	require.NoError(t, err)
	differences, name := map[string][2][]string{}, regexp.MustCompile("`([^`]+)`")
	_, text, found := strings.Cut(string(page), "with these differences:")
	require.True(t, found)
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !name.MatchString(cells[1]) {
			continue
		}
		var columns [2][]string
		for i := range columns {
			for _, found := range name.FindAllStringSubmatch(cells[2+i], -1) {
				columns[i] = append(columns[i], found[1])
			}
		}
		differences[name.FindStringSubmatch(cells[1])[1]] = columns
	}
	for _, one := range tables {
		rows, err := db.Pool.Query(context.Background(), `select column_name::text from information_schema.columns
			where table_schema = 'svc_read' and table_name = $1 and column_name not in ('app_id', 'environment')`, one.Name())
		require.NoError(t, err)
		view, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.NotEmpty(t, view, one.Name())
		var columns, besides, without []string
		for _, field := range one.schema().Fields() {
			columns = append(columns, field.Name())
			if !slices.Contains(view, field.Name()) {
				besides = append(besides, field.Name())
			}
		}
		for _, column := range view {
			if !slices.Contains(columns, column) {
				without = append(without, column)
			}
		}
		require.Contains(t, string(page), "| `"+one.Name()+"` |")
		require.ElementsMatch(t, differences[one.Name()][0], besides, "%s besides", one.Name())
		require.ElementsMatch(t, differences[one.Name()][1], without, "%s without", one.Name())
	}
}

func TestFilesOfAnotherShapeAreWrittenAnew(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	dir := t.TempDir()
	export(t, db, dir, nil)
	path := filepath.Join(dir, "environment=live", manifestName)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	older := strings.ReplaceAll(string(text), `"version": "`+shapeOf(ledger)+`:`, `"version": "`)
	require.NoError(t, os.WriteFile(path, []byte(older), 0o600))
	done := export(t, db, dir, nil)
	require.Equal(t, []int{3, 26}, []int{done.Files, done.Kept})
	requireFolder(t, db, dir)
}

func TestADayOfRunsThatChangedIsWrittenAnew(t *testing.T) {
	db := pgtest.New(t)
	store(t, db)
	dir := t.TempDir()
	export(t, db, dir, nil)
	execute(t, db, `update flow_run set changed_xid = pg_current_xact_id() where environment_id = 11 and app_user_id = 'p1'`)
	execute(t, db, `delete from experiment_served_packed where environment_id = 11 and day = '2026-03-02'`)
	done := export(t, db, dir, func(what *Options) { what.Tables = []string{"flow_runs", "experiment_people"} })
	// Who was served on the second day was served again on the third.
	require.Equal(t, []int{2, 3, 1}, []int{done.Files, done.Kept, done.Removed})
}
