package simulate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/simulate"
)

// plainRun is a run as texts. Version is -1 when it is not known.
type plainRun struct {
	person, platform, locale string
	version                  int
	completed                bool
	visits                   []plainVisit
	decided                  [][2]string
}

type plainVisit struct {
	step, toward, outcome string
	exit                  simulate.Exit
	answers               map[string][]string // by field; "?" is not known
}

// oracle replays one run naively: by the documents, with maps and texts, one look-up after another.
type oracle struct {
	draft    *manifest.Manifest
	versions []*manifest.Manifest
	run      *plainRun
	used     map[string]int
	said     map[string]any // by field: string, []string, float64, bool; nil is not known
	counted  map[string]bool
	asked    map[string]bool
}

// perhaps is a condition that is not known.
type perhaps struct{}

// replay notes the nodes and ways that the run comes to, and how it ends.
func (o *oracle) replay() {
	o.used, o.said, o.counted, o.asked = map[string]int{}, map[string]any{}, map[string]bool{}, map[string]bool{}
	at := o.land(o.draft.EntryID)
	for at != "" {
		at = o.land(o.leave(at))
	}
}

const (
	theEnd  = "\x00end"
	nowhere = "\x00nowhere"
)

func ended(to *string) string {
	if to == nil || *to == "__onb_surface_no_next__" {
		return theEnd
	}
	return *to
}

func (o *oracle) stop(how, at string) string {
	o.counted[how+" "+at] = true
	return nowhere
}

// land returns the step that a target leads to, "" when the run is over.
func (o *oracle) land(at string) string {
	passed := map[string]bool{}
	for {
		if at == nowhere {
			return ""
		}
		decision := find(o.draft.Decisions, func(d *manifest.Decision) bool { return d.ID == at })
		if decision == nil {
			if kindOf(o.draft, at) == "" {
				o.counted["completed"] = true
				return ""
			}
			o.counted["node "+at] = true
			return at
		}
		if passed[at] {
			o.counted["completed"] = true
			return ""
		}
		passed[at] = true
		o.counted["node "+at] = true
		at = o.decide(decision)
	}
}

func kindOf(m *manifest.Manifest, id string) string {
	switch {
	case find(m.Screens, func(s *manifest.Screen) bool { return s.ID == id }) != nil:
		return "screen"
	case find(m.Surfaces, func(s *manifest.Surface) bool { return s.ID == id }) != nil:
		return "surface"
	}
	return ""
}

func find[T any](list []*T, ok func(*T) bool) *T {
	if i := slices.IndexFunc(list, ok); i >= 0 {
		return list[i]
	}
	return nil
}

func (o *oracle) decide(d *manifest.Decision) string {
	way, to := "else "+d.ID+" ", ended(d.ElseNext)
	var open []string
	for _, c := range d.Cases {
		holds := o.holds(c.Expression)
		if holds == (perhaps{}) {
			holds = o.recalled(c.Expression)
		}
		if holds == (perhaps{}) {
			open = append(open, ended(c.Next))
		}
		if holds == true {
			way, to = "case "+c.ID+" ", ended(c.Next)
			break
		}
	}
	for _, other := range open {
		if other != to {
			return o.stop("unknown", d.ID)
		}
	}
	o.counted[way] = true
	return to
}

func (o *oracle) version() *manifest.Manifest {
	if o.run.version < 0 {
		return nil
	}
	return o.versions[o.run.version]
}

func (o *oracle) recalled(e *manifest.Expression) any {
	if o.version() == nil {
		return perhaps{}
	}
	wanted, _ := json.Marshal(e)
	for i := len(o.run.decided) - 1; i >= 0; i-- {
		decided := o.run.decided[i]
		d := find(o.version().Decisions, func(d *manifest.Decision) bool { return d.ID == decided[0] })
		if d == nil {
			continue
		}
		for _, c := range d.Cases {
			if own, _ := json.Marshal(c.Expression); string(own) == string(wanted) {
				return c.ID == decided[1]
			}
			if c.ID == decided[1] {
				break
			}
		}
	}
	return perhaps{}
}

// holds returns true, false or perhaps.
func (o *oracle) holds(e *manifest.Expression) any {
	switch e.Kind {
	case "group":
		var results []any
		for _, child := range e.Children {
			results = append(results, o.holds(child))
		}
		settled := e.Op == "or"
		switch {
		case slices.Contains(results, any(settled)):
			return settled
		case slices.Contains(results, any(perhaps{})):
			return perhaps{}
		}
		return !settled
	case "predicate":
		var left any
		switch e.Variable.Kind {
		case "builtin":
			left = o.run.platform
			if e.Variable.Name == "locale" {
				left = o.run.locale
			}
		case "sdk":
			return perhaps{}
		case "field":
			said, ok := o.said[e.Variable.FieldKey]
			if !ok {
				return false
			}
			if said == nil {
				return perhaps{}
			}
			left = said
		}
		return fits(e.Predicate, left)
	}
	return false
}

func fits(raw json.RawMessage, left any) bool {
	var p struct {
		Type string
		Pred struct {
			Op        string
			Value     any
			OptionID  string
			OptionIDs []string
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		panic(err)
	}
	text, isText := left.(string)
	num, isNumber := left.(float64)
	some, isList := left.([]string)
	switch p.Type {
	case "string":
		if isNumber {
			text, isText = strconv.FormatFloat(num, 'f', -1, 64), true
		}
		right, _ := p.Pred.Value.(string)
		return isText && map[string]bool{
			"eq": text == right, "neq": text != right, "contains": strings.Contains(text, right),
		}[p.Pred.Op]
	case "number":
		right, _ := p.Pred.Value.(float64)
		return isNumber && map[string]bool{
			"eq": num == right, "neq": num != right, "lt": num < right, "lte": num <= right, "gt": num > right,
			"gte": num >= right,
		}[p.Pred.Op]
	case "boolean":
		words := map[string]bool{"true": true, "1": true, "yes": true, "false": false, "0": false, "no": false}
		set, ok := words[strings.ToLower(strings.TrimSpace(text))]
		if isNumber {
			set, ok = num != 0, true
		}
		if b, isFlag := left.(bool); isFlag {
			set, ok = b, true
		}
		return ok && (set == p.Pred.Value) == (p.Pred.Op == "eq")
	case "choice":
		return isText && text != "" &&
			(p.Pred.Op == "eq" && text == p.Pred.OptionID || p.Pred.Op != "eq" && slices.Contains(p.Pred.OptionIDs, text))
	}
	if !isList {
		return false
	}
	met := 0
	for _, id := range p.Pred.OptionIDs {
		if slices.Contains(some, id) {
			met++
		}
	}
	switch p.Pred.Op {
	case "intersects":
		return met > 0
	case "contains_all":
		return met == len(p.Pred.OptionIDs)
	}
	for _, id := range some {
		if id != "" && !slices.Contains(p.Pred.OptionIDs, id) {
			return false
		}
	}
	return true
}

// count adds up what the oracle says of all runs.
func count(draft *manifest.Manifest, versions []*manifest.Manifest, runs []plainRun) map[string]int64 {
	total, people := map[string]int64{}, map[string]bool{}
	for i := range runs {
		o := oracle{draft: draft, versions: versions, run: &runs[i]}
		o.replay()
		for what := range o.counted {
			how, _, _ := strings.Cut(what, " ")
			total[what+" runs"]++
			if how == "left" || how == "unknown" {
				total[how]++
				continue
			}
			if person := what + " of " + runs[i].person; what != "completed" && !people[person] {
				people[person] = true
				total[what+" users"]++
			}
		}
		for layer := range o.asked {
			total["asked "+layer]++
		}
		answered := map[string]bool{}
		for _, v := range runs[i].visits {
			for field, values := range v.answers {
				for _, value := range append([]string{""}, values...) {
					answered["answered "+strings.TrimSuffix(field+" "+value, " ")] = true
				}
			}
		}
		for what := range answered {
			total[what]++
		}
	}
	return total
}

// counted writes the shares as count does, without what is zero.
func counted(s *simulate.Shares) map[string]int64 {
	total := map[string]int64{"completed runs": s.Completed, "left": s.Left, "unknown": s.Unknown}
	for _, n := range s.Nodes {
		total["node "+n.ID+" runs"], total["node "+n.ID+" users"] = n.Runs, n.Users
		total["left "+n.ID+" runs"], total["unknown "+n.ID+" runs"] = n.Left, n.Unknown
	}
	for _, w := range s.Ways {
		name := fmt.Sprintf("%s %s %s", w.Kind, w.Node, w.Key)
		total[name+" runs"], total[name+" users"] = w.Runs, w.Users
	}
	for _, q := range s.Questions {
		total["asked "+q.LayerID] = q.Asked
		total["answered "+q.FieldKey] = q.Answered
		for _, o := range q.Options {
			total["answered "+q.FieldKey+" "+o.ID] = o.Runs
		}
	}
	for what, n := range total {
		if n == 0 {
			delete(total, what)
		}
	}
	return total
}
