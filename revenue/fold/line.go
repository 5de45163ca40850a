package fold

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// action is what a line says has happened to a subscription, or to what is bought once.
type action int

const (
	nothing action = iota
	bought
	renewed
	boughtOnce
	cancelled // not to be renewed, or taken back when its amount is negative
	uncancelled
	expired
	extended
	unpaid // a payment failed; access may go on for a while
	refundReversed
	changed // of no consequence by itself
)

// line is a delivery of a provider that sends one for each thing that happens to a transaction of an app store.
// RevenueCat and Superwall do.
type line struct {
	event            Event
	action           action
	at               time.Time // when it happened
	purchased        time.Time
	expires          time.Time
	graceUntil       time.Time
	transaction      string
	original         string // of the subscription
	periodType       string
	converted        bool // a trial ended with this payment
	familyShare      bool
	micros           *int64
	originalAmount   *int64
	currency         string
	taxPPM           *int64
	commissionPPM    *int64
	store, country   string
	product, offer   string
	personIDs        []string
	everyAmountTells bool // the sum of all amounts is net revenue: none is another one's repetition
}

// lineKeys are what the events of a subscription have in common.
func lineKeys(transaction, original string) []uuid.UUID {
	var keys []uuid.UUID
	for _, id := range []string{transaction, original} {
		if id != "" && !slices.Contains(keys, key("transaction", id)) {
			keys = append(keys, key("transaction", id))
		}
	}
	return keys
}

// foldLines returns how deliveries are folded that read returns the lines of.
func foldLines(read func(Event) (line, error)) func(events []parsed) Result {
	return func(events []parsed) Result {
		f := lineFold{charges: map[string]int{}, refunded: map[string]int{}, periods: map[string]int{}}
		f.Verdicts = map[string]Verdict{}
		for _, e := range events {
			l, err := read(e.Event)
			switch {
			case err != nil:
				f.Verdicts[e.ID] = Verdict{Unmapped, err.Error()}
			case l.action == nothing:
			case e.Stores != nil && !slices.Contains(e.Stores, l.store):
				f.Verdicts[e.ID] = Verdict{Ignored, "its connection does not report the store " + l.store}
			case l.familyShare:
				f.Verdicts[e.ID] = Verdict{Ignored, "shared within a family: nobody paid"}
			default:
				f.add(l)
			}
		}
		return f.Result
	}
}

// lineFold is a fold that has come to a line, in the order of time.
type lineFold struct {
	Result
	charges  map[string]int // entries by transaction
	refunded map[string]int // how often a transaction was taken back, and given back again: odd while it is
	periods  map[string]int // by transaction
}

func (f *lineFold) add(l line) {
	switch kind, ok := l.kind(); {
	case !ok:
	case kind.IsCharge():
		f.charge(l, kind)
	default:
		f.takeBack(l, kind)
	}
	f.follow(l)
}

// kind returns the kind of the entry that a line makes, if it makes one.
func (l *line) kind() (Kind, bool) {
	amount := int64(0)
	switch {
	case l.micros != nil:
		amount = *l.micros
	case l.originalAmount != nil:
		amount = *l.originalAmount
	}
	isPurchase := l.action == bought || l.action == renewed || l.action == boughtOnce
	switch {
	case amount < 0:
		return Refund, true
	case l.action == refundReversed:
		return RefundReversal, amount > 0
	case isPurchase && l.periodType == "promotional" && amount == 0:
		return "", false // granted, not bought
	case isPurchase && l.periodType == "trial" && amount == 0:
		return Trial, true
	case l.action == renewed && !l.converted:
		return Renewal, true
	case isPurchase:
		return Originating, true
	case l.everyAmountTells && amount > 0:
		return Renewal, true
	}
	return "", false
}

// entry returns the entry of a line, without what its kind decides.
func (l *line) entry(kind Kind, transactionKey string) Entry {
	e := Entry{
		TransactionKey: transactionKey, Kind: kind, SubscriptionKey: l.original, EventID: l.event.ID,
		Micros: l.micros, Original: l.originalAmount, Currency: l.currency, Exponent: Exponent(l.currency),
		TaxPPM: l.taxPPM, CommissionPPM: l.commissionPPM, Store: l.store, Country: l.country,
		ProductID: l.product, PeriodType: l.periodType, Offer: l.offer, PersonIDs: l.personIDs,
	}
	if kind == Trial {
		zero := int64(0)
		e.Micros = &zero
	}
	if l.action == boughtOnce {
		e.SubscriptionKey = ""
	} else if !l.expires.IsZero() && l.expires.After(l.purchased) {
		e.PeriodStart, e.PeriodEnd = l.purchased, l.expires
	}
	return e
}

func (f *lineFold) charge(l line, kind Kind) {
	transaction := l.transaction
	if _, known := f.charges[transaction]; known {
		if !l.everyAmountTells {
			return // a resubscription may be told twice, as a purchase and as a renewal
		}
		transaction += "#" + l.event.ID
	}
	e := l.entry(kind, transaction)
	e.OccurredAt, e.ChargedAt = l.purchased, l.purchased
	f.charges[transaction] = len(f.Entries)
	f.Entries = append(f.Entries, e)
}

func (f *lineFold) takeBack(l line, kind Kind) {
	transaction := l.transaction
	// What was taken back is not taken back again before it was given back.
	if again := f.refunded[transaction]; !l.everyAmountTells {
		if (kind == Refund) == (again%2 == 1) {
			return
		}
		f.refunded[transaction]++
		if again > 1 {
			transaction += "#" + l.event.ID
		}
	} else {
		transaction = l.event.ID
	}
	e := l.entry(kind, transaction)
	e.RefersTo, e.OccurredAt, e.ChargedAt = l.transaction, l.at, l.purchased
	if i, known := f.charges[l.transaction]; known {
		charge := &f.Entries[i]
		e.SubscriptionKey, e.ProductID, e.ChargedAt = charge.SubscriptionKey, charge.ProductID, charge.ChargedAt
		e.PeriodType, e.PeriodStart, e.PeriodEnd = charge.PeriodType, charge.PeriodStart, charge.PeriodEnd
	}
	f.Entries = append(f.Entries, e)
}

// follow keeps the periods of the line's subscription.
func (f *lineFold) follow(l line) {
	if l.action == bought || l.action == renewed {
		if _, known := f.periods[l.transaction]; known || !l.expires.After(l.purchased) {
			return
		}
		f.periods[l.transaction] = len(f.Periods)
		f.Periods = append(f.Periods, Period{
			TransactionKey: l.transaction, SubscriptionKey: l.original, EventID: l.event.ID, PeriodType: l.periodType,
			StartsAt: l.purchased, EndsAt: l.expires, AutoRenew: true, ProductID: l.product, Store: l.store,
			Country: l.country, PersonIDs: l.personIDs,
		})
		return
	}
	p := f.periodOf(l)
	if p == nil {
		return
	}
	switch l.action {
	case cancelled:
		p.AutoRenew = false
	case uncancelled:
		p.AutoRenew = true
	case expired:
		p.AutoRenew = false
		p.EndedAt = l.expires
		if p.EndedAt.IsZero() {
			p.EndedAt = l.at
		}
	case extended:
		if l.expires.After(p.EndsAt) {
			p.EndsAt = l.expires
		}
	case unpaid:
		p.GraceUntil = l.graceUntil
	}
}

// periodOf returns the period that a line is about: that of its transaction, else the subscription's latest one that
// had begun.
func (f *lineFold) periodOf(l line) *Period {
	if i, known := f.periods[l.transaction]; known {
		return &f.Periods[i]
	}
	var found *Period
	for i := range f.Periods {
		p := &f.Periods[i]
		if p.SubscriptionKey == l.original && !p.StartsAt.After(l.at) && (found == nil || p.StartsAt.After(found.StartsAt)) {
			found = p
		}
	}
	return found
}

// periodTypes are the kinds of periods that both providers know.
var periodTypes = []string{"trial", "intro", "normal", "promotional", "prepaid"}

// periodType reads a kind of period; what is absent is normal.
func periodType(text string) (string, error) {
	if text == "" {
		return "normal", nil
	}
	if known := strings.ToLower(text); slices.Contains(periodTypes, known) {
		return known, nil
	}
	return "", errUnknownForm
}

// identities are the ids by which a provider knows a person: as the app linked them, else as ids that the app gave.
func identities(ids ...string) (all []string) {
	const most = 50
	seen := map[string]bool{"": true}
	var unique []string
	for _, id := range ids {
		if !seen[id] && len(id) <= maxID && len(unique) < most {
			seen[id] = true
			unique = append(unique, id)
		}
	}
	for _, kind := range []string{ByIdentity, ByCustomID} {
		for _, id := range unique {
			all = append(all, PersonID(kind, id))
		}
	}
	return all
}

// share reads a part of an amount, such as 0.15, in millionths; nil when it is absent or no part.
func share(number json.Number) *int64 {
	millionths, ok := scale(number.String(), 6)
	if !ok || millionths < 0 || millionths > 1_000_000 {
		return nil
	}
	return &millionths
}

// money reads dollars and an amount of a currency. Either is nil when it is absent; the error says that one is no
// amount.
func money(dollars, amount json.Number, currency string) (micros, original *int64, err error) {
	read := func(number json.Number, digits int) *int64 {
		if number == "" {
			return nil
		}
		value, ok := scale(number.String(), digits)
		if !ok || value > maxAmount || value < -maxAmount {
			err = errUnknownForm
		}
		return &value
	}
	micros = read(dollars, 6)
	if currency != "" {
		original = read(amount, Exponent(currency))
	}
	if micros != nil && original != nil && *micros < 0 && *original > 0 {
		*original = -*original // the dollars say which way the money went
	}
	return micros, original, err
}

// maxAmount keeps sums within 64 bits: a billion dollars in millionths.
const maxAmount = 1_000_000_000_000_000

// currencyCode reads an ISO 4217 code in any case; empty stays empty.
func currencyCode(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	upper := strings.ToUpper(text)
	if len(upper) != 3 || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", errUnknownForm
	}
	return upper, nil
}

// millis reads milliseconds since 1970; null is the zero time. What is beyond the years 2000 to 2200 is no time of a
// purchase.
func millis(ms *int64) (time.Time, error) {
	if ms == nil || *ms == 0 {
		return time.Time{}, nil
	}
	if *ms < 946_684_800_000 || *ms > 7_258_118_400_000 {
		return time.Time{}, errUnknownForm
	}
	return time.UnixMilli(*ms).UTC(), nil
}
