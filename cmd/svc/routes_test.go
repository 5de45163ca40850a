package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/dashboard"
	"github.com/svc-dev/svc/dashboard/welcome"
	"github.com/svc-dev/svc/docs/site"
	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/role"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/revenue/receive"
	"github.com/svc-dev/svc/sdkapi"
)

// patterns lists what is registered.
type patterns []string

func (p *patterns) Handle(pattern string, _ http.Handler) { *p = append(*p, pattern) }

func (p *patterns) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	*p = append(*p, pattern)
}

// What the server answers without being a page is in the OpenAPI document, and the document has nothing else.
func TestEveryPathIsInTheOpenAPIDocument(t *testing.T) {
	var pages, answered patterns
	welcome.Pages{}.Register(&pages)
	welcome.Pages{}.RegisterIndex(&pages)
	new(site.Site).Register(&pages)
	if application, built := dashboard.New(); built {
		application.Register(&pages, "", nil)
	}
	product := &service{
		docs: &site.Site{}, roles: role.All(), db: &postgres.DB{}, sdk: sdkapi.New(nil, sdkapi.Stores{}, sdkapi.Config{}),
		accounts: &account.Accounts{}, graphql: http.NotFoundHandler(), mcp: http.NotFoundHandler(),
		webhooks: receive.New(receive.Deps{}),
	}
	product.register(&answered, nil)
	new(httpserver.Health).Register(&answered)

	var document struct{ Paths map[string]any }
	require.NoError(t, json.Unmarshal(sdkapi.OpenAPI(), &document))
	described := map[string]bool{}
	for _, pattern := range answered {
		path := pattern[strings.Index(pattern, "/"):]
		// GraphQL describes itself, and other paths below /v1/ are not found.
		if slices.Contains(pages, pattern) || path == "/graphql" || path == "/v1/" {
			continue
		}
		if strings.HasSuffix(path, "/") {
			path += "{file}"
		}
		described[path] = true
		require.Contains(t, document.Paths, path, "%s is answered: describe it in openapi.json", pattern)
	}
	for path := range document.Paths {
		require.True(t, described[path], "nothing answers %s", path)
	}
}
