// Schemaindex writes the index of schema.graphql: which type stands in which resolvers/*.graphql. It needs nothing that
// is generated and runs before gqlgen, which holds the text of the schema.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// subjects says of each domain file what it is about, for the index of schema.graphql.
var subjects = map[string]string{
	"account":           "who is signed in, workspaces, members, invitations, API keys, the audit log",
	"alert":             "alerts on metrics, and when they would have fired",
	"analytics":         "product analytics of an app: summary, charts, tables",
	"app":               "apps, environments, publishable keys, integrations, branding",
	"automation":        "automations, their runs, webhook endpoints and deliveries",
	"channel":           "channels and what they are assigned",
	"edit":              "drafts in the editor: operations, edits of others, history",
	"experiment":        "experiments and their variants",
	"channelwatch":      "a new version of a channel beside the one before it",
	"experimentplan":    "how long an experiment has to run",
	"experimentresults": "what an experiment found",
	"flow":              "flows, drafts, versions, problems, previews",
	"flowanalytics":     "analytics of a flow: funnel, paths, steps, answers, runs",
	"flowcopy":          "flows copied, exported and imported",
	"component":         "subtrees of layers that the flows of an app share",
	"funnel":            "funnels: conditions met one after the other, and how far visitors came",
	"goal":              "goals: named conditions, and how often they were met",
	"historyimport":     "imports of the history of other tools",
	"importedtotals":    "totals per day that other tools counted",
	"home":              "which cards a member's home page shows",
	"identityproof":     "proof of custom user ids",
	"ingesthealth":      "what ingest accepted, rejected and dropped as duplicate",
	"live":              "who is online, and the newest events",
	"media":             "uploaded files",
	"metrics":           "what a table or chart can measure",
	"notifications":     "what members are told of",
	"oauth":             "what OAuth clients of /mcp ask members for",
	"packages":          "the SDK packages that the server offers",
	"parquetexport":     "exports of environments as Parquet files",
	"paths":             "where sessions went from a page, screen or event",
	"people":            "users of an app, their devices, consent and time line",
	"plans":             "plans, limits and usage of workspaces",
	"privacy":           "erasure and archive of a user's data",
	"retention":         "who returned: cohorts, curves, tables",
	"revenue":           "billing connections, products, purchases",
	"revenuefigures":    "revenue, subscriptions, cohorts of money",
	"scheduledreport":   "reports that come every week or month, by email or in Slack",
	"scope":             "what reports are about: range, platform, filters, segment",
	"share":             "links that share reports, and what their readers see",
	"segment":           "segments and their rules",
	"signin":            "how members sign in: sessions, second factors, passkeys, rules",
	"simulation":        "what recorded runs would do in the draft of a flow",
	"sqlrole":           "login roles of the database, and the views that they read",
	"template":          "flows to begin with",
	"view":              "saved views and notes on charts",
	"visitors":          "visitors and the time line of one",
}

var declared = regexp.MustCompile(`(?m)^(?:type|interface|union) (\w+)`)

// The lines of schema.graphql that the index stands between.
const (
	begin = "# index:\n"
	end   = "# end of index\n"
)

// main takes the root of the repository.
func main() {
	log.SetFlags(0)
	root := os.Args[1]
	text, err := withIndex(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "schema.graphql"), []byte(text), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// withIndex returns schema.graphql with the index of the domain files: each with its subject and its object types.
func withIndex(root string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "resolvers", "*.graphql"))
	if err != nil {
		return "", err
	}
	var index strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		base := filepath.Base(file)
		subject, ok := subjects[strings.TrimSuffix(base, ".graphql")]
		if !ok {
			return "", fmt.Errorf("say in subjects what %s is about", base)
		}
		index.WriteString("#   resolvers/" + base + ": " + subject + "\n")
		var types []string
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasSuffix(found[1], "Connection") {
				types = append(types, found[1])
			}
		}
		slices.Sort(types)
		writeWrapped(&index, types)
	}
	entry, err := os.ReadFile(filepath.Join(root, "schema.graphql"))
	if err != nil {
		return "", err
	}
	before, rest, opened := strings.Cut(string(entry), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return "", fmt.Errorf("schema.graphql has no place for the index")
	}
	return before + begin + index.String() + end + after, nil
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
