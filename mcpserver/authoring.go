package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/svc-dev/svc/internal/fault"
)

type listFlowsInput struct {
	App      string `json:"app" jsonschema:"id of the app"`
	Archived bool   `json:"archived,omitempty" jsonschema:"archived flows too"`
	First    int    `json:"first,omitempty" jsonschema:"how many, at most 200; 20 unless given"`
	After    string `json:"after,omitempty" jsonschema:"after of the page before"`
}

type flowIDInput struct {
	Flow string `json:"flow" jsonschema:"id of the flow"`
}

type getFlowInput struct {
	Flow string `json:"flow" jsonschema:"id of the flow"`
	Node string `json:"node,omitempty" jsonschema:"id of a screen, layer or other node: it alone, as a whole"`
}

type editInput struct {
	Flow         string          `json:"flow"`
	App          string          `json:"app"`
	Name         string          `json:"name"`
	BaseRevision int             `json:"baseRevision"`
	Steps        json.RawMessage `json:"steps"`
}

// editSchema is made of the GraphQL input; who sends it and in which series is the server's business here.
var editSchema = func() *jsonschema.Schema {
	object := newObject("")
	addProperty(object, "flow", &jsonschema.Schema{Type: "string"}, "Id of the flow.")
	addProperty(object, "app", &jsonschema.Schema{Type: "string"}, "In place of `flow`: makes a new flow in this app.")
	addProperty(object, "name", &jsonschema.Schema{Type: "string"}, "Of the new flow.")
	addProperty(object, "baseRevision", &jsonschema.Schema{Type: "integer"},
		"The revision that get_flow gave; with a new flow it is left out.")
	steps := sdl.Types["EditDraftInput"].Fields.ForName("steps")
	addProperty(object, "steps", (&schemas{}).input(steps.Type), steps.Description)
	return object
}()

func addAuthoring(server *mcp.Server) {
	addTool(server, &mcp.Tool{
		Name: "list_flows", Annotations: reads, Description: "The flows of an app, with their newest version.",
	}, (*call).listFlows)
	addTool(server, &mcp.Tool{
		Name: "get_flow", Annotations: reads,
		Description: "The draft of a flow with its revision. Of a large one, nodes deep inside are named only: ask for " +
			"them with `node`.",
	}, (*call).getFlow)
	addTool(server, &mcp.Tool{
		Name: "edit_draft", Annotations: rewrites, InputSchema: editSchema,
		Description: "Changes the draft of a flow by operations, or makes a new flow. A step that can't be applied is " +
			"refused alone. The same steps for the same baseRevision are applied once. Users get none of it before a member " +
			"publishes. describe says how.",
	}, (*call).editDraft)
	addTool(server, &mcp.Tool{
		Name: "validate", Annotations: reads, Description: "What is wrong with a draft: errors keep it from being published.",
	}, func(c *call, in flowIDInput) (any, error) {
		problems, err := c.problems(in.Flow)
		if err != nil {
			return nil, err
		}
		return map[string]any{"publishable": !slices.ContainsFunc(problems, isError), "problems": problems}, nil
	})
	addTool(server, &mcp.Tool{
		Name: "request_publish", Annotations: writes,
		Description: "Asks members to publish a draft: they see it beside the newest version, with your words, and publish " +
			"or decline. It takes the place of an earlier request for the flow.",
	}, (*call).requestPublish)
}

type requestPublishInput struct {
	Flow     string `json:"flow" jsonschema:"id of the flow"`
	Revision int    `json:"revision" jsonschema:"the revision that get_flow or edit_draft gave"`
	Label    string `json:"label,omitempty" jsonschema:"of the version, at most 120 characters"`
	Text     string `json:"text,omitempty" jsonschema:"what changed and why, for whoever decides; at most 1000 characters"`
}

// requestPublish asks members to publish a draft, on the page that compares it with what was published.
func (c *call) requestPublish(in requestPublishInput) (any, error) {
	var data struct {
		RequestPublish struct{ App struct{ ID string } }
	}
	err := c.ask(`mutation($input: RequestPublishInput!) { requestPublish(input: $input) { app { id } } }`,
		map[string]any{"input": map[string]any{
			"flowId": in.Flow, "revision": in.Revision, "label": in.Label, "text": in.Text,
		}}, &data)
	if fault.Is(err, fault.PublishBlocked) {
		return nil, fault.New(fault.PublishBlocked, "the draft has errors: validate says which")
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"requested": true, "revision": in.Revision,
		"url":  c.BaseURL + "/apps/" + data.RequestPublish.App.ID + "/live/flows/" + in.Flow + "/versions?as=compare",
		"note": "Nothing is published before a member does so at the url.",
	}, nil
}

func (c *call) listFlows(in listFlowsInput) (any, error) {
	if in.First == 0 {
		in.First = rowsAsked
	}
	variables := map[string]any{"app": in.App, "archived": in.Archived, "first": in.First}
	if in.After != "" {
		variables["after"] = in.After
	}
	var data struct{ App *struct{ Flows any } }
	err := c.ask(`query($app: ID!, $archived: Boolean!, $first: Int!, $after: String) { app(id: $app) {
		flows(includeArchived: $archived, first: $first, after: $after) {
			nodes {
				id name draftRevision updatedAt archivedAt versions(first: 1) { totalCount nodes { id number label createdAt } }
			}
			totalCount pageInfo { hasNextPage endCursor }
		} } }`, variables, &data)
	if err != nil {
		return nil, err
	}
	if data.App == nil {
		return nil, fault.Missing("app")
	}
	a := c.newAnswer(compact(sdl.Types["App"].Fields.ForName("flows").Type, data.App.Flows))
	a.URL = c.BaseURL + "/apps/" + in.App + "/live/flows"
	return a, nil
}

// draft is the draft of a flow as the editor reads it.
type draft struct {
	Name     string
	Revision int
	CanEdit  bool
	Document map[string]any
}

func (c *call) readDraft(flow string) (draft, error) {
	var data struct{ Draft draft }
	err := c.ask(`query($flow: ID!) { draft(flowId: $flow) { name revision canEdit document } }`,
		map[string]any{"flow": flow}, &data)
	return data.Draft, err
}

func (c *call) getFlow(in getFlowInput) (any, error) {
	d, err := c.readDraft(in.Flow)
	if err != nil {
		return nil, err
	}
	found := any(d.Document)
	if in.Node != "" {
		if found = nodeOf(d.Document, in.Node); found == nil {
			return nil, fault.Invalid("node", "the draft has no node %q", in.Node)
		}
	}
	a := c.newAnswer(nil)
	whole := map[string]any{"name": d.Name, "revision": d.Revision, "canEdit": d.CanEdit}
	a.Data = whole
	for depth := 64; depth > 0; depth /= 2 {
		whole["document"] = outline(found, depth)
		if len(encode(a)) <= maxAnswer {
			break
		}
	}
	return a, nil
}

// nodeOf returns the object with an id; nil when there is none.
func nodeOf(value any, id string) any {
	switch value := value.(type) {
	case map[string]any:
		if value["id"] == id {
			return value
		}
		for _, name := range sortedKeys(value) {
			if found := nodeOf(value[name], id); found != nil {
				return found
			}
		}
	case []any:
		for _, element := range value {
			if found := nodeOf(element, id); found != nil {
				return found
			}
		}
	}
	return nil
}

// outline keeps of nodes that lie deeper than depth only what names them.
func outline(value any, depth int) any {
	switch value := value.(type) {
	case map[string]any:
		id, is := value["id"]
		if is && depth <= 0 {
			short := map[string]any{"id": id, "inside": "left out"}
			for _, name := range []string{"kind", "name"} {
				if member, there := value[name]; there {
					short[name] = member
				}
			}
			return short
		}
		kept := make(map[string]any, len(value))
		for name, member := range value {
			kept[name] = outline(member, depth-1)
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, element := range value {
			kept[i] = outline(element, depth)
		}
		return kept
	}
	return value
}

func (c *call) editDraft(in editInput) (any, error) {
	if in.Flow == "" {
		if in.App == "" || in.Name == "" {
			return nil, fault.Invalid("flow", "give flow, or app and name for a new one")
		}
		var data struct {
			CreateFlow struct {
				ID            string
				DraftRevision int
			}
		}
		if err := c.ask(`mutation($input: CreateFlowInput!) { createFlow(input: $input) { id draftRevision } }`,
			map[string]any{"input": map[string]any{"appId": in.App, "name": in.Name}}, &data); err != nil {
			return nil, err
		}
		in.Flow, in.BaseRevision = data.CreateFlow.ID, data.CreateFlow.DraftRevision
	} else if in.App != "" || in.Name != "" {
		return nil, fault.Invalid("app", "comes with a new flow only: leave flow out, or app and name")
	}
	edited := map[string]any{"flow": in.Flow, "revision": in.BaseRevision}
	if len(in.Steps) > 0 && string(in.Steps) != "[]" {
		if in.BaseRevision == 0 {
			return nil, fault.Invalid("baseRevision", "give the revision that get_flow gave")
		}
		revision, outcomes, err := c.sendSteps(in)
		if err != nil {
			return nil, err
		}
		edited["revision"], edited["steps"] = revision, outcomes
	}
	problems, err := c.problems(in.Flow)
	if err != nil {
		return nil, err
	}
	edited["problems"], edited["note"] = problems, dataNote
	return edited, nil
}

// sendSteps sends a batch of its own series, which the content names: the same call again is the same batch, and is
// answered as the first time.
func (c *call) sendSteps(in editInput) (revision int, outcomes []string, err error) {
	series := fmt.Sprintf("%s %s %d %s", c.caller.KeyID, in.Flow, in.BaseRevision, in.Steps)
	var data struct {
		EditDraft struct {
			Revision int
			Outcomes []struct {
				Refusal *struct{ Code, Node, By string }
			}
		}
	}
	err = c.ask(`mutation($input: EditDraftInput!) { editDraft(input: $input) {
		revision outcomes { refusal { code node by } }
	} }`, map[string]any{"input": map[string]any{
		"flowId": in.Flow, "baseRevision": in.BaseRevision, "steps": in.Steps, "sequence": 1,
		"clientId": uuid.NewSHA1(uuid.NameSpaceOID, []byte(series)).String(),
	}}, &data)
	for _, outcome := range data.EditDraft.Outcomes {
		text := "applied"
		if refusal := outcome.Refusal; refusal != nil {
			text = "refused, " + orElse(refusals[refusal.Code], refusal.Code) + ": node " + refusal.Node
			if refusal.By != "" {
				text += ", removed by " + refusal.By
			}
		}
		outcomes = append(outcomes, text)
	}
	return data.EditDraft.Revision, outcomes, err
}

// refusals are the reasons why steps are refused, in words.
var refusals = map[string]string{
	"node_removed": "there is no such node", "cycle": "a node can't be moved into itself",
	"exists": "the id is taken", "slot": "the parent has no such slot for it", "shape": "it has not the shape of the node",
	"limit": "the draft would become too large",
}

// problems says what is wrong with a draft, with the names of screens.
func (c *call) problems(flow string) ([]string, error) {
	d, err := c.readDraft(flow)
	if err != nil {
		return nil, err
	}
	var data struct {
		Flow *struct {
			Problems []struct{ Severity, Code, Pointer, Message, StepID string }
		}
	}
	err = c.ask(`query($flow: ID!) { flow(id: $flow) { problems { severity code pointer message stepId } } }`,
		map[string]any{"flow": flow}, &data)
	if err != nil {
		return nil, err
	}
	if data.Flow == nil {
		return nil, fault.Missing("flow")
	}
	lines := []string{}
	for _, problem := range data.Flow.Problems {
		where := problem.Pointer
		if node, is := nodeOf(d.Document, problem.StepID).(map[string]any); is && problem.StepID != "" {
			where = fmt.Sprintf("“%v” (%s), %s", orName(node), problem.StepID, problem.Pointer)
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %s", strings.ToLower(problem.Severity), where, problem.Message))
	}
	return lines, nil
}

// orName returns the name of a node, or its id.
func orName(node map[string]any) any {
	if name, _ := node["name"].(string); name != "" {
		return name
	}
	return node["id"]
}

func isError(problem string) bool { return strings.HasPrefix(problem, "error:") }
