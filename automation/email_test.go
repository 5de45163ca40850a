package automation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/automation/notification/bymail"
	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/mail"
	"github.com/svc-dev/svc/mail/mailtest"
	"github.com/svc-dev/svc/people"
)

const hello = `{"trigger": {"type": "event", "event": "signed_up", "reentry": "always"}, MARKETING
	"nodes": [{"id": "hello", "type": "email", "subject": "Hi {{person.firstName | there}}",
		"preheader": "Plan {{event.plan}}",
		"body": "# Welcome, {{person.firstName|friend}}\n\nYour plan is **{{event.plan}}**: [open](https://shop.example/p?u={{person.customUserId}})"}]}`

// newMailWorld is newWorld with an SMTP server.
func newMailWorld(t *testing.T, perDay int) (w *world, smtp *mailtest.Server, mails *bymail.Mails) {
	t.Helper()
	w = newWorldWith(t, func(w *world) { smtp, mails = w.withMail(perDay) })
	return w, smtp, mails
}

func (w *world) withMail(perDay int) (*mailtest.Server, *bymail.Mails) {
	w.t.Helper()
	smtp := mailtest.New(w.t, mailtest.Options{Encrypted: true})
	sender, err := mail.NewSender(mail.Server{
		Host: smtp.Host, Port: smtp.Port, From: "Svc <svc@example.com>", Roots: smtp.Roots,
	})
	require.NoError(w.t, err)
	links, err := bymail.NewLinks(context.Background(), w.db.Pool, "https://svc.example")
	require.NoError(w.t, err)
	w.mail = &automation.MailOptions{
		Sender: sender, Links: links, PerDay: perDay, CountTest: func(context.Context, uuid.UUID) error { return nil },
	}
	return smtp, &bymail.Mails{Pool: w.db.Pool, Links: links}
}

// profile is what an app says of a person.
type profile struct {
	Email, FirstName *string
	MarketingConsent *people.Consent
}

func (w *world) identify(person string, p profile) {
	w.t.Helper()
	if p.MarketingConsent == nil && p.Email != nil {
		p.MarketingConsent = to(people.Unknown)
	}
	_, err := people.New(w.db.Pool, people.Options{}).Identify(w.t.Context(), people.Change{
		EnvironmentID: w.environment, AppUserID: person, CustomUserID: "c/" + person + "&x", Email: value(p.Email),
		MarketingConsent: value(p.MarketingConsent), Profile: people.Profile{FirstName: p.FirstName},
	})
	require.NoError(w.t, err)
}

func (w *world) mails() map[string]int {
	w.t.Helper()
	return w.grouped(`select state || ' ' || reason, count(*) from automation_mail group by 1`)
}

func with(marketing string) string { return strings.ReplaceAll(hello, "MARKETING", marketing) }

func to[T any](v T) *T { return &v }

func value[T any](v *T) (empty T) {
	if v == nil {
		return empty
	}
	return *v
}

func TestEmailOfAStepIsSentOnceWithThePersonsFields(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 0)
	w.identify("ana", profile{Email: to("ana@example.com"), FirstName: to("Ana <b>")})
	automation := w.define(with(""))
	w.track("ana", "signed_up", map[string]any{"plan": "<script>pro</script>"})
	w.track("ben", "signed_up", nil) // of whom no address is known
	w.eventually(func() bool { return w.mails()["sent"] == 1 }, "the email is sent")
	require.Equal(t, map[string]int{"sent": 1}, w.mails())
	require.Equal(t, map[string]int{"hello sent": 1, "hello skipped no_address": 1}, w.steps())
	require.Len(t, smtp.Received(), 1)
	require.Equal(t, []string{"ana@example.com"}, smtp.Received()[0].To)
	got := mailtest.Parse(t, smtp.Received()[0].Data)
	require.Equal(t, "Hi Ana <b>", got.Subject)
	require.Equal(t, `"Shop" <svc@example.com>`, got.Header.Get("From"))
	require.Contains(t, got.HTML, "<h1>Welcome, Ana &lt;b&gt;</h1>")
	require.Contains(t, got.HTML, "<strong>&lt;script&gt;pro&lt;/script&gt;</strong>")
	require.Contains(t, got.HTML, `href="https://shop.example/p?u=c%2Fana%26x"`)
	require.Contains(t, got.Text, "Your plan is **<script>pro</script>**")
	require.Equal(t, "List-Unsubscribe=One-Click", got.Header.Get("List-Unsubscribe-Post"))
	figures, err := w.Figures(w.owner, automation.ID)
	require.NoError(t, err)
	require.Equal(t, 1, figures.Nodes[0].Delivered)

	// What is erased is not sent, and is in none of the tables.
	require.Equal(t, 0, w.count(`select count(*) from automation_mail where app_user_id = 'ben'`))
}

func TestWhoUnsubscribesGetsNoMoreEmailOfTheEnvironment(t *testing.T) {
	w, smtp, mails := newMailWorld(t, 0)
	w.identify("ana", profile{Email: to("Ana@example.com")})
	automation := w.define(with(""))
	w.track("ana", "signed_up", nil)
	w.eventually(func() bool { return w.mails()["sent"] == 1 }, "the email is sent")
	header := mailtest.Parse(t, smtp.Received()[0].Data).Header.Get("List-Unsubscribe")
	link, err := url.Parse(strings.Trim(header, "<>"))
	require.NoError(t, err)

	mux := http.NewServeMux()
	welcome.Pages{Mails: mails}.Register(mux)
	call := func(method, token string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequestWithContext(
			t.Context(), method, "/mail/unsubscribe?token="+url.QueryEscape(token), strings.NewReader("List-Unsubscribe=One-Click")))
		return answer
	}
	token := link.Query().Get("token")
	suppressed := func() int { return w.count(`select count(*) from mail_suppression`) }
	asked := call(http.MethodGet, token)
	require.Equal(t, 200, asked.Code)
	require.Contains(t, asked.Body.String(), "Stop all email from “Shop” to your address?", "nothing is done yet")
	require.NotContains(t, strings.ToLower(asked.Body.String()), "ana@")
	require.Zero(t, suppressed(), "looking changes nothing")
	for i := range len(token) { // a character of a token that is another one is no token
		other := []byte(token)
		other[i] = map[bool]byte{true: 'B', false: 'A'}[other[i] == 'A']
		if answer := call(http.MethodPost, string(other)); answer.Code != 404 && i < len(token)-1 {
			require.Equal(t, 404, answer.Code, i)
		}
	}
	w.exec(`delete from mail_suppression`) // the last character has bits that say nothing
	require.Equal(t, 200, call(http.MethodPost, token).Code)
	require.Equal(t, 200, call(http.MethodPost, token).Code, "again")
	require.Equal(t, 1, suppressed())
	require.Zero(t, w.count(`select count(*) from mail_suppression where address_key::text like '%ana%'`))

	w.track("ana", "signed_up", nil)
	w.identify("other", profile{Email: to("ana@EXAMPLE.com")}) // the same address of another person
	w.track("other", "signed_up", nil)
	w.eventually(func() bool { return w.steps()["hello skipped unsubscribed"] == 2 }, "both are left out")
	require.Len(t, smtp.Received(), 1)
	figures, err := w.Figures(w.owner, automation.ID)
	require.NoError(t, err)
	require.Equal(t, 1, figures.Nodes[0].Unsubscribed)
}

// suppressions lists addresses of the live environment as owner, and how many there are.
func (w *world) suppressions(email string) []*automation.Suppression {
	w.t.Helper()
	filter := automation.SuppressionFilter{App: w.app, Environment: environment.KindLive, Email: email}
	list, err := w.Suppressions(w.owner, filter, nil, 100)
	require.NoError(w.t, err)
	count, err := w.CountSuppressions(w.owner, filter)
	require.NoError(w.t, err)
	require.Equal(w.t, len(list), count)
	return list
}

func TestSuppressedAddressesAreListedFoundAndRemoved(t *testing.T) {
	w, smtp, mails := newMailWorld(t, 0)
	w.identify("ana", profile{Email: to("Ana@example.com")})
	made := w.define(with(""))
	w.track("ana", "signed_up", nil)
	w.eventually(func() bool { return w.mails()["sent"] == 1 }, "the email is sent")
	require.Empty(t, w.suppressions(""))
	link, err := url.Parse(strings.Trim(
		mailtest.Parse(t, smtp.Received()[0].Data).Header.Get("List-Unsubscribe"), "<>"))
	require.NoError(t, err)
	require.NoError(t, mails.Unsubscribe(t.Context(), link.Query().Get("token")))

	// What a mailbox that does not exist answers suppresses its address; a policy's refusal says nothing of the address.
	smtp.Refuse(550)
	w.identify("cyd", profile{Email: to("cyd@example.com")})
	w.track("cyd", "signed_up", nil)
	w.eventually(func() bool { return w.count(`select count(*) from automation_mail where state = 'failed'`) == 1 }, "refused")
	smtp.Bounce()
	w.identify("ben", profile{Email: to("ben@example.com")})
	w.track("ben", "signed_up", nil)
	w.eventually(func() bool { return w.count(`select count(*) from automation_mail where state = 'failed'`) == 2 }, "bounced")
	smtp.Refuse(0)

	list := w.suppressions("")
	require.Len(t, list, 2)
	require.Equal(t, []any{"ben@example.com", automation.Bounced, "ben", made.ID},
		[]any{list[0].Email, list[0].Reason, list[0].AppUserID, list[0].Automation.ID})
	require.Equal(t, []any{"Ana@example.com", automation.Unsubscribed, "ana", made.ID},
		[]any{list[1].Email, list[1].Reason, list[1].AppUserID, list[1].Automation.ID})
	behind := &automation.SuppressionPlace{CreatedAt: list[0].CreatedAt, ID: list[0].ID}
	filter := automation.SuppressionFilter{App: w.app, Environment: environment.KindLive}
	next, err := w.Suppressions(w.owner, filter, behind, 1)
	require.NoError(t, err)
	require.Equal(t, list[1].ID, next[0].ID)

	// An address is found whoever has it now, and is not shown for a user who has another one.
	w.identify("ana", profile{Email: to("new@example.com")})
	require.Empty(t, w.suppressions("")[1].Email)
	require.Empty(t, w.suppressions("new@example.com"))
	require.Empty(t, w.suppressions("na@example.com"), "a part of an address")
	found := w.suppressions(" ANA@example.com")
	require.Equal(t, "ANA@example.com", found[0].Email)
	test := filter
	test.Environment = environment.KindTest
	none, err := w.Suppressions(w.owner, test, nil, 10)
	require.NoError(t, err)
	require.Empty(t, none)

	// Removed, it gets email again; that is in the audit log without the address.
	_, err = w.RemoveSuppression(w.owner, found[0].ID)
	require.NoError(t, err)
	_, err = w.RemoveSuppression(w.owner, found[0].ID)
	require.True(t, fault.Is(err, fault.NotFound))
	w.identify("ana", profile{Email: to("ana@example.com")})
	w.track("ana", "signed_up", nil)
	w.eventually(func() bool { return w.mails()["sent"] == 2 }, "it is sent again")
	require.Equal(t, 1, w.count(`select count(*) from audit_entries where action = 'email_suppression.remove'
		and detail->>'reason' = 'unsubscribed' and detail::text not like '%example%'`))
}

func TestWhatChangedWhileAnEmailWaitedIsHeeded(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 0)
	smtp.Refuse(451)
	w.identify("ana", profile{Email: to("ana@example.com"), MarketingConsent: to(people.Granted)})
	w.identify("ben", profile{Email: to("ben@example.com")})
	w.identify("cyd", profile{Email: to("cyd@example.com"), MarketingConsent: to(people.Granted)})
	w.define(with(`"marketing": true,`))
	w.track("ana", "signed_up", nil)
	w.track("ben", "signed_up", nil) // has agreed to nothing
	w.track("cyd", "signed_up", nil)
	w.eventually(func() bool {
		return w.count(`select count(*) from automation_mail where state = 'pending' and failures = 1`) == 2
	}, "the SMTP server refuses both")
	require.Equal(t, 1, w.steps()["hello skipped no_consent"])
	w.identify("ana", profile{MarketingConsent: to(people.Denied)})
	smtp.Refuse(0)
	w.exec(`update automation_mail set next_attempt_at = now()`)
	w.eventually(func() bool { return w.count(`select count(*) from automation_mail where state = 'pending'`) == 0 }, "both are looked at")
	require.Equal(t, map[string]int{"sent": 1, "suppressed no_consent": 1}, w.mails())
	require.Equal(t, []string{"cyd@example.com"}, smtp.Received()[0].To)
}

func TestAWorkspaceSendsAsManyEmailsADayAsItMay(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 3)
	w.define(with(""))
	for i := range 6 {
		w.identify(fmt.Sprint("p", i), profile{Email: to(fmt.Sprintf("p%d@example.com", i))})
		w.track(fmt.Sprint("p", i), "signed_up", nil)
	}
	w.eventually(func() bool { return w.mails()["sent"] == 3 }, "three are sent")
	time.Sleep(1500 * time.Millisecond)
	require.Equal(t, map[string]int{"sent": 3, "pending": 3}, w.mails())
	require.Len(t, smtp.Received(), 3)
	w.exec(`update automation_mail set counted_at = counted_at - interval '1 day' where state = 'sent'`)
	w.eventually(func() bool { return w.mails()["sent"] == 6 }, "the others are sent the next day")
	w.exec(`update automation_mail set state = 'pending', counted_at = null, next_attempt_at = now(), created_at = now() - interval '4 days'`)
	w.eventually(func() bool { return w.mails()["failed not_in_time"] == 6 }, "old ones are given up")
	require.Len(t, smtp.Received(), 6)
}

// Two servers on one database send each message once between them.
func TestTwoServersSendEachEmailOnce(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 0)
	w.server()
	w.define(with(""))
	for i := range 40 {
		w.identify(fmt.Sprint("p", i), profile{Email: to(fmt.Sprintf("p%d@example.com", i))})
		w.track(fmt.Sprint("p", i), "signed_up", nil)
	}
	w.eventually(func() bool { return w.mails()["sent"] == 40 }, "all are sent")
	ids := map[string]int{}
	for _, m := range smtp.Received() {
		ids[mailtest.Parse(t, m.Data).Header.Get("Message-Id")]++
	}
	require.Len(t, ids, 40)
	require.Len(t, smtp.Received(), 40)
}

func TestATestRunShowsEmailsAndATestEmailGoesToItsMember(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 0)
	w.identify("ana", profile{Email: to("ana@example.com"), FirstName: to("Ana")})
	w.track("ana", "signed_up", map[string]any{"plan": "pro"})
	made, err := w.Create(w.owner, w.app, "live", "Hello", json.RawMessage(with("")))
	require.NoError(t, err)
	run, err := w.TestRun(w.owner, made.ID, 7)
	require.NoError(t, err)
	require.Equal(t, 1, run.Messages)
	var shown struct{ Email, Subject, HTML string }
	require.NoError(t, json.Unmarshal(run.Examples[0].Body, &shown))
	require.Equal(t, "ana@example.com Hi Ana", shown.Email+" "+shown.Subject)
	require.Contains(t, shown.HTML, "Welcome, Ana")

	preview, err := w.PreviewEmail(w.owner, made.ID, "hello", "")
	require.NoError(t, err)
	require.Equal(t, "Hi there", preview.Subject)
	_, err = w.PreviewEmail(w.owner, made.ID, "nothing", "")
	require.ErrorContains(t, err, "node")

	_, err = w.SendTestEmail(w.owner, made.ID, "hello", "ana")
	require.True(t, fault.Is(err, fault.Conflict), err) // the address of the account is not confirmed
	w.exec(`insert into mail_address (user_id, address) select id, email from users`)
	tested, err := w.SendTestEmail(w.owner, made.ID, "hello", "ana")
	require.NoError(t, err)
	require.True(t, tested.Accepted)
	require.Len(t, smtp.Received(), 1)
	require.Equal(t, []string{"owner@example.com"}, smtp.Received()[0].To)
	require.Equal(t, "[Test] Hi Ana", mailtest.Parse(t, smtp.Received()[0].Data).Subject)
	require.Zero(t, w.count(`select count(*) from automation_mail`))
}

func TestAnEmailNeedsAnSMTPServer(t *testing.T) {
	w := newWorld(t)
	made, err := w.Create(w.owner, w.app, "live", "Hello", json.RawMessage(with("")))
	require.NoError(t, err)
	problems, err := w.Check(t.Context(), made)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "/nodes/0/type smtp", problems[0].Pointer+" "+problems[0].Code)
}

// What an app says of people never becomes more than text.
func TestHostileFieldsOfAnEmail(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 0)
	hostile := "x\r\nBcc: all@example.com\r\n\r\n<img src=x onerror=alert(1)> [a](https://evil.example) \u202e\x00\ue0000\ue001"
	w.define(with(""))
	w.define(`{"trigger": {"type": "event", "event": "signed_up", "reentry": "always"}, "nodes": [
		{"id": "bomb", "type": "email", "subject": "Bomb", "body": "` +
		strings.Repeat("{{event.plan}}", 700) + `"}]}`)
	for i, address := range []string{"a@example.com, b@example.com", "a@example.com\r\nBcc: b@example.com", "Ana <a@example.com>", "a@b@c"} {
		person := fmt.Sprint("list", i)
		w.identify(person, profile{FirstName: to("A")})
		w.exec(`update person set email = $1 where custom_user_id = $2`, address, "c/"+person+"&x")
		w.track(person, "signed_up", nil)
	}
	w.identify("mal", profile{Email: to("mal@example.com")})
	w.exec(`update person set first_name = $1 where custom_user_id = 'c/mal&x'`, strings.ReplaceAll(hostile, "\x00", ""))
	w.track("mal", "signed_up", map[string]any{"plan": strings.Repeat("<&>", 300)})
	w.eventually(func() bool { return len(w.mails()) == 2 && w.mails()["pending"] == 0 }, "what can be sent is sent")
	require.Equal(t, map[string]int{"sent": 1, "failed message_too_large": 1}, w.mails())
	require.Equal(t, 8, w.steps()["hello skipped no_address"]+w.steps()["bomb skipped no_address"])
	require.Len(t, smtp.Received(), 1)
	require.Equal(t, []string{"mal@example.com"}, smtp.Received()[0].To)
	got := mailtest.Parse(t, smtp.Received()[0].Data)
	require.Empty(t, got.Header.Get("Bcc"))
	require.NotContains(t, got.HTML, "<img")
	require.NotContains(t, got.HTML, `href="https://evil`)
	require.NotContains(t, got.Text, "\nBcc:")
	require.NotContains(t, got.Text+got.HTML+got.Subject, "\u202e")
	require.Empty(t, regexp.MustCompile(`[\x{e000}\x{e001}]`).FindString(got.HTML+got.Text+got.Subject))
}

// Anybody may say of any number of people that an address is theirs; it gets a day's messages all the same.
func TestAnAddressOfManyPeopleGetsABoundedNumberOfMessages(t *testing.T) {
	w, smtp, _ := newMailWorld(t, 0)
	w.define(with(""))
	const most = 20
	for i := range most + 5 {
		person := fmt.Sprint("p", i)
		w.identify(person, profile{Email: to([]string{"victim@example.com", "Victim@Example.com"}[i%2])})
		w.track(person, "signed_up", nil)
	}
	w.identify("ana", profile{Email: to("ana@example.com")})
	w.track("ana", "signed_up", nil)
	w.eventually(func() bool { m := w.mails(); return m["sent"]+m["suppressed frequency_cap"] == most+6 }, "all are done with")
	require.Equal(t, map[string]int{"sent": most + 1, "suppressed frequency_cap": 5}, w.mails())
	require.Len(t, smtp.Received(), most+1)

	w.exec(`update automation_mail set counted_at = counted_at - interval '25 hours'`)
	w.track("p0", "signed_up", nil)
	w.eventually(func() bool { return w.mails()["sent"] == most+2 }, "the next day it gets email again")
}

// An email that can't be one says which member is wrong.
func TestProblemsOfEmails(t *testing.T) {
	for name, c := range map[string]struct{ members, pointer, code string }{
		"no subject":         {`"body": "x"`, "/nodes/0/subject", "required"},
		"no body":            {`"subject": "x"`, "/nodes/0/body", "required"},
		"a list of subjects": {`"subject": ["x"], "body": "x"`, "/nodes/0/subject", "type"},
		"receiver":           {`"subject": "x", "body": "x", "to": "all@example.com"`, "/nodes/0/to", "unknown"},
		"unknown field":      {`"subject": "{{person.ssn}}", "body": "x"`, "/nodes/0/subject", "template"},
		"open field":         {`"subject": "x", "body": "{{person.email"`, "/nodes/0/body", "template"},
		"script":             {`"subject": "x", "body": "[x](javascript:alert(1))"`, "/nodes/0/body", "link"},
		"host from a field":  {`"subject": "x", "body": "[x](https://{{event.host}}/)"`, "/nodes/0/body", "link"},
		"link from a field":  {`"subject": "x", "body": "[x]({{event.url}})"`, "/nodes/0/body", "link"},
		"host goes on":       {`"subject": "x", "body": "[x](https://shop.example{{event.url}})"`, "/nodes/0/body", "link"},
		"address from field": {`"subject": "x", "body": "<https://{{event.host}}/a>"`, "/nodes/0/body", "link"},
		"script as address":  {`"subject": "x", "body": "<javascript:alert(1)>"`, "/nodes/0/body", "link"},
		"mail to a field":    {`"subject": "x", "body": "<mailto:{{event.to}}>"`, "/nodes/0/body", "link"},
		"many brackets":      {`"subject": "x", "body": "` + strings.Repeat("[a](", 1_001) + `"`, "/nodes/0/body", "length"},
		"many stars":         {`"subject": "x", "body": "` + strings.Repeat("*a_ ", 501) + `"`, "/nodes/0/body", "length"},
		"relative link":      {`"subject": "x", "body": "[x](/path)"`, "/nodes/0/body", "link"},
		"private use":        {`"subject": "x", "body": "\ue0000\ue001"`, "/nodes/0/body", "type"},
		"long":               {`"subject": "x", "body": "` + strings.Repeat("x", 10_001) + `"`, "/nodes/0/body", "length"},
		"long subject":       {`"subject": "` + strings.Repeat("x", 201) + `", "body": "x"`, "/nodes/0/subject", "length"},
		"deep quotes":        {`"subject": "x", "body": "` + strings.Repeat("> ", 4_900) + `x"`, "/nodes/0/body", "length"},
		"deep lists":         {`"subject": "x", "body": "` + strings.Repeat("- ", 4_900) + `x"`, "/nodes/0/body", "length"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := automation.Parse([]byte(`{"trigger": {"type": "manual"}, "nodes": [
				{"id": "a", "type": "email", ` + c.members + `}]}`))
			require.NotEmpty(t, problems)
			require.Equal(t, c.pointer+" "+c.code, problems[0].Pointer+" "+problems[0].Code, problems)
		})
	}
	for _, body := range []string{"<https://shop.example/?u={{event.u}}>", "<help@shop.example>", strings.Repeat("[", 1_000)} {
		_, problems := automation.Parse([]byte(`{"trigger": {"type": "manual"}, "nodes": [
			{"id": "a", "type": "email", "subject": "x", "body": "` + body + `"}]}`))
		require.Empty(t, problems, body)
	}
	_, problems := automation.Parse([]byte(`{"trigger": {"type": "manual"}, "nodes": [{"id": "a", "type": "email",
		"subject": "x", "body": "` + strings.Repeat("x", 1<<20) + `"}]}`))
	require.Equal(t, "length", problems[0].Code)
}
