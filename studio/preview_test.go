package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/sdkapi"
	"github.com/svc-dev/svc/studio"
)

// opened is what a server answers to a token.
type opened struct {
	Status   int
	Code     string
	Header   http.Header
	Document delivery.Document
	Errors   []sdkapi.FieldError
}

// previews starts the interface of client SDKs over the studio, and returns how an app of its opens links with its test
// key.
func (w *world) previews() func(app *ent.App, token string) opened {
	return w.previewsIn(environment.KindTest)
}

// previewsIn is previews with the key of another environment.
func (w *world) previewsIn(kind environment.Kind) func(app *ent.App, token string) opened {
	w.t.Helper()
	catalogue := delivery.New(w.db.Pool, delivery.Options{MediaBase: "http://svc.test"})
	require.NoError(w.t, catalogue.RefreshAll(context.Background()))
	server := httptest.NewServer(sdkapi.New(catalogue, sdkapi.Stores{Previews: w.Studio}, sdkapi.Config{}).Handler())
	w.t.Cleanup(server.Close)
	return func(app *ent.App, token string) (o opened) {
		ctx := context.Background()
		key := w.db.Ent().App.QueryEnvironments(app).Where(environment.KindEQ(kind)).
			QueryPublishableKeys().FirstX(ctx).Key
		body, err := json.Marshal(map[string]string{"token": token})
		require.NoError(w.t, err)
		r, err := http.NewRequest(http.MethodPost, server.URL+"/v1/sdk/preview", bytes.NewReader(body))
		require.NoError(w.t, err)
		r.Header.Set("Authorization", "Bearer "+key)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(w.t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(w.t, err)
		o.Status, o.Header = answer.StatusCode, answer.Header
		if o.Status == http.StatusOK {
			require.NoError(w.t, json.Unmarshal(text, &o.Document))
			return o
		}
		var refusal struct {
			Code   string
			Errors []sdkapi.FieldError
		}
		require.NoError(w.t, json.Unmarshal(text, &refusal))
		o.Code, o.Errors = refusal.Code, refusal.Errors
		return o
	}
}

// titled returns a manifest whose screen has a name.
func titled(name string) json.RawMessage {
	return json.RawMessage(strings.Replace(publishable, `"name":"A"`, fmt.Sprintf(`"name":%q`, name), 1))
}

// keyed returns the context of a program with a workspace API key.
func (w *world) keyed(secret string) (ctx context.Context) {
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	w.accounts.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ctx = context.WithoutCancel(r.Context())
	})).ServeHTTP(httptest.NewRecorder(), r)
	return ctx
}

func TestPreviewLinksShowTheDraftOfNow(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", titled("first")))(t)
	link := made(w.CreatePreviewLink(w.owner, flow.ID, nil, 24))(t)
	require.Equal(t, w.now.Add(24*time.Hour), link.ExpiresAt)
	require.Regexp(t, `^[A-Za-z0-9_-]{100,200}$`, link.Token)
	open := w.previews()

	shown := open(w.app, link.Token)
	require.Equal(t, http.StatusOK, shown.Status)
	require.Equal(t, "no-store", shown.Header.Get("Cache-Control"))
	require.Empty(t, shown.Header.Get("ETag"))
	require.Equal(t, delivery.Head{
		Kind: "flow", FlowID: flow.ID, VersionNumber: 1, Environment: "test", ChannelID: delivery.PreviewChannel,
	}, shown.Document.Head)
	require.Contains(t, string(shown.Document.Manifest), "first")

	saved := made(w.SaveDraft(w.owner, flow.ID, 1, titled("second")))(t)
	require.Contains(t, string(open(w.app, link.Token).Document.Manifest), "second")

	version := made(w.Publish(w.owner, flow.ID, ""))(t).Version
	pinned := made(w.CreatePreviewLink(w.owner, flow.ID, &version.ID, 1))(t)
	saved = made(w.SaveDraft(w.owner, flow.ID, saved.Flow.DraftRevision, titled("third")))(t)
	shown = open(w.app, pinned.Token)
	require.Equal(t, version.ID, shown.Document.VersionID)
	require.Contains(t, string(shown.Document.Manifest), "second")
	require.Equal(t, 2, open(w.app, link.Token).Document.VersionNumber, "what the draft would be published under")

	made(w.SaveDraft(w.owner, flow.ID, saved.Flow.DraftRevision, json.RawMessage(`{"screens":7}`)))(t)
	broken := open(w.app, link.Token)
	require.Equal(t, []any{http.StatusUnprocessableEntity, "draft_invalid"}, []any{broken.Status, broken.Code})
	require.NotEmpty(t, broken.Errors)

	made(w.ArchiveFlow(w.owner, flow.ID))(t)
	require.Equal(t, "preview_not_found", open(w.app, link.Token).Code)
	_, err := w.CreatePreviewLink(w.owner, flow.ID, nil, 1)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
}

// A token is good for one app until it expires, and for nobody who has changed a bit of it.
func TestPreviewLinksThatShowNothing(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", titled("secret")))(t)
	other := made(w.CreateApp(w.owner, w.workspace, "Other"))(t)
	token := made(w.CreatePreviewLink(w.owner, flow.ID, nil, 2))(t).Token
	open := w.previews()

	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range token {
		next := digits[(strings.IndexByte(digits, token[i])+1)%len(digits)]
		forged := open(w.app, token[:i]+string(next)+token[i+1:])
		require.Equal(t, []any{http.StatusUnauthorized, "preview_invalid"}, []any{forged.Status, forged.Code}, "digit %d", i)
	}
	for _, forged := range []string{token[1:], token + "A", token + "=", " " + token, strings.Repeat("A", len(token)), "x"} {
		require.Equal(t, "preview_invalid", open(w.app, forged).Code, forged)
	}

	foreign := open(other, token)
	require.Equal(t, []any{http.StatusNotFound, "preview_not_found"}, []any{foreign.Status, foreign.Code})
	live := w.previewsIn(environment.KindLive)(w.app, token)
	require.Equal(t, []any{http.StatusNotFound, "preview_not_found"}, []any{live.Status, live.Code})

	w.now = w.now.Add(2*time.Hour - time.Second)
	require.Equal(t, http.StatusOK, open(w.app, token).Status)
	w.now = w.now.Add(time.Second)
	expired := open(w.app, token)
	require.Equal(t, []any{http.StatusUnauthorized, "preview_expired"}, []any{expired.Status, expired.Code})
}

// A link is worth as much as its maker is when it is opened.
func TestPreviewLinksEndWithTheirMaker(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", titled("secret")))(t)
	editor := w.db.Ent().User.Create().SetEmail("editor@example.com").SetPasswordHash("x").SaveX(ctx)
	member := w.db.Ent().Membership.Create().SetUserID(editor.ID).SetWorkspaceID(w.workspace).
		SetRole(membership.RoleEditor).SaveX(ctx)
	key := made(w.accounts.CreateKey(w.as(editor.Email), w.workspace, "CI", []string{string(account.FlowEdit)}, nil))(t)
	open := w.previews()

	byEditor := made(w.CreatePreviewLink(w.as(editor.Email), flow.ID, nil, 1))(t).Token
	byKey := made(w.CreatePreviewLink(w.keyed(key.Secret), flow.ID, nil, 1))(t).Token
	require.Equal(t, http.StatusOK, open(w.app, byEditor).Status)
	require.Equal(t, http.StatusOK, open(w.app, byKey).Status)

	made(w.accounts.RevokeKey(w.as(editor.Email), key.Key.ID))(t)
	require.Equal(t, "preview_invalid", open(w.app, byKey).Code)
	require.Equal(t, http.StatusOK, open(w.app, byEditor).Status)

	member.Update().SetRole(membership.RoleViewer).ExecX(ctx)
	require.Equal(t, "preview_invalid", open(w.app, byEditor).Code)
	member.Update().SetRole(membership.RoleEditor).ExecX(ctx)
	require.Equal(t, http.StatusOK, open(w.app, byEditor).Status)
	w.db.Ent().Membership.DeleteOneID(member.ID).ExecX(ctx)
	require.Equal(t, "preview_invalid", open(w.app, byEditor).Code)
}

func TestWhoMayMakePreviewLinks(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", nil))(t)
	other := made(w.CreateFlow(w.owner, w.app.ID, "Other", titled("other")))(t)
	elsewhere := made(w.Publish(w.owner, other.ID, ""))(t).Version.ID
	for code, try := range map[fault.Code]func() (any, error){
		fault.Forbidden:       func() (any, error) { return w.CreatePreviewLink(w.viewer(), flow.ID, nil, 1) },
		fault.Unauthenticated: func() (any, error) { return w.CreatePreviewLink(context.Background(), flow.ID, nil, 1) },
		fault.NotFound:        func() (any, error) { return w.CreatePreviewLink(w.stranger(), flow.ID, nil, 1) },
	} {
		_, err := try()
		require.True(t, fault.Is(err, code), "%s: %v", code, err)
	}
	_, err := w.CreatePreviewLink(w.owner, flow.ID, &elsewhere, 1)
	require.True(t, fault.Is(err, fault.NotFound), "a version of another flow: %v", err)
	for _, hours := range []int{0, -1, 25} {
		_, err := w.CreatePreviewLink(w.owner, flow.ID, nil, hours)
		require.True(t, fault.Is(err, fault.InvalidInput), "%d hours: %v", hours, err)
	}
}

// Servers of one database open each other's links, also when they make the key at the same time.
func TestServersShareTheKeyOfPreviewLinks(t *testing.T) {
	w := newWorld(t)
	flow := made(w.CreateFlow(w.owner, w.app.ID, "Flow", titled("shared")))(t)
	const servers = 4
	tokens := make(chan string, servers)
	for range servers {
		go func() {
			link, err := studio.New(w.db.Ent(), studio.Options{}).CreatePreviewLink(w.owner, flow.ID, nil, 1)
			if err != nil {
				tokens <- err.Error()
				return
			}
			tokens <- link.Token
		}()
	}
	open := w.previews()
	for range servers {
		require.Equal(t, http.StatusOK, open(w.app, <-tokens).Status)
	}
}
