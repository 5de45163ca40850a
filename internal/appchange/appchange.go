// Package appchange carries the news that an app changed from those who write to
// the servers that deliver: as a PostgreSQL notification, which is sent when, and
// only when, the transaction of the change is committed.
package appchange

import "github.com/google/uuid"

// Channel is the notification channel that the servers listen on (postgres/notify).
const Channel = "svc_delivery"

// NotifySQL is the statement for the transaction of the change. Its one parameter
// is Of or All.
const NotifySQL = "select svc_notify('" + Channel + "', $1)"

// All is the payload after a change that isn't of one app, such as another
// subscription of a workspace.
const All = "*"

// Of returns the payload after a change of an app, its keys, channels, experiments,
// branding or settings.
func Of(appID uuid.UUID) string { return appID.String() }

// Parse returns the apps that the payloads name, each once. It reports that all
// apps changed for a payload that it does not know.
func Parse(payloads []string) (apps []uuid.UUID, all bool) {
	seen := map[uuid.UUID]bool{}
	for _, payload := range payloads {
		id, err := uuid.Parse(payload)
		if err != nil {
			return nil, true
		}
		if !seen[id] {
			seen[id] = true
			apps = append(apps, id)
		}
	}
	return apps, false
}
