package sdkapi

import (
	_ "embed"
	"net/http"
	"strconv"
)

const openAPIPath = "/v1/openapi.json"

//go:embed openapi.json
var openAPIDocument []byte

// OpenAPI is the OpenAPI 3.1 document of this interface. A test proves that it
// and the handlers agree.
func OpenAPI() []byte { return openAPIDocument }

func serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		writeError(w, methodNotAllowed(w, "GET, HEAD"))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(openAPIDocument)))
	_, _ = w.Write(openAPIDocument)
}
