package automation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An app that is archived sends nothing and nobody goes on in it; when it is back, what waited goes on.
func TestAnArchivedAppRests(t *testing.T) {
	w := newWorld(t)
	w.define(`{"trigger": {"type": "event", "event": "cart_abandoned"}, "nodes": [
		{"id": "wait", "type": "delay", "seconds": 3600, "next": "send"},
		{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "x"}]}`)
	w.track("ana", "cart_abandoned", map[string]any{})
	w.eventually(func() bool { return w.count(`select count(*) from automation_enrolment where waiting`) == 1 }, "ana waits")
	// A message that waits as well, to an endpoint that failed long ago.
	w.exec(`insert into webhook_delivery (environment_id, id, endpoint_id, node, app_user_id, body, state, next_attempt_at)
		values ($1, gen_random_uuid(), $2, '', 'ben', '{}', 'pending', now() + interval '1 hour')`, w.environment, w.endpoint)
	w.exec(`update webhook_endpoint set failing_since = now() - interval '30 days'`)

	_, err := w.studio.ArchiveApp(w.owner, w.app, "Shop")
	require.NoError(t, err)
	w.exec(`update automation_enrolment set due_at = now()`)
	w.exec(`update webhook_delivery set next_attempt_at = now()`)
	// Another app, whose work is seen to be done after that of the first one was looked for, twice.
	other := w.otherApp()
	for _, person := range []string{"one", "two"} {
		other.track(person, "cart_abandoned", map[string]any{})
		other.eventually(func() bool {
			return other.count(`select count(*) from webhook_delivery where environment_id = $1 and app_user_id = $2
				and state = 'delivered'`, other.environment, person) == 1
		}, "the other app goes on")
	}
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment where environment_id = $1 and ended_at is null
		and node = 'wait'`, w.environment), "ana waits still")
	require.Zero(t, w.count(`select count(*) from webhook_attempt where environment_id = $1`, w.environment))
	w.track("cleo", "cart_abandoned", map[string]any{}) // what was on its way
	require.Zero(t, w.count(`select count(*) from automation_enrolment where app_user_id = 'cleo'`))

	_, err = w.studio.UnarchiveApp(w.owner, w.app)
	require.NoError(t, err)
	w.eventually(func() bool {
		return w.count(`select count(*) from webhook_delivery where environment_id = $1 and state = 'delivered'`,
			w.environment) == 2
	}, "both messages are sent")
	require.Equal(t, 1, w.count(`select count(*) from webhook_endpoint where id = $1 and failing_since is null
		and disabled_reason = ''`, w.endpoint))
	require.NoError(t, w.Refresh(t.Context()))
	w.track("dora", "cart_abandoned", map[string]any{})
	require.Equal(t, 1, w.count(`select count(*) from automation_enrolment where app_user_id = 'dora'`))
}

// The days in which an app rests are none in which its endpoints fail.
func TestAnEndpointOutlivesTheRestOfItsApp(t *testing.T) {
	w := newWorld(t)
	w.exec(`update webhook_endpoint set failing_since = $1`, time.Now().Add(-30*24*time.Hour))
	_, err := w.studio.ArchiveApp(w.owner, w.app, "Shop")
	require.NoError(t, err)
	_, err = w.studio.UnarchiveApp(w.owner, w.app)
	require.NoError(t, err)
	require.Equal(t, 1, w.count(`select count(*) from webhook_endpoint where failing_since is null`))
}
