package fold

import (
	"encoding/json"
	"strings"
)

// superwallBody is a delivery of Superwall, as far as it is read.
type superwallBody struct {
	Object string         `json:"object"`
	Type   string         `json:"type"`
	Data   *superwallData `json:"data"`
}

type superwallData struct {
	ID              string      `json:"id"`
	Name            string      `json:"name"`
	Price           json.Number `json:"price,omitempty"` // dollars; negative is taken back
	Amount          json.Number `json:"priceInPurchasedCurrency,omitempty"`
	Currency        string      `json:"currencyCode,omitempty"`
	Tax             json.Number `json:"taxPercentage,omitempty"`
	Commission      json.Number `json:"commissionPercentage,omitempty"`
	PeriodType      string      `json:"periodType,omitempty"`
	TrialConversion bool        `json:"isTrialConversion,omitempty"`
	ProductID       string      `json:"productId,omitempty"`
	Transaction     string      `json:"transactionId,omitempty"`
	Original        string      `json:"originalTransactionId,omitempty"`
	OriginalUser    string      `json:"originalAppUserId,omitempty"`
	PurchasedAt     *int64      `json:"purchasedAt,omitempty"`
	ExpirationAt    *int64      `json:"expirationAt,omitempty"`
	At              *int64      `json:"ts,omitempty"`
	Store           string      `json:"store,omitempty"`
	Environment     string      `json:"environment,omitempty"`
	FamilyShare     bool        `json:"isFamilyShare,omitempty"`
	OfferCode       string      `json:"offerCode,omitempty"`
	Country         string      `json:"countryCode,omitempty"`
	UserAttributes  struct {
		AppUserID json.RawMessage `json:"svc_app_user_id,omitempty"`
	} `json:"userAttributes"`
}

// superwallActions are the documented names.
var superwallActions = map[string]action{
	"initial_purchase": bought, "renewal": renewed, "non_renewing_purchase": boughtOnce, "cancellation": cancelled,
	"uncancellation": uncancelled, "expiration": expired, "billing_issue": unpaid, "product_change": changed,
	"subscription_paused": changed,
}

func openSuperwall(body []byte) (Envelope, error) {
	var b superwallBody
	if err := decode(body, &b); err != nil || b.Data == nil || b.Object != "event" {
		return Envelope{}, errUnknownForm
	}
	d := b.Data
	envelope := Envelope{
		ID: d.ID, Type: d.Name, Test: strings.EqualFold(d.Environment, "sandbox"), Keys: lineKeys(d.Transaction, d.Original),
		Verdict: Verdict{State: Handled},
	}
	at, err := millis(d.At)
	if err != nil || d.ID == "" || at.IsZero() || superwallActions[d.Name] == nothing ||
		len(envelope.Keys) == 0 || len(d.Transaction) > maxID || len(d.Original) > maxID {
		return envelope, errUnknownForm
	}
	envelope.OccurredAt = at
	return envelope, nil
}

func readSuperwall(event Event) (line, error) {
	var b superwallBody
	if err := decode(event.Body, &b); err != nil || b.Data == nil {
		return line{}, errUnknownForm
	}
	d := b.Data
	l := line{
		event: event, action: superwallActions[d.Name], transaction: d.Transaction, original: d.Original,
		converted: d.TrialConversion, familyShare: d.FamilyShare, taxPPM: share(d.Tax), commissionPPM: share(d.Commission),
		store: strings.ToLower(d.Store), country: strings.ToUpper(clip(d.Country)), product: clip(d.ProductID),
		offer: clip(d.OfferCode), everyAmountTells: true,
	}
	if l.store == "" {
		return l, errUnknownForm
	}
	if l.original == "" {
		l.original = l.transaction
	}
	if l.transaction == "" {
		l.transaction = l.original
	}
	var err error
	if l.periodType, err = periodType(d.PeriodType); err != nil {
		return l, err
	}
	if err = l.readTimes(d.At, d.PurchasedAt, d.ExpirationAt, nil); err != nil {
		return l, err
	}
	if l.currency, err = currencyCode(d.Currency); err != nil {
		return l, err
	}
	if l.micros, l.originalAmount, err = money(d.Price, d.Amount, l.currency); err != nil {
		return l, err
	}
	// Members of a family pay nothing. Where an amount says otherwise, it is part of the sum of all amounts.
	l.familyShare = l.familyShare && (l.micros == nil || *l.micros == 0)
	l.personIDs = identities(d.OriginalUser)
	var appUser string
	if json.Unmarshal(d.UserAttributes.AppUserID, &appUser) == nil && appUser != "" && len(appUser) <= maxID {
		l.personIDs = append(l.personIDs, PersonID(ByAppUser, appUser))
	}
	return l, nil
}

func redactSuperwall(body []byte) ([]byte, error) {
	var b superwallBody
	if !isForm(body, &b) || b.Data == nil {
		return []byte("{}"), nil
	}
	b.Data.OriginalUser, b.Data.UserAttributes.AppUserID = "", nil
	return json.Marshal(b)
}
