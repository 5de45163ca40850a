package sqlrole_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestDocumentationHasEveryColumn compares the tables of docs/sql.md with the views.
func TestDocumentationHasEveryColumn(t *testing.T) {
	db := newDB(t)
	rows, err := db.Pool.Query(context.Background(), `
		select table_name || '.' || column_name || ' '
			|| case data_type when 'timestamp with time zone' then 'timestamptz' when 'ARRAY' then 'text[]' else data_type end
		from information_schema.columns where table_schema = 'svc_read' and column_name not in ('app_id', 'environment')`)
	require.NoError(t, err)
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/sql.md")
	require.NoError(t, err)
	var got []string
	view, row := "", regexp.MustCompile("^\\| (`[^|]+`) \\| ([\\w\\[\\]]+) \\|")
	for line := range strings.Lines(string(page)) {
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			view = strings.Trim(strings.TrimSpace(heading), "`")
		}
		if found := row.FindStringSubmatch(line); found != nil {
			for name := range strings.SplitSeq(found[1], ", ") {
				got = append(got, view+"."+strings.Trim(name, "`")+" "+found[2])
			}
		}
	}
	require.ElementsMatch(t, want, got)
}
