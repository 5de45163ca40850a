package sdkapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/fault"
)

// Error is a refusal as a client reads it. Code is the contract, Message is for
// people and safe to show (wire.md §4, §11).
type Error struct {
	Status  int
	Code    fault.Code
	Message string
	// RetryAfter is sent in whole seconds, at least one, with 429 and 503.
	RetryAfter time.Duration
	// Fields name what is wrong in a body.
	Fields []FieldError
}

// FieldError is one thing wrong in a body.
type FieldError struct {
	// Pointer is the RFC 6901 pointer of the value, "" for the whole body.
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// The codes of this package, besides those of package fault. Those of single
// events are ingest's, those of channels delivery's.
const (
	codeMethodNotAllowed  fault.Code = "method_not_allowed"
	codePayloadTooLarge   fault.Code = "payload_too_large"
	codeUnsupportedMedia  fault.Code = "unsupported_media_type"
	codeRequestTimeout    fault.Code = "request_timeout"
	codeInvalidKey        fault.Code = "invalid_key"
	codeOriginNotAllowed  fault.Code = "origin_not_allowed"
	codePastDue           fault.Code = "subscription_past_due"
	codeChannelRequired   fault.Code = "channel_required"
	codeInvalidJSON       fault.Code = "invalid_json"
	codeInvalidRequest    fault.Code = "invalid_request"
	codeAttemptNotFound   fault.Code = "attempt_not_found"
	codeIngestUnavailable fault.Code = "ingest_unavailable"
)

// conditions are the reasons why a channel answers no document.
var conditions = map[delivery.Condition]Error{
	delivery.ChannelNotFound: {
		Status: http.StatusNotFound, Message: "no channel with this id belongs to the key's environment",
	},
	delivery.ChannelArchived: {
		Status: http.StatusGone, Message: "the channel is archived: unarchive it or use another one",
	},
	delivery.ChannelUnassigned: {
		Status: http.StatusNotFound, Message: "the channel serves nothing yet: pin a flow version or start an experiment",
	},
	delivery.VersionMissing: {
		Status: http.StatusNotFound, Message: "the flow version that the channel points at does not exist any more",
	},
	delivery.ExperimentNotRunning: {
		Status: http.StatusNotFound, Message: "the experiment that the channel is assigned to is not running",
	},
	delivery.VariantPinInvalid: {
		Status:  http.StatusBadRequest,
		Message: "the variant does not exist in the channel's experiment or has no flow version",
	},
}

func conditionError(condition delivery.Condition) *Error {
	e := conditions[condition]
	e.Code = fault.Code(condition)
	return &e
}

// errorBody is the answer of every refusal. The web SDK reads error, the mobile
// ones read code; they are the same (wire.md §4).
type errorBody struct {
	Code      fault.Code   `json:"code"`
	Error     fault.Code   `json:"error"`
	Message   string       `json:"message"`
	RequestID string       `json:"requestId"`
	Errors    []FieldError `json:"errors,omitempty"`
}

// requestIDHeader names the request in answers and logs. An outer handler that
// has set it on the answer is obeyed.
const requestIDHeader = "X-Request-Id"

func requestID(w http.ResponseWriter) string {
	id := w.Header().Get(requestIDHeader)
	if id == "" {
		id = uuid.Must(uuid.NewV7()).String()
		w.Header().Set(requestIDHeader, id)
	}
	return id
}

func writeError(w http.ResponseWriter, e *Error) {
	header := w.Header()
	body := errorBody{Code: e.Code, Error: e.Code, Message: e.Message, RequestID: requestID(w), Errors: e.Fields}
	if e.RetryAfter > 0 {
		seconds := int64((e.RetryAfter + time.Second - 1) / time.Second)
		header.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	writeJSON(w, e.Status, body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // our own types always marshal
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // that the client has left is not our error
}
