package ascode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/svc-dev/svc/manifest"
)

// flowState is what a push must know of a flow beside its document.
type flowState struct {
	revision int
	newest   version // zero: nothing was published
	same     bool    // the newest version says what the draft does
}

type version struct {
	ID       string `json:"id"`
	Number   int    `json:"number"`
	Checksum string `json:"checksum"`
}

// isOf tells whether a version is what publishing a draft would make.
func (v version) isOf(flow string, draft document) bool {
	stamped := maps.Clone(draft)
	stamped["flowId"], stamped["version"] = flow, v.Number
	raw, err := json.Marshal(stamped)
	if err != nil {
		return false
	}
	parsed, _ := manifest.Parse(raw)
	if parsed == nil {
		return false
	}
	sum := sha256.Sum256(parsed.JSON())
	return hex.EncodeToString(sum[:]) == v.Checksum
}

var flowKind = &kind{
	name: "flows", members: []string{"name", "manifest"}, required: []string{"name", "manifest"},
	refers: []string{"components"},
	read:   readFlows, create: createFlow, update: updateFlow,
	remove: func(ctx context.Context, p *push, o *object) error {
		return p.change(ctx, "archiveFlow", map[string]any{"id": o.id}, nil)
	},
}

func readFlows(ctx context.Context, r *reading) ([]*object, error) {
	var rows []struct {
		nameOf
		Draft         json.RawMessage `json:"draft"`
		DraftRevision int             `json:"draftRevision"`
		Versions      struct {
			Nodes []version `json:"nodes"`
		} `json:"versions"`
	}
	if err := r.server.ReadAll(ctx, "flowFiles", map[string]any{"app": r.app}, &rows, "app", "flows"); err != nil {
		return nil, err
	}
	var objects []*object
	for _, row := range rows {
		draft, err := decode(row.Draft)
		if err != nil {
			return nil, fmt.Errorf("the draft of %q %w", row.Name, err)
		}
		delete(draft, "flowId")
		delete(draft, "version")
		state := &flowState{revision: row.DraftRevision}
		if len(row.Versions.Nodes) > 0 {
			state.newest = row.Versions.Nodes[0]
			state.same = state.newest.isOf(row.ID, draft)
		}
		r.flows[row.ID] = state
		objects = append(objects, &object{
			id: row.ID, name: row.Name, flow: state, content: document{"name": row.Name, "manifest": draft},
		})
	}
	return objects, nil
}

func createFlow(ctx context.Context, p *push, c change) (string, error) {
	var made struct {
		ID            string `json:"id"`
		DraftRevision int    `json:"draftRevision"`
	}
	err := p.change(ctx, "createFlow", map[string]any{"appId": c.app, "name": c.content["name"]}, &made)
	if err != nil {
		return "", err
	}
	p.flows[made.ID] = &flowState{revision: made.DraftRevision}
	return made.ID, p.saveManifest(ctx, made.ID, c.content["manifest"])
}

func updateFlow(ctx context.Context, p *push, c change) error {
	if c.content["name"] != c.object.name {
		if err := p.change(ctx, "renameFlow", map[string]any{"id": c.object.id, "name": c.content["name"]}, nil); err != nil {
			return err
		}
	}
	if hash(document{"m": p.resolve(document{"m": c.object.content["manifest"]})["m"]}) ==
		hash(document{"m": c.content["manifest"]}) {
		return nil
	}
	return p.saveManifest(ctx, c.object.id, c.content["manifest"])
}

// saveManifest makes a manifest the draft of a flow, unless somebody saved since the flow was read.
func (p *push) saveManifest(ctx context.Context, flow string, manifest any) error {
	state := p.flows[flow]
	var saved struct {
		Flow struct {
			DraftRevision int `json:"draftRevision"`
		} `json:"flow"`
	}
	input := map[string]any{"flowId": flow, "revision": state.revision, "draft": manifest}
	if err := p.change(ctx, "saveDraft", input, &saved); err != nil {
		return err
	}
	state.revision, state.same = saved.Flow.DraftRevision, false
	return nil
}

// versionOf finds the version that a document names: a number, or else the flow as its file has it, which is published
// unless its newest version is that already.
func (p *push) versionOf(ctx context.Context, of document) (string, error) {
	flow, _ := of["flow"].(string)
	state := p.flows[flow]
	if state == nil {
		return "", fmt.Errorf("flow must be that of a file, such as @flows/onboarding")
	}
	if number := of["version"]; number != nil {
		return p.numbered(ctx, flow, fmt.Sprint(number))
	}
	if state.same {
		return state.newest.ID, nil
	}
	var published struct {
		Version version `json:"version"`
	}
	input := map[string]any{"id": flow, "revision": state.revision}
	if err := p.change(ctx, "publishFlow", input, &published); err != nil {
		return "", err
	}
	state.newest, state.same = published.Version, true
	return state.newest.ID, nil
}

func (p *push) numbered(ctx context.Context, flow, number string) (string, error) {
	var versions []version
	err := p.server.ReadAll(ctx, "flowVersions", map[string]any{"flow": flow}, &versions, "flow", "versions")
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		if fmt.Sprint(v.Number) == number {
			return v.ID, nil
		}
	}
	return "", fmt.Errorf("the flow has no version %s here; without version it is published as its file says", number)
}

// servedVersion is a version as files name it: without a number when it is what the flow's file says.
func (r *reading) servedVersion(v *servedVersion, into document) document {
	if v == nil {
		return into
	}
	into["flow"] = v.Flow.ID
	if state := r.flows[v.Flow.ID]; state == nil || !state.same || state.newest.ID != v.ID {
		into["version"] = json.Number(fmt.Sprint(v.Number))
	}
	return into
}

type servedVersion struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
	Flow   nameOf `json:"flow"`
}
