package automation

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return parsed
}

func TestQuietHoursAreThePersons(t *testing.T) {
	night := Limits{QuietFrom: 22 * 60, QuietUntil: 8 * 60, Zone: time.UTC}
	for _, c := range []struct{ now, zone, until string }{
		{"2026-06-01T21:59:00Z", "", ""},
		{"2026-06-01T22:00:00Z", "", "2026-06-02T08:00:00Z"},
		{"2026-06-02T07:59:59Z", "", "2026-06-02T08:00:00Z"},
		{"2026-06-02T08:00:00Z", "", ""},
		{"2026-06-01T20:30:00Z", "Europe/Berlin", "2026-06-02T06:00:00Z"}, // 22:30 there
		{"2026-06-01T22:30:00Z", "America/New_York", ""},
		{"2026-06-01T22:30:00Z", "Nowhere/Land", "2026-06-02T08:00:00Z"},
	} {
		until, quiet := night.quietUntil(at(t, c.now), c.zone)
		require.Equal(t, c.until != "", quiet, "%v", c)
		if quiet {
			require.Equal(t, c.until, until.UTC().Format(time.RFC3339), "%v", c)
		}
	}
}

func TestQuietHoursAndTheCapKeepMessagesBack(t *testing.T) {
	d, problems := Parse([]byte(`{"trigger": {"type": "manual"}, "nodes": [
		{"id": "a", "type": "webhook", "endpointId": "0197aa00-0000-7000-8000-000000000001", "messageType": "x", "next": "b"},
		{"id": "b", "type": "webhook", "endpointId": "0197aa00-0000-7000-8000-000000000001", "messageType": "x", "always": true}]}`))
	require.Empty(t, problems)
	s := surroundings{
		now: at(t, "2026-06-01T23:00:00Z"), disabled: func(uuid.UUID) bool { return false },
		limits: Limits{QuietFrom: 22 * 60, QuietUntil: 8 * 60, Zone: time.UTC, Cap: 1, CapDays: 1},
	}
	m := d.advance(&enrolment{Node: "a"}, &s)
	require.Equal(t, []step{{"a", waiting, reasonQuiet}}, m.Steps)
	require.Equal(t, running, m.State)
	require.Equal(t, at(t, "2026-06-02T08:00:00Z"), m.Due.UTC())
	s.now, s.recent = m.Due, 1
	m = d.advance(&enrolment{Node: "a"}, &s)
	require.Equal(t, []step{{"a", skipped, reasonCap}, {"b", sent, ""}}, m.Steps)
	require.Equal(t, completed, m.State)
	require.Len(t, m.Messages, 1)
}

func TestDelaysEndOnWeekdaysInThePersonsZone(t *testing.T) {
	nine := 9 * 60
	weekdays := Delay{At: &nine, Weekdays: []int{1, 2, 3, 4, 5}, Zone: time.UTC}
	for _, c := range []struct{ now, zone, end string }{
		{"2026-06-05T08:00:00Z", "", "2026-06-05T09:00:00Z"},              // a Friday
		{"2026-06-05T09:01:00Z", "", "2026-06-08T09:00:00Z"},              // over the weekend
		{"2026-06-05T08:00:00Z", "Asia/Tokyo", "2026-06-08T00:00:00Z"},    // 17:00 there
		{"2026-10-23T09:00:00Z", "Europe/Berlin", "2026-10-26T08:00:00Z"}, // the clocks change
	} {
		end, known := weekdays.end(&surroundings{now: at(t, c.now), facts: Facts{Person: Person{TimeZone: c.zone}}})
		require.True(t, known)
		require.Equal(t, c.end, end.UTC().Format(time.RFC3339), "%v", c)
	}
}

func TestProblemsNameTheirPlace(t *testing.T) {
	for pointer, text := range map[string]string{
		"":                      `[]`,
		"/trigger":              `{"nodes": [{"id": "a", "type": "exit"}]}`,
		"/trigger/type":         `{"trigger": {"type": "birthday"}, "nodes": [{"id": "a", "type": "exit"}]}`,
		"/trigger/where/op":     `{"trigger": {"type": "event", "event": "x", "where": {"of": "event", "property": "p", "op": "~", "value": 1}}, "nodes": [{"id": "a", "type": "exit"}]}`,
		"/trigger/segmentId":    `{"trigger": {"type": "segment"}, "nodes": [{"id": "a", "type": "exit"}]}`,
		"/trigger/kinds/1":      `{"trigger": {"type": "ledger", "kinds": ["refund", "gift"]}, "nodes": [{"id": "a", "type": "exit"}]}`,
		"/trigger/where/of":     `{"trigger": {"type": "event", "event": "x", "where": {"of": "attributes", "property": "p", "value": 1}}, "nodes": [{"id": "a", "type": "exit"}]}`,
		"/nodes/0/if/of":        `{"trigger": {"type": "event", "event": "x"}, "nodes": [{"id": "a", "type": "condition", "if": {"of": "answers", "property": "p", "value": 1}}]}`,
		"/nodes/0/where/of":     `{"trigger": {"type": "flow", "outcome": "any"}, "nodes": [{"id": "a", "type": "waitForEvent", "event": "x", "timeoutSeconds": 1, "where": {"of": "answers", "property": "p", "value": 1}}]}`,
		"/nodes":                `{"trigger": {"type": "manual"}, "nodes": []}`,
		"/nodes/1/id":           `{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "exit"}, {"id": "a", "type": "exit"}]}`,
		"/nodes/1":              `{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "exit"}, {"id": "b", "type": "exit"}]}`,
		"/nodes/0/next":         `{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "delay", "seconds": 1, "next": "a"}]}`,
		"/nodes/0/data/x/0":     `{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "webhook", "endpointId": "0197aa00-0000-7000-8000-000000000001", "messageType": "x", "data": {"x": ["{{person.shoe}}"]}}]}`,
		"/nodes/0/until/time":   `{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "delay", "until": {"time": "25:00"}}]}`,
		"/nodes/0/arms/0/other": `{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "split", "arms": [{"weight": 1, "other": 1}]}]}`,
	} {
		_, problems := Parse([]byte(text))
		require.NotEmpty(t, problems, text)
		require.Equal(t, pointer, problems[0].Pointer, text)
	}
}
