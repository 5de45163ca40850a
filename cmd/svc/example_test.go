package main

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/cmd/svc/demo"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/sdkapi"
)

func TestTheExampleIsServed(t *testing.T) {
	files := fstest.MapFS{}
	web := &example{files: files}
	mux := http.NewServeMux()
	web.register(mux)
	get := func(path string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		return recorder
	}

	// Before anything is built the page says so, and looks again by itself.
	missing := get("/example/")
	require.Equal(t, http.StatusOK, missing.Code)
	require.Contains(t, missing.Body.String(), "not built yet")
	require.Contains(t, missing.Body.String(), `http-equiv="refresh"`)
	require.Equal(t, http.StatusServiceUnavailable, get("/example/service.json").Code)

	files["index.html"] = &fstest.MapFile{Data: []byte("<h1>Shop</h1>")}
	files["assets/index-x.js"] = &fstest.MapFile{Data: []byte("go()"), Mode: fs.ModePerm}
	for _, path := range []string{"/example/", "/example/flows/ch_test_1?svc_stripe_status=success", "/example/index"} {
		page := get(path)
		require.Equal(t, "<h1>Shop</h1>", page.Body.String(), path)
		require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
		require.Equal(t, "no-store", page.Header().Get("Cache-Control"), "the page names the files of the newest build")
	}
	script := get("/example/assets/index-x.js")
	require.Equal(t, "go()", script.Body.String())
	require.Contains(t, script.Header().Get("Content-Type"), "javascript")
	require.Contains(t, script.Header().Get("Cache-Control"), "immutable")
	require.Equal(t, http.StatusNotFound, get("/example/assets/gone.js").Code)
	require.Equal(t, "/example/", get("/example").Header().Get("Location"))

	file := &devFile{BaseURL: "http://127.0.0.1:4000", APIKey: "svc_wk_secret", Admin: devAdmin{Password: "hidden"}, Apps: []devApp{{
		Name: "Tendril", Environments: map[string]devEnvironment{
			"test": {PublishableKey: "ob_pk_test_1", Channels: []devChannel{{ID: "ch_test_1", Name: "Onboarding", State: "pinned"}}},
			"live": {PublishableKey: "ob_pk_live_1"},
		},
	}}}
	require.NoError(t, web.describe(file))
	service := get("/example/service.json")
	require.JSONEq(t, `{"baseUrl":"http://127.0.0.1:4000","app":"Tendril","publishableKey":"ob_pk_test_1","channels":[{"id":"ch_test_1","name":"Onboarding","state":"pinned"}],"checkoutUrl":"http://127.0.0.1:4000/example/checkout"}`, service.Body.String())
	require.Equal(t, "no-store", service.Header().Get("Cache-Control"))
}

// Outside of the demo there is no stand-in for a payment page, which would confirm payments that nobody made.
func TestTheCheckoutOfTheExampleIsInTheDemoOnly(t *testing.T) {
	has := func(web *example) bool {
		mux := http.NewServeMux()
		product := &service{
			roles:    role.All(),
			db:       &postgres.DB{},
			sdk:      sdkapi.New(nil, sdkapi.Stores{}, sdkapi.Config{}),
			accounts: &account.Accounts{},
			graphql:  http.NotFoundHandler(),
			mcp:      http.NotFoundHandler(),
		}
		product.register(mux, &localParts{door: newDoor(devAdmin{}), web: web, receiver: &demo.Receiver{}})
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			_, pattern := mux.Handler(httptest.NewRequest(method, checkoutPath, nil))
			if strings.Contains(pattern, examplePath) {
				return true
			}
		}
		return false
	}
	require.True(t, has(&example{files: fstest.MapFS{}}))
	require.False(t, has(nil))
}
