package sdkapi

import (
	_ "embed"
	"net/http"
	"strconv"
)

const openAPIPath = "/v1/openapi.json"

//go:embed openapi.json
var openAPIDocument []byte

// OpenAPI returns the OpenAPI 3.1 document of this interface. A test proves that it
// and the handlers agree.
func OpenAPI() []byte { return openAPIDocument }

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(openAPIDocument)))
	_, _ = w.Write(openAPIDocument)
}
