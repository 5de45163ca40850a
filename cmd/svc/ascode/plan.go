package ascode

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-dev/svc/manifest/diff"
)

// Options choose what a command does.
type Options struct {
	App    string   // id; of the lock file unless given
	Kinds  []string // all of an app unless given
	Serve  bool     // serve and start what the files say
	Prune  bool     // remove what a file was deleted of
	DryRun bool
	Force  bool // pull: overwrite files that were changed since the pull before
	YAML   bool // pull: write new files as YAML
}

// Action is what a push does about a file.
type Action string

// The actions.
const (
	Create Action = "create"
	Change Action = "change"
	Serve  Action = "serve" // changes what users get
	Remove Action = "remove"
)

// Step is a part of a plan. Steps apply in their order.
type Step struct {
	File    string   `json:"file"`
	Action  Action   `json:"action"`
	Changes []string `json:"changes"`
	// Held names the flag without which a push leaves the step out; empty for a step that is applied.
	Held string `json:"held,omitempty"`

	path string
}

// Conflict is a file that nothing may be done about.
type Conflict struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Plan says how a folder and an app differ.
type Plan struct {
	App       string     `json:"app"`
	Steps     []Step     `json:"steps"`
	Conflicts []Conflict `json:"conflicts"`
	// OnServer lists what only the server has and no pull has read.
	OnServer []string `json:"onServer"`
}

// Differs tells whether the folder and the app differ.
func (p *Plan) Differs() bool { return len(p.Steps)+len(p.Conflicts)+len(p.OnServer) > 0 }

// side is what a plan compares.
type side struct {
	files   map[string]file
	objects map[string]*object
	lock    map[string]entry
}

// compare makes the plan of a push.
func compare(s side, chosen []*kind, o Options) *Plan {
	plan := &Plan{App: o.App, Steps: []Step{}, Conflicts: []Conflict{}, OnServer: []string{}}
	var served []Step
	for _, path := range s.paths(chosen) {
		f, hasFile := s.files[path]
		object, locked := s.objects[path], s.lock[path]
		switch {
		case !hasFile && object == nil:
		case !hasFile && locked.ID == "":
			plan.OnServer = append(plan.OnServer, path)
		case !hasFile:
			plan.addRemoval(object, locked, o)
		case object == nil && locked.ID != "":
			if f.serving["status"] != "STOPPED" { // else the experiment ended, as the file says
				plan.conflict(f.name, "is not on the server any more: it was removed there since the pull")
			}
		default:
			served = append(served, plan.addFile(path, f, object, locked, o)...)
		}
	}
	slices.SortStableFunc(served, func(a, b Step) int {
		return cmp.Or(cmp.Compare(serveTurn(s.files[a.path], a), serveTurn(s.files[b.path], b)), comparePaths(a.path, b.path))
	})
	removals := slices.IndexFunc(plan.Steps, func(step Step) bool { return step.Action == Remove })
	if removals < 0 {
		removals = len(plan.Steps)
	}
	plan.Steps = slices.Insert(plan.Steps, removals, served...)
	return plan
}

// serveTurn orders what is served: an experiment ends before a channel serves something else, which is before another
// one starts.
func serveTurn(f file, step Step) int {
	switch k := kindOf(step.path); {
	case k == experimentKind && f.serving["status"] != "RUNNING":
		return 0
	case k == channelKind:
		return 1
	case k == experimentKind:
		return 2
	}
	return 3
}

// paths lists everything that a plan is about: what is made in the order in which it is made, then what is removed, the
// other way round.
func (s side) paths(chosen []*kind) []string {
	all := map[string]bool{}
	for path := range s.files {
		all[path] = true
	}
	for path := range s.lock {
		all[path] = true
	}
	for path, o := range s.objects {
		if slices.Contains(chosen, o.kind) {
			all[path] = true
		}
	}
	turn := func(path string) int {
		at := slices.Index(kinds, kindOf(path))
		_, there := s.files[path]
		if _, locked := s.lock[path]; locked && !there {
			return 2*len(kinds) - at
		}
		return at
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), comparePaths(a, b))
	})
}

func (p *Plan) conflict(name, reason string) {
	p.Conflicts = append(p.Conflicts, Conflict{name, reason})
}

func (p *Plan) addRemoval(o *object, locked entry, options Options) {
	step := Step{File: o.path, path: o.path, Action: Remove, Changes: []string{fmt.Sprintf("- %q", o.name)}}
	switch {
	case !options.Prune:
		step.Held = "--prune"
	case locked.State != o.state():
		p.conflict(o.path, "its file was deleted, but it was changed on the server since the pull")
		return
	case !options.Serve && o.serves():
		step.Held = "--serve"
	}
	p.Steps = append(p.Steps, step)
}

// serves tells whether users get something of an object.
func (o *object) serves() bool {
	return o.serving["serves"] != nil || o.serving["status"] == "RUNNING" || o.serving["state"] == "ACTIVE"
}

// addFile adds what a file makes of an object, and returns the step that changes what users get.
func (p *Plan) addFile(path string, f file, o *object, locked entry, options Options) []Step {
	step := Step{File: f.name, path: path}
	old, served := document{}, kindOf(path).fresh
	if o == nil {
		step.Action = Create
	} else {
		old, served, step.Action = o.content, o.serving, Change
	}
	same, servesSame := o != nil && o.says(f, locked), sameMembers(f.serving, served)
	if o != nil && !(same && servesSame) && locked.State != o.state() {
		p.conflict(f.name, changedSince(locked))
		return nil
	}
	if !same {
		step.Changes = changes(old, f.content)
		if o != nil && o.kind == experimentKind && o.status != "DRAFT" && runsOn(f.content, old) && !options.Serve {
			step.Held = "--serve"
		}
		p.Steps = append(p.Steps, step)
	}
	if servesSame {
		return nil
	}
	serve := Step{File: f.name, path: path, Action: Serve, Changes: changes(pick(served, f.serving), f.serving)}
	if !options.Serve {
		serve.Held = "--serve"
	}
	return []Step{serve}
}

func changedSince(locked entry) string {
	if locked.ID == "" {
		return "the server has another one, which was never pulled"
	}
	return "was changed on the server since the pull"
}

// says tells whether an object is what its file says.
func (o *object) says(f file, locked entry) bool {
	file, server := hash(f.content), hash(o.content)
	frozen := o.kind == experimentKind && o.status != "DRAFT" // its versions stay, whatever the drafts become
	return file == server || locked.File == file && (locked.Server == server || frozen && locked.State == o.state())
}

// sameMembers tells whether an object serves what a file says of it; a file may leave members out.
func sameMembers(said, served document) bool { return hash(said) == hash(pick(served, said)) }

// pick returns the members of a document that another one has.
func pick(from, names document) document {
	picked := document{}
	for name := range names {
		picked[name] = from[name]
	}
	return picked
}

const (
	maxChanges = 20
	maxShown   = 80
)

// changes says in lines what makes one document the other.
func changes(old, now document) []string {
	oldManifest, wasFlow := old["manifest"].(document)
	manifest, isFlow := now["manifest"].(document)
	var lines []string
	if wasFlow && isFlow {
		lines = manifestChanges(oldManifest, manifest)
		old, now = pick(old, document{"name": nil}), pick(now, document{"name": nil})
	}
	if len(old) == 0 {
		return []string{fmt.Sprintf("+ %s", shown(orDefault(now["name"], "")))}
	}
	lines = append(differences("", old, now), lines...)
	if len(lines) > maxChanges {
		lines = append(lines[:maxChanges], fmt.Sprintf("… and %d more", len(lines)-maxChanges))
	}
	return lines
}

func manifestChanges(old, now document) []string {
	before, _ := encode(old)
	after, _ := encode(now)
	found, err := diff.Compare(before, after)
	if err != nil {
		return differences("manifest", old, now)
	}
	var lines []string
	for _, change := range found {
		lines = append(lines, change.String())
	}
	return lines
}

// differences lists the members that differ, by their paths.
func differences(at string, old, now any) []string {
	before, isObject := old.(document)
	after, both := now.(document)
	if !isObject || !both {
		if hash(document{"v": old}) == hash(document{"v": now}) {
			return nil
		}
		if at == "serves.version" && now == nil {
			now = "as the file of the flow has it"
		}
		return []string{fmt.Sprintf("~ %s: %s -> %s", printable(at), shown(old), shown(now))}
	}
	var lines []string
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, differences(strings.TrimPrefix(at+"."+name, "."), before[name], after[name])...)
	}
	return lines
}

// shown writes a value so that a terminal obeys nothing of it.
func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	text, _ := encode(document{"v": v})
	line := strings.Join(strings.Fields(string(text)), " ")
	line = strings.TrimSuffix(strings.TrimPrefix(line, `{ "v": `), ` }`)
	if runes := []rune(line); len(runes) > maxShown {
		line = string(runes[:maxShown]) + "…"
	}
	return printable(line)
}
