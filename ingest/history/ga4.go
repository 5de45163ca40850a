package history

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

// ga4Row is a row of the tables events_… of Google Analytics' export to BigQuery, as JSON. Other columns are not
// needed.
type ga4Row struct {
	Name       string     `json:"event_name"`
	Micros     loose      `json:"event_timestamp"` // since 1970
	Bundle     loose      `json:"event_bundle_sequence_id"`
	BatchPage  loose      `json:"batch_page_id"`
	BatchOrder loose      `json:"batch_ordering_id"`
	BatchIndex loose      `json:"batch_event_index"`
	Stream     loose      `json:"stream_id"`
	UserPseudo string     `json:"user_pseudo_id"`
	UserID     string     `json:"user_id"`
	Platform   string     `json:"platform"`
	Parameters []ga4Value `json:"event_params"`
	User       []ga4Value `json:"user_properties"`
	Device     struct {
		Category string `json:"category"`
		OS       string `json:"operating_system"`
		Language string `json:"language"`
		Browser  string `json:"browser"`
		Web      struct {
			Browser string `json:"browser"`
		} `json:"web_info"`
	} `json:"device"`
	Geo struct {
		Country string `json:"country"`
		Region  string `json:"region"`
		City    string `json:"city"`
	} `json:"geo"`
	App struct {
		Version string `json:"version"`
	} `json:"app_info"`
	Collected struct {
		Source   string `json:"manual_source"`
		Medium   string `json:"manual_medium"`
		Campaign string `json:"manual_campaign_name"`
		Content  string `json:"manual_content"`
		Term     string `json:"manual_term"`
	} `json:"collected_traffic_source"`
	Items []json.RawMessage `json:"items"`
}

// ga4Value is a parameter, of which one kind of value is set.
type ga4Value struct {
	Key   string `json:"key"`
	Value struct {
		Text   *string `json:"string_value"`
		Int    loose   `json:"int_value"`
		Float  *number `json:"float_value"`
		Double *number `json:"double_value"`
	} `json:"value"`
}

// raw returns the value as JSON, nil without one.
func (v *ga4Value) raw() json.RawMessage {
	switch {
	case v.Value.Text != nil:
		text, _ := json.Marshal(*v.Value.Text) // a string has a form
		return text
	case v.Value.Int != "":
		if _, err := strconv.ParseInt(string(v.Value.Int), 10, 64); err == nil {
			return json.RawMessage(v.Value.Int)
		}
	case v.Value.Double != nil:
		return json.RawMessage(*v.Value.Double)
	case v.Value.Float != nil:
		return json.RawMessage(*v.Value.Float)
	}
	return nil
}

// ga4LeftOut are events that Analytics makes itself, of what sessions and first touches tell here.
var ga4LeftOut = map[string]bool{
	"session_start": true, "first_visit": true, "first_open": true, "user_engagement": true,
}

// fromGA4 converts a row of Google Analytics' export. Rows of people who refused to be known have no id and are left
// out.
func fromGA4(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject) {
	var row ga4Row
	if err := readRow(line, &row); err != nil {
		return nil, lineReject("", err)
	}
	if ga4LeftOut[row.Name] || row.UserPseudo == "" && row.UserID == "" && row.Name != "" {
		return nil, nil
	}
	if row.Name == "" {
		return nil, &ingest.Reject{Code: ingest.CodeNameRequired, Message: "event_name is required"}
	}
	p := ga4Parameters{}
	for i := range row.Parameters {
		p[row.Parameters[i].Key] = &row.Parameters[i]
	}
	id := row.id(p)
	if row.Micros == "" {
		return nil, &ingest.Reject{EventID: id, Code: ingest.CodeTimestampRequired, Message: "event_timestamp is required"}
	}
	micros, err := strconv.ParseInt(string(row.Micros), 10, 64)
	if err != nil {
		return nil, &ingest.Reject{
			EventID: id, Code: ingest.CodeTimestampInvalid, Message: "event_timestamp is not a number of microseconds",
		}
	}
	at, reject := how.within("event_timestamp", time.UnixMicro(micros))
	if reject != nil {
		reject.EventID = id
		return nil, reject
	}
	e := &ingest.HistoryEvent{
		EventID: id, Name: row.Name, Timestamp: at, AppUserID: cmp.Or(row.UserPseudo, row.UserID), CustomUserID: row.UserID,
		SessionID: p.text("ga_session_id"), Context: row.context(p), Place: row.place(), Properties: p.own(row.Items),
	}
	e.OrganicUnknown = e.Context.Platform == "ios" || e.Context.Platform == "android"
	p.rename(e)
	return e, nil
}

// ga4User finds the user that a row names, without reading the row: BigQuery exports the rows of a day in no order.
func ga4User(line []byte) []byte {
	_, rest, _ := bytes.Cut(line, []byte(`"user_pseudo_id"`))
	_, rest, _ = bytes.Cut(rest, []byte(`"`))
	user, _, _ := bytes.Cut(rest, []byte(`"`))
	return user
}

// rename gives built-in events the names and properties that live ones have.
func (p ga4Parameters) rename(e *ingest.HistoryEvent) {
	switch e.Name {
	case "page_view":
		e.ScreenName = pathOf(p.text("page_location"))
	case "screen_view":
		e.Name, e.ScreenName = ingest.NameScreenView, cmp.Or(p.text("firebase_screen"), p.text("firebase_screen_class"))
	case "click":
		if p.text("outbound") == "true" {
			e.Name = "outbound_link"
		}
	}
	if link := p.text("link_url"); link != "" && (e.Name == "outbound_link" || e.Name == "file_download") {
		e.Properties["url"] = jsonText(withoutQuery(link))
		delete(e.Properties, "link_url")
	}
}

// ga4IDBytes is about what an id is of.
const ga4IDBytes = 512

// id is of what tells rows apart: they have no id of their own. Rows that are equal in all of it are one event.
func (r *ga4Row) id(p ga4Parameters) string {
	of := make([]byte, 0, ga4IDBytes)
	add := func(part string) {
		of = strconv.AppendInt(of, int64(len(part)), 10)
		of = append(append(of, ':'), part...)
	}
	for _, part := range []string{
		r.UserPseudo, r.UserID, r.Name, string(r.Micros), string(r.Bundle), string(r.BatchPage), string(r.BatchOrder),
		string(r.BatchIndex), string(r.Stream),
	} {
		add(part)
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		add(key)
		add(string(p[key].raw()))
	}
	sum := sha256.Sum256(of)
	return GA4.eventPrefix() + hex.EncodeToString(sum[:16])
}

var (
	ga4Systems = map[string]string{
		"Macintosh": "macOS", "Chrome OS": "ChromeOS", "ANDROID": "Android", "IOS": "iOS", "iPadOS": "iOS",
	}
	ga4Browsers = map[string]string{
		"Samsung Internet": "Samsung Browser", "Safari (in-app)": "Safari", "Android Webview": "Chrome",
	}
)

func (r *ga4Row) context(p ga4Parameters) ingest.HistoryContext {
	c := ingest.HistoryContext{
		Platform: strings.ToLower(r.Platform), AppVersion: known(r.App.Version), Locale: known(r.Device.Language),
		Browser: codeunit.Clip(renamed(ga4Browsers, known(cmp.Or(r.Device.Web.Browser, r.Device.Browser))), contextUnits),
		OS:      codeunit.Clip(renamed(ga4Systems, known(r.Device.OS)), contextUnits),
		Device:  codeunit.Clip(strings.ToLower(known(r.Device.Category)), contextUnits), Attribution: r.attribution(p),
	}
	for i := range r.User {
		if value := r.User[i].raw(); value != nil && !strings.HasPrefix(r.User[i].Key, "_") {
			if c.CustomProperties == nil {
				c.CustomProperties = map[string]json.RawMessage{}
			}
			c.CustomProperties[r.User[i].Key] = value
		}
	}
	return c
}

// place leaves out countries that have no code.
func (r *ga4Row) place() *ingest.HistoryPlace {
	code := countryCodes()[r.Geo.Country]
	if code == "" {
		return nil
	}
	return &ingest.HistoryPlace{
		Country: code, Region: codeunit.Clip(known(r.Geo.Region), contextUnits),
		City: codeunit.Clip(known(r.Geo.City), contextUnits),
	}
}

func (r *ga4Row) attribution(p ga4Parameters) map[string]string {
	found := map[string]string{}
	for key, value := range map[string]string{
		"source": cmp.Or(r.Collected.Source, p.text("source")), "medium": cmp.Or(r.Collected.Medium, p.text("medium")),
		"campaign": cmp.Or(r.Collected.Campaign, p.text("campaign")),
		"content":  cmp.Or(r.Collected.Content, p.text("content")), "term": cmp.Or(r.Collected.Term, p.text("term")),
	} {
		if value = known(value); value != "" {
			found[key] = value
		}
	}
	landing, referrer := p.text("page_location"), p.text("page_referrer")
	if referrer != "" && hostOf(referrer) != hostOf(landing) {
		found["referrer"] = referrer
	}
	if landing != "" {
		found["landingUrl"] = landing
	}
	return found
}

// known leaves out what Analytics writes where it knows nothing, such as (not set), (direct) or (none).
func known(text string) string {
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return ""
	}
	return text
}

// ga4Parameters are those of an event by their names.
type ga4Parameters map[string]*ga4Value

// text returns a parameter that is a text or a whole number.
func (p ga4Parameters) text(key string) string {
	v := p[key]
	switch {
	case v == nil:
		return ""
	case v.Value.Text != nil:
		return *v.Value.Text
	}
	return string(v.Value.Int)
}

// ga4Own are parameters that Analytics sets itself and that are read as something else, or say nothing of an event.
var ga4Own = map[string]bool{
	"page_location": true, "page_referrer": true, "source": true, "medium": true, "campaign": true, "content": true,
	"term": true, "session_engaged": true, "engaged_session_event": true, "engagement_time_msec": true, "entrances": true,
	"ignore_referrer": true, "batch_ordering_id": true, "batch_page_id": true, "debug_mode": true, "gclid": true,
	"srsltid": true, "campaign_id": true, "synthetic_bundle": true,
}

// own are the properties of an event.
func (p ga4Parameters) own(items []json.RawMessage) map[string]json.RawMessage {
	own := map[string]json.RawMessage{}
	for key, value := range p {
		if ga4Own[key] || strings.HasPrefix(key, "ga_") || strings.HasPrefix(key, "firebase_") {
			continue
		}
		if raw := value.raw(); raw != nil {
			own[key] = raw
		}
	}
	if len(items) > 0 {
		own["items"], _ = json.Marshal(items) // they were read as JSON
	}
	return own
}

// pathOf returns the path of an address, "" where there is none.
func pathOf(address string) string {
	at, err := url.Parse(address)
	switch {
	case err != nil || at.Host == "":
		return ""
	case at.Path == "":
		return "/"
	}
	return at.Path
}
