package sdkapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/svc-dev/svc/internal/codeunit"
)

// Limits of wire.md §2, in UTF-16 code units.
const (
	maxUserID  = 256
	maxBrowser = 80
)

// resolveRequest is what resolve needs to know of a person.
type resolveRequest struct {
	AppUserID string
	// Variant forces an arm, for trying it out.
	Variant string
}

// resolveBody is the body as sent: nested as in wire.md §3.1, flat as in §11, or
// both.
type resolveBody struct {
	Identity struct {
		AppUserID    string  `json:"appUserId"`
		CustomUserID *string `json:"customUserId"`
		SessionID    *string `json:"sessionId"`
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
	AppUserID    string  `json:"appUserId"`
	UserID       string  `json:"userId"`
	CustomUserID *string `json:"customUserId"`
	SessionID    *string `json:"sessionId"`
	Locale       string  `json:"locale"`
	Platform     string  `json:"platform"`
	AppVersion   string  `json:"appVersion"`
	VariantID    string  `json:"variantId"`
}

// decodeResolve reads the body of resolve and resolve-all. It requires nothing
// but a user id, and names every field that is wrong.
func decodeResolve(data []byte) (resolveRequest, *Error) {
	var body resolveBody
	if err := json.Unmarshal(data, &body); err != nil {
		return resolveRequest{}, decodeError(err)
	}
	request := resolveRequest{AppUserID: body.Identity.AppUserID, Variant: body.VariantID}
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
	check.length(pointer, request.AppUserID, maxUserID)
	check.filled("/identity/customUserId", body.Identity.CustomUserID)
	check.filled("/identity/sessionId", body.Identity.SessionID)
	check.filled("/customUserId", body.CustomUserID)
	check.filled("/sessionId", body.SessionID)
	check.platform("/context/platform", body.Context.Platform)
	check.platform("/platform", body.Platform)
	check.length("/context/browser", body.Context.Browser, maxBrowser)
	check.length("/context/os", body.Context.OS, maxBrowser)
	check.length("/context/device", body.Context.Device, maxBrowser)
	check.scalars("/context/customProperties", body.Context.CustomProperties)
	check.scalars("/context/attribution", body.Context.Attribution)
	return request, check.result()
}

// decodeError tells what isn't JSON (invalid_json) from what is, but has the
// wrong type (invalid_request).
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

// fieldCheck collects what is wrong in a body.
type fieldCheck struct{ fields []FieldError }

func (c *fieldCheck) fail(pointer, code, message string) {
	c.fields = append(c.fields, FieldError{Pointer: pointer, Code: code, Message: message})
}

func (c *fieldCheck) length(pointer, value string, limit int) {
	if len(value) > limit && codeunit.Count(value) > limit {
		c.fail(pointer, "too_long", fmt.Sprintf("%s is longer than %d characters", fieldName(pointer), limit))
	}
}

// filled refuses an optional id that is there but empty (wire.md §2.1).
func (c *fieldCheck) filled(pointer string, value *string) {
	if value == nil {
		return
	}
	if *value == "" {
		c.fail(pointer, "empty", fieldName(pointer)+" is empty: leave it out or fill it")
	}
	c.length(pointer, *value, maxUserID)
}

func (c *fieldCheck) platform(pointer, value string) {
	switch value {
	case "", "ios", "android", "web":
	default:
		c.fail(pointer, "enum", fieldName(pointer)+" must be ios, android or web")
	}
}

// scalars refuses values other than string, number and boolean (wire.md §2.2).
func (c *fieldCheck) scalars(pointer string, values map[string]json.RawMessage) {
	for key, value := range values {
		if value[0] == '{' || value[0] == '[' || value[0] == 'n' {
			c.fail(pointer+"/"+escapePointer(key), "type", fieldName(pointer)+" may hold strings, numbers and booleans only")
		}
	}
}

// escapePointer writes a member's name as a step of a pointer (RFC 6901 §3).
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (c *fieldCheck) result() *Error {
	if len(c.fields) == 0 {
		return nil
	}
	return &Error{Status: http.StatusBadRequest, Code: codeInvalidRequest, Message: c.fields[0].Message, Fields: c.fields}
}

// fieldName writes a pointer as people write it: /context/os is context.os.
func fieldName(pointer string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}
