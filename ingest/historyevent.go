package ingest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
)

// HistoryEvent is a product event of history that an export of another tool was read as. As JSON it is a line that
// [Importer.Store] takes, which stores the same for both.
type HistoryEvent struct {
	EventID        string                     `json:"eventId"`
	Name           string                     `json:"name"`
	Timestamp      time.Time                  `json:"timestamp"`
	ScreenName     string                     `json:"screenName,omitempty"`
	AppUserID      string                     `json:"appUserId"`
	CustomUserID   string                     `json:"customUserId,omitempty"`
	SessionID      string                     `json:"sessionId,omitempty"`
	Context        HistoryContext             `json:"context"`
	Place          *HistoryPlace              `json:"place,omitempty"`
	OrganicUnknown bool                       `json:"organicUnknown,omitempty"`
	Properties     map[string]json.RawMessage `json:"properties,omitempty"`
}

// HistoryContext is what a HistoryEvent tells of the device and of where its user came from, by attribution keys.
type HistoryContext struct {
	Platform    string            `json:"platform,omitempty"`
	AppVersion  string            `json:"appVersion,omitempty"`
	Locale      string            `json:"locale,omitempty"`
	Browser     string            `json:"browser,omitempty"`
	OS          string            `json:"os,omitempty"`
	Device      string            `json:"device,omitempty"`
	Attribution map[string]string `json:"attribution,omitempty"`

	CustomProperties map[string]json.RawMessage `json:"customProperties,omitempty"`
}

// HistoryPlace is where the user of an event of history was.
type HistoryPlace struct {
	Country   string   `json:"country"`
	Region    string   `json:"region,omitempty"`
	City      string   `json:"city,omitempty"`
	Latitude  *float64 `json:"latitude,omitempty"`
	Longitude *float64 `json:"longitude,omitempty"`
}

// decode checks the event.
func (e *HistoryEvent) decode(history History) (item, string, *Reject) {
	it := item{
		environment: history.EnvironmentID, path: cmp.Or(history.Path, PathProduct), history: true,
		together: history.Together,
	}
	sent, err := e.sent()
	if err != nil {
		return it, e.EventID, &Reject{Code: CodeEventInvalid, Message: err.Error()}
	}
	reject := it.readSent(&sent, history)
	return it, sent.EventID, reject
}

// sent returns the event as if it had been sent as a line.
func (e *HistoryEvent) sent() (sent wireProductHistory, err error) {
	c := &e.Context
	sent.wireProduct = wireProduct{
		EventID: validText(e.EventID), Name: validText(e.Name), Timestamp: e.Timestamp.Format(time.RFC3339Nano),
		ScreenName: validText(e.ScreenName), AppUserID: validText(e.AppUserID), CustomUserID: validText(e.CustomUserID),
		SessionID: validText(e.SessionID),
		Context: wireContext{
			Platform: validText(c.Platform), AppVersion: validText(c.AppVersion), Locale: validText(c.Locale),
			Browser: validText(c.Browser), OS: validText(c.OS), Device: validText(c.Device),
			Attribution: attributionOf(c.Attribution),
		},
	}
	if sent.Properties, err = membersJSON(e.Properties); err != nil {
		return sent, err
	}
	if sent.Context.CustomProperties, err = membersJSON(c.CustomProperties); err != nil {
		return sent, err
	}
	sent.OrganicUnknown = e.OrganicUnknown
	if p := e.Place; p != nil {
		sent.Place = &HistoryPlace{validText(p.Country), validText(p.Region), validText(p.City), p.Latitude, p.Longitude}
	}
	return sent, nil
}

// validText replaces bytes that are not UTF-8, which a tool's percent-encoding may hold, as JSON does.
func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	raw, _ := json.Marshal(text) // a string has a form
	return jsonText(raw)
}

// membersJSON returns members as an object; nil without any.
func membersJSON(members map[string]json.RawMessage) (json.RawMessage, error) {
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}

// attributionOf reads attribution as if it had been sent; nil without any.
func attributionOf(values map[string]string) *wireAttribution {
	if len(values) == 0 {
		return nil
	}
	sent := &wireAttribution{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := validText(values[key])
		switch place, isColumn := attributionPlaces[key]; {
		case !isColumn:
			sent.more.add(appendJSONText(nil, key), appendJSONText(nil, value))
		case place.alias:
			sent.alias[place.column] = scalar{text: value}
		default:
			sent.canonical[place.column] = scalar{text: value}
		}
	}
	return sent
}
