package ascode

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesLeadNowhere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aZ09 ./\\-_:\x00\n\u202e\u0130ßé日\U0001f600~%$@")
	for range 5000 {
		name := make([]rune, random.IntN(100))
		for i := range name {
			name[i] = letters[random.IntN(len(letters))]
		}
		require.Regexp(t, pathForm, "goals/"+slug(string(name)), "%q", string(name))
	}
	s := newGoalServer()
	for _, name := range []string{"../../../etc/passwd", "/etc/passwd", `..\..\x`, "\x1b]0;x\a", "con", strings.Repeat("ä", 500)} {
		s.add(name, event("x"))
	}
	f, directory := openTemporary(t)
	_, err := pull(t, s, f, nil)
	require.NoError(t, err)
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, entries, 3, "goals, schemas and the lock")
	goals, err := os.ReadDir(filepath.Join(directory, "goals"))
	require.NoError(t, err)
	require.Len(t, goals, 6)
}

func TestHostileFoldersAreRefused(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(outside+"/secret.json", []byte(`{"name": "x", "condition": {}}`), 0o600))
	write := func(name, text string) func(string) error {
		return func(d string) error { return os.WriteFile(filepath.Join(d, name), []byte(text), 0o600) }
	}
	for _, c := range []struct {
		make func(directory string) error
		says string
	}{
		{func(d string) error { return os.Symlink(outside+"/secret.json", d+"/goals/a.json") },
			"goals/a.json: must be a regular file"},
		{func(d string) error { return errors.Join(os.Remove(d+"/goals"), os.Symlink(outside, d+"/goals")) },
			"goals: must be a directory"},
		{func(d string) error { return os.Symlink(outside+"/secret.json", d+"/svc.lock.json") },
			"svc.lock.json: must be a regular file"},
		{func(d string) error { return syscall.Mkfifo(d+"/goals/a.json", 0o600) }, "must be a regular file"},
		{func(d string) error { return os.Mkdir(d+"/svc.lock.json", 0o700) }, "must be a regular file"},
		{func(d string) error {
			return errors.Join(os.WriteFile(d+"/goals/a.json", nil, 0o600), os.Truncate(d+"/goals/a.json", maxFile+1))
		}, "goals/a.json: has more than 16777216 bytes"},
		{write("goals/A b.json", "{}"), "goals/A b.json: its name must have"},
		{write("goals/a.json", strings.Repeat("[", 1<<17)), "goals/a.json: is not JSON"},
		{write("goals/a.json", `{"name": "x"} {}`), "has more than one JSON value"},
		{write("goals/a.json", `[]`), "must be a JSON object"},
		{write("goals/a.json", `{"name": "x", "condition": {}, "id": "y"}`), `a goal has no member "id", but name, condition`},
		{write("goals/a.json", `{"name": 1, "condition": {}}`), "name must be a text"},
		{write("goals/a.json", `{"name": "x"}`), "condition is missing"},
		{write("goals/a.yaml", "a: &a [x]\nb: *a\n"), "anchors, aliases and tags are not taken"},
		{write("goals/a.yaml", "a: &a [*a]\n"), "anchors, aliases and tags are not taken"},
		{write("goals/a.yaml", "name: !!binary eA==\n"), "anchors, aliases and tags are not taken"},
		{write("goals/a.yaml", "a: "+strings.Repeat("[", 1<<17)), "nested too deep"},
		{write("goals/a.yaml", "a:\n"+strings.Repeat("- ", 1<<16)), "nested too deep"},
		{write("goals/a.yaml", strings.Repeat("? ", 1<<16)), "goals/a.yaml: "},
		{write("svc.lock.json", `{"version": 1, "apps": {"x": {"../a": {"id": "y"}}}}`), `"../a" is not the path of a file`},
		{write("svc.lock.json", `{"version": 2}`), "has version 2"},
		{write("svc.lock.json", `nothing`), "is no lock file"},
	} {
		f, directory := openTemporary(t)
		require.NoError(t, os.Mkdir(directory+"/goals", 0o755))
		require.NoError(t, c.make(directory), c.says)
		s := newGoalServer()
		s.add("A", event("x"))
		_, err := pushed(t, s, f, nil)
		require.ErrorContains(t, err, c.says)
		_, err = pull(t, s, f, func(o *Options) { o.Force = true })
		require.ErrorContains(t, err, c.says)
		require.Zero(t, s.changes)
	}
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing was written outside")
}

func TestTwoFormsOfOneFileAreRefused(t *testing.T) {
	f, directory := openTemporary(t)
	require.NoError(t, os.Mkdir(directory+"/goals", 0o755))
	for _, name := range []string{"a.json", "a.yaml"} {
		require.NoError(t, os.WriteFile(directory+"/goals/"+name, []byte(`{"name": "x", "condition": {}}`), 0o600))
	}
	_, err := pushed(t, newGoalServer(), f, nil)
	require.ErrorContains(t, err, "goals/a.yaml: is there as goals/a.json, too")
}

// Nothing that a server says is obeyed by a terminal.
func TestPlansArePrintable(t *testing.T) {
	s := newGoalServer()
	s.add("A", event("\x1b[31m\u202e"))
	f, directory := openTemporary(t)
	_, err := pull(t, s, f, nil)
	require.NoError(t, err)
	edit(t, directory, "goals/a.json", "\\u001b[31m", "plain")
	plan, err := pushed(t, s, f, nil)
	require.NoError(t, err)
	require.Len(t, plan.Steps, 1)
	for _, line := range plan.Steps[0].Changes {
		require.NotContains(t, line, "\x1b")
		require.NotContains(t, line, "\u202e")
	}
}

// Documents are the same after a way through names and forms.
func TestDocumentsComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	paths := map[string]string{}
	for i := range 5 {
		paths[fmt.Sprint("id-", i)] = fmt.Sprint("flows/f-", i)
	}
	ids := map[string]string{}
	for id, path := range paths {
		ids[path] = id
	}
	for range 2000 {
		d := document{"d": randomValue(random, 4)}
		found, unknown := resolved(named(d, paths), ids)
		require.Empty(t, unknown)
		require.Equal(t, d, found)
		for form, read := range map[*func(document) ([]byte, error)]func([]byte) (document, error){
			&jsonForm: decode, &yamlForm: decodeYAML,
		} {
			text, err := (*form)(d)
			require.NoError(t, err)
			again, err := read(text)
			require.NoError(t, err, string(text))
			require.Equal(t, normal(d), any(again), string(text))
			require.Equal(t, hash(d), hash(again))
		}
	}
}

var (
	jsonForm = encode
	yamlForm = encodeYAML
)

func randomValue(random *rand.Rand, depth int) any {
	texts := []string{
		"", "id-1", "id-2", "@flows/f-1", "@@flows/f-1", "@flows", "yes", "null", "~", "1.0", "0x10", "1e3", "- a", "a: b", "# c",
		"a\nb\n", " a ", "\ttab", "2026-01-01", "'", "\"", "é\u2028", "<b>&", "%", "true", "01", "|", ">", "a #b", "\\", "[", "{a",
	}
	switch n := random.IntN(8); {
	case n == 0 && depth > 0:
		object := document{}
		for range random.IntN(4) {
			object[texts[random.IntN(len(texts))]+"k"] = randomValue(random, depth-1)
		}
		return object
	case n == 1 && depth > 0:
		list := []any{}
		for range random.IntN(4) {
			list = append(list, randomValue(random, depth-1))
		}
		return list
	case n == 2:
		return random.IntN(2) == 0
	case n == 3:
		return nil
	case n == 4:
		return json.Number([]string{"0", "-1", "12345678901234567", "0.25", "1.5", "-3.75"}[random.IntN(6)])
	}
	return texts[random.IntN(len(texts))]
}
