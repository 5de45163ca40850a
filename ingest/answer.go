package ingest

// Codes of rejected events. They are part of the REST interface: clients may
// branch on them, messages are for people.
const (
	// the event is not a JSON object, or a field not named below has the wrong type
	CodeEventInvalid    = "event_invalid"
	CodeEventIDRequired = "event_id_required"
	CodeEventIDTooLong  = "event_id_too_long" // more than 200 UTF-16 code units
	CodeEventIDInvalid  = "event_id_invalid"  // wrong type, holds NUL, or (flow events) not a UUID
	CodeNameRequired    = "name_required"
	CodeNameTooLong     = "name_too_long" // more than 120 UTF-16 code units after trimming
	// wrong type, control characters, or (flow events) not in the catalogue
	CodeNameInvalid           = "name_invalid"
	CodeTimestampRequired     = "timestamp_required" // flow events and history
	CodeTimestampInvalid      = "timestamp_invalid"  // not an RFC 3339 date-time
	CodeEventTooOld           = "event_too_old"      // older than the deduplication window
	CodeAppUserIDRequired     = "app_user_id_required"
	CodeAppUserIDTooLong      = "app_user_id_too_long"       // more than 256 UTF-16 code units
	CodeAppUserIDInvalid      = "app_user_id_invalid"        // wrong type or holds NUL
	CodeCustomUserIDTooLong   = "custom_user_id_too_long"    // more than 256 UTF-16 code units
	CodeCustomUserIDInvalid   = "custom_user_id_invalid"     // wrong type or holds NUL
	CodeSessionIDTooLong      = "session_id_too_long"        // more than 256 UTF-16 code units
	CodeSessionIDInvalid      = "session_id_invalid"         // wrong type or holds NUL
	CodeScreenNameRequired    = "screen_name_required"       // page_view and screen_view need one
	CodeScreenNameTooLong     = "screen_name_too_long"       // more than 2,048 UTF-16 code units
	CodeScreenNameInvalid     = "screen_name_invalid"        // wrong type or holds NUL
	CodePropertiesInvalid     = "properties_invalid"         // not an object, or a value that can't be stored
	CodePropertiesTooLarge    = "properties_too_large"       // compact form over 32,768 UTF-16 code units
	CodePropertiesTooDeep     = "properties_too_deep"        // nested deeper than 8
	CodeContextInvalid        = "context_invalid"            // a context field has the wrong type, value or length
	CodeFlowIDInvalid         = "flow_id_invalid"            // not a UUID, or absent
	CodeVersionIDInvalid      = "version_id_invalid"         // not a UUID, or absent
	CodeExperimentIDInvalid   = "experiment_id_invalid"      // not a UUID
	CodeVariantIDInvalid      = "variant_id_invalid"         // wrong type, too long or holds NUL
	CodeStepIDInvalid         = "step_id_invalid"            // wrong type, too long or holds NUL
	CodeAssignmentInvalid     = "assignment_version_invalid" // not an integer from 0 to 2^31-1
	CodeRunIDInvalid          = "run_id_invalid"             // not a UUID
	CodeSeqInvalid            = "seq_invalid"                // not an integer from 0 to 2^31-1
	CodeFromStepIDInvalid     = "from_step_id_invalid"       // wrong type, too long or holds NUL
	CodeClassificationInvalid = "field_classification_invalid"
	CodePurchaseInvalid       = "purchase_invalid" // iap_purchase properties break wire.md §5.3
	CodeEventRefused          = "event_refused"    // the database refused this event, and only this one
	CodePersonErased          = "person_erased"    // the person was erased within the deduplication window
	CodeInvalidJSON           = "invalid_json"     // envelope: the body is not JSON
	CodeInvalidBatch          = "invalid_batch"    // envelope: JSON, but not 1 to 500 events
)

// Limits of the wire, in UTF-16 code units where they are of text.
const (
	maxEventsPerBatch    = 500   // analytics.md §1, wire.md §5.1
	maxPropertiesUnits   = 32768 // UTF-16 code units of the compact form
	maxPropertiesDepth   = 8
	maxEventIDUnits      = 200  // wire.md §7.1
	maxNameUnits         = 120  // wire.md §7.1
	maxIDUnits           = 256  // wire.md §2.1, §5.1
	maxPageUnits         = 2048 // analytics.md §1
	maxContextUnits      = 80   // browser, os, device: wire.md §2.2
	maxPlaceUnits        = 80   // region and city of history
	clipContextUnits     = 256  // app version and locale have no stated limit: clipped, so that a row stays bounded
	clipAttributionUnits = 2048 // attribution values have none either; as long as the longest page
)

// Reject names one event of a batch that was not stored.
type Reject struct {
	Index   int    `json:"index"`             // place in the batch, from 0
	EventID string `json:"eventId,omitempty"` // as sent, cut to 200 UTF-16 code units
	Code    string `json:"code"`
	Message string `json:"message"` // names the field; never holds a property's value

	name string // of the event, for the sample of what was refused
}

// Answer is the body of a successful event request (analytics.md §1).
type Answer struct {
	Accepted   bool `json:"accepted"` // always true
	Stored     int  `json:"stored"`
	Duplicates int  `json:"duplicates"`
	Ignored    int  `json:"ignored,omitempty"` // events of known crawlers, counted and not stored
	// Unproved says that custom user ids of events were taken for absent: nothing proved them (wire.md §8.1).
	Unproved bool     `json:"unproved,omitempty"`
	Rejected []Reject `json:"rejected"` // never nil, ordered by index
}

// EnvelopeError is a body that can't be read as a batch, or that is one bare
// event which is rejected: nothing of it is stored. The REST edge answers it
// with status 400.
type EnvelopeError struct {
	Code    string // CodeInvalidJSON, CodeInvalidBatch or that of the event
	Message string
}

func (e *EnvelopeError) Error() string { return e.Code + ": " + e.Message }
