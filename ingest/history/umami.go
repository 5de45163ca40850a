package history

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

// umamiColumns are the columns of Umami's table website_event that are read, the needed ones first. Older versions have
// no distinct_id and no utm_ columns; on PostgreSQL what is of the session is joined to it.
var umamiColumns = []string{
	"event_id", "session_id", "created_at", "event_type",
	"visit_id", "distinct_id", "hostname", "browser", "os", "device", "language", "country", "city",
	"url_path", "url_query", "referrer_domain", "referrer_path", "event_name", "tag",
	"utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term",
}

const umamiNeeded = 4

// Types of Umami's events.
const (
	umamiPageView = "1"
	umamiCustom   = "2"
)

func umamiLines(in io.Reader) (io.Reader, error) { return newCSVLines(in, umamiColumns, umamiNeeded) }

// fromUmami converts a record of Umami's table of events, as [csvLines] gives it. A session of Umami is somebody within
// a month, a visit is what is a session here.
func fromUmami(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject) {
	var row map[string]string
	if err := readRow(line, &row); err != nil {
		return nil, lineReject("", err)
	}
	fail := func(code, message string) (*ingest.HistoryEvent, *ingest.Reject) {
		return nil, &ingest.Reject{EventID: row["event_id"], Code: code, Message: message}
	}
	if why := row[csvBroken]; why != "" {
		return fail(ingest.CodeEventInvalid, "the record is not CSV as the header says: "+why)
	}
	for _, required := range []struct{ column, code string }{
		{"event_id", ingest.CodeEventIDRequired}, {"session_id", ingest.CodeAppUserIDRequired},
		{"created_at", ingest.CodeTimestampRequired}, {"event_type", ingest.CodeEventInvalid},
	} {
		if row[required.column] == "" {
			return fail(required.code, required.column+" is required")
		}
	}
	e := &ingest.HistoryEvent{
		EventID: Umami.eventPrefix() + strings.ToLower(row["event_id"]), AppUserID: row["session_id"],
		CustomUserID: row["distinct_id"], SessionID: cmp.Or(row["visit_id"], row["session_id"]), ScreenName: row["url_path"],
		Context: umamiContext(row), Place: umamiPlace(row),
	}
	switch row["event_type"] {
	case umamiPageView:
		if e.Name = ingest.NamePageView; e.ScreenName == "" {
			return fail(ingest.CodeScreenNameRequired, "url_path is required for page views")
		}
	case umamiCustom:
		if e.Name = row["event_name"]; e.Name == "" {
			return fail(ingest.CodeNameRequired, "event_name is required for events of type 2")
		}
	default:
		return nil, nil // clicks of short links and pixels are not of a site's visitors
	}
	at, reject := how.at("created_at", row["created_at"])
	if reject != nil {
		reject.EventID = row["event_id"]
		return nil, reject
	}
	e.Timestamp = at
	if tag, err := json.Marshal(row["tag"]); err == nil && row["tag"] != "" {
		e.Properties = map[string]json.RawMessage{"tag": tag}
	}
	return e, nil
}

// What Umami calls browsers, systems and devices that live events have under other names.
var (
	umamiBrowsers = map[string]string{
		"chrome": "Chrome", "crios": "Chrome", "chromium-webview": "Chrome", "safari": "Safari", "ios": "Safari",
		"ios-webview": "Safari", "firefox": "Firefox", "fxios": "Firefox", "edge": "Edge", "edge-chromium": "Edge",
		"edge-ios": "Edge", "opera": "Opera", "opera-mini": "Opera Mini", "samsung": "Samsung Browser",
		"ie":       "Internet Explorer",
		"facebook": "Facebook", "instagram": "Instagram", "yandexbrowser": "Yandex Browser", "miui": "Mi Browser",
		"brave": "Brave",
	}
	umamiSystems = map[string]string{"Mac OS": "macOS", "Android OS": "Android", "Chrome OS": "ChromeOS"}
	umamiDevices = map[string]string{"laptop": "desktop"}
)

func umamiContext(row map[string]string) ingest.HistoryContext {
	system := row["os"]
	if strings.HasPrefix(system, "Windows ") {
		system = "Windows"
	}
	return ingest.HistoryContext{
		Platform: "web", Locale: row["language"],
		Browser:     codeunit.Clip(renamed(umamiBrowsers, row["browser"]), contextUnits),
		OS:          codeunit.Clip(renamed(umamiSystems, system), contextUnits),
		Device:      codeunit.Clip(renamed(umamiDevices, row["device"]), contextUnits),
		Attribution: umamiAttribution(row),
	}
}

// umamiPlace leaves the region out: Umami keeps its code, not its name.
func umamiPlace(row map[string]string) *ingest.HistoryPlace {
	if len(row["country"]) != 2 {
		return nil
	}
	return &ingest.HistoryPlace{Country: strings.ToUpper(row["country"]), City: codeunit.Clip(row["city"], contextUnits)}
}

func umamiAttribution(row map[string]string) map[string]string {
	found := map[string]string{}
	query, _ := url.ParseQuery(strings.TrimPrefix(row["url_query"], "?")) // what can be read of it
	for parameter, key := range campaignKeys {
		if value := cmp.Or(row[parameter], query.Get(parameter)); value != "" {
			found[key] = value
		}
	}
	host, referrer := row["hostname"], row["referrer_domain"]
	if referrer != "" && strings.TrimPrefix(referrer, "www.") != strings.TrimPrefix(host, "www.") {
		found["referrer"] = "https://" + referrer + row["referrer_path"]
	}
	if host != "" {
		found["landingUrl"] = "https://" + host + row["url_path"]
		if search := strings.TrimPrefix(row["url_query"], "?"); search != "" {
			found["landingUrl"] += "?" + search
		}
	}
	return found
}
