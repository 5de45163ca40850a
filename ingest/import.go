package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/svc-dev/svc/postgres"
)

// Codes of rejected lines that only history has; see the Code constants of
// events.
const (
	CodeReceivedAtInvalid = "received_at_invalid" // not an RFC 3339 date-time, or before 2000
	CodePlaceInvalid      = "place_invalid"       // a field of place has the wrong value, or half a position
	CodeKindInvalid       = "kind_invalid"        // not product, flow or track
	CodeChannelRequired   = "channel_required"    // a flow event without channelId
	CodeChannelNotFound   = "channel_not_found"   // channelId is no channel of the environment
)

// oldestHistory bounds the past: a packed hit counts 41 bits of milliseconds
// around 2020, and an older time is a broken clock or a wrong unit.
var oldestHistory = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Importer stores the history of an environment: events of any age, deduplicated
// against the stored events and not only against the ledger, which forgets. It
// writes as a Writer does, so sessions, first touches and names come about as
// they do for live events; statistics of what clients sent don't count it.
type Importer struct{ w *Writer }

// History says to whom imported lines belong.
type History struct {
	EnvironmentID int64
	// Path is that of lines that don't name their kind; the zero value is that of
	// product events.
	Path Path
	// Channel finds the channel of a flow event in the environment by the public
	// id of its line, which is empty when the line has none. Nil knows none.
	Channel func(publicID string) (id int64, known bool)
	// ReceivedAt is the receive time of lines that don't have one.
	ReceivedAt time.Time
	// OrganicUnknown marks every line as recorded before the organic flag
	// existed (analytics.md §2, channel rule 1). A line may mark itself, too.
	OrganicUnknown bool
	// Together says that events of a person come one behind another, from whatever times.
	Together bool
}

// NewImporter makes an Importer on db. The daily budget of new names is for
// public keys and does not bind the operator: imported names are not counted
// against it either. Call Start before the first batch.
func NewImporter(db *postgres.DB, settings Settings, deps Deps) (*Importer, error) {
	settings.NameBudget = maxNameID
	// The caller waits for each batch, for as long as it takes: that bounds the queue.
	settings.QueueEvents, settings.QueueWait = math.MaxInt32, math.MaxInt64
	w, err := New(db, settings, deps)
	if err != nil {
		return nil, err
	}
	w.names.now = func() time.Time { return w.deps.Now().AddDate(0, 0, -1) }
	w.flowNames.now = w.names.now
	return &Importer{w}, nil
}

// Start begins to write; see Writer.Start.
func (i *Importer) Start(ctx context.Context) error { return i.w.Start(ctx) }

// Stop writes what is queued; see Writer.Stop.
func (i *Importer) Stop(ctx context.Context) error { return i.w.Stop(ctx) }

// Check does what Store does, except for storing: it only rejects.
func (i *Importer) Check(lines [][]byte, history History) Answer {
	answer, _ := decodeEach(lines, history, decodeHistory)
	return answer
}

// CheckEvents does what StoreEvents does, except for storing: it only rejects.
func (i *Importer) CheckEvents(events []*HistoryEvent, history History) Answer {
	answer, _ := decodeEach(events, history, (*HistoryEvent).decode)
	return answer
}

// Store stores lines of JSON, each one event in the wire form of its path
// (analytics.md §1, wire.md §5.1 and §7.1) with what the server adds: kind
// (product, flow or track), receivedAt, place, organicUnknown and, of flow
// events, channelId. The index of a reject is the line's place in the list. The
// error is ErrUnavailable (wrapped) or the context's; it returns after the commit.
func (i *Importer) Store(ctx context.Context, lines [][]byte, history History) (Answer, error) {
	answer, items := decodeEach(lines, history, decodeHistory)
	return i.store(ctx, answer, items)
}

// StoreEvents stores product events as Store does the lines that they are as JSON.
func (i *Importer) StoreEvents(ctx context.Context, events []*HistoryEvent, history History) (Answer, error) {
	answer, items := decodeEach(events, history, (*HistoryEvent).decode)
	return i.store(ctx, answer, items)
}

func (i *Importer) store(ctx context.Context, answer Answer, items []item) (Answer, error) {
	if err := i.w.enqueue(ctx, items, nil); err != nil {
		return Answer{}, err
	}
	answer.add(items)
	return answer, nil
}

// decodeEach reads the lines or events that are valid and rejects the others.
func decodeEach[Line any](
	lines []Line, history History, decode func(Line, History) (it item, eventID string, reject *Reject),
) (Answer, []item) {
	answer := Answer{Accepted: true, Rejected: []Reject{}}
	items := make([]item, 0, len(lines))
	for at, line := range lines {
		it, eventID, reject := decode(line, history)
		if reject != nil {
			answer.Rejected = append(answer.Rejected, reject.at(at, eventID, ""))
			continue
		}
		if it.flow != nil {
			it.flow.Index = at
		} else {
			it.product.Index = at
		}
		items = append(items, it)
	}
	return answer, items
}

// historyFields are what a line of history may have besides the event's own
// fields.
type historyFields struct {
	ReceivedAt     string        `json:"receivedAt"`
	OrganicUnknown bool          `json:"organicUnknown"`
	ChannelID      string        `json:"channelId"`
	Place          *HistoryPlace `json:"place"`
}

type wireProductHistory struct {
	wireProduct
	historyFields
}

type wireFlowHistory struct {
	wireFlow
	historyFields
}

// decodeHistory reads one line. The event's id is returned where it can be read,
// whatever else is wrong.
func decodeHistory(line []byte, history History) (item, string, *Reject) {
	path, eventID, reject := kindOf(line, history.Path)
	if reject != nil {
		return item{}, eventID, reject
	}
	it := item{environment: history.EnvironmentID, path: path, history: true, together: history.Together}
	if path == PathFlow {
		eventID, reject = it.readFlowHistory(line, history)
	} else {
		eventID, reject = it.readProductHistory(line, history)
	}
	return it, eventID, reject
}

// kindOf returns the path that a line names, else the one given.
func kindOf(line []byte, otherwise Path) (Path, string, *Reject) {
	if otherwise == 0 {
		otherwise = PathProduct
	}
	if !bytes.Contains(line, []byte(`"kind"`)) {
		return otherwise, "", nil
	}
	var head struct {
		EventID string `json:"eventId"`
		Kind    string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		if mistyped := typeError(err); mistyped == nil || mistyped.Field != "kind" {
			return otherwise, "", nil // told when the whole line is read
		}
		return 0, head.EventID, &Reject{Code: CodeKindInvalid, Message: "kind must be product, flow or track"}
	}
	if head.Kind == "" {
		return otherwise, "", nil
	}
	path, ok := ParsePath(head.Kind)
	if !ok {
		return 0, head.EventID, &Reject{Code: CodeKindInvalid, Message: "kind must be product, flow or track"}
	}
	return path, "", nil
}

// unmarshalLine reads a line into one of the wire structs.
func unmarshalLine(line []byte, into any) *Reject {
	err := json.Unmarshal(line, into)
	if err == nil {
		return nil
	}
	if mistyped := typeError(err); mistyped != nil {
		return typeReject(mistyped)
	}
	return &Reject{Code: CodeInvalidJSON, Message: "the line is not JSON: " + syntaxMessage(err)}
}

// readProductHistory reads a product or track event.
func (it *item) readProductHistory(line []byte, history History) (eventID string, reject *Reject) {
	var sent wireProductHistory
	if reject = unmarshalLine(line, &sent); reject != nil {
		return sent.EventID, reject
	}
	return sent.EventID, it.readSent(&sent, history)
}

// readSent reads a product or track event as it was sent.
func (it *item) readSent(sent *wireProductHistory, history History) (reject *Reject) {
	if it.receivedAt, reject = sent.received(history, firstNonEmpty(sent.Timestamp, sent.OccurredAt)); reject != nil {
		return reject
	}
	event := &ProductEvent{}
	it.product = event
	if reject = event.read(
		&sent.wireProduct, &wireProduct{}, Rules{ReceivedAt: it.receivedAt, Window: math.MaxInt64},
	); reject != nil {
		return reject
	}
	it.key = event.Key
	event.OrganicUnknown = it.path == PathProduct && (sent.OrganicUnknown || history.OrganicUnknown)
	event.Place, reject = sent.place(event.OccurredAt)
	return reject
}

// readFlowHistory reads a flow event.
func (it *item) readFlowHistory(line []byte, history History) (eventID string, reject *Reject) {
	var sent wireFlowHistory
	if reject = unmarshalLine(line, &sent); reject != nil {
		return sent.EventID, reject
	}
	if it.receivedAt, reject = sent.received(history, sent.Timestamp); reject != nil {
		return sent.EventID, reject
	}
	if sent.Timestamp == "" {
		sent.Timestamp = sent.ReceivedAt // an export has both; a line of another making may have one
	}
	event, reject := flowEvent(&sent.wireFlow, Rules{ReceivedAt: it.receivedAt, Window: math.MaxInt64})
	if reject != nil {
		return sent.EventID, reject
	}
	it.flow, it.key = &event, event.Key
	known := false
	if history.Channel != nil {
		it.channel, known = history.Channel(sent.ChannelID)
	}
	if !known {
		if sent.ChannelID == "" {
			return sent.EventID, &Reject{Code: CodeChannelRequired, Message: "channelId is required for flow events"}
		}
		return sent.EventID, &Reject{Code: CodeChannelNotFound, Message: "channelId is not a channel of this environment"}
	}
	event.Place, reject = sent.place(event.OccurredAt)
	return sent.EventID, reject
}

// received returns a line's receive time. The present time would make another event
// of an undated line on each import.
func (h *historyFields) received(history History, timestamp string) (time.Time, *Reject) {
	if h.ReceivedAt == "" {
		if timestamp == "" {
			return time.Time{}, &Reject{Code: CodeTimestampRequired, Message: "timestamp or receivedAt is required in history"}
		}
		return history.ReceivedAt, nil
	}
	received, err := parseTime(h.ReceivedAt)
	if err != nil || received.Before(oldestHistory) {
		return time.Time{}, &Reject{
			Code: CodeReceivedAtInvalid, Message: "receivedAt is not an RFC 3339 date-time after 1999",
		}
	}
	return received, nil
}

// place returns a line's place; the event's time is checked with it.
func (h *historyFields) place(occurredAt time.Time) (Place, *Reject) {
	if occurredAt.Before(oldestHistory) {
		return Place{}, &Reject{Code: CodeTimestampInvalid, Message: "timestamp is before 2000"}
	}
	if h.Place == nil {
		return Place{}, nil
	}
	if reject := h.Place.check(); reject != nil {
		return Place{}, reject
	}
	return h.Place.place(), nil
}

func (p *HistoryPlace) place() Place {
	place := Place{Country: p.Country, Region: p.Region, City: p.City}
	if p.Latitude != nil && p.Longitude != nil {
		place.Lat, place.Lon, place.HasCoordinates = *p.Latitude, *p.Longitude, true
	}
	return place
}
