package sdkapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/svc-dev/svc/delivery"
)

// resolve answers with what the channel serves to this person, or 304 when the
// client has it. It writes prepared bytes: nothing that grows with the manifest
// is allocated. Whom it gives an arm of an experiment is noted, and nothing else.
func (a *API) resolve(w http.ResponseWriter, c *call) *Error {
	request, refusal := c.resolveRequest()
	if refusal != nil {
		return refusal
	}
	answer, condition := a.answerTo(c, c.channel, &request, a.believedID(w, c, &request))
	if condition != "" {
		return conditionError(condition)
	}
	a.noteActive(c.environment, request.AppUserID)
	w.Header()["Etag"] = answer.ETagHeader
	if answer.NotModified(c.request.Header["If-None-Match"]) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	writeBody(w, c.request, answer.Body)
	return nil
}

// resolveAll answers with the documents of all channels of the key's
// environment. A channel that would fail alone is left out (wire.md §3.8).
func (a *API) resolveAll(w http.ResponseWriter, c *call) *Error {
	request, refusal := c.resolveRequest()
	if refusal != nil {
		return refusal
	}
	request.Variant = ""
	customUserID := a.believedID(w, c, &request)
	entries := make([]*delivery.Body, 0, len(c.environment.Channels))
	for _, channel := range c.environment.Channels {
		if channel.Archived {
			continue
		}
		if answer, condition := a.answerTo(c, channel, &request, customUserID); condition == "" {
			entries = append(entries, answer.Body)
		}
	}
	a.noteActive(c.environment, request.AppUserID)
	writeBody(w, c.request, delivery.ListBody(entries))
	return nil
}

// noteActive notes that a person got an answer that is no error.
func (a *API) noteActive(tenant *delivery.Tenant, appUserID string) {
	if a.stores.LiveUsers != nil && a.stores.LiveUsers.Counts(tenant) {
		a.stores.LiveUsers.Note(tenant, appUserID, time.Now())
	}
}

// noteServed notes who was given an arm by bucketing. A 304 gives it again; an arm that was forced for trying it out is
// not asked for.
func (a *API) noteServed(answer *delivery.Answer, appUserID string) {
	if answer.Arm != nil && a.stores.Served != nil {
		a.stores.Served.Note(answer.Arm, appUserID)
	}
}

func (c *call) resolveRequest() (resolveRequest, *Error) {
	data, refusal := c.body.read()
	if refusal != nil {
		return resolveRequest{}, refusal
	}
	if request, plain := decodePlain(data); plain {
		return request, nil
	}
	return decodeResolve(data)
}

// Header values that never change. The slices are shared and never written.
var (
	jsonType   = []string{"application/json"}
	noStore    = []string{"no-store"}
	byEncoding = []string{"Accept-Encoding"}
	gzipCoding = []string{"gzip"}
)

func writeBody(w http.ResponseWriter, r *http.Request, body *delivery.Body) {
	gzip := acceptsGzip(r.Header["Accept-Encoding"])
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Cache-Control"] = noStore // the SDKs keep their own cache by user
	header["Vary"] = byEncoding
	if gzip {
		header["Content-Encoding"] = gzipCoding
	}
	header["Content-Length"] = body.ContentLength(gzip)
	_ = body.Write(w, gzip) // that the client has left is not our error
}

// acceptsGzip reads Accept-Encoding (RFC 9110 §12.5.3) as far as gzip goes.
func acceptsGzip(values []string) bool {
	any := false
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			coding, parameters, _ := strings.Cut(element, ";")
			coding = strings.TrimSpace(coding)
			accepted := !isZeroWeight(parameters)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return accepted
			case coding == "*":
				any = accepted
			}
		}
	}
	return any
}

// isZeroWeight reports whether a coding's parameters are q=0, q=0.0 and so on.
func isZeroWeight(parameters string) bool {
	weight, found := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q=")
	return found && strings.Trim(weight, "0.") == "" && weight != ""
}
