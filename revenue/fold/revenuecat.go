package fold

import (
	"encoding/json"
	"strings"
	"time"
)

// revenueCatBody is a delivery of RevenueCat, as far as it is read.
type revenueCatBody struct {
	APIVersion string           `json:"api_version,omitempty"`
	Event      *revenueCatEvent `json:"event"`
}

type revenueCatEvent struct {
	ID               string      `json:"id"`
	Type             string      `json:"type"`
	At               *int64      `json:"event_timestamp_ms,omitempty"`
	AppUserID        string      `json:"app_user_id,omitempty"`
	OriginalUser     string      `json:"original_app_user_id,omitempty"`
	Aliases          []string    `json:"aliases,omitempty"`
	TransferredFrom  []string    `json:"transferred_from,omitempty"`
	TransferredTo    []string    `json:"transferred_to,omitempty"`
	ProductID        string      `json:"product_id,omitempty"`
	PeriodType       string      `json:"period_type,omitempty"`
	PurchasedAt      *int64      `json:"purchased_at_ms,omitempty"`
	ExpirationAt     *int64      `json:"expiration_at_ms,omitempty"`
	GraceUntil       *int64      `json:"grace_period_expiration_at_ms,omitempty"`
	Store            string      `json:"store,omitempty"`
	Environment      string      `json:"environment,omitempty"`
	TrialConversion  bool        `json:"is_trial_conversion,omitempty"`
	FamilyShare      bool        `json:"is_family_share,omitempty"`
	CancelReason     string      `json:"cancel_reason,omitempty"`
	ExpirationReason string      `json:"expiration_reason,omitempty"`
	Price            json.Number `json:"price,omitempty"` // dollars
	Currency         string      `json:"currency,omitempty"`
	Amount           json.Number `json:"price_in_purchased_currency,omitempty"`
	Tax              json.Number `json:"tax_percentage,omitempty"`
	Commission       json.Number `json:"commission_percentage,omitempty"`
	Transaction      string      `json:"transaction_id,omitempty"`
	Original         string      `json:"original_transaction_id,omitempty"`
	Country          string      `json:"country_code,omitempty"`
	OfferCode        string      `json:"offer_code,omitempty"`
	Attributes       map[string]struct {
		Value json.RawMessage `json:"value"`
	} `json:"subscriber_attributes,omitempty"`
}

// revenueCatActions are the types that have a bearing on money or periods.
var revenueCatActions = map[string]action{
	"INITIAL_PURCHASE": bought, "RENEWAL": renewed, "NON_RENEWING_PURCHASE": boughtOnce, "CANCELLATION": cancelled,
	"UNCANCELLATION": uncancelled, "EXPIRATION": expired, "SUBSCRIPTION_EXTENDED": extended, "BILLING_ISSUE": unpaid,
	"REFUND_REVERSED": refundReversed, "PRODUCT_CHANGE": changed, "SUBSCRIPTION_PAUSED": changed,
}

const revenueCatTransfer = "TRANSFER"

func openRevenueCat(body []byte) (Envelope, error) {
	var b revenueCatBody
	if err := decode(body, &b); err != nil || b.Event == nil {
		return Envelope{}, errUnknownForm
	}
	e := b.Event
	envelope := Envelope{ID: e.ID, Type: e.Type, Test: e.Environment == "SANDBOX", Verdict: Verdict{State: Handled}}
	at, err := millis(e.At)
	if err != nil || e.ID == "" || e.Type == "" || at.IsZero() {
		return envelope, errUnknownForm
	}
	envelope.OccurredAt = at
	switch {
	case e.Type == revenueCatTransfer:
		if len(e.TransferredTo) == 0 { // as an erasure leaves it
			envelope.Verdict = Verdict{Ignored, "has no bearing on money"}
			return envelope, nil
		}
		for _, from := range e.TransferredFrom {
			envelope.Keys = append(envelope.Keys, TransferKey(from))
		}
		envelope.Transferred = e.TransferredFrom
	case revenueCatActions[e.Type] != nothing:
		if e.Transaction == "" && e.Original == "" || len(e.Transaction) > maxID || len(e.Original) > maxID {
			return envelope, errUnknownForm
		}
		envelope.Keys = lineKeys(e.Transaction, e.Original)
	default:
		envelope.Verdict = Verdict{Ignored, "has no bearing on money"}
	}
	return envelope, nil
}

func readRevenueCat(event Event) (line, error) {
	var b revenueCatBody
	if err := decode(event.Body, &b); err != nil || b.Event == nil {
		return line{}, errUnknownForm
	}
	e := b.Event
	l := line{
		event: event, action: revenueCatActions[e.Type], transaction: e.Transaction, original: e.Original,
		converted: e.TrialConversion, familyShare: e.FamilyShare, taxPPM: share(e.Tax), commissionPPM: share(e.Commission),
		store: strings.ToLower(e.Store), country: strings.ToUpper(clip(e.Country)), product: clip(e.ProductID),
		offer: clip(e.OfferCode),
	}
	if l.action == nothing {
		return l, nil
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
	if l.periodType, err = periodType(e.PeriodType); err != nil {
		return l, err
	}
	if err = l.readTimes(e.At, e.PurchasedAt, e.ExpirationAt, e.GraceUntil); err != nil {
		return l, err
	}
	if l.currency, err = currencyCode(e.Currency); err != nil {
		return l, err
	}
	if l.micros, l.originalAmount, err = money(e.Price, e.Amount, l.currency); err != nil {
		return l, err
	}
	ids := identities(append([]string{e.AppUserID, e.OriginalUser}, e.Aliases...)...)
	var appUser string
	if json.Unmarshal(e.Attributes["svc_app_user_id"].Value, &appUser) == nil && appUser != "" && len(appUser) <= maxID {
		ids = append(ids, PersonID(ByAppUser, appUser))
	}
	l.personIDs = ids
	return l, nil
}

// Transfer is whose purchases became whose, and when.
type Transfer struct {
	At       time.Time
	From, To []string
}

// ReadTransfer returns what a delivery of RevenueCat transfers, if it does.
func ReadTransfer(body []byte) (t Transfer, is bool) {
	var b revenueCatBody
	if decode(body, &b) != nil || b.Event == nil || b.Event.Type != revenueCatTransfer {
		return t, false
	}
	at, err := millis(b.Event.At)
	return Transfer{at, b.Event.TransferredFrom, b.Event.TransferredTo}, err == nil
}

func redactRevenueCat(body []byte) ([]byte, error) {
	var b revenueCatBody
	if !isForm(body, &b) || b.Event == nil {
		return []byte("{}"), nil
	}
	e := b.Event
	e.AppUserID, e.OriginalUser, e.Aliases, e.TransferredFrom, e.TransferredTo, e.Attributes = "", "", nil, nil, nil, nil
	return json.Marshal(b)
}
