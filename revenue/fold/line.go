package fold

import (
	"cmp"
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
	isEndless        bool // it expires beyond the years that are read
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
		f := lineFold{charges: map[string]int{}, refunded: map[string]int{}, periods: map[string]int{},
			renewals: map[int]bool{}}
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
		f.settleKinds()
		return f.Result
	}
}

// lineFold is a fold that has come to a line, in the order of time.
type lineFold struct {
	Result
	charges  map[string]int // entries by transaction
	refunded map[string]int // how often a transaction was taken back, and given back again: odd while it is
	periods  map[string]int // by transaction
	renewals map[int]bool   // entries that the provider calls renewals, and not the conversion of a trial
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
	case isPurchase, l.everyAmountTells && amount > 0:
		return Originating, true // unless the subscription was charged before: settleKinds
	}
	return "", false
}

// isPaid reports whether a charge is of more than nothing, as far as that is known.
func (e *Entry) isPaid() bool {
	if e.Micros != nil {
		return *e.Micros > 0
	}
	return e.Original == nil || *e.Original > 0
}

// settleKinds makes renewals of the charges of subscriptions that were charged before. What the provider calls a
// renewal is one, too, where nothing is known of how its subscription began.
func (f *lineFold) settleKinds() {
	charges := map[string][]int{} // entries by subscription
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Kind.IsCharge() && e.SubscriptionKey != "" {
			charges[e.SubscriptionKey] = append(charges[e.SubscriptionKey], i)
		}
	}
	for _, list := range charges {
		slices.SortFunc(list, func(a, b int) int {
			x, y := &f.Entries[a], &f.Entries[b]
			return cmp.Or(x.OccurredAt.Compare(y.OccurredAt), cmp.Compare(x.TransactionKey, y.TransactionKey))
		})
		paid := f.renewals[list[0]]
		for _, i := range list {
			e := &f.Entries[i]
			if e.Kind == Trial {
				continue
			}
			if paid {
				e.Kind = Renewal
			}
			paid = paid || e.isPaid()
		}
	}
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
		if !l.everyAmountTells { // a resubscription may be told twice, as a purchase and as a renewal
			f.Verdicts[l.event.ID] = Verdict{Ignored, "its transaction is booked by an earlier delivery"}
			return
		}
		transaction += "#" + l.event.ID
	}
	e := l.entry(kind, transaction)
	e.OccurredAt, e.ChargedAt = l.purchased, l.purchased
	f.charges[transaction] = len(f.Entries)
	f.renewals[len(f.Entries)] = l.action == renewed && !l.converted
	f.Entries = append(f.Entries, e)
}

func (f *lineFold) takeBack(l line, kind Kind) {
	transaction := l.transaction
	// What was taken back is not taken back again before it was given back.
	if again := f.refunded[transaction]; !l.everyAmountTells {
		if isBack := again%2 == 1; isBack == (kind == Refund) {
			reason := "its transaction was taken back before, and the provider takes back whole transactions"
			if !isBack {
				reason = "nothing of its transaction was taken back"
			}
			f.Verdicts[l.event.ID] = Verdict{Ignored, reason}
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
			Micros: l.micros, Original: l.originalAmount, Currency: l.currency, Exponent: Exponent(l.currency),
			ChargedAt: l.purchased,
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
	case extended: // what was given free of charge does not make the period cheaper
		whole := cmp.Or(p.Whole, p.EndsAt.Sub(p.StartsAt))
		switch {
		case l.isEndless:
			p.EndsAt, p.Whole = lastTime, whole
		case l.expires.After(p.EndsAt):
			p.EndsAt, p.Whole = l.expires, whole
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

// firstTime and lastTime bound the times of purchases.
var (
	firstTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// millis reads milliseconds since 1970; null is the zero time. What is beyond the years 2000 to 2200 is no time of a
// purchase.
func millis(ms *int64) (time.Time, error) {
	if ms == nil || *ms == 0 {
		return time.Time{}, nil
	}
	if *ms < firstTime.UnixMilli() || *ms > lastTime.UnixMilli() {
		return time.Time{}, errUnknownForm
	}
	return time.UnixMilli(*ms).UTC(), nil
}

// readTimes reads when a line happened, was purchased and expires, in milliseconds since 1970. An expiry centuries
// away, by which stores say that there is none, is none.
func (l *line) readTimes(at, purchased, expires, graceUntil *int64) (err error) {
	if l.isEndless = expires != nil && *expires > lastTime.UnixMilli(); l.isEndless {
		expires = nil
	}
	if graceUntil != nil && *graceUntil > lastTime.UnixMilli() {
		graceUntil = nil
	}
	for _, m := range []struct {
		into *time.Time
		ms   *int64
	}{{&l.at, at}, {&l.purchased, purchased}, {&l.expires, expires}, {&l.graceUntil, graceUntil}} {
		if *m.into, err = millis(m.ms); err != nil {
			return err
		}
	}
	if l.purchased.IsZero() {
		l.purchased = l.at
	}
	return nil
}
