package figures

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-dev/svc/analytics/channel"
)

// kind is what an entry or a period is.
type kind uint8

const (
	noKind kind = iota // of a row that is no longer
	trialEntry
	originatingEntry
	renewalEntry
	refundEntry
	refundReversal
	chargebackEntry // and its reversal
	trialPeriod
	paidPeriod
	promotionalPeriod
)

// isCharge reports whether a row of the ledger is a payment.
func (k kind) isCharge() bool { return k == originatingEntry || k == renewalEntry }

// traits are what many rows of the ledger, or periods, have in common. Texts are codes of the replica's names.
type traits struct {
	kind                              kind
	unconverted, autoRenew            bool
	length                            uint8 // place among PeriodLengths, from 1; 0 for what is bought once
	provider, store, product, country uint32
	tax, commission                   int32 // millionths
	taxUnknown, commissionUnknown     bool
}

// entry is a row of the ledger. Times are microseconds since 1970.
type entry struct {
	id          int64
	at, charged int64
	amount      int64  // micro-dollars; 0 when they are not known
	charge      uint64 // hash of the charge that it is, or takes back
	subject     uint32 // the subscription or single charge
	customer    customer
	traits      uint32
	isRefunded  bool
}

// period is one of a subscription. It gives access in [starts, until), which is nothing where another period takes over
// at once.
type period struct {
	id                             int64
	starts, ends, accessEnd, until int64
	amount                         int64
	whole                          int64  // microseconds of the whole period that the amount is for
	key                            uint64 // hash of the transaction, which orders periods of one time
	subject                        uint32
	customer                       customer
	traits                         uint32
}

// comparePeriods orders the periods of a subscription.
func comparePeriods(a, b *period) int {
	return cmp.Or(cmp.Compare(a.starts, b.starts), cmp.Compare(a.ends, b.ends), cmp.Compare(a.key, b.key))
}

// customer is who pays: the number of a person, or of a subject whose person is not known.
type customer uint32

const nobody customer = 1 << 31

// touch is the first touch of a person.
type touch struct {
	seen    int64 // microseconds since 1970
	channel uint16
	isKnown bool
}

// groups are rows by the number of their group.
type groups struct {
	order []uint32 // rows
	from  []uint32 // place in order of the first row of a group; one more than groups
}

func (g *groups) of(group int) []uint32 { return g.order[g.from[group]:g.from[group+1]] }

func (g *groups) len() int { return len(g.from) - 1 }

// groupRows puts rows in groups, in each in their own order.
func groupRows(rows, n int, groupOf func(row int) int) groups {
	g := groups{order: make([]uint32, rows), from: make([]uint32, n+2)}
	for row := range rows {
		g.from[groupOf(row)+2]++
	}
	for i := 2; i < len(g.from); i++ {
		g.from[i] += g.from[i-1]
	}
	for row := range rows {
		place := &g.from[groupOf(row)+1]
		g.order[*place] = uint32(row)
		*place++
	}
	g.from = g.from[:n+1]
	return g
}

// replica is a copy of what figures of an environment need.
type replica struct {
	environment int64
	used        time.Time     // of the lock of Ledgers
	following   chan struct{} // held while it is brought up to date
	bytes       atomic.Int64

	// What follows is written by whoever holds following, under the lock of mu, and read by figures under that for
	// reading.
	mu       sync.RWMutex
	seen     string    // snapshot that it was read in; empty before that
	seenAt   time.Time // when that was
	names    dictionary[string]
	traits   dictionary[traits]
	persons  dictionary[string]
	subjects dictionary[uint64]

	entries   []entry
	periods   []period
	entryRows map[int64]uint32 // by id
	periodRow map[int64]uint32
	removed   int // rows of both that are no longer

	hasTouches bool // somebody has asked for first touches
	touches    []touch
	channels   dictionary[string]

	hasPasses bool     // somebody has asked for runs
	passes    [][]pass // by person, by start
	passCount int
	releases  dictionary[release]
	origins   origins

	byCustomer        groups // entries
	bySubject         groups // periods, in the order of time
	periodsByCustomer groups
}

func newReplica(environment int64) *replica {
	r := &replica{environment: environment, following: make(chan struct{}, 1)}
	r.clear()
	return r
}

func (r *replica) clear() {
	r.seen, r.removed, r.touches, r.hasTouches = "", 0, nil, false
	r.names, r.traits = newDictionary[string](), newDictionary[traits]()
	r.persons, r.subjects = newDictionary[string](), newDictionary[uint64]()
	r.channels = newDictionary[string]()
	r.names.code("") // the code of no name is 0
	r.channels.code("")
	r.dropPasses()
	r.entries, r.periods = nil, nil
	r.entryRows, r.periodRow = map[int64]uint32{}, map[int64]uint32{}
}

// dictionary numbers values.
type dictionary[V comparable] struct {
	codes  map[V]uint32
	values []V
}

func newDictionary[V comparable]() dictionary[V] { return dictionary[V]{codes: map[V]uint32{}} }

func (d *dictionary[V]) code(value V) uint32 {
	code, known := d.codes[value]
	if !known {
		code = uint32(len(d.values))
		d.codes[value], d.values = code, append(d.values, value)
	}
	return code
}

// codeOf is code of bytes, which are copied only when they are new.
func codeOf(d *dictionary[string], text []byte) uint32 {
	if code, known := d.codes[string(text)]; known {
		return code
	}
	return d.code(string(text))
}

// place returns the place of a customer among all: people first, then subjects.
func (r *replica) place(c customer) int {
	if c >= nobody {
		return len(r.persons.values) + int(c-nobody)
	}
	return int(c)
}

// put writes a row over that of the same id, or behind the others.
func put[Row any](rows *[]Row, byID map[int64]uint32, id int64, row Row) {
	if at, known := byID[id]; known {
		(*rows)[at] = row
		return
	}
	byID[id] = uint32(len(*rows))
	*rows = append(*rows, row)
}

// Sizes of rows in memory with what finds them, in bytes.
const (
	entryBytes   = 64 + 40
	periodBytes  = 88 + 48
	personBytes  = 120 // with a short id
	subjectBytes = 40
	traitsBytes  = 150
	touchBytes   = 16
)

// measure reckons the memory of the replica.
func (r *replica) measure() {
	r.bytes.Store(entryBytes*int64(cap(r.entries)) + periodBytes*int64(cap(r.periods)) +
		personBytes*int64(len(r.persons.values)) + subjectBytes*int64(len(r.subjects.values)) +
		traitsBytes*int64(len(r.traits.values)+len(r.names.values)+len(r.releases.values)) + passBytes*int64(r.passCount) +
		touchBytes*int64(len(r.touches)) + passBytes*int64(len(r.passes)))
}

// indexEntries finds what depends on several rows of the ledger.
func (r *replica) indexEntries() {
	customers := len(r.persons.values) + len(r.subjects.values)
	r.byCustomer = groupRows(len(r.entries), customers, func(row int) int { return r.place(r.entries[row].customer) })
	takenBack := map[uint64]int{}
	for i := range r.entries {
		e := &r.entries[i]
		switch r.traits.values[e.traits].kind {
		case refundEntry:
			takenBack[e.charge]++
		case refundReversal:
			takenBack[e.charge]--
		}
	}
	for i := range r.entries {
		e := &r.entries[i]
		e.isRefunded = r.traits.values[e.traits].kind.isCharge() && takenBack[e.charge] > 0
	}
}

// isPaid tells whether a charge is of more than nothing, as far as that is known.
func (r *replica) isPaid(e *entry) bool { return e.amount > 0 || r.traits.values[e.traits].unconverted }

// indexPeriods finds what depends on several periods.
func (r *replica) indexPeriods() {
	subjects := len(r.subjects.values)
	r.bySubject = groupRows(len(r.periods), subjects, func(row int) int { return int(r.periods[row].subject) })
	for subject := range subjects {
		rows := r.bySubject.of(subject)
		slices.SortFunc(rows, func(a, b uint32) int { return comparePeriods(&r.periods[a], &r.periods[b]) })
		var next *period
		for _, row := range slices.Backward(rows) {
			p := &r.periods[row]
			if r.traits.values[p.traits].kind == noKind {
				continue
			}
			p.until = p.accessEnd
			if next != nil {
				p.until = min(p.until, next.starts)
			}
			next = p
		}
	}
	r.periodsByCustomer = groupRows(len(r.periods), len(r.persons.values)+subjects, func(row int) int {
		return r.place(r.periods[row].customer)
	})
}

// channelOf returns the code of the acquisition channel of a first touch.
func (r *replica) channelOf(in channel.Input) uint16 {
	return uint16(r.channels.code(channel.Of(in).String()))
}
