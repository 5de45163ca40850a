package ingest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/svc-dev/svc/internal/codeunit"
)

// trimSpace trims as String.prototype.trim does: white space and the byte
// order mark.
func trimSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
}

// codeBase leads from a field's wire name to the beginning of its codes.
var codeBase = map[string]string{
	"eventId": "event_id", "name": "name", "timestamp": "timestamp", "occurredAt": "timestamp",
	"appUserId": "app_user_id", "customUserId": "custom_user_id", "customUserIdProof": "custom_user_id",
	"sessionId":  "session_id",
	"screenName": "screen_name", "page": "screen_name", "properties": "properties", "context": "context",
	"flowId": "flow_id", "versionId": "version_id", "experimentId": "experiment_id", "variantId": "variant_id",
	"stepId": "step_id", "assignmentVersion": "assignment_version", "fieldClassification": "field_classification",
	"runId": "run_id", "seq": "seq", "fromStepId": "from_step_id",
}

// codeOf returns a code about the field at a path on the wire, such as
// identity.appUserId.
func codeOf(path, suffix string) string {
	if strings.HasPrefix(path, "context.") {
		return "context" + suffix
	}
	return codeBase[path[strings.LastIndexByte(path, '.')+1:]] + suffix
}

// textCheck checks the texts of an event one after the other and keeps the
// first reject. It says nothing of what comes after that. It is plain code, as
// it runs for each event.
type textCheck struct{ reject *Reject }

func (c *textCheck) fail(path, suffix, complaint string) {
	c.reject = &Reject{Code: codeOf(path, suffix), Message: path + " " + complaint}
}

// required refuses an empty text.
func (c *textCheck) required(path, text string) {
	if c.reject == nil && text == "" {
		c.fail(path, "_required", "is required")
	}
}

// storable refuses a NUL character, which PostgreSQL cannot store.
func (c *textCheck) storable(path, text string) {
	if c.reject == nil && strings.IndexByte(text, 0) >= 0 {
		c.fail(path, "_invalid", "holds a NUL character")
	}
}

// atMost refuses a text of more than limit code units by the code <field><suffix>.
func (c *textCheck) atMost(path, text string, limit int, suffix string) {
	if c.reject == nil && len(text) > limit && codeunit.Count(text) > limit {
		c.fail(path, suffix, fmt.Sprintf("is longer than %d UTF-16 code units", limit))
	}
}

// id refuses what is too long for an id of the app's own, or not storable.
func (c *textCheck) id(path, text string) {
	c.atMost(path, text, maxIDUnits, "_too_long")
	c.storable(path, text)
}

// reference does what id does for the ids of Svc's own things, where too long is one more
// way to be none of them.
func (c *textCheck) reference(path, text string) {
	c.atMost(path, text, maxIDUnits, "_invalid")
	c.storable(path, text)
}

// context checks what both kinds of events say of the device.
func (c *textCheck) context(platform, browser, os, device, appVersion, locale string) {
	switch platform {
	case "", "web", "ios", "android":
	default:
		if c.reject == nil {
			c.fail("context.platform", "_invalid", "must be one of web, ios, android")
		}
	}
	c.atMost("context.browser", browser, maxContextUnits, "_invalid")
	c.storable("context.browser", browser)
	c.atMost("context.os", os, maxContextUnits, "_invalid")
	c.storable("context.os", os)
	c.atMost("context.device", device, maxContextUnits, "_invalid")
	c.storable("context.device", device)
	c.storable("context.appVersion", appVersion)
	c.storable("context.locale", locale)
}

// checkTexts checks the texts of a product event.
func (e *ProductEvent) checkTexts() *Reject {
	var c textCheck
	c.required("eventId", e.EventID)
	c.atMost("eventId", e.EventID, maxEventIDUnits, "_too_long")
	c.storable("eventId", e.EventID)
	c.required("name", e.Name)
	c.atMost("name", e.Name, maxNameUnits, "_too_long")
	if c.reject == nil && strings.IndexFunc(e.Name, unicode.IsControl) >= 0 {
		c.fail("name", "_invalid", "holds a control character")
	}
	c.required("identity.appUserId", e.AppUserID)
	c.id("identity.appUserId", e.AppUserID)
	c.id("identity.customUserId", e.CustomUserID)
	c.id("identity.sessionId", e.SessionID)
	c.atMost("screenName", e.Page, maxPageUnits, "_too_long")
	c.storable("screenName", e.Page)
	c.context(e.Platform, e.Browser, e.OS, e.Device, e.AppVersion, e.Locale)
	return c.reject
}

// checkTexts checks the texts of a flow event.
func (e *FlowEvent) checkTexts() *Reject {
	var c textCheck
	c.required("eventId", e.EventID)
	c.required("name", e.Name)
	c.reference("variantId", e.VariantID)
	c.reference("stepId", e.StepID)
	c.required("identity.appUserId", e.AppUserID)
	c.id("identity.appUserId", e.AppUserID)
	c.id("identity.customUserId", e.CustomUserID)
	c.id("identity.sessionId", e.SessionID)
	c.context(e.Platform, e.Browser, e.OS, e.Device, e.AppVersion, e.Locale)
	switch e.Classification {
	case "", "safe", "sensitive":
	default:
		if c.reject == nil {
			c.fail("fieldClassification", "_invalid", "must be one of safe, sensitive")
		}
	}
	if e.FromStepID != nil {
		c.reference("fromStepId", *e.FromStepID)
	}
	return c.reject
}

// check checks the place of a line of history: an ISO 3166-1 alpha-2 code, names
// that can be stored, and both coordinates in degrees or neither.
func (p *HistoryPlace) check() *Reject {
	wrong := ""
	switch {
	case p.Country != "" && !isCountry(p.Country):
		wrong = "country"
	case !isPlaceName(p.Region):
		wrong = "region"
	case !isPlaceName(p.City):
		wrong = "city"
	case !isCoordinate(p.Latitude, p.Longitude, 90):
		wrong = "latitude"
	case !isCoordinate(p.Longitude, p.Latitude, 180):
		wrong = "longitude"
	default:
		return nil
	}
	return &Reject{Code: CodePlaceInvalid, Message: "place." + wrong + " is not valid"}
}

func isCountry(text string) bool {
	return len(text) == 2 && 'A' <= text[0] && text[0] <= 'Z' && 'A' <= text[1] && text[1] <= 'Z'
}

func isPlaceName(text string) bool {
	return codeunit.Count(text) <= maxPlaceUnits && strings.IndexByte(text, 0) < 0
}

// isCoordinate tells whether a coordinate may stand beside the other one: both
// are there or neither is.
func isCoordinate(degrees, other *float64, limit float64) bool {
	if degrees == nil {
		return other == nil
	}
	return -limit <= *degrees && *degrees <= limit
}
