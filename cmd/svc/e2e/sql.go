package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/docs"
)

// sqlBlocks returns the blocks of SQL of a page of the documentation.
func sqlBlocks(t *testing.T, name string) (blocks []string) {
	t.Helper()
	page, err := docs.Files().ReadFile(name)
	require.NoError(t, err)
	for _, block := range sqlBlock.FindAllStringSubmatch(string(page), -1) {
		blocks = append(blocks, block[1])
	}
	require.NotEmpty(t, blocks)
	return blocks
}

var sqlBlock = regexp.MustCompile("(?s)```sql\n(.*?)```")

// sqlQueries returns the queries of a chapter of docs/sql.md by the words before the first colon or comma of their
// comments.
func sqlQueries(t *testing.T, chapter string) map[string]string {
	t.Helper()
	page, err := docs.Files().ReadFile("sql.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "\n### "+chapter+"\n")
	require.True(t, found, chapter)
	text, _, _ = strings.Cut(text, "\n### ")
	queries := map[string]string{}
	for _, block := range sqlBlock.FindAllStringSubmatch(text, -1) {
		for statement := range strings.SplitSeq(block[1], "\n\n") {
			comment, sql, _ := strings.Cut(statement, "\n")
			queries[regexp.MustCompile(`^-- ([^:,]+)`).FindStringSubmatch(comment)[1]] = strings.TrimSpace(sql)
		}
	}
	require.NotEmpty(t, queries)
	return queries
}

// SQLReader is a login that reads one app's live environment.
type SQLReader struct{ *pgx.Conn }

// ReadBySQL makes a role for an app and logs in with the address that is printed; the role goes with the test.
func ReadBySQL(t *testing.T, d *Dev, app string) SQLReader {
	t.Helper()
	environ := []string{"SVC_DATABASE_URL=" + d.DatabaseURL}
	exit, out, errs := Run(t, environ, "sql", "create-role", "--app", app, "--env", "live")
	require.Equal(t, 0, exit, errs)
	var login struct{ ID, URL string }
	require.NoError(t, json.Unmarshal([]byte(out), &login))
	conn, err := pgx.Connect(context.Background(), login.URL)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close(context.Background())
		exit, _, errs := Run(t, environ, "sql", "drop-role", login.ID)
		require.Equal(t, 0, exit, errs)
	})
	return SQLReader{conn}
}

// Ask runs a query of the documentation and returns its rows as text.
func (r SQLReader) Ask(t *testing.T, sql string, start, end time.Time, flowID string) []string {
	t.Helper()
	sql = within(sql, start, end, flowID)
	rows, err := r.Query(context.Background(), sql)
	require.NoError(t, err, sql)
	answer, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return SQLRow(values...), err
	})
	require.NoError(t, err, sql)
	return answer
}

// within puts what psql is told first into a query of the documentation.
func within(sql string, start, end time.Time, flowID string) string {
	quoted := func(at time.Time) string { return "'" + at.UTC().Format(time.RFC3339Nano) + "'" }
	return strings.NewReplacer(
		":'from'", quoted(start), ":'to'", quoted(end), ":'flow'", "'"+flowID+"'",
	).Replace(sql)
}

// Reader answers queries of the documentation.
type Reader interface {
	Ask(t *testing.T, sql string, start, end time.Time, flowID string) []string
}

// Readers are those who answer what an app's live environment is asked: a login of PostgreSQL, and DuckDB over its
// files.
func Readers(t *testing.T, d *Dev, app string) map[string]Reader {
	t.Helper()
	readers := map[string]Reader{"PostgreSQL": ReadBySQL(t, d, app)}
	if hasPython(t) {
		readers["DuckDB"] = ReadByParquet(t, d, app)
	}
	return readers
}

// SQLRow writes values so that those of two places can be compared.
func SQLRow(values ...any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case *float64:
			texts[i] = "<nil>"
			if v != nil {
				texts[i] = fmt.Sprintf("%.12g", *v)
			}
		case float64:
			texts[i] = fmt.Sprintf("%.12g", v)
		case time.Time:
			texts[i] = v.UTC().Format(time.DateTime)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, " | ")
}

// SQLFigures are what reports say of a selection, by the names that docs/sql.md has: a row for each of theirs, or one
// of one value.
type SQLFigures[S any] map[string]func(s S) []string

// Compare holds every query of a chapter of the documentation to its figure, and every figure to a query.
func (f SQLFigures[S]) Compare(
	t *testing.T, chapter string, selection S, readers map[string]Reader, start, end time.Time, flowID string,
) {
	t.Helper()
	queries := sqlQueries(t, chapter)
	require.ElementsMatch(t, slices.Collect(maps.Keys(f)), slices.Collect(maps.Keys(queries)))
	for name, want := range f {
		rows := want(selection)
		for engine, reader := range readers {
			got := reader.Ask(t, queries[name], start, end, flowID)
			left := slices.Clone(got)
			for _, row := range rows {
				at := slices.IndexFunc(left, func(other string) bool { return alike(row, other) })
				require.GreaterOrEqual(t, at, 0, "%s: %s: no %q in %q: %s", engine, name, row, got, queries[name])
				left = slices.Delete(left, at, at+1)
			}
			require.Empty(t, left, "%s: %s: beside %q: %s", engine, name, rows, queries[name])
		}
	}
}

// alike compares rows of SQLRow. Sums of floats depend on the order in which they were added: they may differ by a
// billionth.
func alike(a, b string) bool {
	return slices.EqualFunc(strings.Split(a, " | "), strings.Split(b, " | "), func(a, b string) bool {
		if a == b || !strings.ContainsAny(a+b, ".e") {
			return a == b
		}
		x, err := strconv.ParseFloat(a, 64)
		y, otherErr := strconv.ParseFloat(b, 64)
		return err == nil && otherErr == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	})
}

// SQLRows writes each row of a report.
func SQLRows[R any](list []R, text func(R) string) []string {
	rows := make([]string, len(list))
	for i, row := range list {
		rows[i] = text(row)
	}
	return rows
}
