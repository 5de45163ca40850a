package ingest

import (
	"time"

	"github.com/svc-dev/svc/postgres"
)

// Path says which of the three event paths an event came by. Deduplication is
// by environment and path.
type Path int16

const (
	PathProduct Path = 1
	PathFlow    Path = 2
	PathTrack   Path = 3
)

func (p Path) String() string {
	switch p {
	case PathProduct:
		return "product"
	case PathFlow:
		return "flow"
	case PathTrack:
		return "track"
	}
	return "unknown"
}

// ParsePath reads what Path.String writes: product, flow or track.
func ParsePath(text string) (Path, bool) {
	for _, p := range Paths {
		if p.String() == text {
			return p, true
		}
	}
	return 0, false
}

// Paths are all of them.
var Paths = []Path{PathProduct, PathFlow, PathTrack}

// outcome is what became of one event.
type outcome int8

const (
	outcomePending outcome = iota
	outcomeStored
	outcomeDuplicate
	outcomeRefused
	outcomeErased // of a person who is erased
)

// item is one event on its way to the database: a product event on the product
// and track paths, a flow event on the flow path.
type item struct {
	environment int64
	path        Path
	key         Key
	product     *ProductEvent
	flow        *FlowEvent
	channel     int64
	nameIDs     [maxNamesOfHit]int32
	named       bool              // the ids stand for the event's own names, not for (other)
	details     [groupCount]int32 // rows of event_detail; 0 where the event keeps its values
	density     postgres.Density
	receivedAt  time.Time
	history     bool // imported: compared with the stored events, because the ledger forgets
	together    bool // events of a person come one behind another
	outcome     outcome
	accepted    func(appUserID string)
	place       int // among the items of its transaction, in the order of arrival
}

// ledgerKey is the identity of an event in the deduplication ledger.
type ledgerKey struct {
	environment int64
	path        Path
	key         Key
}

func (it *item) ledgerKey() ledgerKey { return ledgerKey{it.environment, it.path, it.key} }

func (it *item) occurredAt() time.Time {
	if it.flow != nil {
		return it.flow.OccurredAt
	}
	return it.product.OccurredAt
}
