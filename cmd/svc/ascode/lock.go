package ascode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

const lockName = "svc.lock.json"

// entry is what the lock knows of a file.
type entry struct {
	ID string `json:"id"`
	// File and Server name what the file and the server had when they were last the same: a server may write down more
	// than a file says. Serving names what users got then.
	File    string `json:"file"`
	Server  string `json:"server"`
	Serving string `json:"serving,omitempty"`
	// State names all that the server had, versions by their ids: what a push may overwrite.
	State string `json:"state"`
}

// Lock keeps the ids of the objects that files are about, by app.
type Lock struct {
	Version int                         `json:"version"`
	Apps    map[string]map[string]entry `json:"apps"`
}

// Lock reads the lock file; a folder without one has an empty lock.
func (f *Folder) Lock() (*Lock, error) {
	lock := &Lock{Version: 1, Apps: map[string]map[string]entry{}}
	text, err := f.read(lockName)
	if errors.Is(err, fs.ErrNotExist) {
		return lock, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(lock); err != nil {
		return nil, fileError(lockName, "is no lock file: %s", err)
	}
	if lock.Version != 1 {
		return nil, fileError(lockName, "has version %d; this program knows version 1", lock.Version)
	}
	for app, entries := range lock.Apps {
		for path := range entries {
			if !pathForm.MatchString(path) {
				return nil, fileError(lockName, "app %s: %q is not the path of a file", app, path)
			}
		}
	}
	return lock, nil
}

// App returns the only app of the lock, or "" when there is none or there are several.
func (l *Lock) App() string {
	var apps []string
	for app := range l.Apps {
		if app != plansTarget {
			apps = append(apps, app)
		}
	}
	if len(apps) != 1 {
		return ""
	}
	return apps[0]
}

func (l *Lock) of(app string) map[string]entry {
	if l.Apps == nil {
		l.Apps = map[string]map[string]entry{}
	}
	if l.Apps[app] == nil {
		l.Apps[app] = map[string]entry{}
	}
	return l.Apps[app]
}

func (f *Folder) storeLock(lock *Lock) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(lock); err != nil {
		return err
	}
	old, err := f.read(lockName)
	if err == nil && bytes.Equal(old, text.Bytes()) {
		return nil
	}
	if err := f.write(lockName, text.Bytes()); err != nil {
		return fmt.Errorf("the lock file does not say what was done: %w", err)
	}
	return nil
}

// ofKinds keeps the entries of the given kinds.
func ofKinds(entries map[string]entry, kinds []*kind) map[string]entry {
	kept := map[string]entry{}
	for path, e := range entries {
		if slices.ContainsFunc(kinds, func(k *kind) bool { return k.has(path) }) {
			kept[path] = e
		}
	}
	return kept
}
