package ingest

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/internal/codeunit"
)

// NamePurchase is the flow event of an in-app purchase.
const NamePurchase = "iap_purchase"

// redacted replaces what a person typed into a sensitive field before it
// reaches the disk or a log (wire.md §11).
const redacted = `"__redacted__"`

// FlowEvent is one valid flow event (wire.md §5.1), redacted.
type FlowEvent struct {
	Index             int
	Key               Key
	OccurredAt        time.Time // UTC, whole milliseconds
	EventID           string
	Name              string
	FlowID, VersionID uuid.UUID
	ExperimentID      uuid.UUID // zero when absent
	VariantID         string
	StepID            string
	AppUserID         string
	CustomUserID      string
	SessionID         string
	Platform          string
	Browser           string
	OS                string
	Device            string
	AppVersion        string
	Locale            string
	Classification    string
	AssignmentVersion int64     // -1 when the client sent none
	RunID             uuid.UUID // zero when absent
	Seq               int64     // place in the run; -1 when absent
	// FromStepID is where the person came from; empty at the start of a run, which
	// is not the same as nil, when the client did not say.
	FromStepID *string
	Place      Place
	// Compact JSON objects; nil when absent.
	Attribution      []byte // by canonical key
	CustomProperties []byte
	Properties       []byte
}

type wireFlow struct {
	EventID             string          `json:"eventId"`
	Name                string          `json:"name"`
	Timestamp           string          `json:"timestamp"`
	FlowID              string          `json:"flowId"`
	VersionID           string          `json:"versionId"`
	ExperimentID        string          `json:"experimentId"`
	VariantID           string          `json:"variantId"`
	StepID              string          `json:"stepId"`
	Identity            wireIdentity    `json:"identity"`
	Context             wireContext     `json:"context"`
	Properties          json.RawMessage `json:"properties"`
	FieldClassification string          `json:"fieldClassification"`
	AssignmentVersion   *int64          `json:"assignmentVersion"`
	RunID               string          `json:"runId"`
	Seq                 *int64          `json:"seq"`
	FromStepID          sentText        `json:"fromStepId"`
}

func (w *wireFlow) member(p *onePass, name []byte) bool {
	switch string(name) {
	case "eventId":
		return p.text(&w.EventID)
	case "name":
		return p.text(&w.Name)
	case "timestamp":
		return p.text(&w.Timestamp)
	case "flowId":
		return p.text(&w.FlowID)
	case "versionId":
		return p.text(&w.VersionID)
	case "experimentId":
		return p.text(&w.ExperimentID)
	case "variantId":
		return p.text(&w.VariantID)
	case "stepId":
		return p.text(&w.StepID)
	case "identity":
		return p.identity(&w.Identity)
	case "context":
		return p.sharedContext(&w.Context)
	case "properties":
		return p.raw(&w.Properties)
	case "fieldClassification":
		return p.text(&w.FieldClassification)
	case "assignmentVersion":
		return p.number(&w.AssignmentVersion)
	case "runId":
		return p.text(&w.RunID)
	case "seq":
		return p.number(&w.Seq)
	case "fromStepId":
		return p.sentText(&w.FromStepID)
	}
	return p.unknown(name)
}

// sentText is a text or null, when it was sent at all.
type sentText struct{ text *string }

func (s *sentText) UnmarshalJSON(raw []byte) error {
	text := ""
	switch raw[0] {
	case 'n':
	case '"':
		text = jsonText(raw)
	default:
		return &json.UnmarshalTypeError{Value: kindOfJSON(raw), Type: reflect.TypeFor[string]()}
	}
	s.text = &text
	return nil
}

type wireFlowBody struct {
	Events []wireFlow `json:"events"`
	SentAt string     `json:"sentAt"`
}

func (b *wireFlowBody) member(p *onePass, name []byte) bool {
	switch string(name) {
	case "events":
		return wireEvents(p, &b.Events)
	case "sentAt":
		return p.text(&b.SentAt)
	}
	return p.unknown(name)
}

func (b *wireFlowBody) clear() { *b = wireFlowBody{} } //nolint:unused // of envelope

func (b *wireFlowBody) list() []wireFlow { return b.Events } //nolint:unused // of envelope
func (b *wireFlowBody) self() *wireFlow  { return nil }      //nolint:unused // of envelope

// FlowBatch is a decoded body of flow events.
type FlowBatch struct {
	Events   []FlowEvent
	Rejected []Reject
	Skewed   bool // as of ProductBatch
}

// DecodeFlow reads the body of POST /v1/sdk/events (wire.md §5). Values of
// sensitive fields are already redacted in what it returns. The error is an
// *EnvelopeError.
func DecodeFlow(body []byte, rules Rules) (FlowBatch, error) {
	var sent wireFlowBody
	slots, err := decodeEvents[wireFlow](body, &sent, false)
	if err != nil {
		return FlowBatch{}, err
	}
	if rules, err = rules.correctedBy(sent.SentAt); err != nil {
		return FlowBatch{}, err
	}
	batch := FlowBatch{Events: make([]FlowEvent, 0, len(slots)), Skewed: rules.skew != skew{}}
	for i := range slots {
		var event FlowEvent
		reject := slots[i].reject
		if reject == nil {
			event, reject = flowEvent(slots[i].event, rules)
		}
		if reject != nil {
			batch.Rejected = append(batch.Rejected, reject.at(i, slots[i].event.EventID, slots[i].event.Name))
			continue
		}
		event.Index = i
		batch.Events = append(batch.Events, event)
	}
	return batch, nil
}

func flowEvent(w *wireFlow, rules Rules) (FlowEvent, *Reject) {
	e := FlowEvent{
		EventID:           w.EventID,
		Name:              w.Name,
		VariantID:         w.VariantID,
		StepID:            w.StepID,
		AppUserID:         w.Identity.AppUserID,
		CustomUserID:      w.Identity.CustomUserID,
		SessionID:         w.Identity.SessionID,
		Platform:          w.Context.Platform,
		Browser:           w.Context.Browser,
		OS:                w.Context.OS,
		Device:            w.Context.Device,
		AppVersion:        codeunit.Clip(w.Context.AppVersion, clipContextUnits),
		Locale:            codeunit.Clip(w.Context.Locale, clipContextUnits),
		Classification:    w.FieldClassification,
		AssignmentVersion: -1,
		Seq:               -1,
		FromStepID:        w.FromStepID.text,
	}
	if reject := e.checkTexts(); reject != nil {
		return e, reject
	}
	e.CustomUserID = rules.proved(e.CustomUserID, w.Identity.CustomUserIDProof)
	if _, known := run.ParseName(e.Name); !known {
		return e, &Reject{Code: CodeNameInvalid, Message: "name is not a flow event"}
	}
	if reject := e.identifiers(w); reject != nil {
		return e, reject
	}
	reject := e.readNumbers(w)
	if reject != nil {
		return e, reject
	}
	if w.Timestamp == "" {
		return e, &Reject{Code: CodeTimestampRequired, Message: "timestamp is required"}
	}
	if e.OccurredAt, reject = rules.occurredAt(w.Timestamp); reject != nil {
		return e, reject
	}
	if e.Properties, reject = flowProperties(w, e.Name); reject != nil {
		return e, reject
	}
	return e, e.readKept(&w.Context)
}

// readNumbers reads the whole numbers of an event. They are stored as int4.
func (e *FlowEvent) readNumbers(w *wireFlow) *Reject {
	for _, n := range []struct {
		sent        *int64
		into        *int64
		code, field string
	}{
		{w.AssignmentVersion, &e.AssignmentVersion, CodeAssignmentInvalid, "assignmentVersion"},
		{w.Seq, &e.Seq, CodeSeqInvalid, "seq"},
	} {
		if n.sent == nil {
			continue
		}
		if *n.sent < 0 || *n.sent > math.MaxInt32 {
			return &Reject{Code: n.code, Message: n.field + " must be from 0 to 2147483647"}
		}
		*n.into = *n.sent
	}
	return nil
}

// readKept reads the two maps of a context. The table has no columns for
// attribution: all of it is kept as JSON.
func (e *FlowEvent) readKept(sent *wireContext) (reject *Reject) {
	if e.CustomProperties, reject = customProperties(sent.CustomProperties); reject != nil || sent.Attribution == nil {
		return reject
	}
	columns, reject := sent.Attribution.attribution()
	e.Attribution = AttributionJSON(columns, sent.Attribution.more.object())
	return reject
}

// identifiers reads the UUIDs of an event.
func (e *FlowEvent) identifiers(w *wireFlow) *Reject {
	var ok bool
	if e.Key, ok = parseUUID(w.EventID); !ok {
		return &Reject{Code: CodeEventIDInvalid, Message: "eventId is not a UUID"}
	}
	if e.FlowID, ok = parseUUID(w.FlowID); !ok {
		return &Reject{Code: CodeFlowIDInvalid, Message: "flowId is not a UUID"}
	}
	if e.VersionID, ok = parseUUID(w.VersionID); !ok {
		return &Reject{Code: CodeVersionIDInvalid, Message: "versionId is not a UUID"}
	}
	if w.ExperimentID != "" {
		if e.ExperimentID, ok = parseUUID(w.ExperimentID); !ok {
			return &Reject{Code: CodeExperimentIDInvalid, Message: "experimentId is not a UUID"}
		}
	}
	if w.RunID != "" {
		if e.RunID, ok = parseUUID(w.RunID); !ok {
			return &Reject{Code: CodeRunIDInvalid, Message: "runId is not a UUID"}
		}
	}
	return nil
}

// flowProperties checks, redacts and compacts the properties of a flow event.
// Redaction follows the classification alone, whatever the event's name and
// the value's type.
func flowProperties(w *wireFlow, name string) ([]byte, *Reject) {
	raw := w.Properties
	absent := len(raw) == 0 || raw[0] == 'n'
	if absent && name == NamePurchase {
		raw, absent = []byte("{}"), false
	}
	if absent {
		return nil, nil
	}
	sensitive := w.FieldClassification == "sensitive"
	if !sensitive && name != NamePurchase {
		return flatObject("properties", raw)
	}
	properties, reject := objectOf("properties", raw)
	if reject != nil {
		return nil, reject
	}
	if _, ok := properties["value"]; ok && sensitive {
		properties["value"] = json.RawMessage(redacted)
	}
	if name == NamePurchase {
		if reject := checkPurchase(properties); reject != nil {
			return nil, reject
		}
	}
	if raw, reject = join(properties); reject != nil {
		return nil, reject
	}
	return flatObject("properties", raw)
}

func objectOf(field string, raw []byte) (map[string]json.RawMessage, *Reject) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, &Reject{Code: CodePropertiesInvalid, Message: field + " is not a JSON object"}
	}
	return object, nil
}

func join(object map[string]json.RawMessage) ([]byte, *Reject) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, &Reject{Code: CodePropertiesInvalid, Message: "properties can't be written as JSON"}
	}
	return raw, nil
}

// flatObject compacts an object whose values are strings, numbers, booleans,
// null or lists of strings (wire.md §2.3).
func flatObject(field string, raw []byte) ([]byte, *Reject) {
	compact, reject := compactObject(field, raw)
	if reject != nil || flat(compact) {
		return compact, reject
	}
	return nil, &Reject{
		Code:    CodePropertiesInvalid,
		Message: field + " holds a nested value: use strings, numbers, booleans, null or lists of strings",
	}
}

// flat says whether a compact object has only flat values.
func flat(compact []byte) bool {
	if bytes.IndexByte(compact[1:], '{') < 0 && bytes.IndexByte(compact, '[') < 0 {
		return true // the common case; braces inside strings only cost the look below
	}
	inList := false
	for i := 1; i < len(compact); i++ {
		switch compact[i] {
		case '"':
			for i++; compact[i] != '"'; i++ {
				if compact[i] == '\\' {
					i++
				}
			}
		case '{':
			return false
		case '[':
			if inList {
				return false
			}
			inList = true
		case ']':
			inList = false
		case ',', ':', '}':
		default: // a number, true, false or null
			if inList {
				return false
			}
		}
	}
	return true
}
