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

// Matches tells whether the name of a page or a screen is what the condition describes.
func (v *GoalView) Matches(name string) bool {
	if v.Op == GoalContains {
		return strings.Contains(name, v.Name)
	}
	return matchPath(v.Name, name)
}

// matchPath matches a name with a pattern. Only the latest two wildcards, one of each kind, have to be tried again:
// what was matched before them can stay as short as it was. Where the first * behind a ** has failed, it fails from
// every later place of that segment too: the names that strangers make up cost their length, not its square.
func matchPath(pattern, name string) bool {
	p, n := 0, 0
	within, withinAt := -1, 0 // behind the latest *, and up to where it reaches
	across, acrossAt := -1, 0 // the same of **
	first, firstAt := -1, 0   // behind the first * since then, and where that began
	failed, failedTo := -1, 0 // where the first * failed: up to the end of that segment
	for {
		switch {
		case strings.HasPrefix(pattern[p:], "**"):
			p += len(pattern[p:]) - len(strings.TrimLeft(pattern[p:], "*"))
			across, acrossAt, within, first, failed = p, n, -1, -1, -1
			continue
		case strings.HasPrefix(pattern[p:], "*") && (first >= 0 || n > failedTo || failed < 0):
			p++
			within, withinAt = p, n
			if first < 0 {
				first, firstAt = p, n
			}
			continue
		case n == len(name) && p == len(pattern):
			return true
		case n < len(name) && p < len(pattern) && pattern[p] == name[n] && pattern[p] != '*':
			p, n = p+1, n+1
			continue
		}
		switch {
		case within >= 0 && withinAt < len(name) && name[withinAt] != '/':
			withinAt++
			p, n = within, withinAt
		case across >= 0 && acrossAt < len(name):
			if first >= 0 {
				failed, failedTo = first, firstAt+len(segment(name[firstAt:]))
			}
			acrossAt++
			p, n, within, first = across, acrossAt, -1, -1
		default:
			return false
		}
	}
}

// segment is what stands before the next slash.
func segment(path string) string {
	before, _, _ := strings.Cut(path, "/")
	return before
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
