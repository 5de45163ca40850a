package automation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/manifest"
)

// Bounds of a definition.
const (
	MaxDefinition = 64 << 10 // bytes
	maxNodes      = 100
	maxText       = 256 // bytes of a name or value
	maxDays       = 365
	maxSeconds    = maxDays * 24 * 60 * 60
)

// Definition is what an automation does: whom it enrols, the nodes they go
// through from the first one on, and what ends it for them.
type Definition struct {
	Trigger Trigger
	Nodes   []Node
	Exit    *Exit
	Goal    *Goal
	// Marketing says that actions need the person's marketing consent.
	Marketing bool
	// Answers says that it asks for answers of the run whose end enrolled the person.
	Answers bool
	// People says that it reads what is known of a person besides the event, or that a message names the person.
	People bool

	nodes map[string]*Node
}

// The types of triggers.
const (
	OnEvent   = "event"
	OnFlow    = "flow"
	OnLedger  = "ledger"
	OnSegment = "segment"
	OnGoal    = "goal"
	OnManual  = "manual"
)

// Trigger says what enrols a person.
type Trigger struct {
	Type string
	// Event is the name of a track event.
	Event string
	// Outcome, FlowID, Version and LastStep choose ends of flows; only the
	// outcome (completed, abandoned or any) must be given.
	Outcome  string
	FlowID   uuid.UUID
	Version  uuid.UUID
	LastStep string
	// SegmentID is the segment whose entering enrols people.
	SegmentID uuid.UUID
	// GoalID is the goal whose meeting enrols people.
	GoalID uuid.UUID
	// Kinds are kinds of rows of the revenue ledger, converted or expired.
	Kinds []string
	Where *Condition
	// Reentry is once, days or always; Days is how long it takes with days.
	Reentry string
	Days    int
	// Key names a property of the event: reentry counts for each value of it.
	Key string
}

// The types of nodes.
const (
	NodeCondition = "condition"
	NodeDelay     = "delay"
	NodeWait      = "waitForEvent"
	NodeSplit     = "split"
	NodeWebhook   = "webhook"
	NodeEmail     = "email"
	NodeExit      = "exit"
)

// Node is one step of an automation. Which fields it has depends on its type.
type Node struct {
	ID, Type string
	Next     string // the next node; empty ends
	// Then and Else are the branches of a condition (true, false) and of a wait
	// (the event came, the time is over).
	Then, Else string
	If         *Condition
	Delay      Delay
	Event      string // that a wait waits for
	Where      *Condition
	Arms       []Arm
	EndpointID uuid.UUID
	// MessageType is the type of the message; Data its template, nil for the default.
	MessageType string
	Data        any
	Email       *Email
	// Always sends regardless of quiet hours and the frequency cap.
	Always bool
}

// Delay is how long a node waits; exactly one of the three kinds is set.
type Delay struct {
	For time.Duration
	// At is the minute of the day, in the person's zone or else in Zone, and
	// Weekdays the days (1 is Monday) on which it counts; none means all.
	At       *int
	Weekdays []int
	Zone     *time.Location
	// Property names a time in the event or in the person's attributes.
	Property *Operand
	Offset   time.Duration
}

// Arm is a branch of a split.
type Arm struct {
	Weight int
	Next   string
}

// Exit ends enrolments: when one of the events happens, when the person
// purchases, or when a condition holds before an action.
type Exit struct {
	Events   []string
	Purchase bool
	When     *Condition
}

// Goal is what counts as a conversion within Days after the enrolment.
type Goal struct {
	Events   []string
	Purchase bool
	Days     int
}

// Parse reads and checks a definition. What it returns is usable only when
// there are no problems.
func Parse(text []byte) (*Definition, []manifest.Problem) {
	r := &reader{}
	if len(text) > MaxDefinition {
		r.report("", "length", "has more than %d bytes", MaxDefinition)
		return nil, r.problems
	}
	root := r.decode(text)
	d := &Definition{nodes: map[string]*Node{}}
	if trigger, given := root.get("trigger"); given {
		d.Trigger = r.trigger(r.object("/trigger", trigger))
	} else {
		r.report("/trigger", "required", "is required")
	}
	root.list("nodes", true, maxNodes, func(pointer string, value any) {
		d.Nodes = append(d.Nodes, r.node(r.object(pointer, value)))
	})
	if exit, given := root.get("exit"); given {
		o := r.object("/exit", exit)
		d.Exit = &Exit{Events: o.texts("events", false, 20), Purchase: o.flag("purchase"), When: r.condition(o, "when")}
		if d.Exit.Events == nil && !d.Exit.Purchase && d.Exit.When == nil {
			r.report("/exit", "required", "needs events, purchase or when")
		}
		o.end()
	}
	if goal, given := root.get("goal"); given {
		o := r.object("/goal", goal)
		d.Goal = &Goal{
			Events: o.texts("events", false, 20), Purchase: o.flag("purchase"), Days: o.integer("days", true, 1, 90),
		}
		if d.Goal.Events == nil && !d.Goal.Purchase {
			r.report("/goal", "required", "needs events or purchase")
		}
		o.end()
	}
	d.Marketing = root.flag("marketing")
	root.end()
	d.Answers, d.People = r.answers, r.people
	r.graph(d)
	return d, r.problems
}

func (r *reader) trigger(o *object) Trigger {
	t := Trigger{Type: o.choice("type", "", OnEvent, OnFlow, OnLedger, OnSegment, OnGoal, OnManual)}
	r.flow = t.Type == OnFlow
	switch t.Type {
	case OnEvent:
		t.Event = o.text("event", true)
	case OnFlow:
		t.Outcome = o.choice("outcome", "", Completed, Abandoned, "any")
		t.FlowID, t.Version, t.LastStep = o.id("flowId", false), o.id("versionId", false), o.text("lastStep", false)
	case OnSegment:
		t.SegmentID = o.id("segmentId", true)
	case OnGoal:
		t.GoalID = o.id("goalId", true)
	case OnLedger:
		t.Kinds = o.texts("kinds", true, len(ledgerKinds))
		for i, kind := range t.Kinds {
			if !slices.Contains(ledgerKinds, kind) {
				r.report(fmt.Sprintf("%s/%d", o.at("kinds"), i), "choice", "must be %s", strings.Join(ledgerKinds, ", "))
			}
		}
	}
	if _, followed := t.follows(); t.Type != OnManual && !followed {
		t.Where = r.eventCondition(o, "where")
		t.Key = o.text("key", false)
	}
	t.Reentry = o.choice("reentry", "once", "once", "days", "always")
	if t.Reentry == "days" {
		t.Days = o.integer("days", true, 1, maxDays)
	}
	o.end()
	return t
}

// follows returns the segment, or the goal, whose members are followed because entering it enrols people.
func (t *Trigger) follows() (id uuid.UUID, followed bool) {
	switch t.Type {
	case OnSegment:
		return t.SegmentID, true
	case OnGoal:
		return t.GoalID, true
	}
	return uuid.Nil, false
}

func (o *object) id(name string, required bool) uuid.UUID {
	text := o.text(name, required)
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		o.r.report(o.at(name), "type", "must be a UUID")
	}
	return id
}

func (r *reader) node(o *object) Node {
	n := Node{
		ID: o.text("id", true),
		Type: o.choice(
			"type", "", NodeCondition, NodeDelay, NodeWait, NodeSplit, NodeWebhook, NodeEmail, NodeExit,
		),
	}
	switch n.Type {
	case NodeCondition:
		n.If = r.condition(o, "if")
		if n.If == nil {
			r.report(o.at("if"), "required", "is required")
		}
		n.Then, n.Else = o.text("then", false), o.text("else", false)
	case NodeDelay:
		n.Delay = r.delay(o)
		n.Next = o.text("next", false)
	case NodeWait:
		r.waiting = true
		n.Event, n.Where = o.text("event", true), r.eventCondition(o, "where")
		r.waiting = false
		n.Delay.For = time.Duration(o.integer("timeoutSeconds", true, 1, maxSeconds)) * time.Second
		n.Then, n.Else = o.text("then", false), o.text("else", false)
	case NodeSplit:
		total := 0
		o.list("arms", true, 20, func(pointer string, value any) {
			arm := r.object(pointer, value)
			n.Arms = append(n.Arms, Arm{Weight: arm.integer("weight", true, 0, 10_000), Next: arm.text("next", false)})
			total += n.Arms[len(n.Arms)-1].Weight
			arm.end()
		})
		if n.Arms != nil && total == 0 {
			r.report(o.at("arms"), "range", "at least one weight must be above 0")
		}
	case NodeWebhook:
		n.EndpointID = o.id("endpointId", true)
		n.MessageType = o.text("messageType", true)
		if data, given := o.get("data"); given {
			n.Data = r.template(o.at("data"), data)
		} else {
			r.people = true // the default names the person
		}
		n.Always = o.flag("always")
		n.Next = o.text("next", false)
	case NodeEmail:
		n.Email = r.email(o)
		n.Always = o.flag("always")
		n.Next = o.text("next", false)
	}
	o.end()
	return n
}

func (r *reader) delay(o *object) (d Delay) {
	given := 0
	if _, ok := o.get("seconds"); ok {
		given++
		d.For = time.Duration(o.integer("seconds", true, 1, maxSeconds)) * time.Second
	}
	if value, ok := o.get("until"); ok {
		given++
		until := r.object(o.at("until"), value)
		if at, err := time.Parse("15:04", until.text("time", true)); err != nil {
			r.report(until.at("time"), "type", "must be a time of day such as 09:30")
		} else {
			minute := at.Hour()*60 + at.Minute()
			d.At = &minute
		}
		until.list("weekdays", false, 7, func(pointer string, value any) {
			number, _ := value.(json.Number)
			day, err := number.Int64()
			if err != nil || day < 1 || day > 7 {
				r.report(pointer, "range", "must be a day from 1 (Monday) to 7 (Sunday)")
			}
			d.Weekdays = append(d.Weekdays, int(day))
		})
		d.Zone = until.zone("timeZone")
		until.end()
	}
	if value, ok := o.get("untilProperty"); ok {
		given++
		until := r.object(o.at("untilProperty"), value)
		d.Property = r.operand(until)
		d.Offset = time.Duration(until.integer("offsetSeconds", false, -maxSeconds, maxSeconds)) * time.Second
		until.end()
	}
	if given != 1 {
		r.report(o.pointer, "required", "needs exactly one of seconds, until and untilProperty")
	}
	return d
}

// zone reads the name of a time zone; UTC when there is none.
func (o *object) zone(name string) *time.Location {
	text := o.text(name, false)
	zone, err := loadZone(text)
	if err != nil {
		o.r.report(o.at(name), "choice", "is not a time zone such as Europe/Berlin")
		return time.UTC
	}
	return zone
}

// loadZone is time.LoadLocation without the server's own zone.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, fmt.Errorf("no time zone")
	}
	return time.LoadLocation(name)
}

// targets lists where a node leads to, by the member that says so.
func (n *Node) targets() map[string]string {
	switch n.Type {
	case NodeCondition, NodeWait:
		return map[string]string{"then": n.Then, "else": n.Else}
	case NodeSplit:
		targets := map[string]string{}
		for i, arm := range n.Arms {
			targets[fmt.Sprintf("arms/%d/next", i)] = arm.Next
		}
		return targets
	case NodeExit:
		return nil
	}
	return map[string]string{"next": n.Next}
}

// graph checks that ids are unique, that every target exists, that every node is
// reached and that nobody goes in circles.
func (r *reader) graph(d *Definition) {
	index := map[string]int{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if _, twice := index[n.ID]; twice {
			r.report(fmt.Sprintf("/nodes/%d/id", i), "duplicate", "another node has this id")
			continue
		}
		index[n.ID], d.nodes[n.ID] = i, n
	}
	if len(r.problems) > 0 || len(d.Nodes) == 0 {
		return
	}
	const visiting, done = 1, 2
	state := make([]int, len(d.Nodes))
	var visit func(i int)
	visit = func(i int) {
		state[i] = visiting
		targets := d.Nodes[i].targets()
		for _, member := range slices.Sorted(maps.Keys(targets)) {
			target := targets[member]
			if target == "" {
				continue
			}
			next, known := index[target]
			pointer := fmt.Sprintf("/nodes/%d/%s", i, member)
			switch {
			case !known:
				r.report(pointer, "target", "there is no node %q", target)
			case state[next] == visiting:
				r.report(pointer, "circle", "leads back to where it came from")
			case state[next] != done:
				visit(next)
			}
		}
		state[i] = done
	}
	visit(0)
	for i := range d.Nodes {
		if state[i] == 0 {
			r.report(fmt.Sprintf("/nodes/%d", i), "unreachable", "no node leads here")
		}
	}
	slices.SortFunc(r.problems, func(a, b manifest.Problem) int {
		return slices.Compare([]byte(a.Pointer), []byte(b.Pointer))
	})
}

// endpoints returns the endpoints that the definition sends to, by JSON pointer.
func (d *Definition) endpoints() map[string]uuid.UUID {
	found := map[string]uuid.UUID{}
	for i, n := range d.Nodes {
		if n.Type == NodeWebhook {
			found[fmt.Sprintf("/nodes/%d/endpointId", i)] = n.EndpointID
		}
	}
	return found
}
