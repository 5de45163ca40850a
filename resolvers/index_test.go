package resolvers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:generate env SVC_SCHEMA=index go test -count=1 -run ^TestTheIndexNamesEveryType$ .

// subjects says of each domain file what it is about, for the index of schema.graphql.
var subjects = map[string]string{
	"account":           "who is signed in, workspaces, members, invitations, API keys, the audit log",
	"analytics":         "product analytics of an app: summary, charts, tables",
	"app":               "apps, environments, publishable keys, integrations, branding",
	"automation":        "automations, their runs, webhook endpoints and deliveries",
	"channel":           "channels and what they are assigned",
	"edit":              "drafts in the editor: operations, edits of others, history",
	"experiment":        "experiments and their variants",
	"experimentplan":    "how long an experiment has to run",
	"experimentresults": "what an experiment found",
	"flow":              "flows, drafts, versions, problems, previews",
	"flowanalytics":     "analytics of a flow: funnel, paths, steps, answers, runs",
	"identityproof":     "proof of custom user ids",
	"ingesthealth":      "what ingest accepted, rejected and dropped as duplicate",
	"live":              "who is online, and the newest events",
	"media":             "uploaded files",
	"metrics":           "what a table or chart can measure",
	"notifications":     "what members are told of",
	"packages":          "the SDK packages that the server offers",
	"people":            "users of an app, their devices, consent and time line",
	"plans":             "plans, limits and usage of workspaces",
	"privacy":           "erasure and archive of a user's data",
	"retention":         "who returned: cohorts, curves, tables",
	"revenue":           "billing connections, products, purchases",
	"revenuefigures":    "revenue, subscriptions, cohorts of money",
	"scope":             "what reports are about: range, platform, filters, segment",
	"segment":           "segments and their rules",
	"view":              "saved views and notes on charts",
	"visitors":          "visitors and the time line of one",
}

var declared = regexp.MustCompile(`(?m)^(?:type|interface|union) (\w+)`)

// TestTheIndexNamesEveryType holds the index of schema.graphql to the domain files: each is there with its subject and
// its object types. SVC_SCHEMA=index writes it anew.
func TestTheIndexNamesEveryType(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.graphql")
	require.NoError(t, err)
	var index strings.Builder
	for _, file := range files {
		name := strings.TrimSuffix(file, ".graphql")
		subject, ok := subjects[name]
		require.True(t, ok, "say in subjects what %s is about", file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		index.WriteString("#   resolvers/" + file + ": " + subject + "\n")
		var types []string
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasSuffix(found[1], "Connection") {
				types = append(types, found[1])
			}
		}
		slices.Sort(types)
		writeWrapped(&index, types)
	}
	entry, err := os.ReadFile("../schema.graphql")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(entry), "# index:\n")
	require.True(t, ok)
	written, after, ok := strings.Cut(rest, "# end of index\n")
	require.True(t, ok)
	if os.Getenv("SVC_SCHEMA") == "index" {
		require.NoError(t, os.WriteFile("../schema.graphql",
			[]byte(before+"# index:\n"+index.String()+"# end of index\n"+after), 0o644))
		return
	}
	require.Equal(t, index.String(), written, "SVC_SCHEMA=index go test ./resolvers -run TestTheIndexNamesEveryType")
}

// writeWrapped writes names in lines of at most 120 columns.
func writeWrapped(index *strings.Builder, names []string) {
	const indent = "#       "
	line := indent
	for i, name := range names {
		if i < len(names)-1 {
			name += ", "
		}
		if len(line)+len(name) > 120 {
			index.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += name
	}
	if line != indent {
		index.WriteString(line + "\n")
	}
}
