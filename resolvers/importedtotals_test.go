package resolvers_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// importTotals stores a day of totals that an import brought to an app's live environment.
func (w *world) importTotals(app string) {
	w.t.Helper()
	id := uuid.New()
	for _, sql := range []string{
		`insert into history_import (environment_id, id, source, file_name, fingerprint, started_at)
			select id, $1, 'plausible', 'f.zip', '', now() from environments where app_id = $2 and kind = 'live'`,
		`insert into history_total_day select id, 'imported_visitors', '2026-03-01', $1 from environments
			where app_id = $2 and kind = 'live'`,
		`insert into history_total select id, d, '2026-03-01', v, $1, 10, 20, 40, 5, 600 from environments,
			(values ('', ''), ('page', '/'), ('source', 'Google')) x (d, v) where app_id = $2 and kind = 'live'`,
	} {
		_, err := w.db.Pool.Exec(w.t.Context(), sql, id, app)
		require.NoError(w.t, err)
	}
}

// Totals that an import brought are read beside the reports, by whoever reads those, and never under filters.
func TestImportedTotals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	w.importTotals(app)
	const document = `query($app: ID!, $scope: ScopeInput!) { app(id: $app) { importedTotals(scope: $scope) {
		leftOut sources visitors series { bucket visitors bounceRate averageSessionSeconds viewsPerSession }
		rows(dimension: PAGE) { value visitors sessions views } } } }`
	scope := func(more vars) vars {
		asked := vars{"range": vars{"start": "2026-03-01T00:00:00Z", "end": "2026-03-08T00:00:00Z"}}
		for key, value := range more {
			asked[key] = value
		}
		return vars{"app": app, "scope": asked}
	}
	read := func(more vars) string {
		text, err := json.Marshal(w.as("viewer").must(document, scope(more)).at(t, "app", "importedTotals"))
		require.NoError(t, err)
		return string(text)
	}
	require.JSONEq(t, `{"leftOut": false, "sources": ["PLAUSIBLE"], "visitors": 10,
		"series": [{"bucket": "2026-03-01T00:00:00Z", "visitors": 10, "bounceRate": 0.25, "averageSessionSeconds": 30,
			"viewsPerSession": 2}],
		"rows": [{"value": "/", "visitors": 10, "sessions": 20, "views": 40}]}`, read(nil))
	require.JSONEq(t, `{"leftOut": true, "sources": ["PLAUSIBLE"], "visitors": 0, "series": [], "rows": []}`,
		read(vars{"platform": "WEB"}))
	require.JSONEq(t, `{"leftOut": false, "sources": [], "visitors": 0, "series": [], "rows": []}`,
		read(vars{"environment": "TEST"}))

	refused := w.as("stranger").do(document, scope(nil))
	require.NotContains(t, fmt.Sprint(refused.Data), "PLAUSIBLE")
	lacking := w.keyed("owner", "studio:read").do(document, scope(nil))
	require.Len(t, lacking.Errors, 1)
	require.Equal(t, "forbidden", lacking.Errors[0].code())
	many := w.as("viewer").do(`query($app: ID!) { app(id: $app) { importedTotals { rows(dimension: PAGE, first: 201) { value } } } }`,
		vars{"app": app})
	require.Equal(t, "invalid_input", many.Errors[0].code())
}

// Readers of a shared link see the totals that its reports show, within its environment and unless it has filters,
// which totals can't be limited by.
func TestReadersSeeImportedTotalsOfTheirReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, other := w.app("Shop"), w.app("Other")
	w.importTotals(app)
	w.importTotals(other)
	march := vars{"start": "2026-03-01T00:00:00Z", "end": "2026-03-08T00:00:00Z"}
	ask := func(c *client, app, fields string, scope vars) answer {
		scope["range"] = march
		return c.do(`query($app: ID!, $scope: ScopeInput!) { app(id: $app) { importedTotals(scope: $scope) {
			range { start } leftOut sources `+fields+` } } }`, vars{"app": app, "scope": scope})
	}
	const series, pages, sources = `visitors series { views }`, `rows(dimension: PAGE) { value visitors }`,
		`rows(dimension: SOURCE) { value visitors }`
	home, _ := w.share(app, nil)
	require.JSONEq(t, `{"range": {"start": "2026-03-01T00:00:00Z"}, "leftOut": false, "sources": ["PLAUSIBLE"],
		"visitors": 10, "series": [{"views": 40}]}`,
		asJSON(t, ask(home, app, series, vars{}).at(t, "app", "importedTotals")))
	require.Equal(t, "forbidden", ask(home, app, pages, vars{}).code())
	engagement, _ := w.share(app, vars{"reports": []string{"ENGAGEMENT", "GOALS"}})
	require.JSONEq(t, `[{"value": "/", "visitors": 10}]`,
		asJSON(t, ask(engagement, app, pages, vars{}).at(t, "app", "importedTotals", "rows")))
	require.Equal(t, "forbidden", ask(engagement, app, series, vars{}).code())
	require.Equal(t, "forbidden", ask(engagement, app, sources, vars{}).code())

	require.NotContains(t, asJSON(t, ask(home, other, series, vars{}).Data), "PLAUSIBLE", "another app")
	require.NotContains(t, asJSON(t, ask(home, app, series, vars{"environment": "TEST"}).Data), "PLAUSIBLE")
	limited, _ := w.share(app, vars{"scope": vars{"platform": "WEB"}})
	require.JSONEq(t, `{"range": {"start": "2026-03-01T00:00:00Z"}, "leftOut": true, "sources": ["PLAUSIBLE"],
		"visitors": 0, "series": []}`, asJSON(t, ask(limited, app, series, vars{}).at(t, "app", "importedTotals")))
}
