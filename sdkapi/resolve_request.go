package sdkapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Limits of wire.md §2, in UTF-16 code units.
const (
	maxUserID  = 256
	maxBrowser = 80
)

// resolveRequest is what resolve needs to know of a person.
type resolveRequest struct {
	AppUserID string
	// CustomUserID is the id that the request names, empty for none, Proof what is sent beside it.
	CustomUserID, Proof string
	// Variant forces an arm, for trying it out.
	Variant string
}

// resolveBody is the body as sent: nested as in wire.md §3.1, flat as in §11, or
// both.
type resolveBody struct {
	Identity struct {
		AppUserID         string  `json:"appUserId"`
		CustomUserID      *string `json:"customUserId"`
		CustomUserIDProof *string `json:"customUserIdProof"`
		SessionID         *string `json:"sessionId"`
	} `json:"identity"`
	Context struct {
		Platform         string                     `json:"platform"`
		AppVersion       string                     `json:"appVersion"`
		Locale           string                     `json:"locale"`
		CustomProperties map[string]json.RawMessage `json:"customProperties"`
		Browser          string                     `json:"browser"`
		OS               string                     `json:"os"`
		Device           string                     `json:"device"`
		Attribution      map[string]json.RawMessage `json:"attribution"`
	} `json:"context"`
	AppUserID         string  `json:"appUserId"`
	UserID            string  `json:"userId"`
	CustomUserID      *string `json:"customUserId"`
	CustomUserIDProof *string `json:"customUserIdProof"`
	SessionID         *string `json:"sessionId"`
	Locale            string  `json:"locale"`
	Platform          string  `json:"platform"`
	AppVersion        string  `json:"appVersion"`
	VariantID         string  `json:"variantId"`
}

// decodeResolve reads the body of resolve and resolve-all. It requires nothing
// but a user id, and names every field that is wrong.
func decodeResolve(data []byte) (resolveRequest, *Error) {
	var body resolveBody
	if err := json.Unmarshal(data, &body); err != nil {
		return resolveRequest{}, decodeError(err)
	}
	request := resolveRequest{
		AppUserID: body.Identity.AppUserID, Variant: body.VariantID,
		CustomUserID: firstText(body.Identity.CustomUserID, body.CustomUserID),
		Proof:        firstText(body.Identity.CustomUserIDProof, body.CustomUserIDProof),
	}
	pointer := "/identity/appUserId"
	for _, flat := range []struct{ pointer, id string }{{"/appUserId", body.AppUserID}, {"/userId", body.UserID}} {
		if request.AppUserID == "" && flat.id != "" {
			pointer, request.AppUserID = flat.pointer, flat.id
		}
	}
	var check fieldCheck
	if request.AppUserID == "" {
		check.fail(pointer, "required", "identity.appUserId is required: the id of the person to resolve for")
	}
	check.text(pointer, request.AppUserID, maxUserID)
	check.optionalID("/identity/customUserId", body.Identity.CustomUserID)
	check.optionalID("/identity/sessionId", body.Identity.SessionID)
	check.optionalID("/customUserId", body.CustomUserID)
	check.optionalID("/sessionId", body.SessionID)
	check.platform("/context/platform", body.Context.Platform)
	check.platform("/platform", body.Platform)
	check.text("/context/browser", body.Context.Browser, maxBrowser)
	check.text("/context/os", body.Context.OS, maxBrowser)
	check.text("/context/device", body.Context.Device, maxBrowser)
	check.storable("/context/appVersion", body.Context.AppVersion)
	check.storable("/context/locale", body.Context.Locale)
	check.storable("/appVersion", body.AppVersion)
	check.storable("/locale", body.Locale)
	check.storable("/variantId", body.VariantID)
	check.scalars("/context/customProperties", body.Context.CustomProperties)
	check.scalars("/context/attribution", body.Context.Attribution)
	return request, check.result()
}

// firstText returns the first text that is there and not empty.
func firstText(texts ...*string) string {
	for _, text := range texts {
		if text != nil && *text != "" {
			return *text
		}
	}
	return ""
}

// decodeError makes a refusal of what isn't JSON (invalid_json), or is but has
// the wrong type (invalid_request).
func decodeError(err error) *Error {
	var mistyped *json.UnmarshalTypeError
	if !errors.As(err, &mistyped) {
		message := "the body is not JSON"
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			message = fmt.Sprintf("the body is not JSON: syntax error at byte %d", syntax.Offset)
		}
		return &Error{Status: http.StatusBadRequest, Code: codeInvalidJSON, Message: message}
	}
	var check fieldCheck
	name, pointer := "the body", ""
	if mistyped.Field != "" {
		name, pointer = mistyped.Field, "/"+strings.ReplaceAll(mistyped.Field, ".", "/")
	}
	kind, _, _ := strings.Cut(mistyped.Value, " ")
	check.fail(pointer, "type", name+" can't be a JSON "+kind)
	return check.result()
}
