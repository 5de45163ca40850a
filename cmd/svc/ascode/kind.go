package ascode

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// plansTarget stands for the server, whose plans are those of no app.
const plansTarget = "server"

// object is what the server has.
type object struct {
	kind              *kind
	id, name          string
	environment       string // test, live or none
	path              string
	content, serving  document
	flow              *flowState
	givenSlug, status string
	// versions are the ids of the versions that it names: files leave out the numbers of those that say what the draft
	// does, which another draft changes.
	versions []any
	hashed   string // of the content, once it was asked for
}

// contentHash names the content, which does not change once the object was read: a manifest takes long to write.
func (o *object) contentHash() string {
	if o.hashed == "" {
		o.hashed = hash(o.content)
	}
	return o.hashed
}

// state names all that the server has of an object.
func (o *object) state() string {
	content, serving := o.contentHash(), o.serving
	if o.versions != nil {
		content = hash(withoutVersions(o.content).(document))
		serving = withoutVersions(serving).(document)
	}
	return hash(document{"content": content, "serving": serving, "versions": o.versions})
}

// withoutVersions returns a copy of a document without the numbers of versions of flows.
func withoutVersions(v any) any {
	switch v := v.(type) {
	case document:
		object := document{}
		for name, member := range v {
			if name != "version" || v["flow"] == nil {
				object[name] = withoutVersions(member)
			}
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = withoutVersions(element)
		}
		return list
	}
	return v
}

func (o *object) folder() string {
	if o.kind.single {
		return ""
	}
	if o.environment == "" {
		return o.kind.name + "/"
	}
	return o.kind.name + "/" + o.environment + "/"
}

func (o *object) slug() string {
	switch {
	case o.kind.single:
		return o.kind.name
	case o.givenSlug != "":
		return o.givenSlug
	}
	return slug(o.name)
}

// change is what a file makes of an object; the documents have ids.
type change struct {
	app, path        string
	environment      string
	object           *object // nil when it is to be made
	content, serving document
}

// kind is a sort of objects: where their files are and how they are read and written.
type kind struct {
	name         string
	environments bool
	single       bool // one file, which is named as the kind
	members      []string
	required     []string
	served       []string // members that change what users get
	fresh        document // what a new object serves
	refers       []string // kinds that its documents refer to
	onlyReferred bool     // without files

	read   func(context.Context, *reading) ([]*object, error)
	create func(context.Context, *push, change) (id string, err error)
	update func(context.Context, *push, change) error
	serve  func(context.Context, *push, change) error
	remove func(context.Context, *push, *object) error
}

// kinds are in the order in which they are made: what is referred to comes first.
var kinds []*kind

func init() {
	kinds = []*kind{
		brandingKind, componentKind, endpointKind, flowKind, goalKind, segmentKind, channelKind, experimentKind,
		automationKind, planKind,
	}
}

// Kinds lists the names of the kinds that have files.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		if !k.onlyReferred {
			names = append(names, k.name)
		}
	}
	return names
}

// ofNames returns the kinds with these names; of none all kinds of an app.
func ofNames(names []string) ([]*kind, error) {
	var found []*kind
	for _, name := range names {
		if !slices.Contains(Kinds(), name) {
			return nil, &Refusal{Message: fmt.Sprintf("there is no kind %q, but %s", name, strings.Join(Kinds(), ", "))}
		}
	}
	for _, k := range kinds {
		if slices.Contains(names, k.name) || len(names) == 0 && !k.onlyReferred && k != planKind {
			found = append(found, k)
		}
	}
	return found, nil
}

// withReferred adds the kinds that documents of the given ones refer to.
func withReferred(chosen []*kind) []*kind {
	wanted := map[string]bool{}
	var add func(k *kind)
	add = func(k *kind) {
		if wanted[k.name] {
			return
		}
		wanted[k.name] = true
		for _, other := range kinds {
			if slices.Contains(k.refers, other.name) {
				add(other)
			}
		}
	}
	for _, k := range chosen {
		add(k)
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(k *kind) bool { return !wanted[k.name] })
}

var environments = []string{"test", "live"}

func (k *kind) directories() []string {
	switch {
	case k.single:
		return []string{"."}
	case k.environments:
		return []string{k.name + "/test", k.name + "/live"}
	}
	return []string{k.name}
}

func (k *kind) has(path string) bool {
	return path == k.name && k.single || !k.single && strings.HasPrefix(path, k.name+"/")
}

func kindOf(path string) *kind {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.has(path) })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

func environmentOf(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) == 3 {
		return parts[1]
	}
	return ""
}

// one says one object of the kind, as in "a goal".
func (k *kind) one() string {
	name, isMany := strings.CutSuffix(k.name, "s")
	switch {
	case !isMany:
		return name
	case strings.ContainsRune("aeiou", rune(name[0])):
		return "an " + name
	default:
		return "a " + name
	}
}

// check refuses members that no file of the kind has, and looks for those that each has.
func (k *kind) check(d document) error {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if !slices.Contains(k.members, name) {
			return fmt.Errorf("%s has no member %q, but %s", k.one(), name, strings.Join(k.members, ", "))
		}
	}
	for _, name := range k.required {
		if d[name] == nil {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if name, given := d["name"]; given {
		if _, isText := name.(string); !isText {
			return fmt.Errorf("name must be a text")
		}
	}
	return nil
}

// split takes apart what is stored and what users get.
func (k *kind) split(d document) (content, serving document) {
	content, serving = document{}, document{}
	for name, member := range d {
		if slices.Contains(k.served, name) {
			serving[name] = member
		} else {
			content[name] = member
		}
	}
	return content, serving
}
