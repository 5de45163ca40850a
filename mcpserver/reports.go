package mcpserver

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/fault"
)

// rowsAsked is how many rows of a table a report has unless the caller says otherwise.
const rowsAsked = 20

const importedExactness = "Totals per day as the tools in `sources` counted them: they are in no other report, and a " +
	"visitor is counted on each day and in each value anew."

const exactness = "Counted, not estimated, with what was stored up to a second before. `incomplete` and `complete` " +
	"say, where a report has them, what could not be counted."

// The inputs of reports, made of the GraphQL schema once.
var (
	reportInput = newReportInput("Which report; describe says what each takes.", []family{product, revenue, imported})
	flowInput   = newReportInput("Which report of the flow.", []family{flow})
	peopleInput = newPeopleInput()
)

// newReportInput returns the schema of {app, report, scope, …arguments}; flows are named by their scope.
func newReportInput(description string, families []family) *jsonschema.Schema {
	object, made := newObject(""), &schemas{}
	object.Required = []string{"report"}
	name := &jsonschema.Schema{Type: "string"}
	var all []*ast.FieldDefinition
	var scopes []*jsonschema.Schema
	for _, f := range families {
		for _, report := range f.reports() {
			name.Enum = append(name.Enum, f.prefix+report.Name)
			all = append(all, report)
		}
		scopes = append(scopes, made.object(f.scope, "appId"))
	}
	addProperty(object, "report", name, description)
	if families[0].of == flow.of {
		object.Required = append(object.Required, "scope")
	} else {
		addProperty(object, "app", &jsonschema.Schema{Type: "string"}, "Id of the app.")
		object.Required = append(object.Required, "app")
	}
	addProperty(object, "scope", mergeProperties(scopes[0], scopes[1:]...), "")
	made.addArguments(object, all)
	object.Defs = made.shared
	return object
}

func newPeopleInput() *jsonschema.Schema {
	object, made := newObject(""), &schemas{}
	addProperty(object, "app", &jsonschema.Schema{Type: "string"}, "Id of the app, with `scope`.")
	addProperty(object, "scope", made.object(product.scope),
		"Of product analytics: the report's own scope, with the row's value as one of `columns`.")
	addProperty(object, "flowScope", made.object(flow.scope), "Of a flow's reports, with `cell`.")
	addProperty(object, "cell", made.input(flow.of.Fields.ForName("peopleBehind").Arguments.ForName("cell").Type), "")
	addProperty(object, "first", &jsonschema.Schema{Type: "integer"}, "How many; 20 unless given.")
	addProperty(object, "after", &jsonschema.Schema{Type: "string"}, "`after` of the page before.")
	object.Defs = made.shared
	return object
}

func addReports(server *mcp.Server) {
	addTool(server, &mcp.Tool{
		Name: "report", Annotations: reads, InputSchema: reportInput,
		Description: "A report of product analytics, revenue or imported totals of an app. Call describe first.",
	}, func(c *call, in map[string]any) (any, error) {
		name, _ := in["report"].(string)
		if short, is := strings.CutPrefix(name, revenue.prefix); is {
			scope, _ := in["scope"].(map[string]any)
			if scope == nil {
				scope = map[string]any{}
			}
			scope["appId"], in["scope"] = in["app"], scope
			return c.report(revenue, short, in)
		}
		if short, is := strings.CutPrefix(name, imported.prefix); is {
			return c.report(imported, short, in)
		}
		return c.report(product, name, in)
	})
	addTool(server, &mcp.Tool{
		Name: "flow_report", Annotations: reads, InputSchema: flowInput,
		Description: "A report of one flow: its funnel, where runs end, what users answered. Call describe first.",
	}, func(c *call, in map[string]any) (any, error) {
		name, _ := in["report"].(string)
		return c.report(flow, name, in)
	})
	addTool(server, &mcp.Tool{
		Name: "people_behind", Annotations: reads, InputSchema: peopleInput,
		Description: "The users behind a row of a report. Give `app` and `scope`, or `flowScope` and `cell`.",
	}, func(c *call, in map[string]any) (any, error) {
		if scope, given := in["flowScope"]; given {
			if _, both := in["scope"]; both {
				return nil, fault.Invalid("scope", "give scope or flowScope, not both")
			}
			delete(in, "app")
			delete(in, "flowScope")
			in["scope"] = scope
			return c.report(flow, "peopleBehind", in)
		}
		if in["app"] == nil {
			return nil, fault.Invalid("app", "give app and scope, or flowScope and cell")
		}
		return c.report(product, "visitors", in)
	})
}

// report asks for one report; in holds app, report, scope, and the report's arguments.
func (c *call) report(f family, name string, in map[string]any) (any, error) {
	report := f.of.Fields.ForName(name)
	arguments := []string{}
	for _, argument := range sortedKeys(in) {
		switch {
		case argument == "report" || argument == "app" || argument == "scope":
		case report.Arguments.ForName(argument) == nil:
			return nil, fault.Invalid(argument, "the report %s does not take it; it takes %s", f.prefix+name, taken(report))
		default:
			arguments = append(arguments, argument)
		}
	}
	if report.Arguments.ForName("first") != nil && in["first"] == nil {
		in["first"], arguments = rowsAsked, append(arguments, "first")
	}
	for _, argument := range report.Arguments {
		if argument.Type.NonNull && argument.DefaultValue == nil && in[argument.Name] == nil {
			return nil, fault.Invalid(argument.Name, "the report %s needs it: %s", f.prefix+name, valuesOf(argument.Type))
		}
	}
	scope, _ := in["scope"].(map[string]any)
	if scope == nil {
		scope = map[string]any{}
	}
	variables := map[string]any{"scope": scope}
	if strings.Contains(f.around("", ""), "$app") {
		variables["app"] = in["app"]
	}
	for _, argument := range arguments {
		variables[argument] = in[argument]
	}
	var data struct {
		App     *struct{ Reports reported }
		Reports *reported
	}
	if err := c.ask(f.operation(report, arguments), variables, &data); err != nil {
		return nil, err
	}
	read := data.Reports
	if data.App != nil {
		read = &data.App.Reports
	}
	if read == nil {
		return nil, fault.Missing("app")
	}
	a := c.newAnswer(compact(report.Type, read.Report))
	a.Report, a.Definition, a.Range = f.prefix+name, definitionOf(report), read.Range
	a.Exactness = exactness
	if f.prefix == imported.prefix {
		a.Exactness, a.Sources, a.LeftOut = importedExactness, read.Sources, read.LeftOut
	}
	if people := data.App; people != nil || f.prefix != "" {
		app, _ := in["app"].(string)
		a.URL = c.pageURL(app, scope, pages[pageOf(f, name)], read.Range)
	} else if id, _ := scope["flowId"].(string); id != "" {
		a.URL = c.flowURL(id, scope, read.Range)
	}
	return a, nil
}

// reported is one report with its resolved range.
type reported struct {
	Range  resolvedRange
	Report any
	// Sources and LeftOut are of imported totals.
	Sources []string
	LeftOut bool
}

type resolvedRange struct {
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	TimeZone string    `json:"timeZone"`
}

// definitionOf is what the schema says of a report and of its rows.
func definitionOf(report *ast.FieldDefinition) string {
	definition := sdl.Types[report.Type.Name()]
	texts := []string{oneLine(report.Description), oneLine(definition.Description)}
	if nodes := definition.Fields.ForName("nodes"); nodes != nil {
		definition = sdl.Types[nodes.Type.Name()]
		texts = append(texts, oneLine(definition.Description))
	}
	for _, field := range definition.Fields {
		if text := oneLine(field.Description); text != "" {
			texts = append(texts, field.Name+": "+text)
		}
	}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " ")
}

// taken lists what a report takes, in words.
func taken(report *ast.FieldDefinition) string {
	if len(report.Arguments) == 0 {
		return "nothing but its scope"
	}
	return strings.ReplaceAll(strings.Join(argumentNames(report), ", "), "*", "")
}

// valuesOf says what an argument may be.
func valuesOf(t *ast.Type) string {
	if values := (&schemas{}).input(t).Enum; values != nil {
		names := make([]string, len(values))
		for i, value := range values {
			names[i], _ = value.(string)
		}
		return "one of " + strings.Join(names, ", ")
	}
	return "a " + t.Name()
}

// pages are the paths of the dashboard's reports, by the first word of the report's name.
var pages = map[string]string{
	"attribution": "acquisition", "engagement": "engagement", "screens": "engagement", "events": "events",
	"retention": "retention", "demographic": "locations", "technology": "devices", "visitors": "visitors",
	"timeline": "visitors", "revenue": "revenue", "": "home",
}

func pageOf(f family, report string) string {
	switch f.prefix {
	case revenue.prefix:
		return "revenue"
	case imported.prefix:
		return ""
	}
	for word := range pages {
		if word != "" && strings.HasPrefix(report, word) {
			return word
		}
	}
	return ""
}

// pageURL is the address of a page of an app with the range of a report.
func (c *call) pageURL(app string, scope map[string]any, page string, r resolvedRange) string {
	environment := "live"
	if scope["environment"] == "TEST" {
		environment = "test"
	}
	zone, err := time.LoadLocation(r.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	search := url.Values{
		"range": {"custom"}, "from": {r.Start.In(zone).Format(time.DateOnly)},
		"to": {r.End.Add(-time.Nanosecond).In(zone).Format(time.DateOnly)}, "zone": {r.TimeZone},
	}
	for _, name := range []string{"platform", "segmentId"} {
		if value, _ := scope[name].(string); value != "" {
			search.Set(strings.TrimSuffix(name, "Id"), strings.ToLower(value))
		}
	}
	return c.BaseURL + "/apps/" + url.PathEscape(app) + "/" + environment + "/" + page + "?" + search.Encode()
}

// flowURL is the address of a flow's reports; empty for who may not read where the flow belongs.
func (c *call) flowURL(id string, scope map[string]any, r resolvedRange) string {
	var data struct {
		Flow *struct{ App struct{ ID string } }
	}
	if err := c.ask(`query($id: ID!) { flow(id: $id) { app { id } } }`, map[string]any{"id": id}, &data); err != nil ||
		data.Flow == nil {
		return ""
	}
	return c.pageURL(data.Flow.App.ID, scope, "flows/"+url.PathEscape(id), r)
}
