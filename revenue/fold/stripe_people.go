package fold

import (
	"slices"

	"github.com/google/uuid"
)

// subscriptionMetadata is what the app wrote into the metadata of a subscription and of any of its invoices.
func (f *stripeFold) subscriptionMetadata(id string) (list []*stripeMetadata) {
	if id == "" {
		return nil
	}
	for _, s := range f.subscriptions[id] {
		list = append(list, s.Metadata)
	}
	for _, invoice := range f.order {
		if i := f.invoices[invoice]; string(i.subscription()) == id {
			list = append(list, i.metadata()...)
		}
	}
	return list
}

// personIDs returns the ids by which the person is looked for who paid: the attempts of the sessions of the payment
// itself, what the app wrote into metadata, then the other sessions of the customer.
func (f *stripeFold) personIDs(own func(*stripeSession) bool, customer stripeRef, metadata []*stripeMetadata) []string {
	var ids, others []string
	add := func(list *[]string, id string) {
		if !slices.Contains(ids, id) && !slices.Contains(*list, id) && len(*list) < 50 {
			*list = append(*list, id)
		}
	}
	ofSession := func(list *[]string, s *stripeSession) {
		switch attempt, err := uuid.Parse(s.ClientReferenceID); {
		case err == nil:
			add(list, PersonID(ByAttempt, attempt.String()))
		case s.ClientReferenceID != "" && len(s.ClientReferenceID) <= maxID:
			add(list, PersonID(ByCustomID, s.ClientReferenceID))
		}
	}
	for _, s := range f.sessions {
		if own(s.stripeSession) {
			ofSession(&ids, s.stripeSession)
			metadata = append(metadata, s.Metadata)
		}
	}
	for _, m := range metadata {
		if m != nil && m.AppUserID != "" && len(m.AppUserID) <= maxID {
			add(&ids, PersonID(ByAppUser, m.AppUserID))
		}
	}
	for _, s := range f.sessions {
		if customer != "" && s.Customer == customer && !own(s.stripeSession) {
			ofSession(&others, s.stripeSession)
			if m := s.Metadata; m != nil && m.AppUserID != "" && len(m.AppUserID) <= maxID {
				add(&others, PersonID(ByAppUser, m.AppUserID))
			}
		}
	}
	return append(ids, others...)
}
