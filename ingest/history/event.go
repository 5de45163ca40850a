package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/svc-dev/svc/ingest"
)

// contextUnits is what the wire allows a text of the context or place, in UTF-16 code units. What another tool calls a
// browser at more length is no reason to lose the event.
const contextUnits = 80

// campaignKeys leads from the parameters of a link, which tools keep under their own names, to attribution keys.
var campaignKeys = map[string]string{
	"utm_source": "source", "utm_medium": "medium", "utm_campaign": "campaign", "utm_content": "content",
	"utm_term": "term",
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

// Reading says how the lines of an export are read.
type Reading struct {
	Started time.Time      // when the import began
	Zone    *time.Location // of times that name none; nil is UTC
}

// timeForms are how tools write times; fractions of seconds are read with any of them.
var timeForms = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05",
}

// at reads the time of an event.
func (r Reading) at(field, text string) (time.Time, *ingest.Reject) {
	zone := r.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, form := range timeForms {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return r.within(field, at)
		}
	}
	return time.Time{}, &ingest.Reject{
		Code: ingest.CodeTimestampInvalid, Message: field + " is not a date-time such as 2026-11-21T10:00:00.000Z",
	}
}

// within refuses a time after the import started: the event would be stored under the time of the import, and so once
// more by each import.
func (r Reading) within(field string, at time.Time) (time.Time, *ingest.Reject) {
	switch {
	case at.After(r.Started):
		return at, &ingest.Reject{Code: ingest.CodeTimestampInvalid, Message: field + " is in the future"}
	case at.Year() < 2000:
		return at, &ingest.Reject{Code: ingest.CodeTimestampInvalid, Message: field + " is before 2000"}
	}
	return at.UTC(), nil
}

// likeV1 has readRow match names as encoding/json does.
var likeV1 = jsonv2.JoinOptions(jsonv2.MatchCaseInsensitiveNames(true), jsonv1.MatchCaseSensitiveDelimiter(true))

// readRow reads JSON into a zero value as encoding/json does, in less time. What is unusual, such as a name that stands
// twice or bytes that are no text, and what is wrong, encoding/json reads, and says so.
func readRow[Row any](line []byte, into *Row) error {
	if jsonv2.Unmarshal(line, into, likeV1) == nil {
		return nil
	}
	*into = *new(Row)
	return json.Unmarshal(line, into)
}

// loose is a number or a text: tools write whole numbers either way.
type loose string

func (l *loose) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*l = ""
		return nil
	}
	if raw[0] != '"' {
		if raw[0] == '{' || raw[0] == '[' {
			return &json.UnmarshalTypeError{Value: "object or array", Type: reflect.TypeFor[loose]()}
		}
		*l = loose(raw)
		return nil
	}
	return json.Unmarshal(raw, (*string)(l))
}

// number is a json.Number for readRow, which knows none.
type number string

func (n *number) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, (*json.Number)(n)) }

func jsonText(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // a string has a form
	return raw
}

// withoutQuery leaves out what in an address may be of a person.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
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
