package delivery

import "github.com/google/uuid"

// NotifyChannel is the PostgreSQL notification channel that catalogues listen
// on.
const NotifyChannel = "svc_delivery"

// NotifySQL tells every catalogue that an app changed. It belongs into the
// transaction of the change, so that the news is sent when, and only when, the
// change is committed. Its one parameter is NotifyApp or NotifyEverything.
const NotifySQL = "select pg_notify('" + NotifyChannel + "', $1)"

// NotifyEverything is the payload after a change that isn't of one app, such as
// another subscription of a workspace.
const NotifyEverything = "*"

// NotifyApp is the payload after a change of an app, its keys, channels,
// experiments, branding or settings.
func NotifyApp(appID uuid.UUID) string { return appID.String() }

// changedApps reads notification payloads. It reports everything changed for
// a payload that it does not know.
func changedApps(payloads []string) (apps []uuid.UUID, everything bool) {
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
