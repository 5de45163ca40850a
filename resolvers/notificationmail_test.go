package resolvers_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/mail/mailtest"
)

const (
	mailOf  = `query($w: ID!) { workspace(id: $w) { notificationMail { sends address confirmed kinds default } } }`
	setMail = `mutation($w: ID!, $k: [NotificationKind!]!) {
		setNotificationMail(input: {workspaceId: $w, kinds: $k}) { kinds default confirmed } }`
	askMail  = `mutation { sendMailConfirmation }`
	testMail = `mutation($w: ID!) { sendTestMail(input: {workspaceId: $w}) { accepted reason } }`
)

// post office of a world: its server sends by SMTP.
func (w *world) sendsMail(options mail.Options) *mailtest.Server {
	w.t.Helper()
	smtp := mailtest.New(w.t, mailtest.Options{})
	sender, err := mail.NewSender(mail.Server{
		Host: smtp.Host, Port: smtp.Port, TLS: mail.NoTLS, From: "Svc <svc@example.com>",
	})
	require.NoError(w.t, err)
	w.mails.Sender, options.Sender, options.Every = sender, sender, 20*time.Millisecond
	writers := w.mails.Writers()
	maps.Copy(writers, w.scheduled.Writers())
	options.Carriers = w.scheduled.Carriers()
	outbox := mail.NewOutbox(w.db.Pool, options, writers)
	require.NoError(w.t, outbox.Start(w.t.Context()))
	w.t.Cleanup(func() { require.NoError(w.t, outbox.Stop(context.Background())) })
	return smtp
}

// received waits for as many messages.
func received(t *testing.T, smtp *mailtest.Server, n int) []mailtest.Parsed {
	t.Helper()
	require.Eventually(t, func() bool { return len(smtp.Received()) >= n }, 20*time.Second, 10*time.Millisecond)
	var list []mailtest.Parsed
	for _, m := range smtp.Received() {
		list = append(list, mailtest.Parse(t, m.Data))
	}
	require.Len(t, list, n)
	return list
}

// settled waits until nothing waits to be sent, and returns what became of the letters of a purpose.
func (w *world) settled(purpose string) string {
	w.t.Helper()
	var states string
	require.Eventually(w.t, func() bool {
		var pending int
		require.NoError(w.t, w.db.Pool.QueryRow(w.t.Context(), `
			select count(*) filter (where state = 'pending'), coalesce(string_agg(state, ' ' order by created_at, id), '')
			from mail_outbox where purpose = $1`, purpose).Scan(&pending, &states))
		return pending == 0
	}, 20*time.Second, 10*time.Millisecond)
	return states
}

var linkOf = regexp.MustCompile(`http://svc\.test(/mail/[a-z]+\?token=[\w-]+)`)

// follow opens a link of a message as a browser or a mail program does, without a session.
func (w *world) follow(method, target string) (int, string) {
	mux := http.NewServeMux()
	welcome.Pages{BaseURL: "http://svc.test", Mails: w.mails, Logger: w.logger}.Register(mux)
	body := strings.NewReader("List-Unsubscribe=One-Click")
	r := httptest.NewRequest(method, target, body)
	r.Header.Set("Origin", "https://mail.example")
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, r)
	return recorder.Code, recorder.Body.String()
}

func (w *world) mailOf(c *client) map[string]any {
	return c.must(mailOf, vars{"w": w.workspace}).at(w.t, "workspace", "notificationMail").(map[string]any)
}

func TestNotificationsComeByMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, viewer := w.as("owner"), w.as("viewer")
	require.Equal(t, false, w.mailOf(owner)["sends"])
	require.Equal(t, "conflict", owner.do(askMail, nil).code())
	require.Equal(t, "conflict", owner.do(testMail, vars{"w": w.workspace}).code())
	smtp := w.sendsMail(mail.Options{})

	// Nothing goes to an address that is not confirmed.
	app, channel := uuid.New(), "chn_<&\"x"
	about := notification.About{AppID: &app, ChannelID: &channel}
	w.post(notification.VersionHarm, "before", about)
	got := w.mailOf(viewer)
	require.Equal(t, true, got["sends"])
	require.Equal(t, false, got["confirmed"])
	require.Equal(t, true, got["default"])
	require.Len(t, got["kinds"], len(notification.Alarms()))
	viewer.must(askMail, nil)
	m := received(t, smtp, 1)[0]
	require.Equal(t, "Confirm your email address", m.Subject)
	require.Empty(t, m.Header.Get("List-Unsubscribe"))
	confirm := linkOf.FindStringSubmatch(m.Text)[1]
	require.Contains(t, m.HTML, confirm)

	// Programs that open each link confirm nothing; another token neither.
	status, page := w.follow(http.MethodGet, confirm)
	require.Equal(t, 200, status)
	require.Contains(t, page, got["address"].(string))
	require.Contains(t, page, `action="?token=`+url.QueryEscape(strings.SplitN(confirm, "=", 2)[1]))
	require.Equal(t, false, w.mailOf(viewer)["confirmed"])
	other := "AA"
	if strings.HasSuffix(confirm, other) {
		other = "QA"
	}
	for _, wrong := range []string{
		"/mail/confirm", "/mail/confirm?token=" + strings.Repeat("A", 54), confirm[:len(confirm)-2] + other, confirm + "A",
		strings.Replace(confirm, "confirm", "unsubscribe", 1), "/mail/confirm?token=" + strings.Repeat("x", 100_000),
		confirm[:strings.Index(confirm, "=")+1] + "B" + confirm[strings.Index(confirm, "=")+2:],
	} {
		status, page := w.follow(http.MethodPost, wrong)
		require.Equal(t, 404, status, wrong)
		require.Less(t, len(page), 10_000)
	}
	status, _ = w.follow(http.MethodPost, confirm)
	require.Equal(t, 200, status)
	require.Equal(t, true, w.mailOf(viewer)["confirmed"])
	require.Equal(t, false, w.mailOf(owner)["confirmed"])

	// Alarms come to who has chosen nothing, other kinds do not.
	w.post(notification.VersionHarm, "harm", about)
	w.post(notification.ExperimentEnded, "ended", notification.About{})
	m = received(t, smtp, 2)[1]
	require.Equal(t, "About harm · Acme", m.Subject)
	require.Equal(t, "<"+got["address"].(string)+">", m.Header.Get("To"))
	link := "http://svc.test/apps/" + app.String() + "/live/channels?channel=chn_%3C%26%22x"
	require.Contains(t, m.Text, "Open channel: "+link)
	require.Contains(t, m.HTML, `href="`+strings.ReplaceAll(link, "&", "&amp;")+`"`)
	require.Contains(t, m.Text, "/settings?tab=notifications")
	unsubscribe := linkOf.FindStringSubmatch(m.Header.Get("List-Unsubscribe"))[1]
	require.Contains(t, m.Text, unsubscribe)

	// The choice is one's own; a key adds what it sees and keeps what it does not.
	chosen := viewer.must(setMail, vars{"w": w.workspace, "k": []string{"EXPERIMENT_ENDED", "ENDPOINT_DISABLED"}})
	require.Equal(t, []any{"ENDPOINT_DISABLED", "EXPERIMENT_ENDED"}, chosen.at(t, "setNotificationMail", "kinds"))
	key := w.keyed("viewer", "engage:read")
	require.Equal(t, "invalid_input", key.do(setMail, vars{"w": w.workspace, "k": []string{"VERSION_HARM"}}).code())
	key.must(setMail, vars{"w": w.workspace, "k": []string{}})
	require.Equal(t, []any{"EXPERIMENT_ENDED"}, w.mailOf(viewer)["kinds"])
	require.Equal(t, true, w.mailOf(owner)["default"])
	for _, c := range []*client{w.as("stranger"), w.as("anonymous")} {
		require.NotEmpty(t, c.do(setMail, vars{"w": w.workspace, "k": []string{}}).code())
		require.NotEmpty(t, c.do(mailOf, vars{"w": w.workspace}).code())
	}
	require.Equal(t, "forbidden", key.do(askMail, nil).code())
	w.post(notification.ExperimentEnded, "now", notification.About{})
	w.post(notification.VersionHarm, "not now", about)
	require.Equal(t, "About now · Acme", received(t, smtp, 3)[2].Subject)

	// A mail program's one click ends it; the page alone does not.
	status, page = w.follow(http.MethodGet, unsubscribe)
	require.Equal(t, 200, status)
	require.Contains(t, page, "Acme")
	require.Len(t, w.mailOf(viewer)["kinds"], 1)
	for range 2 {
		status, _ = w.follow(http.MethodPost, unsubscribe+"&next=https://evil.example")
		require.Equal(t, 200, status)
	}
	require.Empty(t, w.mailOf(viewer)["kinds"])
	w.post(notification.ExperimentEnded, "silence", notification.About{})
	require.Equal(t, "sent sent", w.settled("notification"))
	require.Len(t, smtp.Received(), 3)

	require.Equal(t, "forbidden", viewer.do(testMail, vars{"w": w.workspace}).code())
	tested := owner.must(testMail, vars{"w": w.workspace})
	require.Equal(t, true, tested.at(t, "sendTestMail", "accepted"))
	smtp.Refuse(550)
	tested = owner.must(testMail, vars{"w": w.workspace})
	require.Equal(t, "the SMTP server refused the message with code 550", tested.at(t, "sendTestMail", "reason"))
	for range 8 {
		owner.must(testMail, vars{"w": w.workspace})
	}
	require.Equal(t, "rate_limited", owner.do(testMail, vars{"w": w.workspace}).code())
	require.Equal(t, "rate_limited", owner.do(askMail, nil).code())
}

// What waits is not sent to who left, unsubscribed or changed, and its words are nobody's markup.
func TestMailIsOnlyForMembersWhoWantIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, role := range []string{"viewer", "editor", "admin"} {
		w.as(role)
	}
	_, err := w.db.Pool.Exec(t.Context(), `insert into mail_address (user_id, address) select id, email from users`)
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(t.Context(), `update workspaces set name = $1`,
		"<img src=x onerror=alert(1)>\r\nBcc: eve@example.com"+strings.Repeat("long", 500))
	require.NoError(t, err)
	require.NoError(t, notification.Post(t.Context(), w.db.Pool, notification.Notification{
		WorkspaceID: uuid.MustParse(w.workspace), Kind: notification.VersionHarm, Key: "k", Severity: notification.Critical,
		Title: "<script>alert(1)</script>\r\nTo: eve@example.com", Text: "<b>{{.Link}}</b> \u202e" + strings.Repeat("x ", 5000),
	}))
	var waiting int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select count(*) from mail_outbox`).Scan(&waiting))
	members := waiting
	require.GreaterOrEqual(t, members, 4)
	id := w.as("editor").text(`{ viewer { userId } }`, nil, "viewer", "userId")
	w.as("owner").must(`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": id})
	w.as("viewer").must(setMail, vars{"w": w.workspace, "k": []string{"INGEST_REFUSED"}})
	_, err = w.db.Pool.Exec(t.Context(), `update users set email = 'new@example.com' where id = (
		select user_id from memberships where role = 'admin')`)
	require.NoError(t, err)
	smtp := w.sendsMail(mail.Options{})
	states := w.settled("notification")
	require.Equal(t, 3, strings.Count(states, "dropped"), states)
	require.Equal(t, members-3, strings.Count(states, "sent"), states)
	for _, m := range received(t, smtp, members-3) {
		require.Empty(t, m.Header.Get("Bcc"))
		require.Len(t, m.Header["To"], 1)
		require.NotContains(t, m.HTML, "<script")
		require.NotContains(t, m.HTML, "<img")
		require.NotContains(t, m.HTML, "<b>")
		require.NotContains(t, m.Text+m.HTML, "\u202e")
		require.Less(t, len(m.HTML), 10_000)
		require.Less(t, len(m.Subject), 900)
	}
}

// Many servers send each message once; what is refused for a time comes later, what is refused for good never, and a
// workspace has so many a day.
func TestTheOutboxSendsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.db.Pool.Exec(t.Context(), `insert into mail_address (user_id, address) select id, email from users`)
	require.NoError(t, err)
	smtp := w.sendsMail(mail.Options{PerDay: 25})
	for range 2 {
		outbox := mail.NewOutbox(w.db.Pool, mail.Options{
			Sender: w.mails.Sender, PerDay: 25, Every: 15 * time.Millisecond,
		}, w.mails.Writers())
		require.NoError(t, outbox.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, outbox.Stop(context.Background())) })
	}
	for i := range 20 {
		w.post(notification.VersionHarm, fmt.Sprint(i), notification.About{})
	}
	require.Equal(t, 20, strings.Count(w.settled("notification"), "sent"))
	ids := map[string]bool{}
	for _, m := range received(t, smtp, 20) {
		ids[m.Header.Get("Message-ID")] = true
	}
	require.Len(t, ids, 20)

	smtp.Refuse(451)
	w.post(notification.VersionHarm, "later", notification.About{})
	var wait time.Duration
	require.Eventually(t, func() bool {
		return w.db.Pool.QueryRow(t.Context(), `
			select next_attempt_at - now() from mail_outbox where state = 'pending' and failures = 1`).Scan(&wait) == nil
	}, 10*time.Second, 10*time.Millisecond)
	require.InDelta(t, time.Minute, wait, float64(20*time.Second))
	smtp.Refuse(0)
	_, err = w.db.Pool.Exec(t.Context(), `update mail_outbox set next_attempt_at = now() where state = 'pending'`)
	require.NoError(t, err)
	require.Equal(t, "About later · Acme", received(t, smtp, 21)[20].Subject)
	smtp.Refuse(550)
	w.post(notification.VersionHarm, "never", notification.About{})
	require.Equal(t, 1, strings.Count(w.settled("notification"), "failed"))
	smtp.Refuse(0)
	for i := range 10 {
		w.post(notification.VersionHarm, fmt.Sprint("more ", i), notification.About{})
	}
	states := w.settled("notification")
	require.InDelta(t, 25, strings.Count(states, "sent"), 16, "other servers may be sending at the same moment")
	require.Positive(t, strings.Count(states, "failed")-1, states)

	// A server that is killed leaves its message, with the same id, to another when the lease is over; news of days ago
	// are none.
	_, err = w.db.Pool.Exec(t.Context(), `delete from mail_outbox`)
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(t.Context(), `
		insert into mail_outbox (id, purpose, key, workspace_id, user_id, attempts, next_attempt_at, created_at)
		select gen_random_uuid(), 'notification', n.id || ' ' || m.user_id, n.workspace_id, m.user_id, 1,
			now() + interval '300 ms', case when n.key = '0' then now() else now() - interval '4 days' end
		from notification n join memberships m using (workspace_id) where n.key in ('0', '1')`)
	require.NoError(t, err)
	had := len(smtp.Received())
	states = w.settled("notification")
	require.Equal(t, 1, strings.Count(states, "sent"), states)
	require.Equal(t, 1, strings.Count(states, "failed"), states)
	require.Len(t, smtp.Received(), had+1)
}
