// Package run folds flow events into rows and reads the runs that a row holds (flow analytics, Runs). A row has
// the hits of one key, each with what it said of its run, and nothing that depends on their order: rows merge by
// putting their hits together, whatever the order in which events arrive. Every rule that needs all hits of a key,
// such as their order, the cut between two runs and which hit an attribute comes from, is applied when a row is
// read. The package is pure.
package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics/session"
)

// Event is one fresh flow event.
type Event struct {
	Person, SessionID string
	Flow              session.Key
	RunID             session.Key // zero when the client sent none
	Hit               Hit
	Context           Context
}

// Row is the hits of one key: of a run, or of all runs of a derived key, which [Row.Runs] cuts.
type Row struct {
	Person          string
	Flow            session.Key
	Key             session.Key // the run id, or what a hit without one gives; see KeyOf
	Derived         bool        // some hit came without a run id
	FirstAt, LastAt int64       // Unix milliseconds
	Started         bool        // has a flow_started
	Hits            []byte      // HitSize bytes each, in the order in which events were merged
	Contexts        []byte      // those that hits name, each once
}

// KeyOf returns the key of an event's row among those of its person and flow: the run id, else what session (or,
// without one, UTC day), channel, version, experiment and variant give.
func KeyOf(e *Event) (key session.Key, derived bool) {
	if e.RunID != (session.Key{}) {
		return e.RunID, false
	}
	r := &e.Context.Release
	b := make([]byte, 0, 256)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Channel))
	b = append(append(b, r.Version[:]...), r.Experiment[:]...)
	b = binary.AppendUvarint(b, uint64(len(r.Variant)))
	b = append(b, r.Variant...)
	if e.SessionID != "" {
		b = append(append(b, "session:"...), e.SessionID...)
	} else {
		b = time.UnixMilli(e.Hit.At).UTC().AppendFormat(append(b, "day:"...), time.DateOnly)
	}
	sum := sha256.Sum256(b)
	return session.Key(sum[:16]), true
}

// Of returns the row that holds one event.
func Of(e *Event) Row {
	key, derived := KeyOf(e)
	context := e.Context.pack()
	return Row{
		Person: e.Person, Flow: e.Flow, Key: key, Derived: derived, FirstAt: e.Hit.At, LastAt: e.Hit.At,
		Started: e.Hit.Name == FlowStarted, Hits: e.Hit.append(nil, contextID(context)), Contexts: context,
	}
}

// Merge joins two rows of one person, flow and key. The rows must not be used afterwards: the result may hold a's
// hits, and b's follow them.
func Merge(a, b Row) Row {
	a.Derived = a.Derived || b.Derived
	a.FirstAt, a.LastAt = min(a.FirstAt, b.FirstAt), max(a.LastAt, b.LastAt)
	a.Started = a.Started || b.Started
	a.Hits, a.Contexts = append(a.Hits, b.Hits...), joinContexts(a.Contexts, b.Contexts)
	return a
}

// Len returns the number of hits.
func (r *Row) Len() int { return len(r.Hits) / HitSize }

// Limit cuts a row to its first hits, of which at most so many with so many bytes of contexts are kept. It returns
// how many hits went. Times and the start are those of all hits.
func (r *Row) Limit(hits, contextBytes int) (over int) {
	kept := min(r.Len(), hits)
	if len(r.Contexts) > contextBytes {
		// Contexts come in the order in which hits first name them.
		var contexts []byte
		for rest := r.Contexts; len(rest) > 0; {
			first, next, err := nextContext(rest)
			if err != nil || len(contexts)+len(first) > contextBytes {
				break
			}
			contexts, rest = r.Contexts[:len(contexts)+len(first)], next
		}
		r.Contexts = contexts
		for i := range kept {
			if !hasContext(contexts, contextOf(r.Hits[i*HitSize:])) {
				kept = i
				break
			}
		}
	}
	over = r.Len() - kept
	r.Hits = r.Hits[:kept*HitSize]
	return over
}

// Fold groups events into rows, ordered by person, flow and key.
func Fold(events []Event) []Row {
	type id struct {
		person    string
		flow, key session.Key
	}
	at := make(map[id]int, len(events))
	var rows []Row
	for i := range events {
		row := Of(&events[i])
		key := id{row.Person, row.Flow, row.Key}
		if j, ok := at[key]; ok {
			rows[j] = Merge(rows[j], row)
			continue
		}
		at[key] = len(rows)
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int { return a.Compare(&b) })
	return rows
}

// Compare orders rows by person, flow and key.
func (r *Row) Compare(o *Row) int {
	return cmp.Or(
		strings.Compare(r.Person, o.Person), slices.Compare(r.Flow[:], o.Flow[:]), slices.Compare(r.Key[:], o.Key[:]),
	)
}
