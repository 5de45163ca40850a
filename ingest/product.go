package ingest

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics/pagename"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/codeunit"
)

// Names of the built-in product events (wire.md §7.2).
const (
	NameSessionStart = "session_start"
	NameFirstVisit   = "first_visit"
	NameFirstOpen    = "first_open"
	NamePageView     = "page_view"
	NameScreenView   = "screen_view"
)

// Place is where a client address is. Empty fields are unknown; the country is
// an ISO 3166-1 alpha-2 code, region and city are English names.
type Place = session.Place

// ProductEvent is one valid event of the product-analytics or track path; its
// values follow analytics.md §1.
type ProductEvent struct {
	Index        int // place in the batch
	Key          Key
	OccurredAt   time.Time // UTC, whole milliseconds
	EventID      string
	Name         string
	AppUserID    string
	CustomUserID string
	SessionID    string
	Page         string
	Platform     string
	Browser      string
	OS           string
	Device       string
	AppVersion   string
	Locale       string
	Attribution  Attribution
	Place        Place
	// OrganicUnknown marks imported history that was recorded before the organic
	// flag existed (analytics.md §2, channel rule 1).
	OrganicUnknown bool
	// Compact JSON objects; nil when absent.
	AttributionMore  []byte // attribution keys that Attribution has no field for
	CustomProperties []byte
	Properties       []byte
}

// wireIdentity and wireContext are wire.md §2.1 and §2.2.
type wireIdentity struct {
	AppUserID         string `json:"appUserId"`
	CustomUserID      string `json:"customUserId"`
	CustomUserIDProof string `json:"customUserIdProof"`
	SessionID         string `json:"sessionId"`

	sent bool // set by onePass
}

func (w *wireIdentity) member(p *onePass, name []byte) bool {
	switch string(name) {
	case "appUserId":
		return p.text(&w.AppUserID)
	case "customUserId":
		return p.text(&w.CustomUserID)
	case "customUserIdProof":
		return p.text(&w.CustomUserIDProof)
	case "sessionId":
		return p.text(&w.SessionID)
	}
	return p.unknown(name)
}

type wireContext struct {
	Platform         string           `json:"platform"`
	AppVersion       string           `json:"appVersion"`
	Locale           string           `json:"locale"`
	Browser          string           `json:"browser"`
	OS               string           `json:"os"`
	Device           string           `json:"device"`
	Attribution      *wireAttribution `json:"attribution"`
	CustomProperties json.RawMessage  `json:"customProperties"`

	sent bool // set by onePass
}

func (w *wireContext) member(p *onePass, name []byte) bool {
	switch string(name) {
	case "platform":
		return p.text(&w.Platform)
	case "appVersion":
		return p.text(&w.AppVersion)
	case "locale":
		return p.text(&w.Locale)
	case "browser":
		return p.text(&w.Browser)
	case "os":
		return p.text(&w.OS)
	case "device":
		return p.text(&w.Device)
	case "attribution":
		return p.attribution(&w.Attribution)
	case "customProperties":
		return p.raw(&w.CustomProperties)
	}
	return p.unknown(name)
}

// wireProduct is one event as sent: identity may be nested, flat or both.
type wireProduct struct {
	EventID           string          `json:"eventId"`
	Name              string          `json:"name"`
	Timestamp         string          `json:"timestamp"`
	OccurredAt        string          `json:"occurredAt"`
	ScreenName        string          `json:"screenName"`
	Page              string          `json:"page"`
	AppUserID         string          `json:"appUserId"`
	CustomUserID      string          `json:"customUserId"`
	CustomUserIDProof string          `json:"customUserIdProof"`
	SessionID         string          `json:"sessionId"`
	Identity          wireIdentity    `json:"identity"`
	Context           wireContext     `json:"context"`
	Properties        json.RawMessage `json:"properties"`
}

func (w *wireProduct) member(p *onePass, name []byte) bool {
	switch string(name) {
	case "eventId":
		return p.text(&w.EventID)
	case "name":
		return p.text(&w.Name)
	case "timestamp":
		return p.text(&w.Timestamp)
	case "occurredAt":
		return p.text(&w.OccurredAt)
	case "screenName":
		return p.text(&w.ScreenName)
	case "page":
		return p.text(&w.Page)
	case "appUserId":
		return p.text(&w.AppUserID)
	case "customUserId":
		return p.text(&w.CustomUserID)
	case "customUserIdProof":
		return p.text(&w.CustomUserIDProof)
	case "sessionId":
		return p.text(&w.SessionID)
	case "identity":
		return p.identity(&w.Identity)
	case "context":
		return p.sharedContext(&w.Context)
	case "properties":
		return p.raw(&w.Properties)
	}
	return p.unknown(name)
}

// wireProductBody is an envelope, or (track) one bare event. Identity and
// context beside the list are the defaults of every event in it.
type wireProductBody struct {
	Events []wireProduct `json:"events"`
	SentAt string        `json:"sentAt"`
	wireProduct
}

func (b *wireProductBody) member(p *onePass, name []byte) bool {
	switch string(name) {
	case "events":
		return wireEvents(p, &b.Events)
	case "sentAt":
		return p.text(&b.SentAt)
	}
	return b.wireProduct.member(p, name)
}

func (b *wireProductBody) list() []wireProduct { return b.Events } //nolint:unused // of envelope
func (b *wireProductBody) self() *wireProduct  { return &b.wireProduct }

// productBodies keeps the lists that bodies are decoded into: growing one for
// each request was a third of all memory that decoding takes.
var productBodies = sync.Pool{New: func() any { return &wireProductBody{} }}

func (b *wireProductBody) clear() { *b = wireProductBody{} }

// release empties the body, so that no request sees another's values, and keeps
// its list unless it is longer than a batch may be.
func (b *wireProductBody) release() {
	events := b.Events
	clear(events)
	b.clear()
	if cap(events) <= 2*maxEventsPerBatch {
		b.Events = events[:0]
	}
	productBodies.Put(b)
}

// ProductBatch is a decoded body of product or track events.
type ProductBatch struct {
	Events   []ProductEvent
	Rejected []Reject
	// Bare says that the body was one event, not a list.
	Bare bool
	// Skewed says that the client's clock was wrong and the times are corrected.
	Skewed bool
}

// DecodeProduct reads the body of POST /v1/sdk/analytics/events. The error is
// an *EnvelopeError.
func DecodeProduct(body []byte, rules Rules) (ProductBatch, error) {
	return decodeProduct(body, rules, false)
}

// DecodeTrack reads the body of POST /v1/sdk/track: one event bare, or the
// envelope of DecodeProduct. The error is an *EnvelopeError.
func DecodeTrack(body []byte, rules Rules) (ProductBatch, error) {
	return decodeProduct(body, rules, true)
}

func decodeProduct(body []byte, rules Rules, bareAllowed bool) (ProductBatch, error) {
	sent := productBodies.Get().(*wireProductBody)
	defer sent.release()
	slots, err := decodeEvents[wireProduct](body, sent, bareAllowed)
	if err != nil {
		return ProductBatch{}, err
	}
	if rules, err = rules.correctedBy(sent.SentAt); err != nil {
		return ProductBatch{}, err
	}
	defaults := &sent.wireProduct
	batch := ProductBatch{
		Events: make([]ProductEvent, 0, len(slots)), Bare: slots[0].event == sent.self(), Skewed: rules.skew != skew{},
	}
	for i := range slots {
		reject := slots[i].reject
		if reject == nil {
			n := len(batch.Events)
			batch.Events = batch.Events[:n+1] // the event is made in its place
			if reject = batch.Events[n].read(slots[i].event, defaults, rules); reject != nil {
				batch.Events = batch.Events[:n]
			} else {
				batch.Events[n].Index = i
			}
		}
		if reject != nil {
			batch.Rejected = append(batch.Rejected, reject.at(i, slots[i].event.EventID, slots[i].event.Name))
		}
	}
	return batch, nil
}

// read applies defaults and aliases and checks every rule.
func (e *ProductEvent) read(w *wireProduct, defaults *wireProduct, rules Rules) *Reject {
	own, shared := &w.Context, &defaults.Context
	*e = ProductEvent{
		EventID:   w.EventID,
		Name:      trimSpace(w.Name),
		AppUserID: firstNonEmpty(w.Identity.AppUserID, w.AppUserID, defaults.Identity.AppUserID, defaults.AppUserID),
		CustomUserID: firstNonEmpty(
			w.Identity.CustomUserID, w.CustomUserID, defaults.Identity.CustomUserID, defaults.CustomUserID,
		),
		SessionID:  firstNonEmpty(w.Identity.SessionID, w.SessionID, defaults.Identity.SessionID, defaults.SessionID),
		Page:       pagename.Readable(trimSpace(firstNonEmpty(w.ScreenName, w.Page)), pagename.NoLimit),
		Platform:   firstNonEmpty(own.Platform, shared.Platform),
		Browser:    firstNonEmpty(own.Browser, shared.Browser),
		OS:         firstNonEmpty(own.OS, shared.OS),
		Device:     firstNonEmpty(own.Device, shared.Device),
		AppVersion: codeunit.Clip(firstNonEmpty(own.AppVersion, shared.AppVersion), clipContextUnits),
		Locale:     codeunit.Clip(firstNonEmpty(own.Locale, shared.Locale), clipContextUnits),
	}
	if reject := e.checkTexts(); reject != nil {
		return reject
	}
	e.CustomUserID = rules.proved(e.CustomUserID, firstNonEmpty(w.Identity.CustomUserIDProof, w.CustomUserIDProof,
		defaults.Identity.CustomUserIDProof, defaults.CustomUserIDProof))
	if e.Page == "" && (e.Name == NamePageView || e.Name == NameScreenView) {
		return &Reject{Code: CodeScreenNameRequired, Message: "screenName is required for " + e.Name}
	}
	var reject *Reject
	if e.OccurredAt, reject = rules.occurredAt(firstNonEmpty(w.Timestamp, w.OccurredAt)); reject != nil {
		return reject
	}
	if len(w.Properties) > 0 && w.Properties[0] != 'n' {
		if e.Properties, reject = compactObject("properties", w.Properties); reject != nil {
			return reject
		}
	}
	if reject = e.readKept(own, shared); reject != nil {
		return reject
	}
	if e.SessionID == "" {
		e.SessionID = "day:" + e.OccurredAt.Format(time.DateOnly)
	}
	e.Key = keyOf(e.EventID)
	return nil
}

// readKept reads the two maps of a context. An event's own map is taken whole
// in the place of the envelope's.
func (e *ProductEvent) readKept(own, shared *wireContext) (reject *Reject) {
	raw := own.CustomProperties
	if len(raw) == 0 {
		raw = shared.CustomProperties
	}
	if e.CustomProperties, reject = customProperties(raw); reject != nil {
		return reject
	}
	sent := own.Attribution
	if sent == nil {
		sent = shared.Attribution
	}
	if sent == nil {
		return nil
	}
	e.AttributionMore = sent.more.object()
	e.Attribution, reject = sent.attribution()
	return reject
}

// firstNonEmpty returns the first value that is not empty.
func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
