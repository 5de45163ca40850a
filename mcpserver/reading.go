package mcpserver

import (
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/svc-dev/svc/docs"
	"github.com/svc-dev/svc/internal/fault"
)

type nothing struct{}

type describeInput struct {
	App         string `json:"app" jsonschema:"id of the app"`
	Environment string `json:"environment,omitempty" jsonschema:"LIVE or TEST; LIVE unless given"`
	Node        string `json:"node,omitempty" jsonschema:"a kind of node, such as screen: its slots and properties alone"`
}

type experimentInput struct {
	Experiment string `json:"experiment" jsonschema:"id of the experiment"`
	TimeZone   string `json:"timeZone,omitempty" jsonschema:"IANA name; UTC unless given"`
}

type explainInput struct {
	Channel string `json:"channel" jsonschema:"id of the channel, ch_live_… or ch_test_…"`
	Person  string `json:"person,omitempty" jsonschema:"app user id of a person: what they get"`
}

type noteInput struct {
	App         string `json:"app" jsonschema:"id of the app"`
	Environment string `json:"environment,omitempty" jsonschema:"LIVE or TEST; LIVE unless given"`
	At          string `json:"at" jsonschema:"what it stands at, RFC 3339"`
	Text        string `json:"text" jsonschema:"1 to 280 characters"`
}

type docsInput struct {
	Query string `json:"query" jsonschema:"words to look for"`
}

func addReading(server *mcp.Server) {
	addTool(server, &mcp.Tool{
		Name: "list_apps", Annotations: reads, Description: "The apps that the key may enter, and what it may do there.",
	}, func(c *call, _ nothing) (any, error) { return c.listApps() })
	addTool(server, &mcp.Tool{
		Name: "describe", Annotations: reads,
		Description: "What there is in an app: reports with their arguments, events, segments, flows, channels, " +
			"experiments, and how drafts of flows are edited. Call it first.",
	}, func(c *call, in describeInput) (any, error) {
		if in.Node != "" {
			return describeNode(in.Node)
		}
		return c.describe(in)
	})
	addTool(server, &mcp.Tool{
		Name: "experiment_results", Annotations: reads,
		Description: "Results of an experiment: the sample ratio check, and each variant against the control.",
	}, func(c *call, in experimentInput) (any, error) {
		field := sdl.Query.Fields.ForName("experimentResults")
		var data struct{ Results any }
		err := c.ask(`query($id: ID!, $zone: String!) { results: experimentResults(id: $id, timeZone: $zone)`+
			selection(field.Type, "series", "app")+` }`,
			map[string]any{"id": in.Experiment, "zone": orElse(in.TimeZone, "UTC")}, &data)
		if err != nil {
			return nil, err
		}
		a := c.newAnswer(compact(field.Type, data.Results))
		a.Definition = definitionOf(field)
		return a, nil
	})
	addTool(server, &mcp.Tool{
		Name: "explain_arm", Annotations: reads,
		Description: "What a channel serves now and why: to one person, and by variant.",
	}, func(c *call, in explainInput) (any, error) {
		variables := map[string]any{"id": in.Channel}
		if in.Person != "" {
			variables["person"] = in.Person
		}
		var data struct {
			Channel *struct {
				Name        string
				Explanation any
			}
		}
		if err := c.ask(explainQuery, variables, &data); err != nil {
			return nil, err
		}
		if data.Channel == nil {
			return nil, fault.Missing("channel")
		}
		explanation := sdl.Types["Channel"].Fields.ForName("explanation").Type
		return c.newAnswer(map[string]any{
			"channel": data.Channel.Name, "explanation": compact(explanation, data.Channel.Explanation),
		}), nil
	})
	addTool(server, &mcp.Tool{
		Name: "annotate", Annotations: writes, Description: "Writes a note on the charts of an environment.",
	}, func(c *call, in noteInput) (any, error) {
		var data struct{ CreateNote any }
		err := c.ask(`mutation($input: CreateNoteInput!) { createNote(input: $input) { id at text } }`,
			map[string]any{"input": map[string]any{
				"appId": in.App, "environment": orElse(in.Environment, "LIVE"), "at": in.At, "text": in.Text,
			}}, &data)
		return map[string]any{"note": data.CreateNote}, err
	})
	addTool(server, &mcp.Tool{
		Name: "docs", Annotations: reads, Description: "Searches the product's documentation.",
	}, func(c *call, in docsInput) (any, error) {
		if strings.TrimSpace(in.Query) == "" {
			return nil, fault.Invalid("query", "give words to look for")
		}
		return map[string]any{"sections": docs.Search(in.Query, 5)}, nil
	})
}

const explainQuery = `query($id: ChannelID!, $person: String) { channel(id: $id) {
	name explanation(appUserId: $person) {
	reason refusal bucket totalWeight variant { ...explained } variants { ...explained }
} } }
fragment explained on ExplainedArm {
	variant { key name weight } version { id number label flow { id name } } share refusal leftOut
}`

func (c *call) listApps() (any, error) {
	var data struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct {
					Capabilities []string
					Workspace    struct {
						Name string
						Apps struct {
							Nodes []map[string]any
						}
					}
				}
			}
		}
	}
	err := c.ask(`query { viewer { workspaces { nodes { capabilities workspace { name
		apps(first: 200) { nodes { id name } } } } } } }`, nil, &data)
	if err != nil {
		return nil, err
	}
	workspaces := []any{}
	for _, access := range data.Viewer.Workspaces.Nodes {
		workspaces = append(workspaces, map[string]any{
			"workspace": access.Workspace.Name, "capabilities": access.Capabilities, "apps": access.Workspace.Apps.Nodes,
		})
	}
	return c.newAnswer(workspaces), nil
}

const describeQuery = `query($app: ID!, $environment: EnvironmentKind!, $scope: ScopeInput!) { app(id: $app) {
	id name
	productAnalytics(scope: $scope) {
		range { start end timeZone } events(first: 50) { nodes { name count lastSeen } totalCount }
	}
	segments(first: 50) { nodes { id name } totalCount }
	flows(first: 50) { nodes { id name draftRevision updatedAt } totalCount }
	environment(kind: $environment) { channels(first: 50) { nodes { id name assignment } totalCount } }
	experiments(environment: $environment, first: 20) { nodes { id name status } totalCount }
} }`

// describe lists what there is in an app. What the key may not read is left out.
func (c *call) describe(in describeInput) (any, error) {
	environment := orElse(in.Environment, "LIVE")
	if environment != "LIVE" && environment != "TEST" {
		return nil, fault.Invalid("environment", "must be LIVE or TEST")
	}
	var data struct{ App map[string]any }
	refusals, err := c.askPartly(describeQuery, map[string]any{
		"app": in.App, "environment": environment, "scope": map[string]any{"environment": environment},
	}, &data)
	if err != nil {
		return nil, err
	}
	for _, refused := range refusals {
		if refused.Code != fault.Forbidden {
			return nil, refused
		}
	}
	if data.App == nil {
		return nil, fault.Missing("app")
	}
	described := map[string]any{}
	for name, member := range data.App {
		described[name] = compact(sdl.Types["App"].Fields.ForName(name).Type, member)
	}
	a := c.newAnswer(described)
	a.URL = c.BaseURL + "/apps/" + in.App + "/" + strings.ToLower(environment) + "/home"
	return struct {
		*answer
		Reports     []string `json:"reports"`
		FlowReports []string `json:"flowReports"`
		Editing     any      `json:"editing"`
	}{a, slices.Concat(product.lines(), revenue.lines(), imported.lines()), flow.lines(), editing()}, nil
}

// lines says of each report of a family in one line what it is and what it takes.
func (f family) lines() []string {
	var lines []string
	for _, report := range f.reports() {
		line := f.prefix + report.Name
		var arguments []string
		for _, argument := range report.Arguments {
			text := argument.Name
			if argument.Type.NonNull && argument.DefaultValue == nil {
				text += " (required)"
			}
			if argument.Name == "dimension" {
				text += " " + valuesOf(argument.Type)
			}
			arguments = append(arguments, text)
		}
		if len(arguments) > 0 {
			line += "(" + strings.Join(arguments, "; ") + ")"
		}
		if text := oneLine(report.Description); text != "" {
			line += ": " + text
		}
		lines = append(lines, line)
	}
	return lines
}

func orElse(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
