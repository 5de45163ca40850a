package simulate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

// world draws flows that share steps, layers and fields, and runs that fit them more or less.
type world struct{ *rand.Rand }

type object = map[string]any

var (
	screens   = []string{"s0", "s1", "s2", "s3", "s4"}
	surfaces  = []string{"p0", "p1"}
	decisions = []string{"d0", "d1", "d2"}
	options   = []string{"a", "b", "c"}
	keys      = []string{"goal", "many", "age", "name", "ok", "permission:camera"}
)

func (w world) of(list ...string) string { return list[w.IntN(len(list))] }
func (w world) chance(percent int) bool  { return w.IntN(100) < percent }

func (w world) target() string {
	return w.of(append(append(append([]string{}, screens...), screens...), append(surfaces, decisions...)...)...)
}

func (w world) next() any {
	if w.chance(12) {
		return nil
	}
	if w.chance(3) {
		return "__onb_surface_no_next__"
	}
	return w.target()
}

func (w world) expression(depth int) object {
	switch {
	case depth < 2 && w.chance(30):
		var children []object
		for range 1 + w.IntN(3) {
			children = append(children, w.expression(depth+1))
		}
		return object{"kind": "group", "op": w.of("and", "or"), "children": children}
	case w.chance(5):
		return object{"kind": "empty"}
	}
	variable := object{"kind": "field", "fieldKey": w.of(append(keys, "other")...)}
	if w.chance(15) {
		variable = object{"kind": "builtin", "name": w.of("platform", "locale")}
	} else if w.chance(10) {
		variable = object{"kind": "sdk", "key": "plan"}
	}
	var of string
	var pred object
	switch of = w.of("string", "number", "boolean", "choice", "multi"); of {
	case "string":
		pred = object{"op": w.of("eq", "neq", "contains"), "value": w.of("ios", "a", "b", "7", "e", "granted")}
	case "number":
		pred = object{"op": w.of("eq", "neq", "lt", "lte", "gt", "gte"), "value": w.IntN(10)}
	case "boolean":
		pred = object{"op": w.of("eq", "neq"), "value": w.chance(50)}
	case "choice":
		pred = object{"op": "eq", "optionId": w.of(options...)}
		if w.chance(50) {
			pred = object{"op": "one_of", "optionIds": options[w.IntN(3):]}
		}
	case "multi":
		pred = object{"op": w.of("intersects", "contains_all", "subset_of"), "optionIds": options[w.IntN(3):]}
	}
	return object{"kind": "predicate", "variable": variable, "predicate": object{"type": of, "pred": pred}}
}

// layer draws a layer. The same place of a screen has the same id in every flow.
func (w world) layer(id string, depth int) object {
	l := object{"id": id}
	switch n := w.IntN(100); {
	case n < 14:
		bindings := []object{}
		for _, option := range options[w.IntN(2):] {
			bindings = append(bindings, object{"optionId": option})
		}
		var conditions []object
		for _, option := range options {
			if w.chance(40) {
				conditions = append(conditions, object{"choiceId": option, "goTo": w.target()})
			}
		}
		l["kind"], l["fieldKey"], l["optionBindings"] = "single_choice", "goal", bindings
		if w.chance(40) {
			l["kind"], l["fieldKey"] = "multiple_choice", "many"
		}
		l["branching"] = object{"enabled": w.chance(60), "conditions": conditions}
	case n < 24:
		l["kind"], l["fieldKey"] = w.of("number_stepper", "text_input"), w.of("age", "name")
	case n < 32:
		l["kind"], l["fieldKey"] = "checkbox", "ok"
	case n < 50:
		l["kind"], l["action"] = "button", object{"kind": w.of("continue", "skip", "continue", "end_flow")}
	case n < 65:
		l["kind"], l["action"] = "button", object{"kind": "go_to_step", "screenId": w.target()}
	case n < 72:
		outcomes := object{"granted": "continue", "denied": w.of("end", "continue", w.target())}
		l["kind"], l["action"] = "button", object{
			"kind": "request_os_permission", "permissionKey": "camera", "outcomes": outcomes,
		}
	case n < 78:
		l["kind"], l["onComplete"] = "loader", object{"mode": w.of("next", "none", "screen"), "screenId": w.target()}
	case n < 90 && depth < 2:
		l["kind"], l["elseRootLayerId"] = "conditional", id+".1"
		l["cases"] = []object{{"id": "x", "expression": w.expression(1), "rootLayerId": w.of(id+".0", "gone")}}
		l["children"] = []object{w.layer(id+".0", depth+1), w.layer(id+".1", depth+1)}
	default:
		l["kind"], l["children"] = "stack", []object{}
		for i := range w.IntN(3) {
			if depth < 2 {
				l["children"] = append(l["children"].([]object), w.layer(fmt.Sprint(id, ".", i), depth+1))
			}
		}
	}
	return l
}

func (w world) screen(id string) object {
	var layers []object
	for i := range 1 + w.IntN(4) {
		layers = append(layers, w.layer(fmt.Sprint(id, ".", i), 0))
	}
	return object{
		"id": id, "next": object{"default": w.next()},
		"regions": object{"body": object{"id": id + ".body", "kind": "stack", "children": layers}},
	}
}

func (w world) surface(id string) object {
	outcomes := object{}
	for _, outcome := range []string{"purchase_completed", "dismissed", "failed"} {
		if w.chance(50) {
			outcomes[outcome] = w.next()
		}
	}
	return object{"id": id, "outcomes": outcomes, "fallback": w.next()}
}

func (w world) decision(id string) object {
	cases := []object{}
	for i := range w.IntN(3) {
		cases = append(cases, object{"id": fmt.Sprint(id, "c", i), "expression": w.expression(0), "next": w.next()})
	}
	return object{"id": id, "cases": cases, "elseNext": w.next()}
}

// nodes are the steps of a flow, by id.
type nodes map[string]object

// draw draws the nodes of a flow that keeps most of another one's.
func (w world) draw(like nodes) nodes {
	drawn := nodes{}
	for kind, ids := range [][]string{screens, surfaces, decisions} {
		for _, id := range ids {
			if len(drawn) > 0 && w.chance(8) {
				continue
			}
			if like[id] != nil && w.chance(70) {
				drawn[id] = like[id]
				continue
			}
			drawn[id] = []func(string) object{w.screen, w.surface, w.decision}[kind](id)
		}
	}
	return drawn
}

func (w world) open(n nodes) *manifest.Manifest {
	list := func(ids []string) (all []object) {
		for _, id := range ids {
			if n[id] != nil {
				all = append(all, n[id])
			}
		}
		return all
	}
	raw, err := json.Marshal(n.whole(object{
		"entryScreenId": w.of("s0", "s0", "s1", "d0", "p0"), "screens": list(screens), "decisionNodes": list(decisions),
		"externalSurfaceNodes": list(surfaces),
	}))
	if err != nil {
		panic(err)
	}
	m, err := manifest.Open(raw)
	if err != nil {
		panic(err)
	}
	return m
}

// whole returns a value without targets that are not there, which no flow has that was read.
func (n nodes) whole(v any) any {
	switch v := v.(type) {
	case string:
		known := slices.Contains(screens, v) || slices.Contains(surfaces, v) || slices.Contains(decisions, v)
		if !known || n[v] != nil {
			return v
		}
		return slices.Min(slices.Collect(maps.Keys(n)))
	case object:
		copied := object{}
		for key, member := range v {
			copied[key] = n.whole(member)
		}
		return copied
	case []object:
		copied := []any{}
		for _, member := range v {
			copied = append(copied, n.whole(member))
		}
		return copied
	}
	return v
}

func (w world) value() string {
	return w.of("a", "b", "c", "7", "3", "true", "false", "granted", "denied", "?", "")
}

// targets are where steps of a flow lead, so that most recorded ways are those of the version.
func targets(m *manifest.Manifest) map[string][]string {
	runs := simulate.NewRuns()
	shares, _ := simulate.Compile(m, runs).Simulate(background, nil)
	to := map[string][]string{}
	for _, way := range shares.Ways {
		to[way.From] = append(to[way.From], way.To)
	}
	return to
}

func (w world) run(ways []map[string][]string) plainRun {
	r := plainRun{
		person: w.of("p", "q", "r", "s"), platform: w.of("ios", "web"), locale: w.of("de", "en"),
		version: w.IntN(len(ways)+1) - 1, completed: w.chance(50),
	}
	step := w.of("s0", "s0", "s0", "s1", "s2", "p0")
	for range w.IntN(9) {
		v := plainVisit{step: step, exit: simulate.Went, answers: map[string][]string{}}
		if w.chance(10) {
			v.exit = simulate.Skipped
		}
		for _, key := range keys {
			for range w.IntN(3) * w.IntN(2) {
				v.answers[key] = append(v.answers[key], w.value())
			}
			if key != "many" && len(v.answers[key]) > 1 {
				v.answers[key] = v.answers[key][:1]
			}
		}
		if step[0] == 'p' {
			v.outcome = w.of("purchase_completed", "dismissed", "failed", "back", "")
		}
		v.toward = w.of("", w.target())
		if r.version >= 0 && w.chance(85) {
			if known := ways[r.version][step]; len(known) > 0 {
				v.toward = w.of(known...)
			}
		}
		r.visits = append(r.visits, v)
		if step = v.toward; step == "" {
			break
		}
		if step[0] == 'd' {
			r.decided = append(r.decided, [2]string{step, w.of("", step+"c0", step+"c1")})
			step = w.of(screens...)
		}
	}
	if n := len(r.visits); n > 0 && !r.completed {
		r.visits[n-1].exit = simulate.Left
	}
	return r
}

// packInPortions adds plain runs to a set some at a time, as readers of shares do.
func (w world) packInPortions(runs *simulate.Runs, plain []plainRun) {
	runs.Expect(w.IntN(2 * len(plain)))
	portion := simulate.NewRuns()
	for len(plain) > 0 {
		n := 1 + w.IntN(len(plain))
		packInto(portion, runs, plain[:n])
		runs.Append(portion)
		portion.Clear()
		plain = plain[n:]
	}
}

// pack adds plain runs to a set.
func pack(runs *simulate.Runs, plain []plainRun) { packInto(runs, runs, plain) }

// packInto adds plain runs to a set with the names of another.
func packInto(set, runs *simulate.Runs, plain []plainRun) {
	for _, p := range plain {
		run := simulate.Run{
			Person: runs.Name(p.person), Version: p.version, Completed: p.completed,
			Platform: runs.Name(p.platform), Locale: runs.Name(p.locale),
		}
		for _, v := range p.visits {
			visit := simulate.Visit{
				Step: runs.Name(v.step), Exit: v.exit, Toward: runs.Name(v.toward), Outcome: runs.Name(v.outcome),
			}
			for _, key := range slices.Sorted(maps.Keys(v.answers)) {
				for _, value := range v.answers[key] {
					name := simulate.Unread
					if value != "?" {
						name = runs.Name(value)
					}
					visit.Answers = append(visit.Answers, simulate.Answer{Field: runs.Name(key), Value: name})
				}
			}
			run.Visits = append(run.Visits, visit)
		}
		for _, d := range p.decided {
			run.Decided = append(run.Decided, simulate.Decided{Decision: runs.Name(d[0]), Case: runs.Name(d[1])})
		}
		set.Add(&run)
	}
}
