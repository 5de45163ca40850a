package dashboard

import (
	"context"
	"net/http"
	"strings"

	"github.com/svc-dev/svc/internal/httpserver"
)

// FrameOrigins returns the origins of the pages that may embed the reports of a shared link's token, or * alone; none
// of a token that opens nothing.
type FrameOrigins func(ctx context.Context, token string) []string

// sharePaths are the addresses of the reports of a shared link. The application, which finds itself there, shows no
// page of a member.
var sharePaths = []string{
	"/share/{" + httpserver.SecretWildcard + "}", "/share/{" + httpserver.SecretWildcard + "}/{page...}",
}

// serveShared answers with the application for readers of a shared link, whether the link opens anything or not: that
// it says itself. The address is a secret, so that no search engine lists it.
func serveShared(page []byte, frames FrameOrigins) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Robots-Tag", "noindex, nofollow")
		ancestors := "'none'"
		if origins := frames(r.Context(), r.PathValue(httpserver.SecretWildcard)); len(origins) > 0 {
			ancestors = strings.Join(origins, " ")
			h.Del("X-Frame-Options") // it knows no origins
		}
		writePage(w, page, ancestors)
	}
}
