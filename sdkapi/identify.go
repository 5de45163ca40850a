package sdkapi

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/people"
	"github.com/svc-dev/svc/people/proof"
)

// Limits of wire.md §8.1, in UTF-16 code units; those of single members stand in their tags.
const (
	maxTopic        = 80
	maxAttributeKey = 80
)

// People keeps who uses an app: the methods of people.Store.
type People interface {
	Identify(ctx context.Context, change people.Change) (people.Answer, error)
}

// identifyBody is the body of /v1/sdk/identify. A null is as good as nothing.
type identifyBody struct {
	AppUserID    string  `json:"appUserId" validate:"required,utf16max=200"`
	CustomUserID *string `json:"customUserId" validate:"omitnil,name=200"`
	// CustomUserIDProof is what the app's own server made of the id; one that is wrong is as good as none.
	CustomUserIDProof *string `json:"customUserIdProof"`

	Email *string `json:"email"`

	MarketingConsent      *string `json:"marketingConsent" validate:"omitnil,oneof=granted denied unknown"`
	EmailMarketingConsent *string `json:"emailMarketingConsent" validate:"omitnil,oneof=granted denied unknown"`

	TopicConsents map[string]string          `json:"topicConsents"`
	Attributes    map[string]json.RawMessage `json:"attributes"`

	profileTexts `validate:"-"`
}

// profileTexts are the texts of a profile. Blank clears.
type profileTexts struct {
	FirstName *string `json:"firstName" validate:"omitnil,utf16max=80"`
	LastName  *string `json:"lastName" validate:"omitnil,utf16max=80"`
	Phone     *string `json:"phone" validate:"omitnil,utf16max=32"`
	Locale    *string `json:"locale" validate:"omitnil,utf16max=35"`
	Country   *string `json:"country" validate:"omitnil,country"`
	Timezone  *string `json:"timezone" validate:"omitnil,utf16max=80,zone"`
}

// profileText is one of them: its names in the body and among attributes, and where it is kept.
type profileText struct {
	member, attribute string
	sent              **string
	kept              **string
}

func (t *profileTexts) list(p *people.Profile) []profileText {
	return []profileText{
		{"firstName", "first_name", &t.FirstName, &p.FirstName},
		{"lastName", "last_name", &t.LastName, &p.LastName},
		{"phone", "phone", &t.Phone, &p.Phone},
		{"locale", "locale", &t.Locale, &p.Locale},
		{"country", "country", &t.Country, &p.Country},
		{"timezone", "timezone", &t.Timezone, &p.Timezone},
	}
}

// emailForm is the form that HTML gives an e-mail address, with a dot in its
// domain.
var emailForm = regexp.MustCompile("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@" +
	"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$")

// change checks the body and reads it as a change, without its environment.
func (b *identifyBody) change() (people.Change, *Error) {
	var check fieldCheck
	change := people.Change{AppUserID: b.AppUserID, TopicConsents: map[string]people.Consent{}}
	check.tags(b)
	if b.CustomUserID != nil {
		change.CustomUserID = *b.CustomUserID
	}
	change.Email, change.MarketingConsent = b.emailConsent(&check)
	for _, topic := range sorted(b.TopicConsents) {
		pointer := "/topicConsents/" + escapePointer(topic)
		check.memberName(pointer, topic, maxTopic)
		change.TopicConsents[topic] = check.consent(pointer, b.TopicConsents[topic])
	}
	if len(b.TopicConsents) > people.MaxTopics {
		check.fail("/topicConsents", "too_many", "topicConsents has more than 100 topics")
	}
	change.Attributes = b.attributes(&check)
	b.profile(&check, &change)
	return change, check.result()
}

// emailConsent reads the e-mail with its consent: neither comes without the
// other (wire.md §8.1).
func (b *identifyBody) emailConsent(check *fieldCheck) (email string, consent people.Consent) {
	if b.MarketingConsent != nil {
		consent = people.Consent(*b.MarketingConsent)
	}
	if b.EmailMarketingConsent != nil {
		if b.MarketingConsent != nil && *b.MarketingConsent != *b.EmailMarketingConsent {
			check.fail("/emailMarketingConsent", "mismatch",
				"emailMarketingConsent is another name of marketingConsent and must agree with it")
		}
		consent = people.Consent(*b.EmailMarketingConsent)
	}
	switch {
	case b.Email != nil:
		email = *b.Email
		if len(email) > validate.MaxEmail || !emailForm.MatchString(email) {
			check.fail("/email", "invalid", "email must be an e-mail address")
		}
		if b.MarketingConsent == nil && b.EmailMarketingConsent == nil {
			check.fail("/marketingConsent", "required",
				"marketingConsent is required with an email: granted, denied or unknown")
		}
	case consent == people.Granted:
		check.fail("/email", "required", "email is required with marketingConsent granted: a grant is for an address")
	}
	return email, consent
}

// attributes checks the attributes and returns their values in compact form.
func (b *identifyBody) attributes(check *fieldCheck) map[string]json.RawMessage {
	kept, before := map[string]json.RawMessage{}, len(check.fields)
	if len(b.Attributes) > people.MaxAttributes {
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
	limits := ingest.ObjectLimits{Units: people.MaxAttributeUnits, Depth: 1}
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

// profile moves the texts of the profile into the change: the body's own members, which must be right, or else the
// attributes of their names, which stay attributes when they are not (product.md §7). What has moved is no attribute
// any more.
func (b *identifyBody) profile(check *fieldCheck, change *people.Change) {
	check.tags(&b.profileTexts)
	texts := b.list(&change.Profile)
	var among profileTexts // the attributes
	for i, text := range among.list(&change.Profile) {
		raw, there := change.Attributes[text.attribute]
		if there && *texts[i].sent == nil && json.Unmarshal(raw, text.sent) != nil {
			*text.sent = nil // another type
		}
	}
	wrong := map[string]bool{}
	for _, problem := range validate.Problems(&among) {
		wrong[problem.Path] = true
	}
	for i, text := range among.list(&change.Profile) {
		sent := *texts[i].sent
		if sent == nil && !wrong[text.member] {
			sent = *text.sent
		}
		if sent == nil {
			continue // no text, or one that stays an attribute; a null removes the attribute
		}
		kept := strings.TrimFunc(*sent, unicode.IsSpace)
		if text.member == "country" {
			kept = strings.ToUpper(kept)
		}
		*text.kept = &kept
		if _, there := change.Attributes[text.attribute]; there {
			change.Attributes[text.attribute] = json.RawMessage("null")
		}
	}
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
	named := naming{api: a, call: c}
	change.EnvironmentID, change.Unproved = c.environment.ID, !named.proves(change.CustomUserID, body.CustomUserIDProof)
	change.ProofRequired = c.environment.Proof.Mode == proof.Required
	if named.refused {
		change.CustomUserID = ""
	}
	var answer people.Answer
	if refusal := a.keep(c, func(ctx context.Context) (err error) {
		answer, err = a.stores.People.Identify(ctx, change)
		return err
	}); refusal != nil {
		return refusal
	}
	if change.Unproved {
		answer = change.Echo()
	}
	writeJSON(w, http.StatusOK, struct {
		AppUserID        string                    `json:"appUserId"`
		Email            *string                   `json:"email"` // the request's, whoever asks
		MarketingConsent people.Consent            `json:"marketingConsent"`
		TopicConsents    map[string]people.Consent `json:"topicConsents"`
		Merged           bool                      `json:"merged"`
		Unproved         bool                      `json:"unproved,omitempty"` // the custom user id was taken for absent
	}{change.AppUserID, body.Email, answer.MarketingConsent, answer.TopicConsents, answer.Merged, named.refused})
	return nil
}
