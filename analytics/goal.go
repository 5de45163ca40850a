package analytics

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Bounds on the goals of one app.
const (
	MaxGoals    = 100
	MaxGoalName = 100 // characters

	maxGoalText     = 2048 // characters of a name, path or step
	maxGoalProducts = 100
	maxGoalUSD      = 1e9
)

// Goal is a condition under a name. Reports count it over what is stored, so that another condition changes history.
type Goal struct {
	ID        uuid.UUID
	Name      string
	Condition GoalCondition
}

// GoalCondition says which hits meet a goal. Exactly one member is set; the texts of its enums are those of GraphQL, so
// that it is stored as it is asked.
type GoalCondition struct {
	Event    *GoalEvent    `json:"event,omitempty"`
	Page     *GoalView     `json:"page,omitempty"`
	Screen   *GoalView     `json:"screen,omitempty"`
	Flow     *GoalFlow     `json:"flow,omitempty"`
	Purchase *GoalPurchase `json:"purchase,omitempty"`
}

// GoalEvent is met by events of a name, a built-in one too.
type GoalEvent struct {
	Name string `json:"name"`
}

// GoalOperator compares the name of a page or a screen.
type GoalOperator string

// The operators of pages and screens.
const (
	GoalIs       GoalOperator = "IS"       // * stands for any text within a segment of a path, ** across segments
	GoalContains GoalOperator = "CONTAINS" // every character as itself
)

// GoalView is met by views of pages, or of screens, with such a name.
type GoalView struct {
	Op   GoalOperator `json:"op"`
	Name string       `json:"name"`
}

// Matcher returns a function that tells whether the name of a page or a screen is what the condition describes. It
// takes a moment for every 64 bytes of the pattern and byte of the name, whatever both are: members write patterns, and
// strangers make up names. It belongs to one goroutine.
func (v *GoalView) Matcher() func(name string) bool {
	if v.Op == GoalContains {
		return func(name string) bool { return strings.Contains(name, v.Name) }
	}
	if !strings.Contains(v.Name, "*") {
		return func(name string) bool { return name == v.Name }
	}
	return newPath(v.Name).match
}

// path is a pattern with wildcards. Bit i of a row of words stands for the i-th token, a byte or a wildcard, and the
// bit behind the last for the end: those that may be next, so far as a name is read, are kept all at once.
type path struct {
	bytes  [256][]uint64 // tokens that are a byte; nil of one that none is
	within []uint64      // tokens that are *, and
	any    []uint64      // those that are either wildcard
	end    int
	next   []uint64
}

func newPath(pattern string) *path {
	words := len(pattern)/64 + 1
	p := &path{within: make([]uint64, words), any: make([]uint64, words), next: make([]uint64, words)}
	for pattern != "" {
		rest := strings.TrimLeft(pattern, "*")
		of, bit := p.end/64, uint64(1)<<(p.end%64)
		switch len(pattern) - len(rest) {
		case 0:
			if p.bytes[pattern[0]] == nil {
				p.bytes[pattern[0]] = make([]uint64, words)
			}
			p.bytes[pattern[0]][of] |= bit
			rest = pattern[1:]
		case 1:
			p.within[of] |= bit
			fallthrough
		default: // more than two are no more than two
			p.any[of] |= bit
		}
		pattern = rest
		p.end++
	}
	return p
}

func (p *path) match(name string) bool {
	clear(p.next)
	p.next[0] = 1
	p.skip()
	for i := range len(name) {
		if !p.read(name[i]) {
			return false
		}
		p.skip()
	}
	return p.next[p.end/64]>>(p.end%64)&1 != 0
}

// read takes a byte of the name: wildcards stay, and a token that is the byte makes way for the one behind it. It
// reports whether any is left.
func (p *path) read(c byte) (left bool) {
	tokens, carry := p.bytes[c], uint64(0)
	for w, next := range p.next {
		stay := next & p.any[w]
		if c == '/' {
			stay &^= p.within[w]
		}
		var met uint64
		if tokens != nil {
			met = next & tokens[w]
		}
		p.next[w] = stay | met<<1 | carry
		carry = met >> 63
		left = left || p.next[w] != 0
	}
	return left
}

// skip lets wildcards stand for nothing. No two of them follow each other.
func (p *path) skip() {
	carry := uint64(0)
	for w, next := range p.next {
		empty := next & p.any[w]
		p.next[w] = next | empty<<1 | carry
		carry = empty >> 63
	}
}

// GoalFlowOutcome is what a run has to come to.
type GoalFlowOutcome string

// What goals of flows ask of a run.
const (
	GoalStarted     GoalFlowOutcome = "STARTED"
	GoalCompleted   GoalFlowOutcome = "COMPLETED"
	GoalStepReached GoalFlowOutcome = "STEP_REACHED"
)

// GoalFlow is met by a run of a flow once: when it starts, is completed for the first time, or first shows a step.
type GoalFlow struct {
	FlowID  uuid.UUID       `json:"flowId"`
	Outcome GoalFlowOutcome `json:"outcome"`
	Step    string          `json:"step,omitempty"` // id, with STEP_REACHED
}

// GoalPurchase is met by first charges and renewals of which all that is set holds. Amounts are those of the ledger, in
// US dollars, without their sign.
type GoalPurchase struct {
	Products []string `json:"products,omitempty"` // none is any
	Provider string   `json:"provider,omitempty"` // in the spelling of GraphQL; empty is any
	MinUSD   *float64 `json:"minUsd,omitempty"`
	MaxUSD   *float64 `json:"maxUsd,omitempty"` // included
}

// Validate checks a condition; field is the path that errors name.
func (c *GoalCondition) Validate(field string) error {
	set := 0
	for _, given := range []bool{c.Event != nil, c.Page != nil, c.Screen != nil, c.Flow != nil, c.Purchase != nil} {
		if given {
			set++
		}
	}
	if set != 1 {
		return Invalid(field, "needs exactly one of event, page, screen, flow and purchase")
	}
	switch {
	case c.Event != nil:
		return goalText(field+".event.name", c.Event.Name)
	case c.Page != nil:
		return c.Page.validate(field + ".page")
	case c.Screen != nil:
		return c.Screen.validate(field + ".screen")
	case c.Flow != nil:
		return c.Flow.validate(field + ".flow")
	}
	return c.Purchase.validate(field + ".purchase")
}

func goalText(field, text string) error {
	switch {
	case text == "":
		return Invalid(field, "must not be empty")
	case utf8.RuneCountInString(text) > maxGoalText:
		return Invalid(field, "must have at most %d characters", maxGoalText)
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return Invalid(field, "must be text")
	}
	return nil
}

func (v *GoalView) validate(field string) error {
	if v.Op != GoalIs && v.Op != GoalContains {
		return Invalid(field+".op", "unknown operator %q: use IS or CONTAINS", v.Op)
	}
	return goalText(field+".name", v.Name)
}

func (f *GoalFlow) validate(field string) error {
	switch f.Outcome {
	case GoalStarted, GoalCompleted:
		if f.Step != "" {
			return Invalid(field+".step", "goes with STEP_REACHED only")
		}
		return nil
	case GoalStepReached:
		return goalText(field+".step", f.Step)
	}
	return Invalid(field+".outcome", "unknown outcome %q: use STARTED, COMPLETED or STEP_REACHED", f.Outcome)
}

func (p *GoalPurchase) validate(field string) error {
	if len(p.Products) > maxGoalProducts {
		return Invalid(field+".products", "must have at most %d entries", maxGoalProducts)
	}
	for _, product := range p.Products {
		if err := goalText(field+".products", product); err != nil {
			return err
		}
	}
	if _, ok := ParseProvider(strings.ToLower(p.Provider)); p.Provider != "" && !ok {
		return Invalid(field+".provider", "unknown provider %q: use REVENUECAT, SUPERWALL or STRIPE", p.Provider)
	}
	for _, bound := range []struct {
		field string
		usd   *float64
	}{{".minUsd", p.MinUSD}, {".maxUsd", p.MaxUSD}} {
		if bound.usd != nil && !(*bound.usd >= 0 && *bound.usd <= maxGoalUSD) {
			return Invalid(field+bound.field, "must be between 0 and %d", int64(maxGoalUSD))
		}
	}
	if p.MinUSD != nil && p.MaxUSD != nil && *p.MinUSD > *p.MaxUSD {
		return Invalid(field+".maxUsd", "is less than minUsd")
	}
	return nil
}

// Micros returns the range of amounts in micro-USD, both ends included.
func (p *GoalPurchase) Micros() (least, most int64) {
	most = math.MaxInt64
	if p.MinUSD != nil {
		least = int64(math.Round(*p.MinUSD * 1e6))
	}
	if p.MaxUSD != nil {
		most = int64(math.Round(*p.MaxUSD * 1e6))
	}
	return least, most
}

// HasFlowGoal tells whether one of the goals is met by runs of flows.
func HasFlowGoal(goals []Goal) bool {
	for i := range goals {
		if goals[i].Condition.Flow != nil {
			return true
		}
	}
	return false
}
