package welcome_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/mail"
)

// outbox returns what reads the page of a box as somebody who may, or not.
func outbox(t *testing.T, box *mail.Box, may bool) func(target string) *http.Response {
	t.Helper()
	mux := http.NewServeMux()
	welcome.Outbox{
		Pages: welcome.Pages{BaseURL: "https://svc.example", Logger: slog.New(slog.DiscardHandler)},
		Box:   box, Reader: func(*http.Request) bool { return may },
	}.Register(mux)
	return func(target string) *http.Response {
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, target, nil))
		return recorder.Result()
	}
}

func TestTheOutboxShowsEmailsWithoutRunningThem(t *testing.T) {
	box := &mail.Box{}
	get := outbox(t, box, true)
	require.Contains(t, text(t, get("/dev/outbox")), "No email yet")
	require.NoError(t, box.Send(t.Context(), mail.Message{
		ID: "a", FromName: "<Shop>", To: "ana@example.com", Subject: "<script>alert(1)</script>",
		Text: "Plain <b>words</b>", HTML: `<html><body><script>alert(2)</script><img src="cid:chart"><a href="https://x.example">x</a>`,
		Images: []mail.Image{{ID: "chart", PNG: []byte{1, 2, 3}}}, Unsubscribe: "https://svc.example/mail/unsubscribe?token=t",
	}))

	page := get("/dev/outbox")
	shown := text(t, page)
	require.NotContains(t, shown, "<script>")
	require.Contains(t, shown, "&lt;script&gt;alert(1)")
	require.Contains(t, shown, `sandbox="allow-popups allow-popups-to-escape-sandbox"`)
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Contains(t, text(t, get("/dev/outbox?email=1&part=text")), "Plain &lt;b&gt;words&lt;/b&gt;")
	require.Contains(t, text(t, get("/dev/outbox?email=7")), "not kept any more")

	email := get("/dev/outbox/1/html")
	policy := email.Header.Get("Content-Security-Policy")
	require.Regexp(t, `^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';`, policy)
	require.NotContains(t, policy, "script")
	require.Equal(t, "no-store", email.Header.Get("Cache-Control"))
	html := text(t, email)
	require.Contains(t, html, `src="data:image/png;base64,AQID"`)
	require.Contains(t, html, `<a target="_blank" href="https://x.example">`)
	require.Equal(t, http.StatusNotFound, get("/dev/outbox/2/html").StatusCode)
	require.Equal(t, http.StatusNotFound, get("/dev/outbox/x/html").StatusCode)
}

func TestNobodyElseReadsTheOutbox(t *testing.T) {
	box := &mail.Box{}
	require.NoError(t, box.Send(t.Context(), mail.Message{ID: "a", To: "ana@example.com", Subject: "Secret", Text: "s", HTML: "s"}))
	for _, target := range []string{"/dev/outbox", "/dev/outbox?email=1", "/dev/outbox/1/html"} {
		answer := outbox(t, box, false)(target)
		require.Equal(t, http.StatusSeeOther, answer.StatusCode, target)
		require.Equal(t, "/sign-in", answer.Header.Get("Location"), target)
		require.NotContains(t, text(t, answer), "Secret", target)
	}
}
