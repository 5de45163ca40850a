package bymail_test

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const baseURL = "https://svc.test"

// taker takes messages, or fails.
type taker struct {
	taken []mail.Message
	err   error
}

func (s *taker) Send(_ context.Context, m mail.Message) error {
	if s.err == nil {
		s.taken = append(s.taken, m)
	}
	return s.err
}

// world is a workspace with its owner, who makes the requests.
type world struct {
	*bymail.Mails
	t         *testing.T
	db        *postgres.DB
	sender    *taker
	owner     context.Context
	user      uuid.UUID
	workspace uuid.UUID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := pgtest.New(t)
	accounts := account.New(db.Ent(), db.Pool, account.Options{Logger: slog.New(slog.DiscardHandler)})
	_, err := accounts.Bootstrap(t.Context(), "owner@example.com", "correct horse", "Acme <b>")
	require.NoError(t, err)
	p, err := accounts.PrincipalOf(t.Context(), "owner@example.com")
	require.NoError(t, err)
	links, err := bymail.NewLinks(t.Context(), db.Pool, baseURL)
	require.NoError(t, err)
	sender := &taker{}
	return &world{
		&bymail.Mails{Pool: db.Pool, Accounts: accounts, Links: links, Sender: sender}, t, db, sender,
		account.With(t.Context(), p), p.UserID, db.Ent().Workspace.Query().OnlyIDX(t.Context()),
	}
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Pool.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

func (w *world) post(kind notification.Kind, about notification.About) {
	w.t.Helper()
	require.NoError(w.t, notification.Post(w.t.Context(), w.db.Pool, notification.Notification{
		WorkspaceID: w.workspace, Kind: kind, Key: uuid.NewString(), Severity: notification.Critical,
		Title: "Plants <script>", Text: "It broke.", About: about,
	}))
}

// letters returns those that wait, for a purpose.
func (w *world) letters(purpose string) []mail.Letter {
	w.t.Helper()
	rows, err := w.db.Pool.Query(w.t.Context(), `
		select id, purpose, key, workspace_id, user_id, created_at from mail_outbox where purpose = $1
		order by created_at, id`, purpose)
	require.NoError(w.t, err)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l mail.Letter, err error) {
		err = row.Scan(&l.ID, &l.Purpose, &l.Key, &l.WorkspaceID, &l.UserID, &l.CreatedAt)
		return l, err
	})
	require.NoError(w.t, err)
	return list
}

// last writes the newest letter of a purpose; nil when it is not wanted any more.
func (w *world) last(purpose string) *mail.Message {
	w.t.Helper()
	list := w.letters(purpose)
	require.NotEmpty(w.t, list)
	m, err := w.Writers()[purpose](w.t.Context(), list[len(list)-1])
	require.NoError(w.t, err)
	return m
}

func missing(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

var token = regexp.MustCompile(`\?token=([\w-]+)`)

// confirm confirms the owner's address by the link that is sent there.
func (w *world) confirm() (used string) {
	w.t.Helper()
	require.NoError(w.t, w.AskToConfirm(w.owner))
	m := w.last(bymail.Confirmation)
	require.Equal(w.t, "owner@example.com", m.To)
	require.Empty(w.t, m.Unsubscribe)
	used = token.FindStringSubmatch(m.Text)[1]
	require.Contains(w.t, m.HTML, used)
	require.NoError(w.t, w.Confirm(w.t.Context(), used))
	return used
}

// A member gets the kinds that they chose, or those of harm, at a confirmed address, until they end it; what they ended
// or lost the right to meanwhile is not written.
func TestMembersGetWhatTheyChose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post(notification.VersionHarm, notification.About{})
	require.Empty(t, w.letters(bymail.Notice), "the address is not confirmed")
	c, err := w.Read(w.owner, w.workspace)
	require.NoError(t, err)
	require.Equal(t, "owner@example.com", c.Address)
	require.True(t, c.Sends && c.Default && !c.Confirmed, "%+v", c)
	require.ElementsMatch(t, notification.Alarms(), c.Kinds)
	w.confirm()

	app, experiment, channel := uuid.New(), uuid.New(), `chn_<&"x`
	for _, about := range []struct {
		notification.About
		link string
	}{
		{notification.About{}, baseURL + "/"},
		{notification.About{AppID: &app}, "/apps/" + app.String() + "/live"},
		{notification.About{AppID: &app, ChannelID: &channel}, "/live/channels?channel=chn_%3C%26%22x"},
		{notification.About{AppID: &app, ExperimentID: &experiment}, "/live/experiments/" + experiment.String()},
	} {
		w.post(notification.VersionHarm, about.About)
		m := w.last(bymail.Notice)
		require.Equal(t, "owner@example.com", m.To)
		require.Contains(t, m.Text, about.link)
		require.NotContains(t, m.HTML, "<script>")
		require.NotContains(t, m.HTML, "<b>")
		require.Contains(t, m.Unsubscribe, baseURL+bymail.UnsubscribePath)
	}
	w.post(notification.ExperimentEnded, notification.About{})
	require.Len(t, w.letters(bymail.Notice), 4, "kinds that only inform are chosen")

	c, err = w.Choose(w.owner, w.workspace, []notification.Kind{notification.ExperimentEnded})
	require.NoError(t, err)
	require.Equal(t, []notification.Kind{notification.ExperimentEnded}, c.Kinds)
	require.True(t, !c.Default && c.Confirmed, "%+v", c)
	require.Nil(t, w.last(bymail.Notice), "harm is chosen no more")
	w.post(notification.ExperimentEnded, notification.About{})
	m := w.last(bymail.Notice)
	require.NotNil(t, m)
	w.exec(`update users set email = 'other@example.com'`)
	require.Nil(t, w.last(bymail.Notice), "another address is to be confirmed")
	w.exec(`update users set email = 'owner@example.com'`)

	end := token.FindStringSubmatch(m.Unsubscribe)[1]
	s, err := w.Subscription(t.Context(), end)
	require.NoError(t, err)
	require.Equal(t, &bymail.Subscription{WorkspaceName: "Acme <b>", Address: "owner@example.com"}, s)
	require.NotNil(t, w.last(bymail.Notice), "looking ends nothing")
	for range 2 {
		require.NoError(t, w.Unsubscribe(t.Context(), end))
		require.Nil(t, w.last(bymail.Notice))
	}
	w.exec(`delete from memberships`)
	_, err = w.Subscription(t.Context(), end)
	missing(t, err)
	missing(t, w.Unsubscribe(t.Context(), end))
	_, err = w.Read(t.Context(), w.workspace)
	require.Error(t, err, "nobody")
	_, err = w.Choose(t.Context(), w.workspace, nil)
	require.Error(t, err, "nobody")
}

// A link is for what it was made for: one address, one purpose, one day, and this database.
func TestLinksAreForOneThing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	used := w.confirm()
	address, err := w.ConfirmedAddress(t.Context(), used)
	require.NoError(t, err)
	require.Equal(t, "owner@example.com", address)
	other := "AA"
	if strings.HasSuffix(used, other) {
		other = "QA"
	}
	for _, wrong := range []string{
		"", "%", strings.Repeat("A", 54), used[:len(used)-2] + other, used + "A", "B" + used[1:], strings.Repeat("x", 100_000),
	} {
		missing(t, w.Confirm(t.Context(), wrong))
		missing(t, w.Unsubscribe(t.Context(), wrong))
	}
	_, err = w.Subscription(t.Context(), used)
	missing(t, err)
	w.exec(`update users set email = 'other@example.com'`)
	missing(t, w.Confirm(t.Context(), used))
	w.exec(`update users set email = 'owner@example.com'`)

	letter := w.letters(bymail.Confirmation)[0]
	letter.CreatedAt = time.Now().Add(-24*time.Hour + time.Minute)
	m, err := w.Writers()[bymail.Confirmation](t.Context(), letter)
	require.NoError(t, err)
	require.NoError(t, w.Confirm(t.Context(), token.FindStringSubmatch(m.Text)[1]))
	letter.CreatedAt = time.Now().Add(-25 * time.Hour)
	m, err = w.Writers()[bymail.Confirmation](t.Context(), letter)
	require.NoError(t, err)
	require.Nil(t, m, "its link would work no more")
	letter.UserID, letter.CreatedAt = uuid.New(), time.Now()
	m, err = w.Writers()[bymail.Confirmation](t.Context(), letter)
	require.NoError(t, err)
	require.Nil(t, m, "the account is gone")

	again, err := bymail.NewLinks(t.Context(), w.db.Pool, baseURL)
	require.NoError(t, err)
	require.Equal(t, w.Links, again, "servers of a database sign with one key")
}

// A test message says what became of it, repeats nothing of the SMTP server, and is counted.
func TestATestMessageSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got, err := w.Test(w.owner, w.workspace)
	require.NoError(t, err)
	require.Equal(t, &bymail.Tested{Accepted: true}, got)
	require.Equal(t, "owner@example.com", w.sender.taken[0].To)
	w.sender.err = &mail.Failure{Reason: "the SMTP server hung up"}
	got, err = w.Test(w.owner, w.workspace)
	require.NoError(t, err)
	require.Equal(t, &bymail.Tested{Reason: "the SMTP server hung up"}, got)
	w.sender.err = errors.New("broken")
	_, err = w.Test(w.owner, w.workspace)
	require.ErrorIs(t, err, w.sender.err)
	for range 50 {
		if _, err = w.Test(w.owner, w.workspace); fault.Is(err, fault.RateLimited) {
			break
		}
	}
	require.True(t, fault.Is(err, fault.RateLimited))
	require.True(t, fault.Is(w.AskToConfirm(w.owner), fault.RateLimited))

	w.Sender = nil
	_, err = w.Test(w.owner, w.workspace)
	require.True(t, fault.Is(err, fault.Conflict))
	require.True(t, fault.Is(w.AskToConfirm(w.owner), fault.Conflict))
	require.Error(t, w.AskToConfirm(t.Context()), "nobody")
	_, err = w.Test(t.Context(), w.workspace)
	require.Error(t, err, "nobody")
}
