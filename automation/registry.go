package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/fold"
)

// registry knows the automations that something can happen to. Ingest asks it
// for every batch, so an environment without any costs one look into a map.
type registry struct {
	pool     *pgxpool.Pool
	loading  sync.Mutex
	snapshot atomic.Pointer[snapshot]
}

type snapshot struct {
	revision     int64
	environments map[int64]*rules
	versions     map[versionKey]*Definition
	// segments are those, and goals, whose entering enrols people.
	segments map[segmentKey][]*published
}

type versionKey struct {
	automation uuid.UUID
	number     int
}

// rules are what may follow from something that happened in an environment.
type rules struct {
	onEvent   map[string][]*published // enrols, by the event's name
	onFlow    []*published
	onLedger  []*published
	onSegment map[uuid.UUID][]*published // by the segment's or the goal's id
	waits     map[string][]wait          // by the event's name
	exits     map[string][]*published
	goals     map[string][]*published
	onPayment []*published // whose exit or goal is a purchase
}

// published is a version that was published.
type published struct {
	versionKey
	definition *Definition
}

// wait is a node that waits for an event.
type wait struct {
	*published
	node *Node
}

func newRegistry(pool *pgxpool.Pool) *registry {
	r := &registry{pool: pool}
	r.snapshot.Store(&snapshot{revision: -1})
	return r
}

// of returns the rules of an environment; nil when it has none.
func (r *registry) of(environment int64) *rules { return r.snapshot.Load().environments[environment] }

// refresh reads the automations anew when they changed.
func (r *registry) refresh(ctx context.Context) error {
	r.loading.Lock()
	defer r.loading.Unlock()
	old := r.snapshot.Load()
	var revision int64
	if err := r.pool.QueryRow(ctx, `select number from automation_revision`).Scan(&revision); err != nil {
		return fmt.Errorf("look for changes of automations: %w", err)
	}
	if revision == old.revision {
		return nil
	}
	// What is read is at least as new as the revision; what is newer is read again with the next one.
	rows, err := r.pool.Query(ctx, `
		select a.environment_id, a.id, a.state = 'active', v.number, v.number = a.version, v.definition
		from automation a join automation_version v on v.automation_id = a.id
		where a.state in ('active', 'paused') and `+inService(`a.environment_id`)+` order by a.created_at, a.id, v.number`)
	if err != nil {
		return fmt.Errorf("read automations: %w", err)
	}
	fresh := &snapshot{
		revision: revision, environments: map[int64]*rules{}, versions: map[versionKey]*Definition{},
		segments: map[segmentKey][]*published{},
	}
	var environment int64
	var key versionKey
	var active, newest bool
	var text []byte
	columns := []any{&environment, &key.automation, &active, &key.number, &newest, &text}
	_, err = pgx.ForEachRow(rows, columns, func() error {
		definition := old.versions[key]
		if definition == nil {
			parsed, problems := Parse(text)
			if len(problems) > 0 {
				return nil // of another version of this program; it enrols nobody here
			}
			definition = parsed
		}
		fresh.versions[key] = definition
		if fresh.environments[environment] == nil {
			fresh.environments[environment] = newRules()
		}
		one := &published{key, definition}
		fresh.environments[environment].add(one, active && newest)
		if id, followed := definition.Trigger.follows(); followed && active && newest {
			segment := segmentKey{environment, id}
			fresh.segments[segment] = append(fresh.segments[segment], one)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read automations: %w", err)
	}
	r.snapshot.Store(fresh)
	return nil
}

func newRules() *rules {
	return &rules{
		onEvent: map[string][]*published{}, onSegment: map[uuid.UUID][]*published{}, waits: map[string][]wait{},
		exits: map[string][]*published{}, goals: map[string][]*published{},
	}
}

func (r *rules) add(p *published, enrols bool) {
	d := p.definition
	if enrols {
		switch d.Trigger.Type {
		case OnEvent:
			r.onEvent[d.Trigger.Event] = append(r.onEvent[d.Trigger.Event], p)
		case OnFlow:
			r.onFlow = append(r.onFlow, p)
		case OnLedger:
			r.onLedger = append(r.onLedger, p)
		case OnSegment, OnGoal:
			id, _ := d.Trigger.follows()
			r.onSegment[id] = append(r.onSegment[id], p)
		}
	}
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.Type == NodeWait {
			r.waits[n.Event] = append(r.waits[n.Event], wait{p, n})
		}
	}
	if d.Exit != nil {
		for _, name := range d.Exit.Events {
			r.exits[name] = append(r.exits[name], p)
		}
	}
	if d.Goal != nil {
		for _, name := range d.Goal.Events {
			r.goals[name] = append(r.goals[name], p)
		}
	}
	if (d.Exit != nil && d.Exit.Purchase) || (d.Goal != nil && d.Goal.Purchase) {
		r.onPayment = append(r.onPayment, p)
	}
}

// definition returns a published version.
func (r *registry) definition(ctx context.Context, key versionKey) (*Definition, error) {
	if known := r.snapshot.Load().versions[key]; known != nil {
		return known, nil
	}
	var text []byte
	err := r.pool.QueryRow(ctx, `select definition from automation_version where automation_id = $1 and number = $2`,
		key.automation, key.number).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return &Definition{}, nil // whose nodes are missing
	}
	if err != nil {
		return nil, fmt.Errorf("read version %d of automation %s: %w", key.number, key.automation, err)
	}
	d, problems := Parse(text)
	if len(problems) > 0 {
		return nil, fmt.Errorf("version %d of automation %s: %w", key.number, key.automation, problems[0])
	}
	return d, nil
}

// The kinds of what can happen.
const (
	// TrackEvent is an event of the track path.
	TrackEvent = iota + 1
	// FlowEnd is the end of a run of a flow.
	FlowEnd
	// LedgerFact is a row of the revenue ledger.
	LedgerFact
	// SegmentEntered says that a person is new in a segment, or among those who met a goal lately.
	SegmentEntered
)

// The outcomes of flows.
const (
	Completed = "completed"
	Abandoned = "abandoned"
)

// OfPurchase returns what a row of the revenue ledger is for automations.
func OfPurchase(p revenue.Purchase) Fact {
	// Texts and a number can always be written.
	properties, _ := json.Marshal(map[string]any{
		"provider": p.Provider, "productId": p.ProductID, "currency": p.Currency,
		"amountUsd": float64(p.SignedMicros()) / 1e6,
	})
	return Fact{
		Kind: LedgerFact, EnvironmentID: p.EnvironmentID, AppUserID: p.AppUserID, OccurredAt: p.OccurredAt,
		Name: string(p.Kind), Key: uuid.NewSHA1(uuid.Nil, []byte(p.Provider+" "+p.ProviderEventID)),
		Properties: properties,
	}
}

// ofChange returns what money that a provider reports is for automations.
func ofChange(c revenue.Change) Fact {
	values := map[string]any{"provider": c.Provider, "productId": c.ProductID, "currency": c.Currency}
	if c.AmountMicros != nil {
		values["amountUsd"] = float64(*c.AmountMicros) / 1e6
	}
	properties, _ := json.Marshal(values) // texts and a number can always be written
	return Fact{
		Kind: LedgerFact, EnvironmentID: c.EnvironmentID, AppUserID: c.AppUserID, OccurredAt: c.OccurredAt,
		Name: string(c.Kind), Converted: c.Converted,
		Key:        uuid.NewSHA1(uuid.Nil, []byte("booked "+string(c.Provider)+" "+c.Key)),
		Properties: properties,
	}
}

// Fact is something that happened to a person.
type Fact struct {
	Kind          int
	EnvironmentID int64
	AppUserID     string
	// Key is the same whenever the same fact is told.
	Key        uuid.UUID
	OccurredAt time.Time
	// Name is that of an event, the outcome (completed, abandoned) of a flow, or
	// the kind of a row of the ledger.
	Name string
	// Properties are a JSON object; nil when there are none.
	Properties []byte
	// Converted says of a row of the ledger that it is the first payment after a trial.
	Converted bool
	// Of the end of a flow.
	FlowID, VersionID uuid.UUID
	RunID             uuid.UUID // zero when the SDK did not say
	StepID            string
	// Of the entering of a segment, or the meeting of a goal.
	SegmentID uuid.UUID
}

// entry is somebody to be enrolled, in the form of a JSON row.
type entry struct {
	EnvironmentID int64           `json:"environment_id"`
	AutomationID  uuid.UUID       `json:"automation_id"`
	Version       int             `json:"version"`
	AppUserID     string          `json:"app_user_id"`
	EntryKey      string          `json:"entry_key"`
	EventKey      uuid.UUID       `json:"event_key"`
	EventName     string          `json:"event_name"`
	Event         json.RawMessage `json:"event"`
	TriggeredAt   time.Time       `json:"triggered_at"`
	Node          string          `json:"node"`
	Always        bool            `json:"always"`
	Days          *int            `json:"days"`
}

// signal is news for enrolments of a version, in the form of a JSON row.
type signal struct {
	EnvironmentID int64     `json:"environment_id"`
	AutomationID  uuid.UUID `json:"automation_id"`
	Version       int       `json:"version"`
	AppUserID     string    `json:"app_user_id"`
	EventKey      uuid.UUID `json:"event_key"`
	OccurredAt    time.Time `json:"occurred_at"`
	Node          string    `json:"node"`        // that waits for it
	ExitReason    string    `json:"exit_reason"` // why it ends them
	GoalDays      int       `json:"goal_days"`   // it is a conversion within these
}

// match returns what follows from a fact.
func (r *rules) match(f *Fact) (entries []entry, signals []signal) {
	var properties map[string]any
	decoded := false
	facts := func() *Facts {
		if !decoded && f.Properties != nil {
			// They were checked when they came; what can't be read has no values.
			_ = json.Unmarshal(f.Properties, &properties)
		}
		decoded = true
		return &Facts{Event: properties}
	}
	enrol := func(p *published) {
		t := &p.definition.Trigger
		if !t.Where.holds(facts()) {
			return
		}
		e := entry{
			EnvironmentID: f.EnvironmentID, AutomationID: p.automation, Version: p.number, AppUserID: f.AppUserID,
			EventKey: f.Key, EventName: f.Name, Event: f.Properties, TriggeredAt: f.OccurredAt,
			Node: p.definition.Nodes[0].ID, Always: t.Reentry == "always",
		}
		if e.Event == nil {
			e.Event = json.RawMessage("{}")
		}
		if t.Key != "" {
			if e.EntryKey = asText(facts().Event[t.Key]); len(e.EntryKey) > maxText {
				return // no index holds it
			}
		}
		if t.Reentry == "days" {
			e.Days = &t.Days
		}
		entries = append(entries, e)
	}
	tell := func(p *published, s signal) {
		s.EnvironmentID, s.AutomationID, s.Version = f.EnvironmentID, p.automation, p.number
		s.AppUserID, s.EventKey, s.OccurredAt = f.AppUserID, f.Key, f.OccurredAt
		signals = append(signals, s)
	}
	switch f.Kind {
	case TrackEvent:
		for _, p := range r.onEvent[f.Name] {
			enrol(p)
		}
		for _, w := range r.waits[f.Name] {
			if w.node.Where.holds(facts()) {
				tell(w.published, signal{Node: w.node.ID})
			}
		}
		for _, p := range r.exits[f.Name] {
			tell(p, signal{ExitReason: "event " + f.Name})
		}
		for _, p := range r.goals[f.Name] {
			tell(p, signal{GoalDays: p.definition.Goal.Days})
		}
	case FlowEnd:
		for _, p := range r.onFlow {
			if p.definition.Trigger.isEnd(f) {
				enrol(p)
			}
		}
	case SegmentEntered:
		for _, p := range r.onSegment[f.SegmentID] {
			enrol(p)
		}
	case LedgerFact:
		for _, p := range r.onLedger {
			kinds := p.definition.Trigger.Kinds
			if slices.Contains(kinds, f.Name) || f.Converted && slices.Contains(kinds, kindConverted) {
				enrol(p)
			}
		}
		if !isPurchase(f.Name) {
			break
		}
		for _, p := range r.onPayment {
			s := signal{}
			if p.definition.Exit != nil && p.definition.Exit.Purchase {
				s.ExitReason = reasonPurchase
			}
			if p.definition.Goal != nil && p.definition.Goal.Purchase {
				s.GoalDays = p.definition.Goal.Days
			}
			tell(p, s)
		}
	}
	return entries, signals
}

// kindConverted is a kind of triggers besides those of the ledger: the first payment after a trial.
const kindConverted = "converted"

// ledgerKinds are the kinds of triggers.
var ledgerKinds = []string{
	string(fold.Trial), string(fold.Originating), kindConverted, string(fold.Renewal), string(fold.Refund),
	string(fold.RefundReversal), string(fold.Chargeback), string(fold.ChargebackReversal),
	string(revenue.SubscriptionExpired),
}

// isEnd tells whether the end of a flow is one that the trigger asks for.
func (t *Trigger) isEnd(f *Fact) bool {
	return (t.Outcome == "any" || t.Outcome == f.Name) && (t.FlowID == uuid.Nil || t.FlowID == f.FlowID) &&
		(t.Version == uuid.Nil || t.Version == f.VersionID) && (t.LastStep == "" || t.LastStep == f.StepID)
}

// isPurchase tells whether a kind of rows of the ledger is money that a person paid.
func isPurchase(kind string) bool {
	return kind == string(fold.Originating) || kind == string(fold.Renewal)
}
