package welcome_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
)

func get(t *testing.T, target string, header ...string) *http.Response {
	t.Helper()
	mux := http.NewServeMux()
	pages := welcome.Pages{
		BaseURL: "https://svc.example",
		SetupLink: func(_ context.Context, token string) (*account.SetupLink, error) {
			switch token {
			case "first":
				return &account.SetupLink{FirstAdministrator: true}, nil
			case "invited":
				return &account.SetupLink{
					Email: `<o'hara@example.com>`, WorkspaceName: `<b>Tara</b>`, Role: account.Editor, InvitedBy: `"Rhett"`,
				}, nil
			case "known":
				return &account.SetupLink{
					Email: "o'hara@example.com", HasAccount: true, WorkspaceName: "Tara", Role: account.Admin, InvitedBy: "Rhett",
				}, nil
			case "down":
				return nil, errors.New("connection refused to secret-host")
			}
			return nil, fault.Missing("set-up link")
		},
		Logger: slog.New(slog.DiscardHandler),
	}
	pages.Register(mux)
	pages.RegisterIndex(mux)
	request := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, request)
	return recorder.Result()
}

func text(t *testing.T, response *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(content)
}

func TestTheExampleIsLinkedWhereItIsServed(t *testing.T) {
	for path, linked := range map[string]bool{"": false, "/example/": true} {
		mux := http.NewServeMux()
		welcome.Pages{BaseURL: "https://svc.example", ExamplePath: path, Logger: slog.New(slog.DiscardHandler)}.RegisterIndex(mux)
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
		require.Equal(t, linked, strings.Contains(recorder.Body.String(), `href="/example/"`), path)
	}
}

func TestTheFormAsksForWhatTheLinkNeeds(t *testing.T) {
	for _, c := range []struct {
		token   string
		status  int
		has     []string
		hasNone []string
	}{
		{"first", 200, []string{`id="email"`, `id="password"`, `id="workspaceName"`}, []string{"does not work"}},
		{"invited", 200,
			[]string{`id="password"`, `id="name"`, `id="decline"`, `data-kind="setup"`, "new-password",
				"&lt;o&#39;hara@example.com&gt;", "Join &lt;b&gt;Tara", "&#34;Rhett&#34;"},
			[]string{`id="email"`, `id="workspaceName"`, "<b>"}},
		{"known", 200,
			[]string{`id="password"`, `id="decline"`, `data-kind="accept"`, "current-password",
				"Join Tara", "Sign in to accept"},
			[]string{`id="email"`, `id="name"`, `id="workspaceName"`, "new-password", "8 to 256"}},
		{"used", 404, []string{"does not work", "Ask the person who sent you the link"}, []string{"<form"}},
		{"", 404, []string{"not complete"}, []string{"<form"}},
		{"down", 503, []string{"not used up"}, []string{"<form", "secret-host", "Ask the person"}},
	} {
		response := get(t, "/setup?token="+c.token)
		page := text(t, response)
		require.Equal(t, c.status, response.StatusCode, c.token)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		for _, part := range c.has {
			require.Contains(t, page, part, c.token)
		}
		for _, part := range c.hasNone {
			require.NotContains(t, page, part, c.token)
		}
	}
}

func TestWhoIsSignedInGoesOnInTheDashboard(t *testing.T) {
	for _, dashboard := range []bool{true, false} {
		mux := http.NewServeMux()
		welcome.Pages{
			BaseURL: "https://svc.example", Dashboard: dashboard, Logger: slog.New(slog.DiscardHandler),
			SetupLink: func(_ context.Context, token string) (*account.SetupLink, error) {
				if token == "used" {
					return nil, fault.Missing("set-up link")
				}
				return &account.SetupLink{FirstAdministrator: true}, nil
			},
		}.Register(mux)
		for target, part := range map[string]string{"/setup?token=first": `data-next="/"`, "/setup?token=used": `href="/sign-in"`} {
			recorder := httptest.NewRecorder()
			mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, target, nil))
			require.Equal(t, dashboard, strings.Contains(recorder.Body.String(), part), target)
		}
	}
}

// The pages run nothing inline, so that their policy can forbid it, and load
// only what is served beside them.
func TestPagesLoadOnlyWhatIsServed(t *testing.T) {
	for _, target := range []string{
		"/", "/setup?token=first", "/setup?token=invited", "/setup?token=known", "/setup?token=used",
	} {
		response := get(t, target)
		page := text(t, response)
		policy := response.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "unsafe")
		require.NotRegexp(t, `<script>|<style|\son[a-z]+=|\sstyle=|javascript:`, page)
		loaded := regexp.MustCompile(`<(?:link|script|img)[^>]*(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page, -1)
		require.NotEmpty(t, loaded)
		for _, match := range loaded {
			part := get(t, match[1])
			require.Equal(t, 200, part.StatusCode, match[1])
			require.Equal(t, 304, get(t, match[1], "If-None-Match", part.Header.Get("ETag")).StatusCode)
		}
	}
	require.Contains(t, text(t, get(t, "/")), "https://svc.example/graphql")
	require.Equal(t, 404, get(t, "/elsewhere").StatusCode)
	require.Equal(t, 404, get(t, "/welcome/setup.html").StatusCode)
}

// Every control has a label, and every id that is referred to exists.
func TestFormsCanBeUsedWithoutSeeingThem(t *testing.T) {
	for _, token := range []string{"first", "invited", "known"} {
		t.Run(token, func(t *testing.T) { isUsable(t, text(t, get(t, "/setup?token="+token))) })
	}
}

func isUsable(t *testing.T, page string) {
	require.Contains(t, page, `<html lang="en">`)
	for _, match := range regexp.MustCompile(`<input id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, page, `<label for="`+match[1]+`"`)
	}
	for _, match := range regexp.MustCompile(`aria-(?:describedby|controls)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		for id := range strings.FieldsSeq(match[1]) {
			require.Contains(t, page, `id="`+id+`"`)
		}
	}
	script, err := os.ReadFile(filepath.Join("pages", "setup.js"))
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(`getElementById\("([^"]+)"\)`).FindAllStringSubmatch(string(script), -1) {
		if match[1] == "decline" { // the first administrator has nothing to decline; the script knows
			continue
		}
		if match[1] == "second" && !strings.Contains(page, "Of your account.") { // who has no account yet signs in to none
			continue
		}
		require.Contains(t, page, `id="`+match[1]+`"`)
	}
}

// What the page tells people to send, and what its script sends, is GraphQL that
// the server knows.
func TestOperationsOfThePageAreValid(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	page := text(t, get(t, "/setup?token=first"))
	script, err := os.ReadFile(filepath.Join("pages", "setup.js"))
	require.NoError(t, err)
	var operations []string
	for _, match := range regexp.MustCompile(`-d '(.*?)'</code>`).FindAllStringSubmatch(page, -1) {
		body := regexp.MustCompile(`<span.*?</span>`).ReplaceAllString(match[1], "00000000-0000-0000-0000-000000000000")
		var request struct{ Query string }
		require.NoError(t, json.Unmarshal([]byte(body), &request), body)
		operations = append(operations, request.Query)
	}
	access := regexp.MustCompile(`access = "(.*)"`).FindSubmatch(script)
	for _, match := range regexp.MustCompile("(?m)^    \\w+: [\"`](.*)[\"`],$").FindAllSubmatch(script, -1) {
		operations = append(operations, strings.ReplaceAll(string(match[1]), "${access}", string(access[1])))
	}
	require.Len(t, operations, 3+5)
	for _, operation := range operations {
		_, errs := gqlparser.LoadQueryWithRules(schema, operation, rules.NewDefaultRules())
		require.Empty(t, errs, operation)
	}
}

// The pages have the dashboard's icon, and its colors, sizes and fonts by the names that they have there.
func TestPagesLookLikeTheDashboard(t *testing.T) {
	read := func(path string) string {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(content)
	}
	theme := filepath.Join("..", "src", "app", "theme")
	require.Equal(t, read(filepath.Join(theme, "icon.svg")), text(t, get(t, "/welcome/icon.svg")))

	variable := regexp.MustCompile(`(--[a-z0-9-]+):\s*([^;]+);`)
	// What the variables are in light, and what other values they have in dark.
	values := func(css, dark string) (light, inDark map[string]string) {
		light, inDark = map[string]string{}, map[string]string{}
		before, after, found := strings.Cut(css, dark)
		require.True(t, found)
		for _, match := range variable.FindAllStringSubmatch(before, -1) {
			light[match[1]] = match[2]
		}
		for _, match := range variable.FindAllStringSubmatch(after, -1) {
			inDark[match[1]] = match[2]
		}
		return light, inDark
	}
	tokens, darkTokens := values(read(filepath.Join(theme, "tokens.css")), `[data-mantine-color-scheme="dark"]`)
	css := text(t, get(t, "/welcome/welcome.css"))
	light, dark := values(css, "(prefers-color-scheme: dark)")
	require.NotEmpty(t, light)
	for name, value := range light {
		require.Equal(t, tokens[name], value, name)
		require.Equal(t, darkTokens[name], dark[name], name+" in dark")
	}
	_, rules, found := strings.Cut(css, "* { box-sizing")
	require.True(t, found)
	require.NotRegexp(t, `#[0-9a-f]{3,8}\b|rgb\(`, rules)
	for _, match := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(rules, -1) {
		require.Contains(t, light, match[1])
	}
}
