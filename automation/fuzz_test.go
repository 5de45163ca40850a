package automation

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/webhook"
)

const endpointA = `"endpointId": "0197aa00-0000-7000-8000-000000000001"`

// FuzzParse reads any definition, and walks whom one enrols that has no problems: every walk ends, and no message is
// longer than one may be.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"trigger": null}`, `{"trigger": {"type": "manual"}, "nodes": [null]}`,
		`{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "exit"}, {"id": "a", "type": "exit"}]}`,
		`{"trigger": {"type": "event", "event": "x", "where": {"of": "event", "property": "n", "op": "in", "value": [1, "a", true]},
			"reentry": "days", "days": 3, "key": "order"}, "nodes": [
			{"id": "a", "type": "condition", "if": {"any": [{"not": {"all": [{"of": "person", "property": "email", "op": "exists"}]}},
				{"of": "attributes", "property": "tier", "op": "gte", "value": 1e308}]}, "then": "b", "else": "c"},
			{"id": "b", "type": "split", "arms": [{"weight": 1, "next": "d"}, {"weight": 0}]},
			{"id": "c", "type": "delay", "until": {"time": "09:30", "weekdays": [1, 7], "timeZone": "Asia/Tokyo"}, "next": "d"},
			{"id": "d", "type": "waitForEvent", "event": "paid", "timeoutSeconds": 60, "then": "e", "else": "f"},
			{"id": "e", "type": "delay", "untilProperty": {"of": "event", "property": "at", "offsetSeconds": -5}, "next": "f"},
			{"id": "f", "type": "webhook", ` + endpointA + `, "messageType": "x", "always": true,
				"data": {"a": ["{{event.n}}", "{{person.email}} and {{attributes.tier}}", 1, null]}}],
			"exit": {"events": ["left"], "purchase": true, "when": {"of": "event", "property": "n", "op": "contains", "value": "z"}},
			"goal": {"purchase": true, "days": 7}, "marketing": false}`,
		`{"trigger": {"type": "flow", "outcome": "any", "where": {"of": "answers", "property": "goal", "value": "run"}}, "nodes": [
			{"id": "a", "type": "webhook", ` + endpointA + `, "messageType": "x", "data": "{{answers.goal}}{{event.n"}]}`,
		`{"trigger": {"type": "ledger", "kinds": ["refund"]}, "nodes": [{"id": "a", "type": "delay", "seconds": 5, "next": "a"}]}`,
	} {
		f.Add([]byte(seed), "x", 1.5)
	}
	f.Fuzz(func(t *testing.T, text []byte, word string, number float64) {
		d, problems := Parse(text)
		if len(problems) > 0 {
			return
		}
		s := surroundings{
			now: time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC), limits: Limits{Zone: time.UTC},
			disabled: func(uuid.UUID) bool { return false },
			facts: Facts{
				Event: map[string]any{
					"n": number, "order": word, "at": word, "list": []any{word, number, true, nil}, ofAnswers: map[string]any{"goal": word},
				},
				Person: Person{Email: word, TimeZone: word, Attributes: map[string]any{"tier": number, "note": word}},
			},
		}
		d.Trigger.Where.holds(&s.facts)
		e := enrolment{AppUserID: word, Node: d.Nodes[0].ID}
		for range 2 * len(d.Nodes) {
			m := d.advance(&e, &s)
			for _, sent := range m.Messages {
				if len(sent.Body) > webhook.MaxBody || !json.Valid(sent.Body) {
					t.Fatalf("a message of %d bytes: %.100q", len(sent.Body), sent.Body)
				}
			}
			if m.State != running {
				return
			}
			if e.Node, e.Waiting = m.Node, m.Waiting; m.Due.After(s.now) {
				s.now = m.Due
			}
		}
		t.Fatalf("somebody goes round and round: %s", text)
	})
}

// A template that names a long value thousands of times is given up before it takes memory.
func TestALongMessageIsSkipped(t *testing.T) {
	short, long := strings.Repeat("{{event.n}}", 1000), strings.Repeat("{{event.n}}", 4000)
	for _, c := range []struct {
		data, value string
		sent        bool
	}{
		{short, strings.Repeat("x", webhook.MaxBody/1000-1), true},
		{short, strings.Repeat("x", webhook.MaxBody/1000+1), false},
		{short, strings.Repeat("\x01", webhook.MaxBody/2000), false}, // six bytes each in JSON
		{long, strings.Repeat("x", 1<<20), false},
	} {
		text, err := json.Marshal(map[string]any{
			"trigger": map[string]any{"type": "event", "event": "x"},
			"nodes": []any{map[string]any{
				"id": "a", "type": "webhook", "endpointId": uuid.New(), "messageType": "x",
				"data": map[string]any{"text": c.data, "again": []string{"{{event.none}}"}},
			}},
		})
		require.NoError(t, err)
		d, problems := Parse(text)
		require.Empty(t, problems)
		s := surroundings{disabled: func(uuid.UUID) bool { return false }, limits: Limits{Zone: time.UTC}}
		s.facts.Event = map[string]any{"n": c.value}
		allocations := testing.AllocsPerRun(1, func() {
			m := d.advance(&enrolment{Node: "a"}, &s)
			if c.sent {
				require.Len(t, m.Messages, 1)
				require.LessOrEqual(t, len(m.Messages[0].Body), webhook.MaxBody)
				return
			}
			require.Empty(t, m.Messages)
			require.Equal(t, []step{{"a", skipped, reasonTooLarge}}, m.Steps)
		})
		require.Less(t, allocations, 100.0)
	}
}
