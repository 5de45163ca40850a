// Package diff compares two manifests as an author reads them: which steps and layers came, went or moved, and which
// values changed. It takes JSON and returns changes; it knows no server.
package diff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/svc-dev/svc/manifest"
)

// Kind is what happened to a thing.
type Kind string

// The kinds of change.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Moved   Kind = "moved" // among its siblings, or to another parent
	Changed Kind = "changed"
)

// Change is one difference between two manifests.
type Change struct {
	Kind Kind `json:"kind"`
	// Subject names the thing in words: `screen "Offer" (scr_offer)`, `text lyr_title in screen "Offer" (scr_offer)`.
	Subject string `json:"subject"`
	// Pointer is the JSON pointer (RFC 6901) of the thing or value in the new manifest; in the old one when it was
	// removed.
	Pointer string `json:"pointer"`
	// StepID and LayerID are the screen, decision or surface and the layer that the change is in, if any.
	StepID  string `json:"stepId,omitempty"`
	LayerID string `json:"layerId,omitempty"`
	// Member is the path below the subject: "text/default", "options[daily]/label/default"; "" for the subject itself.
	Member string `json:"member,omitempty"`
	// Before and After are the values of a change; absent for what was not there.
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// maxShown is how many characters of a value a line shows.
const maxShown = 80

// String writes the change as one line: "+ screen …", "~ text lyr_title …: text/default "Old" -> "New"". Long values
// are cut, and characters that a terminal would obey are replaced: a manifest may come from anybody.
func (c Change) String() string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, c.line())
}

func (c Change) line() string {
	subject := c.Subject
	if c.Member != "" {
		subject += ": " + c.Member
	}
	switch c.Kind {
	case Added:
		return "+ " + subject
	case Removed:
		return "- " + subject
	case Moved:
		return "> " + subject + " moved"
	}
	return fmt.Sprintf("~ %s %s -> %s", subject, shown(c.Before), shown(c.After))
}

func shown(value json.RawMessage) string {
	if value == nil {
		return "nothing"
	}
	if text := []rune(string(value)); len(text) > maxShown {
		return string(text[:maxShown-1]) + "…"
	}
	return string(value)
}

// Compare returns what changed from one manifest to another, in the order of the new one; none when they say the same.
// The flow id and the version number do not count: they say where a manifest lies. Valid manifests are compared in
// their migrated, canonical form, others as they are. Its errors are those of JSON that is no object.
func Compare(before, after json.RawMessage) ([]Change, error) {
	old, err := read(before)
	if err != nil {
		return nil, fmt.Errorf("the first manifest: %w", err)
	}
	fresh, err := read(after)
	if err != nil {
		return nil, fmt.Errorf("the second manifest: %w", err)
	}
	c := comparison{layersBefore: layersOf(old), layersAfter: layersOf(fresh)}
	c.objects(place{subject: "flow"}, old, fresh)
	return c.changes, nil
}

// read decodes a manifest, in canonical form when it is valid.
func read(raw json.RawMessage) (map[string]any, error) {
	if parsed, _ := manifest.Parse(raw); parsed != nil {
		raw = parsed.JSON()
	}
	var document map[string]any
	if err := json.Unmarshal(raw, &document); err != nil || document == nil {
		return nil, errors.Join(errors.New("is not a JSON object"), err)
	}
	delete(document, "flowId")
	delete(document, "version")
	return document, nil
}

// place is where the comparison stands.
type place struct {
	pointer, old    string // in the new manifest and in the old one
	subject, member string // the innermost step or layer, and the path below it
	step, stepID    string
	layerID         string
}

// at returns the place of a member or an element.
func (p place) at(token string) place {
	escaped := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
	p.pointer += escaped
	p.old += escaped
	p.member = strings.TrimPrefix(p.member+"/"+token, "/")
	return p
}

// comparison collects changes.
type comparison struct {
	changes                   []Change
	layersBefore, layersAfter map[string]placed
}

// placed is a layer and its pointer.
type placed struct {
	layer   map[string]any
	pointer string
}

func (c *comparison) add(kind Kind, p place, before, after any) {
	change := Change{
		Kind: kind, Subject: p.subject, Pointer: p.pointer, StepID: p.stepID, LayerID: p.layerID, Member: p.member,
	}
	switch kind {
	case Removed:
		change.Pointer = p.old
	case Changed:
		change.Before, change.After = encode(before), encode(after)
	}
	c.changes = append(c.changes, change)
}

// absent stands for a member that is not there; null is a value.
type absent struct{}

func encode(v any) json.RawMessage {
	if _, none := v.(absent); none {
		return nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // what was decoded can be encoded
	return bytes.TrimSpace(out.Bytes())
}

func (c *comparison) values(p place, old, fresh any) {
	switch before := old.(type) {
	case map[string]any:
		if after, ok := fresh.(map[string]any); ok {
			if isLayer(before) && isLayer(after) {
				c.layers(p, before, after)
				return
			}
			c.objects(p, before, after)
			return
		}
	case []any:
		if after, ok := fresh.([]any); ok {
			c.lists(p, before, after)
			return
		}
	default:
		if old == fresh {
			return
		}
	}
	if layer, ok := old.(map[string]any); ok && isLayer(layer) {
		c.gone(p, layer)
		old = absent{}
	}
	if layer, ok := fresh.(map[string]any); ok && isLayer(layer) {
		c.came(p, layer)
		fresh = absent{}
	}
	if old != (absent{}) || fresh != (absent{}) {
		c.add(Changed, p, old, fresh)
	}
}

func (c *comparison) objects(p place, before, after map[string]any) {
	for _, name := range members(before, after) {
		old, had := before[name]
		fresh, has := after[name]
		if !had {
			old = absent{}
		}
		if !has {
			fresh = absent{}
		}
		c.values(p.at(name), old, fresh)
	}
}

// first are the members of a screen and of the flow that an author reads first.
var first = []string{"id", "name", "kind", "entryScreenId", "screens", "header", "body", "footer"}

// members returns the names that either object has, in the order in which an author reads them.
func members(before, after map[string]any) []string {
	var names []string
	for name := range after {
		names = append(names, name)
	}
	for name := range before {
		if _, both := after[name]; !both {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		i, j := slices.Index(first, a), slices.Index(first, b)
		switch {
		case i >= 0 && j >= 0:
			return i - j
		case i >= 0:
			return -1
		case j >= 0:
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// lists compares lists: by id where every element has its own, else by position.
func (c *comparison) lists(p place, before, after []any) {
	old, oldKeyed := byID(before)
	fresh, freshKeyed := byID(after)
	if !oldKeyed || !freshKeyed {
		for i := range max(len(before), len(after)) {
			old, fresh := any(absent{}), any(absent{})
			if i < len(before) {
				old = before[i]
			}
			if i < len(after) {
				fresh = after[i]
			}
			c.values(p.at(strconv.Itoa(i)), old, fresh)
		}
		return
	}
	stays := longestCommon(before, after)
	for i, element := range before {
		thing := element.(map[string]any)
		if _, stays := fresh[idOf(thing)]; !stays {
			c.gone(p.at(strconv.Itoa(i)), thing)
		}
	}
	for i, element := range after {
		thing := element.(map[string]any)
		id := idOf(thing)
		here := p.at(strconv.Itoa(i))
		was, both := old[id]
		if !both {
			c.came(here, thing)
			continue
		}
		here.old = p.old + "/" + strconv.Itoa(was)
		here = named(here, thing)
		if !stays[id] {
			c.add(Moved, here, nil, nil)
		}
		c.objects(here, before[was].(map[string]any), thing)
	}
}

// gone reports a thing that its list or region has no more. A layer that stands elsewhere now is reported there.
func (c *comparison) gone(p place, thing map[string]any) {
	if _, elsewhere := c.moved(thing); !elsewhere {
		c.add(Removed, named(p, thing), nil, nil)
	}
}

// came reports a thing that its list or region did not have, and the layers in it that stood elsewhere.
func (c *comparison) came(p place, thing map[string]any) {
	p = named(p, thing)
	if was, moved := c.moved(thing); moved {
		p.old = was.pointer
		c.add(Moved, p, nil, nil)
		c.objects(p, was.layer, thing)
		return
	}
	c.add(Added, p, nil, nil)
	c.findMoved(p, thing)
}

// findMoved reports the layers inside something new that stood elsewhere.
func (c *comparison) findMoved(p place, v any) {
	visit := func(here place, inner any) {
		if layer, ok := inner.(map[string]any); ok && isLayer(layer) {
			if _, moved := c.moved(layer); moved {
				c.came(here, layer)
				return
			}
			here = named(here, layer)
		}
		c.findMoved(here, inner)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range members(nil, v) {
			visit(p.at(name), v[name])
		}
	case []any:
		for i, inner := range v {
			visit(p.at(strconv.Itoa(i)), inner)
		}
	}
}

// moved returns where a layer that both manifests have stood in the old one. An id that one of them has twice says
// nothing.
func (c *comparison) moved(thing map[string]any) (was placed, ok bool) {
	if !isLayer(thing) {
		return was, false
	}
	if _, stays := c.layersAfter[idOf(thing)]; !stays {
		return was, false
	}
	was, ok = c.layersBefore[idOf(thing)]
	return was, ok
}

func (c *comparison) layers(p place, before, after map[string]any) {
	if idOf(before) != idOf(after) { // the root of a region was replaced
		c.gone(p, before)
		c.came(p, after)
		return
	}
	c.objects(named(p, after), before, after)
}

// named makes a thing with an id the subject of what is below it.
func named(p place, thing map[string]any) place {
	id := idOf(thing)
	if id == "" {
		return p
	}
	collection := strings.SplitN(strings.TrimPrefix(p.pointer, "/"), "/", 3)
	switch {
	case isLayer(thing):
		kind, _ := thing["kind"].(string)
		p.layerID = id
		p.subject = titled(kind, thing, id)
		if p.step != "" {
			p.subject += " in " + p.step
		}
		p.member = ""
	case len(collection) == 2 && steps[collection[0]] != "":
		p.stepID = id
		p.step = titled(steps[collection[0]], thing, id)
		p.subject, p.member = p.step, ""
	default:
		// An option, a case, a clip: the thing around it stays the subject, and its id says more than its position.
		p.member = p.member[:strings.LastIndex(p.member, "/")] + "[" + id + "]"
	}
	return p
}

// steps are the lists of steps and what one of them is called.
var steps = map[string]string{"screens": "screen", "decisionNodes": "decision", "externalSurfaceNodes": "surface"}

func titled(what string, thing map[string]any, id string) string {
	if name, _ := thing["name"].(string); name != "" {
		return fmt.Sprintf("%s %q (%s)", what, name, id)
	}
	return what + " " + id
}

// isLayer tells layers from other things with an id: they have a kind, which of the others only expressions have.
func isLayer(thing map[string]any) bool {
	_, kind := thing["kind"].(string)
	_, id := thing["id"].(string)
	return kind && id
}

func idOf(thing map[string]any) string {
	for _, name := range []string{"id", "optionId"} {
		if id, _ := thing[name].(string); id != "" {
			return id
		}
	}
	return ""
}

// byID indexes a list whose elements are objects with an id each of their own.
func byID(list []any) (positions map[string]int, ok bool) {
	positions = make(map[string]int, len(list))
	for i, element := range list {
		thing, ok := element.(map[string]any)
		if !ok || idOf(thing) == "" {
			return nil, false
		}
		if _, twice := positions[idOf(thing)]; twice {
			return nil, false
		}
		positions[idOf(thing)] = i
	}
	return positions, true
}

// layersOf indexes the layers of a manifest by id, but for ids that several have.
func layersOf(document map[string]any) map[string]placed {
	index, twice := map[string]placed{}, map[string]bool{}
	var walk func(p place, v any)
	walk = func(p place, v any) {
		switch v := v.(type) {
		case map[string]any:
			if id := idOf(v); isLayer(v) {
				if _, seen := index[id]; seen || twice[id] {
					twice[id] = true
					delete(index, id)
				} else {
					index[id] = placed{v, p.pointer}
				}
			}
			for name, inner := range v {
				walk(p.at(name), inner)
			}
		case []any:
			for i, inner := range v {
				walk(p.at(strconv.Itoa(i)), inner)
			}
		}
	}
	walk(place{pointer: "/screens"}, document["screens"])
	return index
}

// longestCommon returns the ids that kept their order: those of a longest common subsequence. What is not among them
// moved.
func longestCommon(before, after []any) map[string]bool {
	position := map[string]int{}
	for i, element := range after {
		position[idOf(element.(map[string]any))] = i
	}
	// A longest increasing subsequence of the new positions, by patience sorting: O(n log n) for lists of thousands.
	var ids []string
	var places, tails, previous []int // tails: index in places of the smallest end of a run of each length
	for _, element := range before {
		id := idOf(element.(map[string]any))
		at, stays := position[id]
		if !stays {
			continue
		}
		length, _ := slices.BinarySearchFunc(tails, at, func(tail, at int) int { return places[tail] - at })
		places, ids = append(places, at), append(ids, id)
		before := -1
		if length > 0 {
			before = tails[length-1]
		}
		previous = append(previous, before)
		if length == len(tails) {
			tails = append(tails, 0)
		}
		tails[length] = len(places) - 1
	}
	kept := map[string]bool{}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = previous[i] {
			kept[ids[i]] = true
		}
	}
	return kept
}
