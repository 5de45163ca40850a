package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/svc-dev/svc/ingest"
)

// contextUnits is what the wire allows a text of the context or place, in UTF-16 code units. What another tool calls a
// browser at more length is no reason to lose the event.
const contextUnits = 80

// event is a line as [ingest.Importer] reads it.
type event struct {
	EventID        string                     `json:"eventId"`
	Name           string                     `json:"name"`
	Timestamp      time.Time                  `json:"timestamp"`
	ScreenName     string                     `json:"screenName,omitempty"`
	AppUserID      string                     `json:"appUserId"`
	CustomUserID   string                     `json:"customUserId,omitempty"`
	SessionID      string                     `json:"sessionId,omitempty"`
	Context        eventContext               `json:"context"`
	Place          *place                     `json:"place,omitempty"`
	OrganicUnknown bool                       `json:"organicUnknown,omitempty"`
	Properties     map[string]json.RawMessage `json:"properties,omitempty"`
}

type eventContext struct {
	Platform    string            `json:"platform,omitempty"`
	AppVersion  string            `json:"appVersion,omitempty"`
	Locale      string            `json:"locale,omitempty"`
	Browser     string            `json:"browser,omitempty"`
	OS          string            `json:"os,omitempty"`
	Device      string            `json:"device,omitempty"`
	Attribution map[string]string `json:"attribution,omitempty"`
}

// campaignKeys leads from the parameters of a link, which tools keep under their own names, to attribution keys.
var campaignKeys = map[string]string{
	"utm_source": "source", "utm_medium": "medium", "utm_campaign": "campaign", "utm_content": "content",
	"utm_term": "term",
}

type place struct {
	Country   string   `json:"country"`
	Region    string   `json:"region,omitempty"`
	City      string   `json:"city,omitempty"`
	Latitude  *float64 `json:"latitude,omitempty"`
	Longitude *float64 `json:"longitude,omitempty"`
}

func (e *event) line() ([]byte, *ingest.Reject) {
	line, err := json.Marshal(e)
	if err != nil {
		return nil, &ingest.Reject{EventID: e.EventID, Code: ingest.CodeEventInvalid, Message: err.Error()}
	}
	return line, nil
}

// lineReject tells why a line could not be read, with the field where it is known.
func lineReject(eventID string, err error) *ingest.Reject {
	if mistyped := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistyped) {
		if mistyped.Field == "" {
			return &ingest.Reject{Code: ingest.CodeEventInvalid, Message: "the line is not a JSON object"}
		}
		return &ingest.Reject{
			EventID: eventID, Code: ingest.CodeEventInvalid,
			Message: fmt.Sprintf("%s has the wrong type: %s", mistyped.Field, mistyped.Value),
		}
	}
	return &ingest.Reject{Code: ingest.CodeInvalidJSON, Message: "the line is not JSON"}
}

// timeForms are how tools write times. Those without a zone are in UTC; fractions of seconds are read with any of them.
var timeForms = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05",
}

// happenedAt reads the time of an event that was exported before the import started. A later one would be stored under
// the time of the import, and so once more by each import.
func happenedAt(field, text string, started time.Time) (time.Time, *ingest.Reject) {
	for _, form := range timeForms {
		at, err := time.Parse(form, text)
		switch {
		case err != nil:
			continue
		case at.After(started):
			return at, &ingest.Reject{Code: ingest.CodeTimestampInvalid, Message: field + " is in the future"}
		case at.Year() < 2000:
			return at, &ingest.Reject{Code: ingest.CodeTimestampInvalid, Message: field + " is before 2000"}
		}
		return at.UTC(), nil
	}
	return time.Time{}, &ingest.Reject{
		Code: ingest.CodeTimestampInvalid, Message: field + " is not a date-time such as 2026-11-21T10:00:00.000Z",
	}
}

func renamed(names map[string]string, name string) string { return cmp.Or(names[name], name) }

// hostOf returns the host of an address, "" where there is none.
func hostOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return at.Host
}
