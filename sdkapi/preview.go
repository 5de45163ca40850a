package sdkapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
)

// Previews knows what preview links show: the method of studio.Studio. Its errors are faults with the codes of
// previewStatus; any other says that something could not be read.
type Previews interface {
	OpenPreview(ctx context.Context, tenant *delivery.Tenant, token string) (*delivery.Body, error)
}

// previewStatus says which status the codes of Previews answer with.
var previewStatus = map[fault.Code]int{
	"preview_invalid":   http.StatusUnauthorized,
	"preview_expired":   http.StatusUnauthorized,
	"preview_not_found": http.StatusNotFound,
	"draft_invalid":     http.StatusUnprocessableEntity,
}

// previewsAtOnce is how many previews are made at once. A large one takes a tenth of a second of a processor at each
// opening, and whoever has a link can open it: after one there is a pause as long as it took, so that all together take
// half of a processor at most. Workspaces take turns.
const previewsAtOnce = 1

// longestPause is the pause after a preview that waited for a slow database.
const longestPause = 250 * time.Millisecond

// draftProblems bounds how many problems of a draft an answer names.
const draftProblems = 20

// previewBody is the body of /v1/sdk/preview. A token has some 160 characters.
type previewBody struct {
	Token string `json:"token" validate:"required,utf16max=1000"`
}

// preview answers with what a preview link shows, as resolve would if a channel served it. The key tells the app,
// the token what to show; nothing is stored or counted.
func (a *API) preview(w http.ResponseWriter, c *call) *Error {
	var body previewBody
	if refusal := c.decodeRecord(&body); refusal != nil {
		return refusal
	}
	if refusal := checkTags(&body); refusal != nil {
		return refusal
	}
	var document *delivery.Body
	if refusal := a.inTurn(c, a.previews, func(ctx context.Context, end func()) (err error) {
		began := time.Now()
		defer func() { time.AfterFunc(min(time.Since(began), longestPause), end) }()
		document, err = a.stores.Previews.OpenPreview(ctx, c.environment, body.Token)
		return err
	}); refusal != nil {
		return refusal
	}
	writeBody(w, c.request, document)
	return nil
}

// previewRefusal returns the refusal of an error that says why a link shows nothing; nil for all others.
func previewRefusal(err error) *Error {
	var known *fault.Error
	if !errors.As(err, &known) || previewStatus[known.Code] == 0 {
		return nil
	}
	refusal := &Error{Status: previewStatus[known.Code], Code: known.Code, Message: known.Message}
	problems, _ := known.Details["problems"].([]manifest.Problem)
	for _, problem := range problems {
		if problem.Severity == manifest.Error && len(refusal.Fields) < draftProblems {
			refusal.Fields = append(refusal.Fields, FieldError{problem.Pointer, problem.Code, problem.Message})
		}
	}
	return refusal
}
