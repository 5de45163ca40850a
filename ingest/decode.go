package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/svc-dev/svc/internal/codeunit"
)

// slot is one event of a batch as decoded, or the reason why it could not be.
type slot[W any] struct {
	event  *W
	reject *Reject
}

// at completes a reject with the event's place, id and name.
func (r Reject) at(index int, eventID, name string) Reject {
	r.Index, r.name = index, codeunit.Clip(name, 200)
	r.EventID = codeunit.Clip(eventID, 200)
	return r
}

// envelope is a wire body that holds a list of W, or is one W itself.
type envelope[W any] interface {
	wireObject
	list() []W
	self() *W
	clear()
}

// decodeEvents reads a body {"events": […]} into the given envelope, which is
// empty: in one pass, or by encoding/json when something is unusual about it.
// Only when some field has the wrong type is every event decoded alone, so that
// the bad ones are named and the rest is kept. A body without a list is an error
// unless bare is set, when the envelope is itself the event.
func decodeEvents[W any](body []byte, into envelope[W], bare bool) ([]slot[W], error) {
	if !readOnce(body, into) {
		into.clear()
		if n := countEvents(body); n > maxEventsPerBatch {
			return nil, badCount(n)
		}
		if slots, err := decodeByStandard(body, into, bare); slots != nil || err != nil {
			return slots, err
		}
	}
	list := into.list()
	if len(list) == 0 && bare {
		return []slot[W]{{event: into.self()}}, nil
	}
	if reason := badCount(len(list)); reason != nil {
		return nil, reason
	}
	slots := make([]slot[W], len(list))
	for i := range list {
		slots[i].event = &list[i]
	}
	return slots, nil
}

// decodeByStandard reads a body by encoding/json. It returns slots only when some
// field has the wrong type.
func decodeByStandard[W any](body []byte, into envelope[W], bare bool) ([]slot[W], error) {
	err := json.Unmarshal(body, into)
	mistyped := typeError(err)
	if err != nil && mistyped == nil {
		return nil, &EnvelopeError{Code: CodeInvalidJSON, Message: "the body is not JSON: " + syntaxMessage(err)}
	}
	if first := bytes.TrimLeft(body, " \t\r\n"); first[0] != '{' {
		return nil, &EnvelopeError{Code: CodeInvalidBatch, Message: "the body is not a JSON object"}
	}
	if err != nil {
		return decodeSingly(body, into, bare, mistyped)
	}
	if len(into.list()) == 0 && hasEvents(body) {
		return nil, badCount(0)
	}
	return nil, nil
}

// hasEvents says whether the body has a list of events, be it empty.
func hasEvents(body []byte) bool {
	var outer struct {
		Events json.RawMessage `json:"events"`
	}
	return json.Unmarshal(body, &outer) == nil && len(outer.Events) > 0 && outer.Events[0] != 'n'
}

// decodeSingly returns the slow path for a body in which some field is mistyped.
func decodeSingly[W any](
	body []byte, into envelope[W], bare bool, mistyped *json.UnmarshalTypeError,
) ([]slot[W], error) {
	var outer struct {
		Events json.RawMessage `json:"events"`
	}
	var list []json.RawMessage
	if err := json.Unmarshal(body, &outer); err != nil {
		return nil, &EnvelopeError{Code: CodeInvalidBatch, Message: "the body is not a JSON object"}
	}
	absent := len(outer.Events) == 0 || outer.Events[0] == 'n'
	// The body read as one event names the field without the envelope's types.
	if shared := typeError(json.Unmarshal(body, new(W))); shared != nil {
		mistyped = shared
	}
	if absent && bare {
		return []slot[W]{{event: into.self(), reject: typeReject(mistyped)}}, nil
	}
	if !absent {
		if err := json.Unmarshal(outer.Events, &list); err != nil {
			return nil, &EnvelopeError{Code: CodeInvalidBatch, Message: "events is not a list"}
		}
	}
	if reason := badCount(len(list)); reason != nil {
		return nil, reason
	}
	slots := make([]slot[W], len(list))
	anyBad := false
	for i, raw := range list {
		slots[i].event = new(W)
		err := json.Unmarshal(raw, slots[i].event)
		if raw[0] != '{' {
			slots[i].reject = &Reject{Code: CodeEventInvalid, Message: "the event is not a JSON object"}
		} else if wrong := typeError(err); wrong != nil {
			slots[i].reject = typeReject(wrong)
		}
		anyBad = anyBad || slots[i].reject != nil
	}
	if field, _, _ := strings.Cut(mistyped.Field, "."); !anyBad && sharedFields[field] {
		return nil, &EnvelopeError{Code: CodeInvalidBatch, Message: typeReject(mistyped).Message}
	}
	return slots, nil
}

// sharedFields are what an envelope may say once for all its events.
var sharedFields = map[string]bool{
	"identity": true, "context": true, "appUserId": true, "customUserId": true, "customUserIdProof": true,
	"sessionId": true, "sentAt": true,
}

// typeError returns err when it is about a value of the wrong JSON type, else nil.
func typeError(err error) *json.UnmarshalTypeError {
	var mistyped *json.UnmarshalTypeError
	errors.As(err, &mistyped)
	return mistyped
}

func badCount(n int) error {
	switch {
	case n == 0:
		return &EnvelopeError{Code: CodeInvalidBatch, Message: "events is missing or empty: send 1 to 500 events"}
	case n > maxEventsPerBatch:
		return &EnvelopeError{
			Code: CodeInvalidBatch, Message: fmt.Sprintf("events holds %d events: send at most %d", n, maxEventsPerBatch),
		}
	}
	return nil
}

// typeReject names the field of a JSON type error.
func typeReject(e *json.UnmarshalTypeError) *Reject {
	field := e.Field
	if field == "" {
		return &Reject{Code: CodeEventInvalid, Message: "the event is not a JSON object"}
	}
	base := codeBase[field[strings.LastIndexByte(field, '.')+1:]]
	if strings.HasPrefix(field, "context") {
		base = "context"
	}
	if base == "" {
		base = "event"
	}
	return &Reject{Code: base + "_invalid", Message: field + " can't be a JSON " + jsonKind(e.Value)}
}

// jsonKind drops the value from descriptions such as "number 12.5".
func jsonKind(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	return kind
}

func syntaxMessage(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("syntax error at byte %d", syntax.Offset)
	}
	return "it ends too early"
}
