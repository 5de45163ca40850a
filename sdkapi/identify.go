package sdkapi

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/svc-dev/svc/customer"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/codeunit"
)

// Limits of wire.md §8.1, in UTF-16 code units. RFC 5321 §4.5.3.1 bounds an
// e-mail address.
const (
	maxIdentified   = 200
	maxEmail        = 254
	maxTopic        = 80
	maxAttributeKey = 80
	maxName         = 80
	maxPhone        = 32
	maxLocale       = 35
	maxTimezone     = 80
)

// People keeps who uses an app: the methods of customer.People.
type People interface {
	Identify(ctx context.Context, change customer.Change) (customer.Answer, error)
}

// identifyBody is the body of /v1/sdk/identify. A null is as good as nothing.
type identifyBody struct {
	AppUserID             string                     `json:"appUserId"`
	CustomUserID          *string                    `json:"customUserId"`
	Email                 *string                    `json:"email"`
	MarketingConsent      *string                    `json:"marketingConsent"`
	EmailMarketingConsent *string                    `json:"emailMarketingConsent"`
	TopicConsents         map[string]string          `json:"topicConsents"`
	Attributes            map[string]json.RawMessage `json:"attributes"`
	FirstName             *string                    `json:"firstName"`
	LastName              *string                    `json:"lastName"`
	Phone                 *string                    `json:"phone"`
	Locale                *string                    `json:"locale"`
	Country               *string                    `json:"country"`
	Timezone              *string                    `json:"timezone"`
}

// profileText is a text of a profile: its names on the wire and what it may be.
type profileText struct {
	pointer, attribute string
	sent               **string // in the body
	kept               **string // in the change
	limit              int
	// normal returns a text as it is kept, and whether it may be. It is not asked
	// about a blank one.
	normal func(string) (string, bool)
	rule   string
}

func profileTexts(b *identifyBody, p *customer.Profile) []profileText {
	any := func(text string) (string, bool) { return text, true }
	return []profileText{
		{"/firstName", "first_name", &b.FirstName, &p.FirstName, maxName, any, ""},
		{"/lastName", "last_name", &b.LastName, &p.LastName, maxName, any, ""},
		{"/phone", "phone", &b.Phone, &p.Phone, maxPhone, any, ""},
		{"/locale", "locale", &b.Locale, &p.Locale, maxLocale, any, ""},
		{"/country", "country", &b.Country, &p.Country, 0, countryCode, "must be two letters, such as DE"},
		{"/timezone", "timezone", &b.Timezone, &p.Timezone, maxTimezone, zoneName,
			"must be an IANA name, such as Europe/Berlin"},
	}
}

var twoLetters = regexp.MustCompile(`^[A-Za-z]{2}$`)

func countryCode(text string) (string, bool) {
	return strings.ToUpper(text), twoLetters.MatchString(text)
}

// zoneName takes what the zone database has, without the names that mean this
// machine's own zone.
func zoneName(text string) (string, bool) {
	_, err := time.LoadLocation(text)
	return text, err == nil && text != "Local" && text != "localtime" && text != "posixrules"
}

// emailForm is the form that HTML gives an e-mail address, with a dot in its
// domain.
var emailForm = regexp.MustCompile("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@" +
	"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$")

// change checks the body and reads it as a change, without its environment.
func (b *identifyBody) change() (customer.Change, *Error) {
	var check fieldCheck
	change := customer.Change{AppUserID: b.AppUserID, TopicConsents: map[string]customer.Consent{}}
	check.required("/appUserId", b.AppUserID, maxIdentified)
	if b.CustomUserID != nil {
		check.required("/customUserId", *b.CustomUserID, maxIdentified)
		change.CustomUserID = *b.CustomUserID
	}
	change.Email, change.MarketingConsent = b.emailConsent(&check)
	for _, topic := range sorted(b.TopicConsents) {
		pointer := "/topicConsents/" + escapePointer(topic)
		check.memberName(pointer, topic, maxTopic)
		change.TopicConsents[topic] = check.consent(pointer, b.TopicConsents[topic])
	}
	if len(b.TopicConsents) > customer.MaxTopics {
		check.fail("/topicConsents", "too_many", "topicConsents has more than 100 topics")
	}
	change.Attributes = b.attributes(&check)
	for _, text := range profileTexts(b, &change.Profile) {
		text.take(&check, change.Attributes)
	}
	return change, check.result()
}

// emailConsent reads the e-mail with its consent: neither comes without the
// other (wire.md §8.1).
func (b *identifyBody) emailConsent(check *fieldCheck) (email string, consent customer.Consent) {
	if b.MarketingConsent != nil {
		consent = check.consent("/marketingConsent", *b.MarketingConsent)
	}
	if b.EmailMarketingConsent != nil {
		alias := check.consent("/emailMarketingConsent", *b.EmailMarketingConsent)
		if b.MarketingConsent != nil && *b.MarketingConsent != *b.EmailMarketingConsent {
			check.fail("/emailMarketingConsent", "mismatch",
				"emailMarketingConsent is another name of marketingConsent and must agree with it")
		}
		consent = alias
	}
	switch {
	case b.Email != nil:
		email = *b.Email
		if len(email) > maxEmail || !emailForm.MatchString(email) {
			check.fail("/email", "invalid", "email must be an e-mail address")
		}
		if b.MarketingConsent == nil && b.EmailMarketingConsent == nil {
			check.fail("/marketingConsent", "required",
				"marketingConsent is required with an email: granted, denied or unknown")
		}
	case consent == customer.Granted:
		check.fail("/email", "required", "email is required with marketingConsent granted: a grant is for an address")
	}
	return email, consent
}

// attributes checks the attributes and returns their values in compact form.
func (b *identifyBody) attributes(check *fieldCheck) map[string]json.RawMessage {
	kept, before := map[string]json.RawMessage{}, len(check.fields)
	if len(b.Attributes) > customer.MaxAttributes {
		check.fail("/attributes", "too_many", "attributes has more than 50 members")
	}
	for _, key := range sorted(b.Attributes) {
		pointer := "/attributes/" + escapePointer(key)
		check.memberName(pointer, key, maxAttributeKey)
		if first := b.Attributes[key][0]; first == '{' || first == '[' {
			check.fail(pointer, "type", fieldName(pointer)+" must be a string, a number, a boolean or null")
		}
	}
	if len(check.fields) > before || len(b.Attributes) == 0 {
		return kept
	}
	raw, err := json.Marshal(b.Attributes)
	if err != nil {
		panic(err) // it was JSON a moment ago
	}
	limits := ingest.ObjectLimits{Units: customer.MaxAttributeUnits, Depth: 1}
	compact, reject := ingest.CompactObject("attributes", raw, limits)
	if reject != nil {
		check.fail("/attributes", "invalid", reject.Message)
		return kept
	}
	if err := json.Unmarshal(compact, &kept); err != nil {
		panic(err) // CompactObject writes JSON
	}
	return kept
}

// take moves a text into the change: the body's own member, which must be right,
// or else the attribute of that name, which stays an attribute when it is not
// (product.md §7). Blank clears; what has moved is no attribute any more.
func (t profileText) take(check *fieldCheck, attributes map[string]json.RawMessage) {
	raw, there := attributes[t.attribute]
	if sent := *t.sent; sent != nil {
		text, ok := t.read(*sent)
		switch {
		case t.limit > 0 && codeunit.Count(*sent) > t.limit:
			check.length(t.pointer, *sent, t.limit)
		case strings.IndexByte(*sent, 0) >= 0:
			check.fail(t.pointer, "invalid", fieldName(t.pointer)+" holds a NUL character")
		case !ok:
			check.fail(t.pointer, "invalid", fieldName(t.pointer)+" "+t.rule)
		}
		*t.kept = &text
	} else if there {
		var sent *string
		if json.Unmarshal(raw, &sent) != nil || sent == nil {
			return // another type, or null, which removes the attribute
		}
		text, ok := t.read(*sent)
		if !ok || t.limit > 0 && codeunit.Count(*sent) > t.limit {
			return
		}
		*t.kept = &text
	}
	if there {
		attributes[t.attribute] = json.RawMessage("null")
	}
}

// read trims a text and brings it into the form that is kept.
func (t profileText) read(sent string) (string, bool) {
	text := strings.TrimFunc(sent, unicode.IsSpace)
	if text == "" {
		return "", true
	}
	return t.normal(text)
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (a *API) identify(w http.ResponseWriter, c *call) *Error {
	var body identifyBody
	if refusal := c.decodeRecord(&body); refusal != nil {
		return refusal
	}
	change, refusal := body.change()
	if refusal != nil {
		return refusal
	}
	change.EnvironmentID = c.environment.ID
	var answer customer.Answer
	if refusal := a.keep(c, func(ctx context.Context) (err error) {
		answer, err = a.stores.People.Identify(ctx, change)
		return err
	}); refusal != nil {
		return refusal
	}
	writeJSON(w, http.StatusOK, struct {
		AppUserID string `json:"appUserId"`
		// Email is the request's: publishable keys are public, and nobody learns an
		// address from us by naming somebody else's id.
		Email            *string                     `json:"email"`
		MarketingConsent customer.Consent            `json:"marketingConsent"`
		TopicConsents    map[string]customer.Consent `json:"topicConsents"`
		Merged           bool                        `json:"merged"`
	}{change.AppUserID, body.Email, answer.MarketingConsent, answer.TopicConsents, answer.Merged})
	return nil
}
