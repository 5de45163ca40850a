package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

// postHogRow is a line of PostHog's events model as JSON lines. Other columns are not needed.
type postHogRow struct {
	UUID       string          `json:"uuid"`
	Event      string          `json:"event"`
	DistinctID string          `json:"distinct_id"`
	Timestamp  string          `json:"timestamp"`
	Properties json.RawMessage `json:"properties"` // an object, or a string that holds one
}

// postHogLeftOut are events that say nothing of what somebody did: changes of profiles, answers of feature flags and
// recordings.
var postHogLeftOut = map[string]bool{
	"$set": true, "$create_alias": true, "$merge_dangerously": true, "$groupidentify": true,
	"$feature_flag_called": true, "$snapshot": true, "$snapshot_items": true, "$performance_event": true,
	"$$heatmap": true, "$web_vitals": true,
}

// postHogNames are the built-in events whose meaning is the same.
var postHogNames = map[string]string{"$pageview": ingest.NamePageView, "$screen": ingest.NameScreenView}

// fromPostHog converts a line of PostHog's events model.
func fromPostHog(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject) {
	var row postHogRow
	if err := readRow(line, &row); err != nil {
		return nil, lineReject(row.UUID, err)
	}
	if postHogLeftOut[row.Event] {
		return nil, nil
	}
	for _, required := range []struct{ field, value, code string }{
		{"uuid", row.UUID, ingest.CodeEventIDRequired}, {"event", row.Event, ingest.CodeNameRequired},
		{"distinct_id", row.DistinctID, ingest.CodeAppUserIDRequired},
		{"timestamp", row.Timestamp, ingest.CodeTimestampRequired},
	} {
		if required.value == "" {
			return nil, &ingest.Reject{
				EventID: row.UUID, Code: required.code, Message: required.field + " is required",
			}
		}
	}
	at, reject := how.at("timestamp", row.Timestamp)
	if reject != nil {
		reject.EventID = row.UUID
		return nil, reject
	}
	p, err := postHogProperties(row.Properties)
	if err != nil {
		return nil, &ingest.Reject{
			EventID: row.UUID, Code: ingest.CodePropertiesInvalid, Message: "properties is not a JSON object",
		}
	}
	e := &ingest.HistoryEvent{
		EventID: PostHog.eventPrefix() + strings.ToLower(row.UUID), Name: row.Event, Timestamp: at,
		SessionID: p.text("$session_id"), Place: p.place(), Properties: p.own(),
	}
	e.AppUserID, e.CustomUserID = p.person(row.DistinctID)
	if name, known := postHogNames[row.Event]; known {
		e.Name, e.ScreenName = name, p.page(row.Event)
	}
	e.Context = p.context()
	e.OrganicUnknown = e.Context.Platform == "ios" || e.Context.Platform == "android"
	return e, nil
}

// postHogMap are the properties of an event. Those of PostHog's own begin with a dollar sign.
type postHogMap map[string]json.RawMessage

func postHogProperties(raw json.RawMessage) (p postHogMap, err error) {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		raw = []byte(text)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	if err := readRow(raw, &p); err != nil {
		return nil, errors.New("not an object")
	}
	return p, nil
}

// text returns a property that is a text, and "" for any other.
func (p postHogMap) text(key string) (text string) {
	raw := p[key]
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	if inside := raw[1 : len(raw)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	_ = json.Unmarshal(raw, &text) // it is part of what was read as JSON
	return text
}

// person tells the device from the person: PostHog keeps the id of an anonymous device beside that of whom it knows.
func (p postHogMap) person(distinctID string) (appUserID, customUserID string) {
	device := p.text("$device_id")
	if device == "" || strings.HasPrefix(device, "$posthog") {
		return distinctID, p.text("$user_id")
	}
	if distinctID != device {
		return device, distinctID
	}
	return device, p.text("$user_id")
}

// page names what was looked at: a path on the web, a screen in apps.
func (p postHogMap) page(event string) string {
	if event == "$screen" {
		return p.text("$screen_name")
	}
	if path := p.text("$pathname"); path != "" {
		return path
	}
	return pathOf(p.text("$current_url"))
}

func (p postHogMap) place() *ingest.HistoryPlace {
	country := p.text("$geoip_country_code")
	if len(country) != 2 {
		return nil
	}
	at := &ingest.HistoryPlace{
		Country: strings.ToUpper(country), Region: codeunit.Clip(p.text("$geoip_subdivision_1_name"), contextUnits),
		City: codeunit.Clip(p.text("$geoip_city_name"), contextUnits),
	}
	var latitude, longitude *float64
	failed := errors.Join(
		json.Unmarshal(p["$geoip_latitude"], &latitude), json.Unmarshal(p["$geoip_longitude"], &longitude),
	)
	if failed == nil && latitude != nil && longitude != nil {
		at.Latitude, at.Longitude = latitude, longitude
	}
	return at
}

// postHogBrowsers and postHogSystems are names that live events have otherwise.
var (
	postHogBrowsers = map[string]string{
		"Mobile Safari": "Safari", "Chrome iOS": "Chrome", "Firefox iOS": "Firefox", "Microsoft Edge": "Edge",
		"Samsung Internet": "Samsung Browser", "Facebook Mobile": "Facebook",
	}
	postHogSystems = map[string]string{"Mac OS X": "macOS", "Chrome OS": "ChromeOS", "iPadOS": "iOS"}
)

func (p postHogMap) context() ingest.HistoryContext {
	return ingest.HistoryContext{
		Platform: p.platform(), AppVersion: p.text("$app_version"),
		Locale:  cmp.Or(p.text("$locale"), p.text("$browser_language")),
		Browser: codeunit.Clip(renamed(postHogBrowsers, p.text("$browser")), contextUnits),
		OS:      codeunit.Clip(renamed(postHogSystems, p.text("$os")), contextUnits),
		Device:  codeunit.Clip(strings.ToLower(p.text("$device_type")), contextUnits), Attribution: p.attribution(),
	}
}

func (p postHogMap) platform() string {
	switch p.text("$lib") {
	case "web", "js":
		return "web"
	case "posthog-ios":
		return "ios"
	case "posthog-android":
		return "android"
	case "posthog-react-native", "posthog-flutter":
		switch renamed(postHogSystems, p.text("$os")) {
		case "iOS":
			return "ios"
		case "Android":
			return "android"
		}
	}
	return ""
}

// attribution is that of the session's beginning where PostHog knows it, else the event's own.
func (p postHogMap) attribution() map[string]string {
	utm, dollar := "", "$"
	if p.text("$session_entry_url") != "" {
		utm, dollar = "$session_entry_", "$session_entry_"
	}
	landing := p.text("$session_entry_url")
	if landing == "" {
		landing = p.text("$current_url")
	}
	found := map[string]string{}
	for parameter, key := range campaignKeys {
		if value := p.text(utm + parameter); value != "" {
			found[key] = value
		}
	}
	referrer := p.text(dollar + "referrer")
	if referrer != "" && referrer != "$direct" && hostOf(referrer) != hostOf(landing) {
		found["referrer"] = referrer
	}
	if landing != "" {
		found["landingUrl"] = landing
	}
	return found
}

// own are the properties that the app set itself.
func (p postHogMap) own() map[string]json.RawMessage {
	own := map[string]json.RawMessage{}
	for key, value := range p {
		_, campaign := campaignKeys[key]
		if !campaign && !strings.HasPrefix(key, "$") && key != "token" && key != "distinct_id" && string(value) != "null" {
			own[key] = value
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own
}
