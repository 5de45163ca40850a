package fold

import (
	"encoding/json"
	"slices"
)

func namesRevenueCat(body []byte) []string {
	var b revenueCatBody
	if decode(body, &b) != nil || b.Event == nil {
		return nil
	}
	e := b.Event
	names := slices.Concat([]string{e.AppUserID, e.OriginalUser}, e.Aliases, e.TransferredFrom, e.TransferredTo)
	for _, attribute := range e.Attributes {
		var text string
		if json.Unmarshal(attribute.Value, &text) == nil {
			names = append(names, text)
		}
	}
	return names
}

func namesSuperwall(body []byte) []string {
	var b superwallBody
	if decode(body, &b) != nil || b.Data == nil {
		return nil
	}
	names := []string{b.Data.OriginalUser}
	var text string
	if json.Unmarshal(b.Data.UserAttributes.AppUserID, &text) == nil {
		names = append(names, text)
	}
	return names
}

func namesStripe(body []byte) (names []string) {
	_, object, err := openStripeObject(body)
	if err != nil {
		return nil
	}
	var metadata []*stripeMetadata
	switch o := object.(type) {
	case *stripeSession:
		names, metadata = append(names, o.ClientReferenceID), append(metadata, o.Metadata)
	case *stripeInvoice:
		metadata = o.metadata()
	case *stripeSubscription:
		metadata = append(metadata, o.Metadata)
	}
	for _, m := range metadata {
		if m != nil {
			names = append(names, m.AppUserID)
		}
	}
	return names
}
