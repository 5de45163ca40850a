package ascode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	experimentFile = "experiments/live/words.json"
	welcome        = "22222222-0000-4000-8000-000000000001"
)

// experimentServer is a server whose apps have goals, a channel and experiments on it.
type experimentServer struct {
	*goalServer
	experiments map[string]document // by id
	inputs      []document          // of changes of experiments
}

func (s *experimentServer) Read(ctx context.Context, name string, vars map[string]any, into any, path ...string) error {
	input, _ := vars["input"].(document)
	id, _ := input["id"].(string)
	switch name {
	case "createExperiment":
		id = fmt.Sprintf("33333333-0000-4000-8000-%012d", len(s.experiments)+1)
		s.experiments[id] = document{"id": id, "status": "DRAFT", "splitBy": "DEVICE", "channel": document{"id": welcome}}
	case "updateExperiment", "extendExperiment":
	default:
		return s.goalServer.Read(ctx, name, vars, into, path...)
	}
	s.inputs = append(s.inputs, input)
	x := s.experiments[id]
	for _, member := range []string{"name", "endsAt", "variants"} {
		if given, is := input[member]; is {
			x[member] = given
		}
	}
	if list, is := input["goals"].([]map[string]any); is {
		goals := []document{}
		for _, g := range list {
			goals = append(goals, document{"primary": g["primary"], "goal": document{"id": g["goalId"]}})
		}
		x["goals"] = goals
	}
	return convert(x, into)
}

func (s *experimentServer) ReadAll(ctx context.Context, name string, vars map[string]any, into any, p ...string) error {
	rows := []document{}
	switch {
	case name == "channelFiles" && vars["environment"] == "LIVE":
		rows = append(rows, document{"id": welcome, "name": "Welcome"})
	case name == "experimentFiles" && vars["environment"] == "LIVE":
		for _, x := range s.experiments {
			rows = append(rows, x)
		}
	default:
		return s.goalServer.ReadAll(ctx, name, vars, into, p...)
	}
	return convert(rows, into)
}

var goalsAndExperiments = func(o *Options) { o.Kinds = []string{"goals", "experiments"} }

// pulledExperiment is a server with a draft that one of two goals decides, and the folder it was read into.
func pulledExperiment(t *testing.T) (s *experimentServer, id string, f *Folder, directory string) {
	t.Helper()
	s = &experimentServer{goalServer: newGoalServer(), experiments: map[string]document{}}
	signUp, buy := s.add("Sign up", event("sign_up")), s.add("Buy", event("buy"))
	id = "33333333-0000-4000-8000-000000000000"
	s.experiments[id] = document{
		"id": id, "name": "Words", "status": "DRAFT", "splitBy": "DEVICE", "channel": document{"id": welcome},
		"endsAt":   "2026-12-24T00:00:00Z",
		"variants": []any{document{"key": "control", "name": "", "weight": 1}, document{"key": "b", "name": "", "weight": 1}},
		"goals": []any{
			document{"primary": true, "goal": document{"id": signUp}},
			document{"primary": false, "goal": document{"id": buy}},
		},
	}
	f, directory = openTemporary(t)
	_, err := pull(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	return s, id, f, directory
}

func TestTheGoalsOfAnExperimentAreMadeElsewhereAndReadBack(t *testing.T) {
	s, _, f, directory := pulledExperiment(t)
	read := func(directory string) string {
		text, err := os.ReadFile(filepath.Join(directory, experimentFile))
		require.NoError(t, err)
		return string(text)
	}
	require.Contains(t, read(directory), `"goal": "@goals/sign-up"`)
	plan, err := pushed(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	require.False(t, plan.Differs())

	other := &experimentServer{goalServer: newGoalServer(), experiments: map[string]document{}}
	other.add("Another", event("other")) // so that ids differ
	copied, to := openTemporary(t)
	for _, kind := range []string{"goals", "experiments"} {
		require.NoError(t, os.CopyFS(filepath.Join(to, kind), os.DirFS(filepath.Join(directory, kind))))
	}
	_, err = pushed(t, other, copied, goalsAndExperiments)
	require.NoError(t, err)
	require.Len(t, other.inputs, 1)
	again, target := openTemporary(t)
	_, err = pull(t, other, again, goalsAndExperiments)
	require.NoError(t, err)
	require.Equal(t, read(directory), read(target))
}

func TestAFileWithoutGoalsMeasuresNone(t *testing.T) {
	s, id, f, directory := pulledExperiment(t)
	edit(t, directory, experimentFile, `"goals"`, `"goals_"`)
	_, err := pushed(t, s, f, goalsAndExperiments)
	require.ErrorContains(t, err, `an experiment has no member "goals_"`)
	edit(t, directory, experimentFile, `"goals_"`, `"goals"`)
	edit(t, directory, experimentFile, "@goals/buy", "@goals/nowhere")
	_, err = pushed(t, s, f, goalsAndExperiments)
	require.ErrorContains(t, err, "@goals/nowhere is neither in the folder nor on the server")
	edit(t, directory, experimentFile, "@goals/nowhere", "@goals/buy")
	for _, wrong := range []string{`"x"`, `["x"]`} {
		write(t, directory, `{"name": "Words", "channel": "@channels/live/welcome", "variants": [], "goals": `+wrong+`}`)
		_, err = pushed(t, s, f, goalsAndExperiments)
		require.ErrorContains(t, err, "must be a")
	}
	write(t, directory, `{"name": "Words", "channel": "@channels/live/welcome", "variants": []}`)
	plan, err := pushed(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	require.Contains(t, plan.Steps[0].Changes[1], "~ goals: [")
	require.Empty(t, s.experiments[id]["goals"])
	plan, err = pushed(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	require.False(t, plan.Differs())
}

func write(t *testing.T, directory, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(directory, experimentFile), []byte(text), 0o600))
}

// Goals that do not decide change nothing for users, so they need no --serve; the end does; the rest is frozen, and a
// push that can't change it says so.
func TestOfAStartedExperimentOnlyGoalsAndTheEndChange(t *testing.T) {
	s, id, f, directory := pulledExperiment(t)
	s.experiments[id]["status"] = "RUNNING"
	_, err := pull(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	edit(t, directory, experimentFile, "@goals/buy", "@goals/kept")
	require.NoError(t, os.WriteFile(filepath.Join(directory, "goals/kept.json"),
		[]byte(`{"name": "Kept", "condition": {"event": {"name": "kept"}}}`), 0o600))
	_, err = pushed(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	require.Equal(t, []document{{"id": id, "goals": s.inputs[0]["goals"]}}, s.inputs)
	require.Len(t, s.experiments[id]["goals"], 2)

	edit(t, directory, experimentFile, "2026-12-24", "2026-12-31")
	plan, err := pushed(t, s, f, goalsAndExperiments)
	require.NoError(t, err)
	require.Equal(t, "--serve", plan.Steps[0].Held)
	serve := func(o *Options) { goalsAndExperiments(o); o.Serve = true }
	_, err = pushed(t, s, f, serve)
	require.NoError(t, err)
	require.Equal(t, document{"id": id, "endsAt": "2026-12-31T00:00:00Z"}, s.inputs[1])

	for _, change := range [][2]string{
		{`"weight": 1`, `"weight": 2`}, {`"key": "b"`, `"key": "c"`}, {`"Words"`, `"Other"`},
		{`"DEVICE"`, `"CUSTOM_USER_ID"`}, {`"variants": [`, `"variants": [{"key": "a", "weight": 1},`},
	} {
		edit(t, directory, experimentFile, change[0], change[1])
		_, err = pushed(t, s, f, serve)
		require.ErrorContains(t, err, "can't be changed: the experiment was started", change[1])
		edit(t, directory, experimentFile, change[1], change[0])
	}
	require.Len(t, s.inputs, 2)
	edit(t, directory, experimentFile, `"name": "",`, ``) // what a file leaves out stays
	edit(t, directory, experimentFile, "2026-12-31", "2027-01-01")
	_, err = pushed(t, s, f, serve)
	require.NoError(t, err)
	require.Equal(t, "2027-01-01T00:00:00Z", s.inputs[2]["endsAt"])
}
