package people

import (
	"context"
	"fmt"
	"maps"
)

// protection is what an unproved device must leave of the person that it names (wire.md §8.1): it fills in what is
// empty and withdraws consents, and neither replaces an e-mail, a phone or a name nor turns a denied consent into a
// granted one. The device that the person began with is no stranger, unless proof is required.
type protection struct{ before person }

// protect remembers a person before an unproved device changes it; nil when the device may change it.
func (s *identification) protect(ctx context.Context, change Change, p *person) (*protection, error) {
	if !change.Unproved || p.CustomUserID == "" {
		return nil, nil
	}
	if change.ProofRequired {
		return p.protected(), nil
	}
	var founder bool
	if err := s.tx.QueryRow(ctx, `
		select exists (select from person_device
			where environment_id = $1 and person_id = $2 and app_user_id = $3 and linked_at = $4)`,
		s.environment, p.ID, change.AppUserID, p.CreatedAt).Scan(&founder); err != nil {
		return nil, fmt.Errorf("look whether the person began with the device: %w", err)
	}
	if founder {
		return nil, nil
	}
	return p.protected(), nil
}

func (p *person) protected() *protection {
	before := *p
	before.TopicConsents = maps.Clone(p.TopicConsents)
	return &protection{before}
}

// restore gives a person back what the device must leave, after the change.
func (g *protection) restore(p *person) {
	if g == nil {
		return
	}
	before := &g.before
	elsewhere := before.Email != "" && p.Email != before.Email
	for text, known := range map[*string]string{
		&p.Email: before.Email, &p.Phone: before.Phone, &p.FirstName: before.FirstName, &p.LastName: before.LastName,
	} {
		if known != "" {
			*text = known
		}
	}
	// A grant is for an address: one for the device's own is none for the address that stays.
	if p.MarketingConsent == Granted && (elsewhere || before.MarketingConsent == Denied) {
		p.MarketingConsent, p.MarketingConsentAt = before.MarketingConsent, before.MarketingConsentAt
	}
	for topic, known := range before.TopicConsents {
		if known.Consent == Denied && p.TopicConsents[topic].Consent == Granted {
			p.TopicConsents[topic] = known
		}
	}
}

// holds tells whether a change of a consent is what a person has; "" is marketing by e-mail.
func (p *person) holds(topic string, consent Consent) bool {
	if topic == "" {
		return p.MarketingConsent == consent
	}
	return p.TopicConsents[topic].Consent == consent
}
