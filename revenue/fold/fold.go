// Package fold turns what billing providers delivered into money: a ledger and the periods of subscriptions. It is
// pure: the result depends on the set of deliveries alone, not on their order, their number or the time. It knows no
// database, no rates of currencies and no people, only the ids by which a provider knows them.
package fold

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/bodylimit"
)

// Version is that of the rules by which deliveries are folded. Deliveries that were booked by an earlier one are
// booked again. A change of the rules raises it, together with a migration that makes the index on provider_event of
// those with an earlier one.
const Version = 1

// Provider is a billing provider.
type Provider string

// The providers.
const (
	RevenueCat Provider = "revenuecat"
	Superwall  Provider = "superwall"
	Stripe     Provider = "stripe"
)

// Kind is what a row of the ledger stands for.
type Kind string

// The kinds of rows. Charges are positive, or 0; refunds and chargebacks negative; their reversals positive.
const (
	Trial              Kind = "trial"       // a trial began; 0
	Originating        Kind = "originating" // the first payment of a subscription, or what is bought once
	Renewal            Kind = "renewal"
	Refund             Kind = "refund"
	RefundReversal     Kind = "refund_reversal"
	Chargeback         Kind = "chargeback"
	ChargebackReversal Kind = "chargeback_reversal"
)

// IsCharge tells whether a row of the kind is a payment or a trial's begin, and does not refer to another row.
func (k Kind) IsCharge() bool { return k == Trial || k == Originating || k == Renewal }

// State is what became of a delivery.
type State string

// The states of deliveries.
const (
	Handled  State = "handled"
	Ignored  State = "ignored"  // it has no bearing on money
	Unmapped State = "unmapped" // its form is unknown: it is kept and shown, and nothing is guessed
	Failed   State = "failed"   // folding it failed: it is kept, and folded again by a replay
)

// Verdict is what became of a delivery, and why it is not handled.
type Verdict struct {
	State  State
	Reason string // empty when handled
}

// Event is a delivery as it is kept.
type Event struct {
	ID     string
	Body   []byte
	Stores []string // whose money its connection reports
}

// Envelope is what a delivery says of itself, whatever it is about.
type Envelope struct {
	ID         string // the provider's, at most 256 bytes
	Type       string
	OccurredAt time.Time
	Test       bool        // money of a sandbox
	Keys       []uuid.UUID // events with a common key belong together
	Verdict    Verdict     // Unmapped when the form is unknown; else Handled or Ignored
	// Transferred are the ids of people whose purchases are somebody else's from now on.
	Transferred []string
}

// Entry is a row of the ledger. Provider, TransactionKey and Kind identify it.
type Entry struct {
	TransactionKey  string
	Kind            Kind
	RefersTo        string // TransactionKey of the charge that is taken back
	SubscriptionKey string // empty for what is bought once
	EventID         string // of the delivery that tells it
	OccurredAt      time.Time
	// Micros are dollars in millionths, signed; nil when the provider does not say, and a rate is needed.
	Micros *int64
	// Original is the signed amount in units of 10^-Exponent of Currency; nil when the provider does not say.
	Original       *int64
	Currency       string // ISO 4217, upper case
	Exponent       int
	ChargedAt      time.Time // the day of the rate: that of the charge, also for what takes it back
	TaxPPM         *int64    // part of the amount in millionths; nil is unknown
	CommissionPPM  *int64
	Store, Country string
	ProductID      string
	PeriodType     string
	PeriodStart    time.Time // zero without a period
	PeriodEnd      time.Time
	Offer          string
	PersonIDs      []string // by which the person is looked for, in this order; see [PersonID]
}

// Period is a paid or trial period of a subscription. TransactionKey is that of its charge, or of the invoice that a
// balance paid, and identifies it.
type Period struct {
	TransactionKey, SubscriptionKey string
	EventID                         string
	PeriodType                      string
	StartsAt, EndsAt                time.Time
	GraceUntil                      time.Time // access goes on unpaid until then; zero without grace
	EndedAt                         time.Time // when access ended; zero while nobody said so
	AutoRenew                       bool
	ProductID, Store, Country       string
	PersonIDs                       []string

	// What it costs by its plan, whatever was paid of it: dollars in millionths, nil when the provider does not say, and
	// the amount in units of 10^-Exponent of Currency, nil when the provider does not say, with the day of its rate.
	Micros, Original *int64
	Currency         string
	Exponent         int
	ChargedAt        time.Time
	// Whole is the length of the whole period that the amount is for, when the period is a part of that, or longer by
	// days that were given; else zero.
	Whole time.Duration
}

// Result is what a set of deliveries comes to, in a fixed order.
type Result struct {
	Entries  []Entry
	Periods  []Period
	Verdicts map[string]Verdict // by event id
	// Attempts are the checkout attempts that were paid.
	Attempts []uuid.UUID
}

// The kinds of ids by which a person is looked for.
const (
	ByIdentity = "identity" // a billing identity, as the provider knows it
	ByAttempt  = "attempt"  // a checkout attempt
	ByCustomID = "custom"   // the custom user id that the app gave
	ByAppUser  = "user"     // an app user id, which metadata svc_app_user_id has
)

// PersonID writes an id and what it is an id of.
func PersonID(kind, id string) string { return kind + ":" + id }

// maxID is the longest id that is kept, in bytes.
const maxID = 256

// provider is how the deliveries of a provider are read.
type provider struct {
	open   func(body []byte) (Envelope, error)
	fold   func(events []parsed) Result
	redact func(body []byte) ([]byte, error)
	names  func(body []byte) []string // the ids of its person
}

var providers = map[Provider]provider{
	RevenueCat: {openRevenueCat, foldLines(readRevenueCat), redactRevenueCat, namesRevenueCat},
	Superwall:  {openSuperwall, foldLines(readSuperwall), redactSuperwall, namesSuperwall},
	Stripe:     {openStripe, foldStripe, redactStripe, namesStripe},
}

// parsed is an event whose envelope was read.
type parsed struct {
	Event
	envelope Envelope
}

// errUnknownForm says that a body is none of the forms that the provider documents.
var errUnknownForm = errors.New("unknown format")

// Open reads what a delivery says of itself. It never fails: what has no known form is Unmapped, and has no id.
func Open(p Provider, body []byte) Envelope {
	e, err := providers[p].open(body)
	if err != nil || len(e.ID) > maxID {
		return Envelope{ID: e.ID, Type: clip(e.Type), Test: e.Test, Verdict: Verdict{Unmapped, errUnknownForm.Error()}}
	}
	e.Type = clip(e.Type)
	return e
}

func clip(text string) string {
	if len(text) > maxID {
		text = text[:maxID]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Fold returns what deliveries of a provider come to. Deliveries that have no key in common may be folded apart.
func Fold(p Provider, events []Event) Result {
	list := make([]parsed, 0, len(events))
	verdicts := map[string]Verdict{}
	for _, e := range events {
		envelope := Open(p, e.Body)
		if _, twice := verdicts[e.ID]; twice {
			continue
		}
		verdicts[e.ID] = envelope.Verdict
		if envelope.Verdict.State == Handled {
			list = append(list, parsed{e, envelope})
		}
	}
	slices.SortFunc(list, func(a, b parsed) int {
		return cmp.Or(a.envelope.OccurredAt.Compare(b.envelope.OccurredAt), cmp.Compare(a.ID, b.ID))
	})
	result := providers[p].fold(list)
	for id, verdict := range result.Verdicts {
		verdicts[id] = verdict
	}
	result.Verdicts = verdicts
	slices.SortFunc(result.Entries, func(a, b Entry) int {
		return cmp.Or(a.OccurredAt.Compare(b.OccurredAt), cmp.Compare(a.TransactionKey, b.TransactionKey),
			cmp.Compare(a.Kind, b.Kind))
	})
	slices.SortFunc(result.Periods, func(a, b Period) int {
		return cmp.Or(a.StartsAt.Compare(b.StartsAt), cmp.Compare(a.TransactionKey, b.TransactionKey))
	})
	return result
}

// Redact returns a delivery without what tells who its person is. It folds to the same money, of nobody.
func Redact(p Provider, body []byte) ([]byte, error) { return providers[p].redact(body) }

// Names tells whether a delivery names any of some ids as those of its person, as they are: not in words that happen to
// be equal, such as a product's. A delivery without a bearing on money names whatever is in it.
func Names(p Provider, body []byte, ids []string) bool {
	if Open(p, body).Verdict.State != Handled {
		return true
	}
	return slices.ContainsFunc(providers[p].names(body), func(name string) bool { return slices.Contains(ids, name) })
}

// key makes a key of an id of a kind.
func key(kind, id string) uuid.UUID {
	sum := sha256.Sum256([]byte(kind + "\x00" + id))
	return uuid.UUID(sum[:16])
}

// TransferKey is the key of a delivery that moves what somebody bought to somebody else.
func TransferKey(id string) uuid.UUID { return key("transferred", id) }

// isForm tells whether a body is of the form of into, which it reads it into.
func isForm(body []byte, into any) bool { return decode(body, into) == nil }

// maxValues bounds the JSON values of a delivery, which are decoded to a hundred times their text: a list of empty
// objects most of all. The largest that providers send, an invoice of 250 lines, has about 20,000.
const maxValues = 50_000

// decode reads JSON that may have any members besides those of into. Texts that are kept can't have a character of code
// 0: it is read as that of what can't be read.
func decode(body []byte, into any) error {
	if bodylimit.CountValues(body) > maxValues {
		return errUnknownForm
	}
	body = bytes.ReplaceAll(body, []byte(`\u0000`), []byte(`\ufffd`))
	if err := json.Unmarshal(body, into); err != nil {
		return errUnknownForm
	}
	return nil
}
