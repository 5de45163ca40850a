package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/postgres"
)

// Codes of rejected lines that only history has; see the Code constants of
// events.
const (
	CodeReceivedAtInvalid = "received_at_invalid" // not an RFC 3339 date-time, or before 2000
	CodePlaceInvalid      = "place_invalid"       // a field of place has the wrong value, or half a position
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
	// ReceivedAt is the receive time of lines that don't have one.
	ReceivedAt time.Time
	// OrganicUnknown marks every line as recorded before the organic flag
	// existed (analytics.md §2, channel rule 1). A line may mark itself, too.
	OrganicUnknown bool
}

// NewImporter makes an Importer on db. The daily budget of new names is for
// public keys and does not bind the operator: imported names are not counted
// against it either. Call Start before the first batch.
func NewImporter(db *postgres.DB, settings Settings, deps Deps) (*Importer, error) {
	settings.NameBudget = maxNameID
	settings.QueueEvents = math.MaxInt32 // the caller waits for each batch: that bounds the queue
	w, err := New(db, settings, deps)
	if err != nil {
		return nil, err
	}
	w.names.now = func() time.Time { return w.deps.Now().AddDate(0, 0, -1) }
	return &Importer{w}, nil
}

// Start begins to write; see Writer.Start.
func (i *Importer) Start(ctx context.Context) { i.w.Start(ctx) }

// Stop writes what is queued; see Writer.Stop.
func (i *Importer) Stop(ctx context.Context) error { return i.w.Stop(ctx) }

// Product stores lines of JSON, each one product event in the wire form of
// analytics.md §1 with what the server adds (receivedAt, place, organicUnknown).
// The index of a reject is the line's place in the list. The error is
// ErrUnavailable (wrapped) or the context's; it returns after the
// commit.
func (i *Importer) Product(ctx context.Context, lines [][]byte, history History) (Answer, error) {
	answer := Answer{Accepted: true, Rejected: []Reject{}}
	events := make([]ProductEvent, 0, len(lines))
	items := make([]item, 0, len(lines))
	for at, line := range lines {
		event, received, reject := decodeHistory(line, history)
		if reject != nil {
			answer.Rejected = append(answer.Rejected, reject.at(at, event.EventID))
			continue
		}
		event.Index = at
		events = append(events, event)
		e := &events[len(events)-1]
		items = append(items, item{environment: history.EnvironmentID, path: PathProduct, key: e.Key, product: e, receivedAt: received, history: true})
	}
	if err := i.w.enqueue(ctx, items); err != nil {
		return Answer{}, err
	}
	answer.add(items)
	return answer, nil
}

// wireHistory is a line of history.
type wireHistory struct {
	wireProduct
	ReceivedAt     string     `json:"receivedAt"`
	OrganicUnknown bool       `json:"organicUnknown"`
	Place          *wirePlace `json:"place"`
}

type wirePlace struct {
	Country   string   `json:"country" wire:"place.country" validate:"omitempty,len=2,alpha,uppercase"`
	Region    string   `json:"region" wire:"place.region" validate:"utf16max=80,nonul"`
	City      string   `json:"city" wire:"place.city" validate:"utf16max=80,nonul"`
	Latitude  *float64 `json:"latitude" wire:"place.latitude" validate:"required_with=Longitude,omitempty,min=-90,max=90"`
	Longitude *float64 `json:"longitude" wire:"place.longitude" validate:"required_with=Latitude,omitempty,min=-180,max=180"`
}

// decodeHistory reads one line. The event's id is set where it can be read,
// whatever else is wrong.
func decodeHistory(line []byte, history History) (ProductEvent, time.Time, *Reject) {
	var sent wireHistory
	unread := func(r *Reject) (ProductEvent, time.Time, *Reject) {
		return ProductEvent{EventID: sent.EventID}, time.Time{}, r
	}
	if err := json.Unmarshal(line, &sent); err != nil {
		if mistyped := typeError(err); mistyped != nil {
			return unread(typeReject(mistyped))
		}
		return unread(&Reject{Code: CodeInvalidJSON, Message: "the line is not JSON: " + syntaxMessage(err)})
	}
	received := history.ReceivedAt
	switch {
	case sent.ReceivedAt != "":
		var err error
		if received, err = parseTime(sent.ReceivedAt); err != nil || received.Before(oldestHistory) {
			return unread(&Reject{Code: CodeReceivedAtInvalid, Message: "receivedAt is not an RFC 3339 date-time after 1999"})
		}
	case first(sent.Timestamp, sent.OccurredAt) == "":
		// The present time would make another event of it on each import.
		return unread(&Reject{Code: CodeTimestampRequired, Message: "timestamp or receivedAt is required in history"})
	}
	var event ProductEvent
	if reject := event.read(&sent.wireProduct, &wireProduct{}, Rules{ReceivedAt: received, Window: math.MaxInt64}); reject != nil {
		return event, received, reject
	}
	if event.OccurredAt.Before(oldestHistory) {
		return event, received, &Reject{Code: CodeTimestampInvalid, Message: "timestamp is before 2000"}
	}
	event.OrganicUnknown = sent.OrganicUnknown || history.OrganicUnknown
	if sent.Place != nil {
		if reject := checkShape(sent.Place); reject != nil {
			return event, received, reject
		}
		event.Place = sent.Place.place()
	}
	return event, received, nil
}

func (p *wirePlace) place() Place {
	place := Place{Country: p.Country, Region: p.Region, City: p.City}
	if p.Latitude != nil && p.Longitude != nil {
		place.Lat, place.Lon, place.HasCoordinates = *p.Latitude, *p.Longitude, true
	}
	return place
}

// withoutStored leaves out imported events that are stored already.
func withoutStored(ctx context.Context, tx pgx.Tx, fresh []*item) ([]*item, error) {
	byEnvironment := map[int64][]*item{}
	for _, it := range fresh {
		if it.history {
			byEnvironment[it.environment] = append(byEnvironment[it.environment], it)
		}
	}
	if len(byEnvironment) == 0 {
		return fresh, nil
	}
	stored := map[*item]bool{}
	for environment, items := range byEnvironment {
		if err := findStored(ctx, tx, environment, items, stored); err != nil {
			return nil, fmt.Errorf("compare with the stored events: %w", err)
		}
	}
	return slices.DeleteFunc(fresh, func(it *item) bool { return stored[it] }), nil
}

// findStored adds those of items that product_event holds. An event keeps its
// id and its time, and the index leads with the time; the bounds let the
// database leave out the partitions that can't hold any, for which it has to plan
// with the values. Each event is looked up by itself: joined, a batch from all over
// the history made the database read all of it.
func findStored(ctx context.Context, tx pgx.Tx, environment int64, items []*item, stored map[*item]bool) error {
	times, keys := make([]time.Time, len(items)), make([]pgtype.UUID, len(items))
	for i, it := range items {
		times[i], keys[i] = it.occurredAt(), pgtype.UUID{Bytes: it.key, Valid: true}
	}
	earliest, latest := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	rows, err := tx.Query(ctx, `
		select w.place from unnest($2::timestamptz[], $3::uuid[]) with ordinality as w (at, key, place)
		cross join lateral (
			select from product_event p
			where p.environment_id = $1 and p.occurred_at = w.at and p.event_key = w.key
			  and p.occurred_at between $4 and $5
			limit 1) as stored`,
		pgx.QueryExecModeDescribeExec, environment, times, keys, earliest, latest)
	if err != nil {
		return err
	}
	var place int64
	_, err = pgx.ForEachRow(rows, []any{&place}, func() error { stored[items[place-1]] = true; return nil })
	return err
}
