package resolvers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent/environment"
)

const (
	listNotifications = `query($w: ID!, $u: Boolean = false, $k: [NotificationKind!]) { workspace(id: $w) {
		unreadNotifications notifications(unread: $u, kinds: $k) { totalCount nodes {
			id workspaceId kind severity title text unread readAt
			about { appId environment experimentId channelId endpointId revenueSourceId used limit daysLeft } } } } }`
	markRead = `mutation($n: ID!) { markNotificationRead(input: {id: $n}) { id unread readAt title } }`
	markAll  = `mutation($w: ID!, $t: Time) { markAllNotificationsRead(input: {workspaceId: $w, until: $t}) { marked } }`
)

// post tells the world's workspace something.
func (w *world) post(kind notification.Kind, key string, about notification.About) string {
	w.t.Helper()
	require.NoError(w.t, notification.Post(w.t.Context(), w.db.Pool, notification.Notification{
		WorkspaceID: uuid.MustParse(w.workspace), Kind: kind, Key: key, Severity: notification.Warning,
		Title: "About " + key, Text: "Text.", About: about,
	}))
	var id string
	require.NoError(w.t, w.db.Pool.QueryRow(
		w.t.Context(), `select id from notification where kind = $1 and key = $2`, kind, key).Scan(&id))
	return id
}

// inbox describes what somebody sees: titles with a star for the unread, newest first, after the number of unread.
func (c *client) inbox(variables vars) string {
	c.w.t.Helper()
	variables["w"] = c.w.workspace
	got := c.must(listNotifications, variables)
	text := fmt.Sprint(got.at(c.w.t, "workspace", "unreadNotifications"), ":")
	nodes := got.at(c.w.t, "workspace", "notifications", "nodes").([]any)
	for _, node := range nodes {
		n := node.(map[string]any)
		text += " " + n["title"].(string)[len("About "):]
		if n["unread"] == true {
			text += "*"
		}
	}
	require.Equal(c.w.t, fmt.Sprint(len(nodes)), fmt.Sprint(got.at(c.w.t, "workspace", "notifications", "totalCount")))
	return text
}

func TestMembersMarkForThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, viewer := w.as("owner"), w.as("viewer")
	app, live := uuid.New(), environment.KindLive
	first := w.post(notification.ExperimentEnded, "a", notification.About{AppID: &app, Environment: &live})
	second := w.post(notification.PlanLimitNear, "b", notification.About{Used: new(int64(320)), Limit: new(int64(400))})
	w.post(notification.EndpointDisabled, "c", notification.About{})
	require.Equal(t, "3: c* b* a*", owner.inbox(vars{}))
	require.Equal(t, "3: c* b* a*", viewer.inbox(vars{}))
	require.Equal(t, "3: b*", viewer.inbox(vars{"k": []string{"PLAN_LIMIT_NEAR"}}))

	marked := owner.must(markRead, vars{"n": second})
	require.Equal(t, false, marked.at(t, "markNotificationRead", "unread"))
	at := marked.at(t, "markNotificationRead", "readAt")
	require.NotNil(t, at)
	again := owner.must(markRead, vars{"n": second})
	require.Equal(t, at, again.at(t, "markNotificationRead", "readAt"), "the first mark stays")
	require.Equal(t, "2: c* b a*", owner.inbox(vars{}))
	require.Equal(t, "2: c* a*", owner.inbox(vars{"u": true}))
	require.Equal(t, "3: c* b* a*", viewer.inbox(vars{}), "marks of others are theirs")

	got := viewer.must(listNotifications, vars{"w": w.workspace}).at(t, "workspace", "notifications", "nodes").([]any)
	about := got[2].(map[string]any)["about"].(map[string]any)
	require.Equal(t, app.String(), about["appId"])
	require.Equal(t, "LIVE", about["environment"])
	require.Nil(t, about["used"])
	require.Equal(t, "320", fmt.Sprint(got[1].(map[string]any)["about"].(map[string]any)["used"]))
	require.Equal(t, "WARNING", got[1].(map[string]any)["severity"])

	// What came after the page was read stays unread.
	var seen time.Time
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select created_at from notification where id = $1`, first).Scan(&seen))
	require.Equal(t, "1", fmt.Sprint(viewer.must(markAll, vars{"w": w.workspace, "t": seen}).
		at(t, "markAllNotificationsRead", "marked")))
	require.Equal(t, "2: c* b* a", viewer.inbox(vars{}))
	require.Equal(t, "2", fmt.Sprint(viewer.must(markAll, vars{"w": w.workspace}).at(t, "markAllNotificationsRead", "marked")))
	require.Equal(t, "0: c b a", viewer.inbox(vars{}))
	require.Equal(t, "0:", viewer.inbox(vars{"u": true}))
	require.Equal(t, "2: c* b a*", owner.inbox(vars{}))

	// A new member has nothing to catch up with.
	editor := w.as("editor")
	require.Equal(t, "0: c b a", editor.inbox(vars{}))
	w.post(notification.ExperimentEnded, "d", notification.About{})
	require.Equal(t, "1: d* c b a", editor.inbox(vars{}))
}

// A key sees what its scopes are about, and acts for its maker; strangers and those who left see and mark nothing.
func TestWhoSeesNotifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor := w.as("editor")
	a := w.post(notification.ExperimentEnded, "a", notification.About{})
	b := w.post(notification.EndpointDisabled, "b", notification.About{})
	w.post(notification.IngestRefused, "c", notification.About{})

	reports, engage := w.keyed("editor", "analytics:read"), w.keyed("editor", "engage:read")
	require.Equal(t, "1: c*", reports.inbox(vars{}))
	require.Equal(t, "1: b*", engage.inbox(vars{}))
	require.Equal(t, "1:", engage.inbox(vars{"k": []string{"INGEST_REFUSED"}}))
	require.Equal(t, "forbidden", engage.do(markRead, vars{"n": a}).code())
	engage.must(markRead, vars{"n": b})
	require.Equal(t, "2: c* b a*", editor.inbox(vars{}))
	reports.must(markAll, vars{"w": w.workspace})
	require.Equal(t, "1: c b a*", editor.inbox(vars{}), "a key marks what it sees")
	writer := w.keyed("editor", "flow:edit")
	require.Equal(t, "forbidden", writer.do(listNotifications, vars{"w": w.workspace}).code())
	require.Equal(t, "forbidden", writer.do(markAll, vars{"w": w.workspace}).code())
	require.Equal(t, "forbidden", writer.do(markRead, vars{"n": a}).code())

	for who, code := range map[string]string{"stranger": "not_found", "anonymous": "unauthenticated"} {
		require.Equal(t, code, w.as(who).do(listNotifications, vars{"w": w.workspace}).code())
		require.Equal(t, code, w.as(who).do(markAll, vars{"w": w.workspace}).code())
		require.Equal(t, code, w.as(who).do(markRead, vars{"n": a}).code())
	}
	require.Equal(t, "not_found", w.operator().do(markRead, vars{"n": a}).code())
	require.Equal(t, "not_found", editor.do(markRead, vars{"n": uuid.NewString()}).code())

	id := editor.text(`{ viewer { userId } }`, nil, "viewer", "userId")
	w.as("owner").must(
		`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": id},
	)
	for who, code := range map[*client]string{editor: "not_found", reports: "unauthenticated"} {
		require.Equal(t, code, who.do(listNotifications, vars{"w": w.workspace}).code())
		require.Equal(t, code, who.do(markAll, vars{"w": w.workspace}).code())
		require.Equal(t, code, who.do(markRead, vars{"n": a}).code())
	}
	var marks int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select count(*) from notification_read`).Scan(&marks))
	require.Equal(t, 2, marks)
}
