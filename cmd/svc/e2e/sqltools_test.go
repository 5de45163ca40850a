package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/docstest"
)

// sqlTools are the folder of the files for other tools, docs/sql.
const sqlTools = "../../../docs/sql/"

// sqlTarget is what a panel of the Grafana dashboard asks.
type sqlTarget struct {
	RefID      string `json:"refId"`
	Datasource struct{ Type, UID string }
	EditorMode string
	Format     string
	RawQuery   bool
	RawSQL     string `json:"rawSql"`
}

// grafanaSQL puts a range, and a value of the variable flow, into a query as Grafana's PostgreSQL data source does.
func grafanaSQL(t *testing.T, sql string, from, to time.Time, flow string) string {
	t.Helper()
	quote := func(at time.Time) string { return "'" + at.UTC().Format(time.RFC3339Nano) + "'" }
	sql = strings.ReplaceAll(sql, "${flow:sqlstring}", "'"+flow+"'")
	sql = regexp.MustCompile(`\$(__\w+)\(([^)]*)\)`).ReplaceAllStringFunc(sql, func(macro string) string {
		name, list, _ := strings.Cut(strings.Trim(macro, "$)"), "(")
		arguments := strings.Split(list, ",")
		switch name {
		case "__timeFrom":
			return quote(from)
		case "__timeTo":
			return quote(to)
		case "__timeGroupAlias":
			require.Equal(t, " 1d", arguments[1])
			return fmt.Sprintf(`floor(extract(epoch from %s)/86400)*86400 AS "time"`, arguments[0])
		}
		t.Errorf("%s is no macro of Grafana that this test knows", name)
		return macro
	})
	require.NotContains(t, sql, "$")
	return sql
}

// metabaseSQL puts values into a query as Metabase does: a block in brackets goes away unless all its variables have
// one.
func metabaseSQL(t *testing.T, sql string, values map[string]string) string {
	t.Helper()
	variable := regexp.MustCompile(`\{\{(\w+)\}\}`)
	sql = regexp.MustCompile(`(?s)\[\[(.*?)\]\]`).ReplaceAllStringFunc(sql, func(block string) string {
		for _, found := range variable.FindAllStringSubmatch(block, -1) {
			if values[found[1]] == "" {
				return ""
			}
		}
		return strings.Trim(block, "[]")
	})
	sql = variable.ReplaceAllStringFunc(sql, func(name string) string { return values[strings.Trim(name, "{}")] })
	require.NotContains(t, sql, "{{")
	return sql
}

// rows are what a query of a tool answers; seconds in a column time are a time.
func (r SQLReader) rows(t *testing.T, sql string) []string {
	t.Helper()
	rows, err := r.Query(t.Context(), sql)
	require.NoError(t, err, sql)
	answer, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		for i, field := range row.FieldDescriptions() {
			number, is := values[i].(pgtype.Numeric)
			if !is {
				continue
			}
			float, err := number.Float64Value()
			if err != nil {
				return "", err
			}
			values[i] = float.Float64
			if field.Name == "time" {
				values[i] = time.Unix(int64(float.Float64), 0)
			}
		}
		return SQLRow(values...), err
	})
	require.NoError(t, err, sql)
	return answer
}

// toolFigures asks GraphQL for what the panels and questions show, by their names.
func toolFigures(studio *Studio, app, flow string, from, to time.Time) map[string][]string {
	type node = map[string]any
	var data struct {
		App struct {
			ProductAnalytics struct {
				Summary                   node
				Series                    []node
				Sources, Pages, Countries struct{ Nodes []node }
			}
		}
		Revenue struct {
			Totals node
			Series []struct {
				Bucket time.Time
				Totals node
			}
		}
		FlowAnalytics struct {
			Overview   node
			Timeseries []node
			Funnel     struct{ Steps []node }
		}
	}
	span := node{"start": from, "end": to}
	studio.Query(`query($a: ID!, $f: ID!, $r: RangeInput!) {
		app(id: $a) { productAnalytics(scope: {range: $r}) {
			summary { visitors sessions views bounceRate } series { bucket visitors sessions }
			sources: attribution(dimension: SOURCE, first: 20) { nodes { value visitors sessions } }
			pages: engagement(dimension: PAGE, first: 20) { nodes { value visitors views } }
			countries: demographic(dimension: COUNTRY, first: 20) { nodes { value visitors sessions } }
		} }
		revenue(scope: {appId: $a, range: $r}) { totals { net } series { bucket totals { new renewal refunds } } }
		flowAnalytics(scope: {flowId: $f, range: $r}) {
			overview { completionRate } timeseries { bucket starts completions }
			funnel { steps { id reach people } }
		}
	}`, node{"a": app, "f": flow, "r": span}, &data)
	// lists writes rows without those that are nothing but zeros: a query has none for a day without events.
	lists := func(nodes []node, columns ...string) (rows []string) {
		for _, one := range nodes {
			values, zeros := make([]any, len(columns)), 0
			for i, column := range columns {
				values[i] = one[column]
				if at, err := time.Parse(time.RFC3339, fmt.Sprint(values[i])); err == nil {
					values[i] = at
				}
				if values[i] == 0.0 {
					zeros++
				}
			}
			if zeros < len(columns)-1 {
				rows = append(rows, SQLRow(values...))
			}
		}
		return rows
	}
	product, flows := data.App.ProductAnalytics, data.FlowAnalytics
	var money []node
	for _, point := range data.Revenue.Series {
		refunds, _ := point.Totals["refunds"].(float64)
		money = append(money, node{
			"bucket": point.Bucket.Format(time.RFC3339), "new": point.Totals["new"], "renewal": point.Totals["renewal"],
			"refunds": 0 - refunds,
		})
	}
	return map[string][]string{
		"Visitors":                     {SQLRow(product.Summary["visitors"])},
		"Sessions":                     {SQLRow(product.Summary["sessions"])},
		"Views":                        {SQLRow(product.Summary["views"])},
		"Bounce rate":                  {SQLRow(product.Summary["bounceRate"])},
		"Visitors and sessions":        lists(product.Series, "bucket", "visitors", "sessions"),
		"Sources":                      lists(product.Sources.Nodes, "value", "visitors", "sessions"),
		"Pages":                        lists(product.Pages.Nodes, "value", "visitors", "views"),
		"Countries":                    lists(product.Countries.Nodes, "value", "visitors", "sessions"),
		"Net revenue":                  {SQLRow(data.Revenue.Totals["net"])},
		"Revenue by day":               lists(money, "bucket", "new", "renewal", "refunds"),
		"Flow: completion rate":        {SQLRow(flows.Overview["completionRate"])},
		"Flow: starts and completions": lists(flows.Timeseries, "bucket", "starts", "completions"),
		"Flow: steps":                  lists(flows.Funnel.Steps, "id", "reach", "people"),
	}
}

// requireSame compares rows in any order: those of as many visitors are sorted by collations.
func requireSame(t *testing.T, name string, want, got []string) {
	t.Helper()
	require.NotEmpty(t, want, name)
	require.Len(t, got, len(want), "%s: %q, not %q", name, got, want)
	for _, row := range want {
		require.True(t, slices.ContainsFunc(got, func(other string) bool { return alike(row, other) }),
			"%s: no %q in %q", name, row, got)
	}
}

// The files for Grafana and Metabase show what the dashboard shows: each of their queries is run as a SQL role, and its
// rows are those of GraphQL.
func TestFilesForOtherToolsShowTheDashboardsFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("SVC_TEST_VARIANT") == "citus" {
		t.Skip("there are no SQL roles in a cluster")
	}
	d := StartDev(t, nil, "--demo=small")
	studio, app := d.SignIn(t, d.BaseURL), d.Apps[0].ID
	reader := ReadBySQL(t, d, app)
	to := time.Now().UTC().Truncate(24 * time.Hour)
	from := to.AddDate(0, 0, -9)

	t.Run("Grafana", func(t *testing.T) {
		board, targets := grafanaDashboard(t)
		flows := reader.rows(t, grafanaSQL(t, grafanaVariable(t, board, "flow"), from, to, ""))
		require.NotEmpty(t, flows)
		want := toolFigures(studio, app, flows[0], from, to)
		require.Len(t, targets, len(want))
		for name, target := range targets {
			requireSame(t, name, want[name], reader.rows(t, grafanaSQL(t, target.RawSQL, from, to, flows[0])))
		}
	})
	t.Run("Metabase", func(t *testing.T) {
		cards := metabaseCards(t)
		flows := reader.rows(t, "select flow_id::text from flow_runs group by 1 order by count(*) desc")
		want := toolFigures(studio, app, flows[0], from, to)
		require.Len(t, cards, len(want))
		day := func(at time.Time) string { return "date '" + at.Format(time.DateOnly) + "'" }
		given := map[string]string{"from": day(from), "to": day(to), "flow": "'" + flows[0] + "'"}
		for _, card := range cards {
			query := card.DatasetQuery.Native.Query
			requireSame(t, card.Name, want[card.Name], reader.rows(t, metabaseSQL(t, query, given)))
			require.NotEmpty(t, reader.rows(t, metabaseSQL(t, query, nil)), card.Name)
		}
	})
}

// grafanaModel is the model that every Grafana imports.
type grafanaModel = dashboard.Dashboard //nolint:staticcheck // the second one is of new Grafanas only

// grafanaDashboard reads the dashboard by Grafana's own model, which names what it does not have, and returns what each
// panel asks.
func grafanaDashboard(t *testing.T) (grafanaModel, map[string]sqlTarget) {
	t.Helper()
	text, err := os.ReadFile(sqlTools + "grafana.json")
	require.NoError(t, err)
	plugins.RegisterDefaultPlugins()
	// It stops at members that are unknown or missing, and leaves panels out where it found nothing: an empty list.
	if err := new(grafanaModel).UnmarshalJSONStrict(text); err != nil {
		require.Empty(t, err.Error())
	}
	var board grafanaModel
	require.NoError(t, json.Unmarshal(text, &board))
	require.NoError(t, board.Validate())
	require.Nil(t, board.Id, "which is of one Grafana")
	require.GreaterOrEqual(t, int(board.SchemaVersion), 36)
	ids, targets := map[uint32]bool{}, map[string]sqlTarget{}
	var taken [24][200]bool
	for _, one := range board.Panels {
		panel := one.Panel
		require.NotNil(t, panel)
		require.False(t, ids[*panel.Id], "%d is the id of two panels", *panel.Id)
		ids[*panel.Id] = true
		at := panel.GridPos
		require.LessOrEqual(t, at.X+at.W, uint32(24), *panel.Title)
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				require.False(t, taken[x][y], "%s lies on another panel", *panel.Title)
				taken[x][y] = true
			}
		}
		require.Equal(t, "${datasource}", *panel.Datasource.Uid)
		require.Len(t, panel.Targets, 1)
		text, err := json.Marshal(panel.Targets[0])
		require.NoError(t, err)
		var target sqlTarget
		require.NoError(t, json.Unmarshal(text, &target))
		require.True(t, target.RawQuery && target.EditorMode == "code" && target.RefID == "A", *panel.Title)
		require.Equal(t, "${datasource}", target.Datasource.UID)
		require.Equal(t, "grafana-postgresql-datasource", target.Datasource.Type)
		series := strings.Contains(target.RawSQL, "$__timeGroup")
		require.Equal(t, map[bool]string{true: "time_series", false: "table"}[series], target.Format, *panel.Title)
		require.Equal(t, series, panel.Type == "timeseries", *panel.Title)
		targets[*panel.Title] = target
	}
	require.Equal(t, "grafana-postgresql-datasource", grafanaVariable(t, board, "datasource"))
	return board, targets
}

// grafanaVariable returns what a variable of the dashboard asks.
func grafanaVariable(t *testing.T, board grafanaModel, name string) string {
	t.Helper()
	for _, variable := range board.Templating.List {
		if variable.Name == name {
			return *variable.Query.String
		}
	}
	t.Fatalf("the dashboard has no variable %s", name)
	return ""
}

// metabaseCard is what Metabase takes for a new question.
type metabaseCard struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	Display      string `json:"display"`
	CollectionID *int   `json:"collection_id"`
	DatasetQuery struct {
		Type     string `json:"type"`
		Database *int   `json:"database"`
		Native   struct {
			Query string `json:"query"`
			Tags  map[string]struct {
				ID          string `json:"id"`
				Name        string `json:"name"`
				DisplayName string `json:"display-name"`
				Type        string `json:"type"`
			} `json:"template-tags"`
		} `json:"native"`
	} `json:"dataset_query"`
	VisualizationSettings map[string]any `json:"visualization_settings"`
}

// check holds a question to what Metabase demands of one.
func (c metabaseCard) check(t *testing.T) {
	t.Helper()
	require.NotEmpty(t, c.Name)
	require.Contains(t, []string{"scalar", "line", "bar", "row", "table"}, c.Display, c.Name)
	require.Equal(t, "native", c.DatasetQuery.Type, c.Name)
	require.NotNil(t, c.VisualizationSettings, c.Name)
	used := map[string]bool{}
	for _, found := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(c.DatasetQuery.Native.Query, -1) {
		used[found[1]] = true
	}
	require.Len(t, c.DatasetQuery.Native.Tags, len(used), c.Name)
	for name, tag := range c.DatasetQuery.Native.Tags {
		require.True(t, used[name] && tag.Name == name && tag.ID != "" && tag.DisplayName != "", "%s: %s", c.Name, name)
		require.Contains(t, []string{"date", "text"}, tag.Type, c.Name)
	}
	for _, column := range append(columnsOf(c, "graph.metrics"), columnsOf(c, "graph.dimensions")...) {
		require.Contains(t, c.DatasetQuery.Native.Query, column, c.Name)
	}
	charts := c.Display != "scalar" && c.Display != "table"
	require.Equal(t, charts, len(columnsOf(c, "graph.metrics")) > 0, c.Name)
}

func columnsOf(c metabaseCard, setting string) (names []string) {
	list, _ := c.VisualizationSettings[setting].([]any)
	for _, name := range list {
		names = append(names, fmt.Sprint(name))
	}
	return names
}

// strictly decodes JSON and refuses members that the value does not have.
func strictly(t *testing.T, text io.Reader, into any) {
	t.Helper()
	decoder := json.NewDecoder(text)
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(into))
}

func metabaseCards(t *testing.T) []metabaseCard {
	t.Helper()
	file, err := os.Open(sqlTools + "metabase.json")
	require.NoError(t, err)
	defer file.Close()
	var all struct {
		Collection struct{ Name, Description string }
		Cards      []metabaseCard
	}
	strictly(t, file, &all)
	require.NotEmpty(t, all.Collection.Name)
	for _, card := range all.Cards {
		card.check(t)
	}
	return all.Cards
}

// The commands of docs/sql.md put every question into a new collection of a Metabase, which a stand-in is here.
func TestQuestionsComeToMetabaseAsTheDocsSay(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	d := StartDev(t, nil, "--demo=none")
	var made []metabaseCard
	var collections []string
	metabase := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "mb_secret" || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch r.Method + " " + r.URL.Path {
		case "POST /api/collection":
			var asked struct{ Name, Description string }
			strictly(t, r.Body, &asked)
			collections = append(collections, asked.Name)
			fmt.Fprint(w, `{"id": 41}`)
		case "POST /api/card":
			var card metabaseCard
			strictly(t, r.Body, &card)
			made = append(made, card)
			fmt.Fprintf(w, `{"id": %d}`, len(made))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer metabase.Close()
	scripts := slices.DeleteFunc(docstest.Examples(t, "../../..", "sh", "docs/sql.md"), func(e docstest.Example) bool {
		return !strings.Contains(e.Text, "metabase.json")
	})
	require.Len(t, scripts, 1)
	script := regexp.MustCompile(`(?m)^(SVC|METABASE|METABASE_KEY|DATABASE)=.*$`).ReplaceAllString(scripts[0].Text, "")
	require.NotEqual(t, script, scripts[0].Text)
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "SVC="+d.BaseURL, "METABASE="+metabase.URL, "METABASE_KEY=mb_secret", "DATABASE=7")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Equal(t, []string{"Svc"}, collections)
	shipped := metabaseCards(t)
	require.Len(t, made, len(shipped))
	for i, card := range made {
		card.check(t)
		require.Equal(t, "41 7", strconv.Itoa(*card.CollectionID)+" "+strconv.Itoa(*card.DatasetQuery.Database))
		require.Equal(t, shipped[i].DatasetQuery.Native, card.DatasetQuery.Native)
	}
	for _, name := range []string{"grafana.json", "metabase.json"} {
		shipped, err := os.ReadFile(filepath.Join(sqlTools, name))
		require.NoError(t, err)
		served, err := http.Get(d.BaseURL + "/docs/sql/" + name)
		require.NoError(t, err)
		content, err := io.ReadAll(served.Body)
		require.NoError(t, err)
		require.NoError(t, served.Body.Close())
		require.Equal(t, string(shipped), string(content))
		require.Equal(t, "application/json", served.Header.Get("Content-Type"))
	}
}
