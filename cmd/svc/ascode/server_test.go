package ascode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// goalServer is a server whose apps have goals only.
type goalServer struct {
	goals   map[string]document // by id
	made    int
	changes int
	fail    string // a name that is refused
}

func newGoalServer() *goalServer { return &goalServer{goals: map[string]document{}} }

func (s *goalServer) Read(_ context.Context, name string, variables map[string]any, into any, _ ...string) error {
	input, _ := variables["input"].(map[string]any)
	if input == nil {
		return fmt.Errorf("unexpected document %s", name)
	}
	if input["name"] == s.fail && s.fail != "" {
		return errors.New("name is that of another goal")
	}
	s.changes++
	id, _ := input["id"].(string)
	switch name {
	case "createGoal":
		s.made++
		id = fmt.Sprintf("00000000-0000-4000-8000-%012d", s.made)
		fallthrough
	case "updateGoal":
		s.goals[id] = document{"id": id, "name": input["name"], "condition": input["condition"]}
		return convert(s.goals[id], into)
	case "deleteGoal":
		delete(s.goals, id)
		return nil
	}
	return fmt.Errorf("unexpected document %s", name)
}

func (s *goalServer) ReadAll(_ context.Context, name string, _ map[string]any, into any, _ ...string) error {
	rows := []document{}
	if name == "goalList" {
		for _, id := range slices.Sorted(maps.Keys(s.goals)) {
			rows = append(rows, s.goals[id])
		}
	}
	return convert(rows, into)
}

func convert(from, into any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func (s *goalServer) add(name string, condition document) string {
	s.made++
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", s.made)
	s.goals[id] = document{"id": id, "name": name, "condition": condition}
	return id
}

const app = "11111111-0000-4000-8000-000000000001"

var ofGoals = Options{App: app, Kinds: []string{"goals"}}

func pull(t *testing.T, s Server, f *Folder, change func(*Options)) (*Pulled, error) {
	t.Helper()
	o := ofGoals
	if change != nil {
		change(&o)
	}
	return Pull(context.Background(), s, f, o)
}

// pushed pushes and returns the plan.
func pushed(t *testing.T, s Server, f *Folder, change func(*Options)) (*Plan, error) {
	t.Helper()
	o := ofGoals
	if change != nil {
		change(&o)
	}
	var shown *Plan
	err := Push(context.Background(), s, f, o, func(p *Plan) error { shown = p; return nil })
	return shown, err
}

func openTemporary(t *testing.T) (*Folder, string) {
	t.Helper()
	directory := t.TempDir()
	folder, err := OpenFolder(directory)
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	return folder, directory
}

func conflictsOf(t *testing.T, err error) []Conflict {
	t.Helper()
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.True(t, r.Conflict, r.Message)
	return r.Files
}
