package ascode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// push is a folder on its way to the server.
type push struct {
	server Server
	ids    map[string]string // by paths
	flows  map[string]*flowState
}

// change runs a mutation, whose document has its name.
func (p *push) change(ctx context.Context, mutation string, input map[string]any, into any) error {
	if into == nil {
		var ignored any
		into = &ignored
	}
	return p.server.Read(ctx, mutation, map[string]any{"input": input}, into, mutation)
}

// resolve returns a document of the server with ids for references, which lead somewhere.
func (p *push) resolve(d document) document {
	found, _ := resolved(d, p.ids)
	return found
}

// opened is a folder with the app that it is compared with.
type opened struct {
	side
	folder *Folder
	lock   *Lock
	app    string
	chosen []*kind
}

func open(ctx context.Context, server Server, folder *Folder, o *Options) (*opened, error) {
	chosen, err := ofNames(o.Kinds)
	if err != nil {
		return nil, err
	}
	lock, err := folder.Lock()
	if err != nil {
		return nil, err
	}
	if len(chosen) == 1 && chosen[0] == planKind {
		o.App = plansTarget
	} else if slices.Contains(chosen, planKind) {
		return nil, &Refusal{Message: "plans are those of the server, not of an app: name no other kinds beside them"}
	} else if o.App == "" {
		o.App = lock.App()
	}
	if o.App == "" {
		return nil, &Refusal{Message: "--app says which app: the lock file knows none, or several"}
	}
	files, err := folder.files(chosen)
	if err != nil {
		return nil, err
	}
	objects, err := readObjects(ctx, server, o.App, chosen, lock.of(o.App))
	if err != nil {
		return nil, err
	}
	locked := ofKinds(lock.of(o.App), chosen)
	return &opened{side{files, objects, locked}, folder, lock, o.App, chosen}, nil
}

// Diff says what a push would do.
func Diff(ctx context.Context, server Server, folder *Folder, o Options) (*Plan, error) {
	opened, err := open(ctx, server, folder, &o)
	if err != nil {
		return nil, err
	}
	if err := opened.checkReferences(); err != nil {
		return nil, err
	}
	return compare(opened.side, opened.chosen, o), nil
}

// checkReferences refuses files that refer to what neither the folder nor the server has.
func (o *opened) checkReferences() error {
	for _, path := range slices.Sorted(maps.Keys(o.files)) {
		f := o.files[path]
		for _, to := range append(references(f.content), references(f.serving)...) {
			if _, inFolder := o.files[to]; !inFolder && o.objects[to] == nil {
				return fileError(f.name, "@%s is neither in the folder nor on the server", printable(to))
			}
		}
	}
	return nil
}

// Push makes the app what the folder says. It shows the plan before it changes anything, and changes nothing when there
// are conflicts. The lock file says afterwards what was done, also when a step failed.
func Push(ctx context.Context, server Server, folder *Folder, o Options, show func(*Plan) error) error {
	opened, err := open(ctx, server, folder, &o)
	if err != nil {
		return err
	}
	if err := opened.checkReferences(); err != nil {
		return err
	}
	plan := compare(opened.side, opened.chosen, o)
	if err := show(plan); err != nil {
		return err
	}
	if len(plan.Conflicts) > 0 {
		return conflicts(plan.Conflicts, "Nothing was changed. svc pull reads what the server has")
	}
	steps := slices.DeleteFunc(slices.Clone(plan.Steps), func(s Step) bool { return s.Held != "" })
	if o.DryRun {
		return nil
	}
	done, err := opened.apply(ctx, server, steps)
	return errors.Join(err, opened.storePushed(ctx, server, done))
}

func conflicts(found []Conflict, hint string) error {
	var lines []string
	for _, c := range found {
		lines = append(lines, c.File+" "+c.Reason)
	}
	return &Refusal{Conflict: true, Message: strings.Join(lines, "; ") + ". " + hint, Files: found}
}

// apply does the steps until one fails. It returns the ids of what was changed by their paths; removed is "".
func (o *opened) apply(ctx context.Context, server Server, steps []Step) (map[string]string, error) {
	p := &push{server: server, ids: map[string]string{}, flows: map[string]*flowState{}}
	for path, object := range o.objects {
		p.ids[path] = object.id
		if object.flow != nil {
			p.flows[object.id] = object.flow
		}
	}
	done := map[string]string{}
	for _, step := range steps {
		if err := o.applyStep(ctx, p, step); err != nil {
			return done, fmt.Errorf(
				"%s: %w (%d of %d steps are done; push again to go on)", step.File, err, len(done), len(steps),
			)
		}
		done[step.path] = p.ids[step.path]
	}
	return done, nil
}

func (o *opened) applyStep(ctx context.Context, p *push, step Step) error {
	k, object, f := kindOf(step.path), o.objects[step.path], o.files[step.path]
	if step.Action == Remove {
		delete(p.ids, step.path)
		return k.remove(ctx, p, object)
	}
	c := change{app: o.app, path: step.path, environment: environmentOf(step.path), object: object}
	var unknown string
	if step.Action == Serve {
		c.serving, unknown = resolved(f.serving, p.ids)
	} else {
		c.content, unknown = resolved(f.content, p.ids)
	}
	if unknown != "" {
		return fmt.Errorf("%s was not made yet: files may not refer to each other in a circle", unknown)
	}
	switch step.Action {
	case Create:
		id, err := k.create(ctx, p, c)
		if id != "" {
			p.ids[step.path] = id
			status, _ := orDefault(k.fresh["status"], k.fresh["state"]).(string)
			o.objects[step.path] = newObject(k, id, step.path, f, status)
		}
		return err
	case Change:
		return k.update(ctx, p, c)
	}
	return k.serve(ctx, p, c)
}

func newObject(k *kind, id, path string, f file, status string) *object {
	name, _ := f.content["name"].(string)
	return &object{
		kind: k, id: id, name: name, path: path, environment: environmentOf(path), content: f.content, serving: k.fresh,
		status: status,
	}
}

// storePushed writes into the lock what the server has now of what was changed, and of what is the same on both sides.
func (o *opened) storePushed(ctx context.Context, server Server, done map[string]string) error {
	entries := o.lock.of(o.app)
	for path, id := range done {
		if id == "" {
			delete(entries, path)
			continue
		}
		e := entries[path]
		e.ID = id
		entries[path] = e
	}
	now := o.objects
	var readAgain error
	if len(done) > 0 {
		if now, readAgain = readObjects(context.WithoutCancel(ctx), server, o.app, o.chosen, entries); readAgain != nil {
			now = map[string]*object{}
		}
	}
	for path, f := range o.files {
		object, known := now[path], entries[path]
		_, changed := done[path]
		if object != nil && (changed || object.says(f, known)) {
			entries[path] = entry{
				object.id, hash(f.content), hash(object.content), hash(pick(object.serving, f.serving)), object.state(),
			}
		}
	}
	for path := range o.side.lock {
		if _, there := o.files[path]; !there && now[path] == nil && readAgain == nil {
			delete(entries, path)
		}
	}
	return errors.Join(readAgain, o.folder.storeLock(o.lock))
}

// printable replaces what a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
