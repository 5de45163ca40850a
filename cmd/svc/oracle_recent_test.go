package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
)

// recentQuestion asks for the newest rows of one event.
func (w *sentWorld) recentQuestion(scope analytics.Scope) question {
	name := oneOf(w.rng, world.Values[analytics.Event][1:])
	return question{
		args: []string{"recent", "--name", name}, where: true, dated: true, timed: scope.Start.IsZero(),
		check: func(o *oracle.Oracle, text string) string {
			var got struct {
				Nodes    []columns
				PageInfo struct{ HasNextPage bool }
			}
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				return err.Error()
			}
			for _, node := range got.Nodes {
				delete(node, "receivedAt")
			}
			want := []any{}
			all := o.Recent(scope, name)
			page := all[:min(50, len(all))]
			if got.PageInfo.HasNextPage != (len(page) < len(all)) {
				return fmt.Sprintf("%d of %d rows, hasNextPage %v", len(page), len(all), got.PageInfo.HasNextPage)
			}
			for _, h := range page {
				want = append(want, columns{
					"eventId": h.EventID, "name": h.Name, "occurredAt": time.UnixMilli(h.At).UTC().Format(time.RFC3339Nano),
					"appUserId": h.Visitor, "customUserId": h.CustomUserID, "sessionId": h.SessionID, "page": h.Page,
					"properties": columns{"of": h.EventID}, "country": h.Country, "platform": h.Platform,
					"attribution": wireAttribution(h), "customProperties": columns{"of": h.EventID},
				})
			}
			return difference("", plain(got.Nodes), want)
		},
	}
}
