package automation

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/delivery/bucketing"
	"github.com/svc-dev/svc/mail"
)

// The results of a step.
const (
	done    = "done"
	waiting = "waiting"
	sent    = "sent"
	skipped = "skipped"
	exited  = "exited"
	failed  = "failed"
)

// The states of an enrolment, besides exited and failed.
const (
	running   = "running"
	completed = "completed"
)

// The reasons of steps that did not do what they are for.
const (
	reasonNoConsent   = "no_consent"
	reasonCap         = "frequency_cap"
	reasonQuiet       = "quiet_hours"
	reasonDisabled    = "endpoint_disabled"
	reasonTooLarge    = "message_too_large"
	reasonNoTime      = "no_time"
	reasonTimeout     = "timeout"
	reasonCondition   = "exit_condition"
	reasonPurchase    = "purchase"
	reasonNodeMissing = "node_missing"
	reasonArchived    = "archived"
	reasonNoAddress   = "no_address"
	reasonSuppressed  = "unsubscribed"
)

// enrolment is where a person is in a version of an automation.
type enrolment struct {
	ID           int64
	AutomationID uuid.UUID
	Version      int
	AppUserID    string
	EventName    string
	Event        map[string]any
	Node         string
	Waiting      bool
	EventCame    bool
	ExitReason   string
	Due          time.Time
}

// step is what became of a node.
type step struct {
	Node, Result, Reason string
}

// message is a webhook or an email to be sent. Of an email Body is made only where nothing is sent.
type message struct {
	Node       string
	EndpointID uuid.UUID // of a webhook
	Body       []byte
	Email      *Email
}

// move is what happens to an enrolment at a moment.
type move struct {
	Steps    []step
	Messages []message
	State    string
	Node     string
	Waiting  bool
	Due      time.Time // while State is running
	Reason   string    // of the end
}

// surroundings are what a move depends on besides the enrolment.
type surroundings struct {
	now      time.Time
	facts    Facts
	limits   Limits
	recent   int                  // actions of the person within the cap's days
	disabled func(uuid.UUID) bool // whether an endpoint takes no messages
	// suppressed tells whether an address gets no email.
	suppressed func(address string) bool
}

// advance takes an enrolment from node to node until it must wait or ends.
func (d *Definition) advance(e *enrolment, s *surroundings) move {
	m := move{State: running, Node: e.Node, Waiting: e.Waiting}
	add := func(result, reason string) { m.Steps = append(m.Steps, step{m.Node, result, reason}) }
	end := func(state, reason string) move {
		m.State, m.Reason = state, reason
		return m
	}
	if e.ExitReason != "" {
		add(exited, e.ExitReason)
		return end(exited, e.ExitReason)
	}
	for {
		n := d.nodes[m.Node]
		if n == nil {
			return end(failed, reasonNodeMissing)
		}
		next := n.Next
		switch n.Type {
		case NodeExit:
			add(done, "")
			return end(completed, "")
		case NodeCondition:
			answer := n.If.holds(&s.facts)
			next = n.branch(answer)
			add(done, map[bool]string{true: "then", false: "else"}[answer])
		case NodeSplit:
			arm := n.chooseArm(e)
			next = n.Arms[arm].Next
			add(done, fmt.Sprintf("arm %d", arm))
		case NodeDelay, NodeWait:
			if !m.Waiting {
				due, known := n.Delay.end(s)
				if !known {
					add(skipped, reasonNoTime)
					break
				}
				if n.Type == NodeWait || due.After(s.now) {
					add(waiting, "")
					m.Waiting, m.Due = true, due
					return m
				}
			}
			m.Waiting = false
			if n.Type == NodeWait {
				next = n.branch(e.EventCame)
				add(done, map[bool]string{true: "event", false: reasonTimeout}[e.EventCame])
				e.EventCame = false
				break
			}
			add(done, "")
		case NodeWebhook, NodeEmail:
			if d.Exit != nil && d.Exit.When != nil && d.Exit.When.holds(&s.facts) {
				add(exited, reasonCondition)
				return end(exited, reasonCondition)
			}
			until, quiet := s.limits.quietUntil(s.now, s.facts.Person.TimeZone)
			switch {
			case d.Marketing && s.facts.Person.Consent != "granted":
				add(skipped, reasonNoConsent)
			case n.Type == NodeWebhook && s.disabled(n.EndpointID):
				add(skipped, reasonDisabled)
			case n.Type == NodeEmail && !mail.IsAddress(s.facts.Person.Email):
				add(skipped, reasonNoAddress)
			case n.Type == NodeEmail && s.suppressed(s.facts.Person.Email):
				add(skipped, reasonSuppressed)
			case !n.Always && s.limits.Cap > 0 && s.recent >= s.limits.Cap:
				add(skipped, reasonCap)
			case !n.Always && quiet:
				add(waiting, reasonQuiet)
				m.Due = until
				return m
			case n.Type == NodeEmail:
				m.Messages = append(m.Messages, message{Node: n.ID, Email: n.Email})
				s.recent++
				add(sent, "")
			default:
				body, fits := n.body(e, s)
				if !fits {
					add(skipped, reasonTooLarge)
					break
				}
				m.Messages = append(m.Messages, message{Node: n.ID, EndpointID: n.EndpointID, Body: body})
				s.recent++
				add(sent, "")
			}
		}
		if next == "" {
			return end(completed, "")
		}
		m.Node = next
	}
}

func (n *Node) branch(yes bool) string {
	if yes {
		return n.Then
	}
	return n.Else
}

func (n *Node) chooseArm(e *enrolment) int {
	weights := make([]int, len(n.Arms))
	for i, arm := range n.Arms {
		weights[i] = arm.Weight
	}
	return bucketing.ChooseArm(e.AutomationID.String(), n.ID, e.AppUserID, weights)
}

// body writes the message of a webhook; false when it is longer than one may be.
func (n *Node) body(e *enrolment, s *surroundings) (text []byte, fits bool) {
	data := any(map[string]any{
		"appUserId": e.AppUserID, "customUserId": s.facts.Person.CustomUserID,
		"event": map[string]any{"name": e.EventName, "properties": e.Event},
	})
	if n.Data != nil {
		if data, fits = render(n.Data, &s.facts, webhook.MaxBody); !fits {
			return nil, false
		}
	}
	text, err := json.Marshal(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      any       `json:"data"`
	}{n.MessageType, s.now.UTC().Truncate(time.Millisecond), data})
	return text, err == nil && len(text) <= webhook.MaxBody
}

// end returns when a delay that begins now is over; false when that can't be known.
func (d *Delay) end(s *surroundings) (time.Time, bool) {
	switch {
	case d.Property != nil:
		at, known := asTime(s.facts.look(*d.Property))
		// A property may name any time: nobody waits longer than a delay can be.
		return minTime(at.Add(d.Offset), s.now.Add(maxSeconds*time.Second)), known
	case d.At != nil:
		return d.nextLocal(s.now, zoneOf(s.facts.Person.TimeZone, d.Zone)), true
	}
	return s.now.Add(d.For), true
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// zoneOf returns the zone with a name, else the fallback.
func zoneOf(name string, fallback *time.Location) *time.Location {
	if name != "" {
		if zone, err := loadZone(name); err == nil {
			return zone
		}
	}
	return fallback
}

// nextLocal returns the next time at which clocks of the zone show the minute on
// one of the weekdays: now, when they do.
func (d *Delay) nextLocal(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	for day := range 9 { // a week, and the days that a change of the clock may lose
		at := time.Date(local.Year(), local.Month(), local.Day()+day, *d.At/60, *d.At%60, 0, 0, zone)
		weekday := (int(at.Weekday())+6)%7 + 1
		if !at.Before(now.Truncate(time.Minute)) && (len(d.Weekdays) == 0 || slices.Contains(d.Weekdays, weekday)) {
			return at
		}
	}
	return now
}

// Limits are what an environment asks of all its automations.
type Limits struct {
	// Cap is how many actions a person gets in CapDays; 0 is no cap.
	Cap, CapDays int
	// QuietFrom and QuietUntil are minutes of the person's day between which
	// nothing is sent; equal ones are no quiet hours.
	QuietFrom, QuietUntil int
	// Zone is that of people whose own is not known.
	Zone *time.Location
}

// quietUntil tells whether it is quiet where the person is, and until when.
func (l *Limits) quietUntil(now time.Time, zoneName string) (time.Time, bool) {
	if l.QuietFrom == l.QuietUntil {
		return time.Time{}, false
	}
	local := now.In(zoneOf(zoneName, l.Zone))
	minute := local.Hour()*60 + local.Minute()
	quiet := l.QuietFrom <= minute && minute < l.QuietUntil
	if l.QuietFrom > l.QuietUntil { // over midnight
		quiet = minute >= l.QuietFrom || minute < l.QuietUntil
	}
	if !quiet {
		return time.Time{}, false
	}
	day := local.Day()
	if minute >= l.QuietUntil {
		day++
	}
	return time.Date(
		local.Year(), local.Month(), day, l.QuietUntil/60, l.QuietUntil%60, 0, 0, local.Location(),
	), true
}
