package ascode

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
)

// Pulled lists the files that a pull wrote and removed.
type Pulled struct {
	App     string   `json:"app"`
	Written []string `json:"written"`
	Removed []string `json:"removed"`
	Same    int      `json:"same"`
}

// Pull makes the folder what the app is. Files that were changed since the pull before are refused unless Force is set.
func Pull(ctx context.Context, server Server, folder *Folder, o Options) (*Pulled, error) {
	opened, err := open(ctx, server, folder, &o)
	if err != nil {
		return nil, err
	}
	if !o.Force {
		if found := opened.changedFiles(); len(found) > 0 {
			return nil, conflicts(found, "Nothing was written. Push them first, or overwrite them with --force")
		}
	}
	pulled := &Pulled{App: o.App, Written: []string{}, Removed: []string{}}
	entries := opened.lock.of(o.App)
	for _, path := range opened.paths(opened.chosen) {
		f, hasFile := opened.files[path]
		object := opened.objects[path]
		if object == nil {
			if hasFile && opened.side.lock[path].ID != "" {
				if err := folder.remove(f.name); err != nil {
					return nil, err
				}
				pulled.Removed = append(pulled.Removed, f.name)
			}
			delete(entries, path)
			continue
		}
		if err := opened.writeObject(object, f, o, pulled); err != nil {
			return nil, err
		}
		content := hash(object.content)
		entries[path] = entry{object.id, content, content, hash(object.serving), object.state()}
	}
	if err := folder.writeSchemas(opened.chosen); err != nil {
		return nil, err
	}
	return pulled, folder.storeLock(opened.lock)
}

// changedFiles lists the files that a pull would overwrite or remove although they say something new.
func (o *opened) changedFiles() []Conflict {
	var found []Conflict
	for _, path := range slices.Sorted(maps.Keys(o.files)) {
		f, object, locked := o.files[path], o.objects[path], o.side.lock[path]
		switch {
		case object == nil && locked.ID == "": // a new file, which stays
		case object == nil && locked.File != hash(f.content):
			found = append(found, Conflict{f.name, "was changed here and removed on the server"})
		case object != nil && !object.says(f, locked) && locked.File != hash(f.content):
			found = append(found, Conflict{f.name, "has changes that were not pushed"})
		case object != nil && !sameMembers(f.serving, object.serving) && locked.Serving != hash(f.serving):
			found = append(found, Conflict{f.name, "says something else of what users get, which was not pushed"})
		}
	}
	return found
}

// writeObject writes the file of an object, in the form that it has, unless it says the same already.
func (o *opened) writeObject(object *object, f file, options Options, pulled *Pulled) error {
	if f.name != "" && hash(f.content) == hash(object.content) && sameMembers(f.serving, object.serving) {
		pulled.Same++
		return nil
	}
	name := f.name
	if name == "" {
		name = object.path + ".json"
		if options.YAML {
			name = object.path + ".yaml"
		}
	}
	d := document{"$schema": strings.Repeat("../", strings.Count(object.path, "/")) + schemaName(object.kind)}
	maps.Copy(d, object.content)
	maps.Copy(d, object.serving)
	write := encode
	if path.Ext(name) != ".json" {
		write = encodeYAML
	}
	text, err := write(d)
	if err != nil {
		return err
	}
	pulled.Written = append(pulled.Written, name)
	return o.folder.write(name, text)
}
