package ascode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func event(name string) document { return document{"event": document{"name": name}} }

func edit(t *testing.T, directory, name, old, now string) {
	t.Helper()
	path := filepath.Join(directory, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, now)), 0o600))
}

func TestFilesAreMadeElsewhereAndReadBackByteForByte(t *testing.T) {
	first, second := newGoalServer(), newGoalServer()
	for _, name := range []string{"Sign up", "sign-up", "SIGN UP", "…", "Crème & brûlée", "@goals/x"} {
		first.add(name, event("@flows/"+name))
	}
	a, from := openTemporary(t)
	_, err := pull(t, first, a, nil)
	require.NoError(t, err)
	b, to := openTemporary(t)
	require.NoError(t, os.CopyFS(filepath.Join(to, "goals"), os.DirFS(filepath.Join(from, "goals"))))
	plan, err := pushed(t, second, b, nil)
	require.NoError(t, err)
	require.Len(t, plan.Steps, 6)
	c, again := openTemporary(t)
	_, err = pull(t, second, c, nil)
	require.NoError(t, err)
	for _, name := range []string{"sign-up", "sign-up-2", "sign-up-3", "unnamed", "creme-brulee", "goals-x"} {
		want, err := os.ReadFile(filepath.Join(from, "goals", name+".json"))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(again, "goals", name+".json"))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	changes := second.changes
	plan, err = pushed(t, second, b, nil)
	require.NoError(t, err)
	require.False(t, plan.Differs())
	require.Equal(t, changes, second.changes, "a second push does nothing")
}

func TestWhatChangedOnTheServerIsNotOverwritten(t *testing.T) {
	s := newGoalServer()
	id := s.add("Sign up", event("sign_up"))
	s.add("Buy", event("buy"))
	f, directory := openTemporary(t)
	_, err := pull(t, s, f, nil)
	require.NoError(t, err)
	s.goals[id]["condition"] = event("registered")

	plan, err := pushed(t, s, f, nil)
	require.Equal(t, "goals/sign-up.json", conflictsOf(t, err)[0].File)
	require.Empty(t, plan.Steps)
	edit(t, directory, "goals/sign-up.json", "sign_up", "mine")
	edit(t, directory, "goals/buy.json", "buy", "bought")
	_, err = pushed(t, s, f, nil)
	require.Len(t, conflictsOf(t, err), 1)
	require.Zero(t, s.changes, "nothing was changed, the other file neither")

	// A pull does not overwrite either, until it is told to.
	_, err = pull(t, s, f, nil)
	require.Len(t, conflictsOf(t, err), 2)
	read, err := pull(t, s, f, func(o *Options) { o.Force = true })
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"goals/sign-up.json", "goals/buy.json"}, read.Written)
	edit(t, directory, "goals/sign-up.json", "registered", "mine")
	_, err = pushed(t, s, f, func(o *Options) { o.DryRun = true })
	require.NoError(t, err)
	require.Zero(t, s.changes)
	_, err = pushed(t, s, f, nil)
	require.NoError(t, err)
	require.Equal(t, event("mine"), s.goals[id]["condition"])

	// What was removed there is not made again, and what has the same name here was never seen.
	delete(s.goals, id)
	_, err = pushed(t, s, f, nil)
	require.Contains(t, conflictsOf(t, err)[0].Reason, "removed there")
	read, err = pull(t, s, f, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"goals/sign-up.json"}, read.Removed)
	other := newGoalServer()
	other.add("Buy", event("something else"))
	_, err = pushed(t, other, f, func(o *Options) { o.App = "another" })
	require.Contains(t, conflictsOf(t, err)[0].Reason, "never pulled")
}

func TestRemovalIsAskedFor(t *testing.T) {
	s := newGoalServer()
	s.add("Sign up", event("sign_up"))
	kept := s.add("Buy", event("buy"))
	f, directory := openTemporary(t)
	_, err := pull(t, s, f, nil)
	require.NoError(t, err)
	s.add("Unknown here", event("x"))
	require.NoError(t, os.Remove(filepath.Join(directory, "goals/sign-up.json")))
	plan, err := pushed(t, s, f, nil)
	require.NoError(t, err)
	require.Equal(t, "--prune", plan.Steps[0].Held)
	require.Equal(t, []string{"goals/unknown-here"}, plan.OnServer)
	require.Len(t, s.goals, 3)
	prune := func(o *Options) { o.Prune = true }
	_, err = pushed(t, s, f, prune)
	require.NoError(t, err)
	require.Len(t, s.goals, 2, "what was never pulled stays")
	require.NoError(t, os.Remove(filepath.Join(directory, "goals/buy.json")))
	s.goals[kept]["condition"] = event("changed")
	_, err = pushed(t, s, f, prune)
	require.Len(t, conflictsOf(t, err), 1)
}

func TestAPushThatFailedGoesOn(t *testing.T) {
	s := newGoalServer()
	f, directory := openTemporary(t)
	require.NoError(t, os.Mkdir(filepath.Join(directory, "goals"), 0o755))
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, "goals", name+".yaml"),
			[]byte("name: "+name+"\ncondition: {event: {name: x}} # why\n"), 0o600))
	}
	s.fail = "b"
	_, err := pushed(t, s, f, nil)
	require.ErrorContains(t, err, "goals/b.yaml: name is that of another goal (1 of 3 steps are done")
	s.fail = ""
	plan, err := pushed(t, s, f, nil)
	require.NoError(t, err)
	require.Len(t, plan.Steps, 2)
	require.Equal(t, 3, s.made, "the first is not made twice")
	edit(t, directory, "goals/a.yaml", "name: a\n", "name: A\n")
	_, err = pushed(t, s, f, nil)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(directory, "goals/a.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), "# why", "a push writes no files but the lock")
	read, err := pull(t, s, f, nil)
	require.NoError(t, err)
	require.Equal(t, 3, read.Same)
}

func TestReferencesLeadSomewhere(t *testing.T) {
	s := newGoalServer()
	f, directory := openTemporary(t)
	require.NoError(t, os.Mkdir(filepath.Join(directory, "goals"), 0o755))
	write := func(name, to string) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, "goals", name+".json"),
			[]byte(`{"name": "`+name+`", "condition": {"flow": {"flowId": "`+to+`"}}}`), 0o600))
	}
	write("a", "@goals/nowhere")
	_, err := pushed(t, s, f, nil)
	require.ErrorContains(t, err, "goals/a.json: @goals/nowhere is neither in the folder nor on the server")
	write("a", "@goals/b")
	write("b", "@goals/a")
	_, err = pushed(t, s, f, nil)
	require.ErrorContains(t, err, "circle")
	require.Zero(t, s.made)
	write("b", "@@goals/a")
	write("a", "plain")
	_, err = pushed(t, s, f, nil)
	require.NoError(t, err)
	require.Equal(t, document{"flow": document{"flowId": "@goals/a"}}, s.goals["00000000-0000-4000-8000-000000000002"]["condition"])
}
