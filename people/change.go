package people

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// Consent is what a person agreed to.
type Consent string

// The consents of wire.md §8.1.
const (
	Granted Consent = "granted"
	Denied  Consent = "denied"
	Unknown Consent = "unknown" // nobody was asked; never enough to send
)

// Profile holds texts about a person. In a change, nil leaves a text as it is
// and "" clears it.
type Profile struct {
	FirstName, LastName, Phone, Locale, Country, Timezone *string
}

// Change is one call of identify. What it does not name stays as it is.
type Change struct {
	EnvironmentID int64
	// AppUserID is the device, required.
	AppUserID string
	// CustomUserID names who uses the device. Empty says nothing about it.
	CustomUserID string
	// Unproved says that nothing proves that the device is of whom it names: publishable keys are public, and ids can be
	// guessed. It adds to what is known of that person, and replaces nothing of it: see protection.
	Unproved bool
	// ProofRequired says that the environment takes no custom id without proof: having been the first to name one proves
	// nothing either.
	ProofRequired bool
	// Email comes with MarketingConsent; a grant comes with an e-mail.
	Email            string
	MarketingConsent Consent // empty leaves it
	TopicConsents    map[string]Consent
	Profile          Profile
	// Attributes are JSON strings, numbers and booleans; null removes one.
	Attributes map[string]json.RawMessage
}

// Answer is what identify answers.
type Answer struct {
	// MarketingConsent and TopicConsents are the person's after the change.
	MarketingConsent Consent
	TopicConsents    map[string]Consent
	// Merged tells that the person uses other devices too.
	Merged bool
}

// Echo returns the answer that repeats the change and tells nothing that was known before it: keys of apps are public,
// and nobody learns anything of a person by naming somebody else's id (wire.md §8.1).
func (c Change) Echo() Answer {
	answer := Answer{MarketingConsent: c.MarketingConsent, TopicConsents: c.TopicConsents}
	if answer.MarketingConsent == "" {
		answer.MarketingConsent = Unknown
	}
	return answer
}

// Limits of what is kept of one person. A change that would pass them is refused
// whole.
const (
	MaxAttributes     = 50
	MaxAttributeUnits = 10 << 10 // UTF-16 code units of all attributes as compact JSON
	MaxTopics         = 100
)

// topicConsent is a consent as it is stored. The time decides when two people
// turn out to be one.
type topicConsent struct {
	Consent Consent   `json:"consent"`
	At      time.Time `json:"at"`
}

// person is a row of table person, without its tenant.
type person struct {
	ID                 uuid.UUID
	CustomUserID       string
	Email              string
	MarketingConsent   Consent
	MarketingConsentAt *time.Time
	TopicConsents      map[string]topicConsent
	FirstName          string
	LastName           string
	Phone              string
	Locale             string
	Country            string
	Timezone           string
	Attributes         map[string]json.RawMessage
	CreatedAt          time.Time
}

// texts pairs the texts of a person with those of a change.
func (p *person) texts(profile *Profile) map[*string]*string {
	return map[*string]*string{
		&p.FirstName: profile.FirstName, &p.LastName: profile.LastName, &p.Phone: profile.Phone,
		&p.Locale: profile.Locale, &p.Country: profile.Country, &p.Timezone: profile.Timezone,
	}
}

// consentChanges returns the consents of which a change says something else than is known, by topic; "" is marketing by
// e-mail.
func (p *person) consentChanges(change Change) map[string]Consent {
	changes := map[string]Consent{}
	if change.MarketingConsent != "" && (p.MarketingConsentAt == nil || p.MarketingConsent != change.MarketingConsent) {
		changes[""] = change.MarketingConsent
	}
	for topic, consent := range change.TopicConsents {
		if known, there := p.TopicConsents[topic]; !there || known.Consent != consent {
			changes[topic] = consent
		}
	}
	return changes
}

// apply makes a change at a time. The error is a [fault.Error] that names
// the field of which there would be too much.
func (p *person) apply(change Change, now time.Time) error {
	if change.CustomUserID != "" {
		p.CustomUserID = change.CustomUserID
	}
	if change.Email != "" {
		p.Email = change.Email
	}
	if change.MarketingConsent != "" {
		p.MarketingConsent, p.MarketingConsentAt = change.MarketingConsent, &now
	}
	for topic, consent := range change.TopicConsents {
		p.TopicConsents[topic] = topicConsent{consent, now}
	}
	for text, changed := range p.texts(&change.Profile) {
		if changed != nil {
			*text = *changed
		}
	}
	for name, value := range change.Attributes {
		if string(value) == "null" {
			delete(p.Attributes, name)
		} else {
			p.Attributes[name] = value
		}
	}
	return p.checkLimits(change)
}

// checkLimits checks what a change adds to: what is stored already is not refused.
func (p *person) checkLimits(change Change) error {
	if len(change.TopicConsents) > 0 && len(p.TopicConsents) > MaxTopics {
		return fault.Invalid("topicConsents", "would be more than 100 with those of earlier calls")
	}
	if len(change.Attributes) == 0 {
		return nil
	}
	if len(p.Attributes) > MaxAttributes {
		return fault.Invalid("attributes", "would be more than 50 with those of earlier calls: null removes one")
	}
	if attributeUnits(p.Attributes) > MaxAttributeUnits {
		return fault.Invalid(
			"attributes", "would be longer than 10240 characters with those of earlier calls: null removes one",
		)
	}
	return nil
}

// mergeAnonymous takes over what an anonymous person leaves when it turns out to be p:
// p's own values win, the rest is kept. Of two consents the later one counts,
// but a grant only for the address that it was given for.
func (p *person) mergeAnonymous(other *person) {
	email := p.Email
	if email == "" {
		email = other.Email
	}
	counts := func(q *person) bool {
		return q.MarketingConsentAt != nil && (q.MarketingConsent != Granted || q.Email == email)
	}
	if counts(other) && (!counts(p) || other.MarketingConsentAt.After(*p.MarketingConsentAt)) {
		p.MarketingConsent, p.MarketingConsentAt = other.MarketingConsent, other.MarketingConsentAt
	}
	p.Email = email
	for topic, theirs := range other.TopicConsents {
		if ours, both := p.TopicConsents[topic]; (!both || theirs.At.After(ours.At)) &&
			(both || len(p.TopicConsents) < MaxTopics) {
			p.TopicConsents[topic] = theirs
		}
	}
	theirs := Profile{&other.FirstName, &other.LastName, &other.Phone, &other.Locale, &other.Country, &other.Timezone}
	for text, their := range p.texts(&theirs) {
		if *text == "" {
			*text = *their
		}
	}
	for _, name := range sortedKeys(other.Attributes) {
		if _, both := p.Attributes[name]; both {
			continue
		}
		p.Attributes[name] = other.Attributes[name]
		if len(p.Attributes) > MaxAttributes || attributeUnits(p.Attributes) > MaxAttributeUnits {
			delete(p.Attributes, name)
		}
	}
	if other.CreatedAt.Before(p.CreatedAt) {
		p.CreatedAt = other.CreatedAt
	}
}
