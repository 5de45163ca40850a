package history

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

// matomoVisit is a visit of Live.getLastVisitsDetails.
type matomoVisit struct {
	ID            loose  `json:"idVisit"`
	Site          loose  `json:"idSite"`
	Visitor       string `json:"visitorId"`
	User          loose  `json:"userId,omitempty"`
	Language      string `json:"languageCode,omitempty"`
	Device        string `json:"deviceType,omitempty"`
	OS            string `json:"operatingSystemName,omitempty"`
	Browser       string `json:"browserName,omitempty"`
	Country       string `json:"countryCode,omitempty"`
	Region        string `json:"region,omitempty"`
	City          string `json:"city,omitempty"`
	Latitude      loose  `json:"latitude,omitempty"`
	Longitude     loose  `json:"longitude,omitempty"`
	ReferrerType  string `json:"referrerType,omitempty"`
	ReferrerName  string `json:"referrerName,omitempty"`
	ReferrerTerm  string `json:"referrerKeyword,omitempty"`
	ReferrerURL   string `json:"referrerUrl,omitempty"`
	Campaign      string `json:"campaignName,omitempty"` // this and those below are of the plugin for campaigns
	CampaignTerm  string `json:"campaignKeyword,omitempty"`
	CampaignFrom  string `json:"campaignSource,omitempty"`
	CampaignBy    string `json:"campaignMedium,omitempty"`
	CampaignAbout string `json:"campaignContent,omitempty"`
	Message       string `json:"message,omitempty"` // instead of visits, when the API refused

	Actions []json.RawMessage `json:"actionDetails,omitempty"`
}

// matomoAction is one thing done in a visit.
type matomoAction struct {
	Type      string            `json:"type"`
	URL       string            `json:"url"`
	PageID    loose             `json:"pageId"`
	Timestamp loose             `json:"timestamp"` // seconds since 1970
	Category  string            `json:"eventCategory"`
	Action    string            `json:"eventAction"`
	Name      string            `json:"eventName"`
	Value     loose             `json:"eventValue"`
	Keyword   loose             `json:"siteSearchKeyword"`
	GoalID    loose             `json:"goalId"`
	GoalName  string            `json:"goalName"`
	Revenue   loose             `json:"revenue"`
	OrderID   loose             `json:"orderId"`
	Items     []json.RawMessage `json:"itemDetails"`
}

// matomoLine is what [matomoLines] makes of an action: the action with its visit.
type matomoLine struct {
	Visit   matomoVisit     `json:"visit"`             // without actions
	Landing string          `json:"landing,omitempty"` // the first address of the visit
	Action  json.RawMessage `json:"action,omitempty"`  // nil of a visit in which nothing was done
	Broken  string          `json:"broken,omitempty"`  // why the visit can't be read
}

// matomoReader reads visits and is read as lines of JSON, one for each action.
type matomoReader struct {
	objects *objects
	visit   matomoLine        // without an action
	actions []json.RawMessage // of the visit, not written yet
	out     bytes.Buffer
}

// maxVisitFields bounds in bytes what each action of a visit is written with.
const maxVisitFields = 64 << 10

func matomoLines(in io.Reader) (io.Reader, error) { return &matomoReader{objects: newObjects(in)}, nil }

func (m *matomoReader) Read(into []byte) (int, error) {
	for m.out.Len() == 0 {
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	return m.out.Read(into)
}

// next makes the next line.
func (m *matomoReader) next() error {
	if len(m.actions) == 0 {
		if err := m.read(); err != nil {
			return err
		}
	}
	if len(m.actions) > 0 {
		m.visit.Action, m.actions = m.actions[0], m.actions[1:]
	}
	return json.NewEncoder(&m.out).Encode(m.visit)
}

// read reads the next visit.
func (m *matomoReader) read() error {
	text, line, err := m.objects.next()
	m.visit, m.actions = matomoLine{}, nil
	if errors.Is(err, errObjectTooLong) {
		m.visit.Broken = fmt.Sprintf("the visit in line %d %s", line, err)
		return nil
	}
	if err != nil {
		return err
	}
	visit := &m.visit.Visit
	err = json.Unmarshal(text, visit)
	var first struct {
		URL string `json:"url"`
	}
	if m.actions, visit.Actions = visit.Actions, nil; len(m.actions) > 0 {
		_ = json.Unmarshal(m.actions[0], &first) // told when the action is converted
	}
	m.visit.Landing = first.URL
	fields, _ := json.Marshal(m.visit) // all of them have a form
	if len(fields) > maxVisitFields {
		m.visit, m.actions = matomoLine{}, nil
		m.visit.Broken = fmt.Sprintf("the visit in line %d has fields of more than %d bytes", line, maxVisitFields)
	} else if err != nil {
		m.actions = nil
		m.visit.Broken = fmt.Sprintf("the visit in line %d: %s", line, lineReject("", err).Message)
	}
	return nil
}

// fromMatomo converts an action of a visit, as [matomoReader] gives it.
func fromMatomo(line []byte, how Reading) (*ingest.HistoryEvent, *ingest.Reject) {
	var row matomoLine
	if err := readRow(line, &row); err != nil {
		return nil, lineReject("", err)
	}
	id := Matomo.eventPrefix() + string(row.Visit.Site+"."+row.Visit.ID)
	fail := func(code, message string) (*ingest.HistoryEvent, *ingest.Reject) {
		return nil, &ingest.Reject{EventID: id, Code: code, Message: message}
	}
	switch {
	case row.Broken != "":
		return fail(ingest.CodeEventInvalid, row.Broken)
	case row.Visit.ID == "" && row.Visit.Message != "":
		return fail(ingest.CodeEventInvalid, "Matomo answered instead of visits: "+row.Visit.Message)
	case row.Visit.ID == "":
		return fail(ingest.CodeEventInvalid, "idVisit is required")
	case row.Visit.Visitor == "":
		return fail(ingest.CodeAppUserIDRequired, "visitorId is required")
	case row.Action == nil:
		return nil, nil
	}
	var action matomoAction
	if err := readRow(row.Action, &action); err != nil {
		return nil, lineReject(id, err)
	}
	id += "." + action.key(row.Action)
	e := &ingest.HistoryEvent{
		EventID: id, AppUserID: row.Visit.Visitor, CustomUserID: string(row.Visit.User), SessionID: string(row.Visit.ID),
		Context: row.context(), Place: row.Visit.place(), Properties: map[string]json.RawMessage{},
	}
	if !action.describe(e) {
		return nil, nil
	}
	if action.Timestamp == "" {
		return fail(ingest.CodeTimestampRequired, "timestamp is required")
	}
	seconds, err := strconv.ParseInt(string(action.Timestamp), 10, 64)
	if err != nil {
		return fail(ingest.CodeTimestampInvalid, "timestamp is not a number of seconds")
	}
	at, reject := how.within("timestamp", time.Unix(seconds, 0))
	if reject != nil {
		reject.EventID = id
		return nil, reject
	}
	e.Timestamp = at
	return e, nil
}

// key tells the actions of a visit apart. Conversions have no id of a page: they are what they say.
func (a *matomoAction) key(raw []byte) string {
	if a.PageID != "" && a.Type != "goal" && !strings.HasPrefix(a.Type, "ecommerce") {
		return string(a.PageID)
	}
	of := raw
	if a.GoalID != "" || a.OrderID != "" {
		of = fmt.Appendf(nil, "%s %s %s %s", a.Type, a.GoalID, a.OrderID, a.Timestamp)
	}
	sum := sha256.Sum256(of)
	return hex.EncodeToString(sum[:8])
}

// describe gives an event its name and what it is of; false for what is no act of a person.
func (a *matomoAction) describe(e *ingest.HistoryEvent) bool {
	number := func(key string, value loose) {
		if _, err := strconv.ParseFloat(string(value), 64); err == nil && json.Valid([]byte(value)) {
			e.Properties[key] = json.RawMessage(value)
		}
	}
	text := func(key, value string) {
		if value != "" {
			e.Properties[key] = jsonText(value)
		}
	}
	switch a.Type {
	case "action":
		e.Name, e.ScreenName = ingest.NamePageView, cmp.Or(pathOf(a.URL), a.URL)
		return true
	case "event":
		e.Name = cmp.Or(a.Action, a.Category)
		text("category", a.Category)
		text("name", a.Name)
		number("value", a.Value)
	case "outlink":
		e.Name = "outbound_link"
		text("url", withoutQuery(a.URL))
		return true
	case "download":
		e.Name = "file_download"
		text("url", withoutQuery(a.URL))
		return true
	case "search":
		e.Name = "search"
		text("keyword", string(a.Keyword))
	case "goal":
		e.Name = cmp.Or(a.GoalName, "goal "+string(a.GoalID))
		number("revenue", a.Revenue)
	case "ecommerceOrder":
		e.Name = "purchase"
		text("orderId", string(a.OrderID))
		number("revenue", a.Revenue)
		if len(a.Items) > 0 {
			e.Properties["items"], _ = json.Marshal(a.Items) // they were read as JSON
		}
	default: // carts that were left, impressions of content and what plugins add
		return false
	}
	e.ScreenName = pathOf(a.URL)
	return true
}

// What Matomo calls browsers, systems and devices that live events have under other names.
var (
	matomoBrowsers = map[string]string{
		"Mobile Safari": "Safari", "Chrome Mobile": "Chrome", "Chrome Mobile iOS": "Chrome", "Chrome Webview": "Chrome",
		"Firefox Mobile": "Firefox", "Firefox Mobile iOS": "Firefox", "Microsoft Edge": "Edge", "Opera Mobile": "Opera",
	}
	matomoSystems = map[string]string{
		"Mac": "macOS", "GNU/Linux": "Linux", "Ubuntu": "Linux", "Chrome OS": "ChromeOS", "iPadOS": "iOS",
	}
	matomoDevices = map[string]string{"smartphone": "mobile", "phablet": "mobile", "feature phone": "mobile"}
)

func (row *matomoLine) context() ingest.HistoryContext {
	v := &row.Visit
	return ingest.HistoryContext{
		Platform: "web", Locale: v.Language,
		Browser:     codeunit.Clip(renamed(matomoBrowsers, unknownless(v.Browser)), contextUnits),
		OS:          codeunit.Clip(renamed(matomoSystems, unknownless(v.OS)), contextUnits),
		Device:      codeunit.Clip(renamed(matomoDevices, strings.ToLower(unknownless(v.Device))), contextUnits),
		Attribution: row.attribution(),
	}
}

// unknownless leaves out what Matomo writes where it knows nothing.
func unknownless(text string) string {
	if strings.EqualFold(text, "unknown") {
		return ""
	}
	return text
}

func (v *matomoVisit) place() *ingest.HistoryPlace {
	if len(v.Country) != 2 || v.Country == "xx" {
		return nil
	}
	at := &ingest.HistoryPlace{
		Country: strings.ToUpper(v.Country), Region: codeunit.Clip(unknownless(v.Region), contextUnits),
		City: codeunit.Clip(unknownless(v.City), contextUnits),
	}
	latitude, latitudeErr := strconv.ParseFloat(string(v.Latitude), 64)
	longitude, longitudeErr := strconv.ParseFloat(string(v.Longitude), 64)
	if latitudeErr == nil && longitudeErr == nil {
		at.Latitude, at.Longitude = &latitude, &longitude
	}
	return at
}

// attribution is that of the visit.
func (row *matomoLine) attribution() map[string]string {
	v, found := &row.Visit, map[string]string{}
	campaign, term := v.Campaign, v.CampaignTerm
	if v.ReferrerType == "campaign" {
		campaign, term = cmp.Or(campaign, v.ReferrerName), cmp.Or(term, v.ReferrerTerm)
	}
	for key, value := range map[string]string{
		"source": v.CampaignFrom, "medium": v.CampaignBy, "campaign": campaign, "content": v.CampaignAbout, "term": term,
		"landingUrl": row.Landing,
	} {
		if value != "" {
			found[key] = value
		}
	}
	if v.ReferrerURL != "" && hostOf(v.ReferrerURL) != hostOf(row.Landing) {
		found["referrer"] = v.ReferrerURL
	}
	return found
}
