package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answered runs a report against a server with the given value of its field.
func answered(t *testing.T, field, value string, args ...string) (stdout, stderr string) {
	t.Helper()
	answer := `{"data":{"app":{"productAnalytics":` + value + `}}}`
	if field != "" {
		answer = `{"data":{"app":{"productAnalytics":{"` + field + `":` + value + `}}}}`
	}
	exit, stdout, stderr, _ := served(t, answer, 200, append([]string{"analytics", "product"}, args...)...)
	require.Equal(t, 0, exit, stderr)
	return stdout, stderr
}

// lined takes the padding of a table away.
func lined(table string) []string {
	var lines []string
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(line, "─") {
			lines = append(lines, strings.Join(fields, " "))
		}
	}
	return lines
}

const twoLists = `{
	"channel":[{"value":"Direct","visitors":3,"bounceRate":0.5},{"value":"","visitors":1,"bounceRate":null}],
	"event":[{"name":"buy, now","count":7}]}`

func TestAnswersOfSeveralLists(t *testing.T) {
	table, _ := answered(t, "overview", twoLists, "overview", "a", "-o", "table")
	require.Equal(
		t,
		[]string{"CHANNEL", "value visitors bounceRate", "Direct 3 50.0%", "(none) 1", "EVENT", "name count", "buy, now 7"},
		lined(table),
	)
	csv, _ := answered(t, "overview", twoLists, "overview", "a", "-o", "csv")
	require.Equal(
		t, "list,value,visitors,bounceRate,name,count\nchannel,Direct,3,0.5,,\nchannel,,1,,,\nevent,,,,\"buy, now\",7\n", csv,
	)
	lines, _ := answered(t, "overview", twoLists, "overview", "a", "-o", "jsonl")
	require.Equal(t, `{"list":"channel","value":"Direct","visitors":3,"bounceRate":0.5}
{"list":"channel","value":"","visitors":1,"bounceRate":null}
{"list":"event","name":"buy, now","count":7}
`, lines)
	chart, _ := answered(t, "overview", twoLists, "overview", "a", "-o", "chart")
	require.Equal(t, []string{"CHANNEL", "visitors", "Direct " + strings.Repeat("█", barWidth) + " 3", "(none) " + strings.Repeat("█", 15) + " 1",
		"EVENT", "count", "buy, now " + strings.Repeat("█", barWidth) + " 7"}, lined(chart))
}

const retained = `{
	"retention":{"visitors":4,"days":[{"offset":1,"returned":1,"eligible":4,"rate":0.25},{"offset":3,"returned":0,"eligible":0,"rate":null}]},
	"source":{"nodes":[{"value":"ad","visitors":4,"days":[{"offset":1,"returned":1,"eligible":4,"rate":0.25}]}],"totalCount":9,"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}`

// Rows have no place for what a list says beside them: a line of its own tells it, and it survives several pages.
func TestWhatAListSaysBesideItsRowsIsNoted(t *testing.T) {
	const cohorts = `{"nodes":[{"value":"web","starts":3}],"totalCount":1,"incomplete":true,"totals":{"starts":3},"pageInfo":{"hasNextPage":false,"endCursor":"x"}}`
	csv, notes := answered(t, "attribution", cohorts, "attribution", "a", "--dimension", "source", "-o", "csv")
	require.Equal(t, "value,starts\nweb,3\n", csv)
	require.JSONEq(t, `{"note":"beside the rows","incomplete":true,"totals":{"starts":3}}`, notes)
	list := pagedList{}
	merged, err := list.withPage(json.RawMessage(cohorts), listPage{Nodes: []json.RawMessage{[]byte("1"), []byte("2")}})
	require.NoError(t, err)
	require.JSONEq(t, `{"nodes":[1,2],"totalCount":1,"incomplete":true,"totals":{"starts":3},"pageInfo":{"hasNextPage":false,"endCursor":null}}`,
		string(merged))
}

func TestSharesByOffsetAreColumns(t *testing.T) {
	table, _ := answered(t, "", retained, "retention", "a", "-o", "table")
	require.Equal(
		t, []string{"RETENTION", "visitors +1 +3", "4 25.0%", "SOURCE", "value visitors +1", "ad 4 25.0%", "1 of 9 rows"},
		lined(table),
	)
	csv, notes := answered(t, "", retained, "retention", "a", "-o", "csv")
	require.Equal(t, "list,visitors,days.1.returned,days.1.eligible,days.1.rate,days.3.returned,days.3.eligible,days.3.rate,value\n"+
		"retention,4,1,4,0.25,0,0,,\nsource,4,1,4,0.25,,,,ad\n", csv)
	require.JSONEq(t, `{"note":"source: 1 of 9 rows"}`, notes)
	cohorts, _ := answered(t, "retentionCohorts", `[{"bucket":"2026-01-01T00:00:00Z","size":2,"offsets":[{"offset":0,"returned":2,"eligible":2,"rate":1},{"offset":1,"returned":1,"eligible":2,"rate":0.5}]}]`,
		"retention-cohorts", "a", "-o", "table")
	require.Equal(t, []string{"bucket size +0 +1", "2026-01-01T00:00:00Z 2 100.0% 50.0%"}, lined(cohorts))
}

func TestATotalStandsBesideThePreviousOne(t *testing.T) {
	table, _ := answered(t, "summary", `{"visitors":10,"sessions":12,"views":30,"events":3,"bounceRate":0.123456,"averageSessionSeconds":36.17740,"revenue":5,
		"revenueByProvider":{"stripe":5},"previous":{"visitors":8,"bounceRate":null}}`, "summary", "a", "-o", "table")
	require.Equal(
		t,
		[]string{
			"value previous", "visitors 10 8", "sessions 12", "views 30", "events 3", "bounceRate 12.3%",
			"averageSessionSeconds 36.18", "revenue 5", "revenueByProvider.stripe 5",
		},
		lined(table),
	)
}

func TestChartsChooseTheirFigure(t *testing.T) {
	const points = `[{"bucket":"2026-01-01T00:00:00Z","visitors":1,"bounceRate":0.5},{"bucket":"2026-01-02T00:00:00Z","visitors":2,"bounceRate":null}]`
	chart, _ := answered(t, "series", points, "series", "a", "-o", "chart", "--metric", "bounceRate")
	require.Contains(t, chart, "bounceRate, 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z")
	both, _ := answered(
		t, "retentionSeries",
		`[{"bucket":"2026-01-01T00:00:00Z","new":1,"returning":0},{"bucket":"2026-01-02T00:00:00Z","new":2,"returning":2}]`,
		"retention-series", "a", "-o", "chart",
	)
	require.Contains(t, both, "a  new")
	require.Contains(t, both, "b  returning")
	ordered, _ := answered(
		t, "events", `{"nodes":[{"name":"x","count":9,"sessions":4}],"totalCount":1}`, "events", "a", "-o", "chart",
		"--order-by", "sessions",
	)
	require.Equal(t, []string{"sessions", "x " + strings.Repeat("█", barWidth) + " 4"}, lined(ordered))
	empty, _ := answered(t, "events", `{"nodes":[],"totalCount":0}`, "events", "a", "-o", "chart")
	require.Equal(t, "no rows\n", empty)
	empty, _ = answered(t, "events", `{"nodes":[],"totalCount":0}`, "events", "a", "-o", "table")
	require.Equal(t, "no rows\n", empty)

	// Gaps and flat lines are drawn, too.
	gaps, _ := answered(t, "attributionSeries", `[{"value":"a","points":[{"bucket":"x","value":null},{"bucket":"y","value":null}]},{"value":"b","points":[{"bucket":"x","value":0},{"bucket":"y","value":0}]}]`,
		"attribution-series", "a", "--dimension", "source", "-o", "chart")
	require.Contains(t, gaps, "visitors, x to y")
	zero, _ := answered(t, "series", `[{"bucket":"x","visitors":0}]`, "series", "a", "-o", "chart")
	require.Contains(t, zero, "visitors, x to x")
	exit, _, stderr, _ := served(
		t, `{"data":{"app":{"recentEvents":{"nodes":[{"eventId":"x"}]}}}}`, 200, "analytics", "product", "recent", "a",
		"--name", "x", "-o", "chart",
	)
	require.Equal(t, exitUsage, exit)
	require.Contains(t, stderr, "this answer has none")

	exit, _, stderr, _ = served(
		t, `{"data":{"app":{"productAnalytics":{"summary":{"visitors":1}}}}}`, 200, "analytics", "product", "summary", "a",
		"-o", "chart",
	)
	require.Equal(t, exitUsage, exit)
	require.Contains(t, stderr, "-o chart draws the figures of series and tables")
	exit, _, stderr, _ = served(t, `{}`, 200, "analytics", "product", "series", "a", "--metric", "fun")
	require.Equal(t, exitUsage, exit)
	require.Contains(t, stderr, "--metric must be visitors")
}

// A list of any length is read page by page; a column that no row has is not shown.
func TestLongListsAreReadInPages(t *testing.T) {
	var asked []float64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Variables struct {
				First float64
				After string
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		asked = append(asked, body.Variables.First)
		first := int(body.Variables.First)
		from, _ := strconv.Atoi(body.Variables.After)
		var rows []string
		for i := from; i < min(from+first, 450); i++ {
			rows = append(rows, fmt.Sprintf(`{"eventId":"e%d","page":null}`, i))
		}
		fmt.Fprintf(
			w, `{"data":{"app":{"recentEvents":{"nodes":[%s],"pageInfo":{"hasNextPage":%v,"endCursor":"%d"}}}}}`,
			strings.Join(rows, ","), from+first < 450, from+first,
		)
	}))
	defer server.Close()
	recent := func(args ...string) string {
		t.Helper()
		exit, stdout, stderr := typed("", []string{
			"SVC_API_URL=" + server.URL, "SVC_API_KEY=k", "SVC_CONFIG_PATH=/nowhere/config.json",
		},
			append([]string{"analytics", "product", "recent", "a", "--name", "x"}, args...)...)
		require.Zero(t, exit, stderr)
		return stdout
	}
	require.Len(t, lined(recent("--first", "3", "-o", "table")), 4)
	require.Equal(t, "eventId", lined(recent("--first", "3", "-o", "table"))[0])
	asked = nil
	require.Equal(t, 301, strings.Count(recent("--first", "300", "-o", "csv"), "\n"))
	require.Equal(t, []float64{200, 100}, asked)
	require.Contains(t, recent("--first", "300"), `"hasNextPage": true`)
	require.Equal(t, 450, strings.Count(recent("--first", "100000", "-o", "jsonl"), "\n"))
}

// livePeople returns a server on which so many people are online. It notes the sizes of
// the pages that it is asked for.
func livePeople(t *testing.T, people int, asked *[]int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Variables struct {
				First int
				After string
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		*asked = append(*asked, body.Variables.First)
		from, _ := strconv.Atoi(body.Variables.After)
		to := min(from+body.Variables.First, people)
		var rows []string
		for i := from; i < to; i++ {
			rows = append(rows, fmt.Sprintf(`{"appUserId":"<%d>","latitude":1.50}`, i))
		}
		fmt.Fprintf(w, `{"data":{"app":{"live":{"count":%d,"people":{"nodes":[%s],"totalCount":%d,"pageInfo":{"hasNextPage":%v,"endCursor":"%d"}},
			"places":[{"country":"DE","visitors":%d}],"minutes":[],"pages":[{"page":"/","visitors":%d}]}}}}`,
			people, strings.Join(rows, ","), people, to < people, to, people-from, people-from)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Rows of live are those of all people, read in pages; the other lists are the first answer's.
func TestLiveHasEverybody(t *testing.T) {
	var asked []int
	live := func(people int, args ...string) (stdout, stderr string) {
		t.Helper()
		asked = nil
		exit, stdout, stderr := typed("", []string{
			"SVC_API_URL=" + livePeople(t, people, &asked), "SVC_API_KEY=k", "SVC_CONFIG_PATH=/nowhere/config.json",
		},
			append([]string{"analytics", "product", "live", "a"}, args...)...)
		require.Zero(t, exit, stderr)
		return stdout, stderr
	}
	for people, pages := range map[int]int{0: 1, 3: 1, 1000: 1, 2345: 3} {
		csv, notes := live(people, "-o", "csv")
		require.Empty(t, notes)
		require.Len(t, asked, pages)
		require.Equal(t, people, strings.Count(csv, "people,"), "people of %d", people)
		lines, _ := live(people, "-o", "jsonl")
		require.Equal(t, 1+people+2, strings.Count(lines, "\n"))
		require.Contains(t, lines, fmt.Sprintf(`{"list":"totals","count":%d}`, people))
		require.Contains(t, lines, fmt.Sprintf(`{"list":"places","country":"DE","visitors":%d}`, people))
		if people > 0 {
			require.Contains(t, lines, fmt.Sprintf(`{"list":"people","appUserId":"<%d>","latitude":1.50}`, people-1))
		}
	}
	_, notes := live(70, "-o", "csv", "--first", "20")
	require.JSONEq(t, `{"note":"people: 20 of 70 rows"}`, notes)
	require.Equal(t, []int{20}, asked)
	json, _ := live(70)
	require.Contains(t, json, `"hasNextPage": true`)
	require.Equal(t, []int{50}, asked)
}

// Pages are named by whoever has the public key.
func TestNamesDoNotReachTheTerminalAsControlCharacters(t *testing.T) {
	const rows = `{"nodes":[{"value":"\u001b[2J/a\nb","visitors":1}],"totalCount":1}`
	for _, form := range []string{"table", "chart"} {
		printed, _ := answered(t, "attribution", rows, "attribution", "a", "--dimension", "source", "-o", form)
		require.NotContains(t, printed, "\x1b", form)
		require.Contains(t, printed, `\x1b[2J/a\nb`, form)
	}
	series, _ := answered(t, "attributionSeries", `[{"value":"\u001b[2J","points":[{"bucket":"x","value":1}]},{"value":"b","points":[{"bucket":"x","value":1}]}]`,
		"attribution-series", "a", "--dimension", "source", "-o", "chart")
	require.NotContains(t, series, "\x1b")
}
