package oracle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// Bits of a step besides the steps that it meets.
const (
	excluded = 1 << 14
	named    = 1 << 15
)

// step is a hit that matters to a funnel.
type step struct {
	at      int64
	bits    int
	class   int    // 1 of runs and charges
	key     string // of the session
	place   int    // in it
	session *session
}

// attempt is what became of a unit.
type attempt struct {
	visitor string
	session *session // in which it began
	times   []int64
	open    bool
	next    *Hit
}

func conditions(f analytics.Funnel) []analytics.GoalCondition {
	var all []analytics.GoalCondition
	for _, s := range f.Steps {
		all = append(all, *s.Condition)
	}
	return append(all, f.Exclusions...)
}

func bitsOf(f analytics.Funnel, meets func(analytics.GoalCondition) bool) (bits int) {
	for i, c := range conditions(f) {
		switch {
		case !meets(c):
		case i < len(f.Steps):
			bits |= 1 << i
		default:
			bits |= excluded
		}
	}
	return bits
}

// namesKind tells whether a step of a strict funnel names hits that are like c: "purchase" or the kind of an event.
func namesKind(f analytics.Funnel, kind string) bool {
	for _, s := range f.Steps {
		of := ""
		switch c := s.Condition; {
		case c.Event != nil:
			of = frame.KindOf(c.Event.Name).String()
		case c.Page != nil:
			of = "page_view"
		case c.Screen != nil:
			of = "screen_view"
		case c.Purchase != nil:
			of = "purchase"
		}
		if of == kind {
			return f.Order == analytics.FunnelStrict
		}
	}
	return false
}

// steps returns all that matters to a funnel of a visitor, in order.
func (s *Selection) steps(f analytics.Funnel, visitor string) []step {
	var list []step
	add := func(x step, kind string) {
		if x.bits == 0 && namesKind(f, kind) {
			x.bits = named
		}
		if x.bits != 0 && x.at >= s.start && x.at < s.end {
			list = append(list, x)
		}
	}
	for _, x := range s.inRange {
		if x.visitor != visitor {
			continue
		}
		for i, h := range x.hits {
			bits := bitsOf(f, func(c analytics.GoalCondition) bool { return meets(c, h) })
			add(step{at: h.At, bits: bits, key: x.key(), place: i, session: x}, frame.KindOf(h.Name).String())
		}
	}
	var flows []analytics.GoalFlow
	for _, c := range conditions(f) {
		if c.Flow != nil && !slices.Contains(flows, *c.Flow) {
			flows = append(flows, *c.Flow)
		}
	}
	for _, r := range s.o.runs {
		for _, flow := range flows {
			at, met := r.meets(&flow)
			if r.Visitor != visitor || r.Flow != flow.FlowID.String() || !met {
				continue
			}
			bits := bitsOf(f, func(c analytics.GoalCondition) bool { return c.Flow != nil && *c.Flow == flow })
			add(step{at: at, bits: bits, class: 1, session: s.sessionAt(visitor, at)}, "run")
		}
	}
	for _, p := range s.o.purchases {
		if p.Visitor != visitor || p.Kind == frame.Refund {
			continue
		}
		bits := bitsOf(f, func(c analytics.GoalCondition) bool { return c.Purchase != nil && bought(c.Purchase, p) })
		add(step{at: p.At, bits: bits, class: 1, session: s.sessionAt(visitor, p.At)}, "purchase")
	}
	slices.SortFunc(list, func(a, b step) int {
		if c := cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.class, b.class)); c != 0 || a.class == 1 {
			return cmp.Or(c, cmp.Compare(a.bits, b.bits))
		}
		return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
	return list
}

// attempts returns the attempt of every unit that counts.
func (s *Selection) attempts(f analytics.Funnel) []attempt {
	window := f.Window()
	end := time.UnixMilli(s.end).Add(window)
	wide := s.o.Select(analytics.Scope{Location: s.scope.Location, Start: time.UnixMilli(s.start), End: end})
	var out []attempt
	seen := map[string]bool{}
	for _, x := range s.sessions {
		list := wide.steps(f, x.visitor)
		if f.By == analytics.FunnelBySession {
			list = slices.DeleteFunc(list, func(y step) bool { return y.session != x })
		} else if seen[x.visitor] {
			continue
		}
		seen[x.visitor] = true
		var best *attempt
		for i := range list {
			began := list[i].session
			if list[i].bits&1 == 0 || list[i].at < s.start || list[i].at >= s.end || !slices.Contains(s.sessions, began) {
				continue
			}
			a, last, ended := try(f, list, i)
			if best != nil && len(a.times) <= len(best.times) {
				continue
			}
			best = &a
			over := a.times[0] + window.Milliseconds()
			a.open = !ended && len(a.times) < len(f.Steps) && s.o.now.UnixMilli() <= over
			sessions := wide.inRange
			if f.By == analytics.FunnelBySession {
				a.open = a.open && s.o.now.UnixMilli()-x.end <= 30*60*1000
				sessions = []*session{x}
			}
			a.next = next(list[last], x.visitor, sessions, over)
		}
		if best != nil {
			out = append(out, *best)
		}
	}
	return out
}

// try follows an attempt that begins at a step.
func try(f analytics.Funnel, list []step, from int) (a attempt, last int, ended bool) {
	a = attempt{visitor: list[from].session.visitor, session: list[from].session, times: []int64{list[from].at}}
	last = from
	for i := from + 1; i < len(list) && len(a.times) < len(f.Steps); i++ {
		if list[i].at > a.times[0]+f.Window().Milliseconds() {
			break
		}
		if list[i].bits&(1<<len(a.times)) != 0 {
			a.times, last = append(a.times, list[i].at), i
		} else if f.Order == analytics.FunnelStrict || list[i].bits&excluded != 0 {
			return a, last, true
		}
	}
	return a, last, false
}

// next returns the first view or custom event of a visitor after a step.
func next(last step, visitor string, sessions []*session, over int64) *Hit {
	var found *Hit
	var place string
	for _, x := range sessions {
		if x.visitor != visitor {
			continue
		}
		for i, h := range x.hits {
			if !isView(h) && !isCustom(h) || h.At > over || h.At < last.at {
				continue
			}
			if h.At == last.at && (last.class == 1 || x.key() < last.key || x.key() == last.key && i <= last.place) {
				continue
			}
			if found == nil || h.At < found.At || h.At == found.At && x.key() < place {
				found, place = &h, x.key()
			}
		}
	}
	return found
}

func secondsAt(times []int64, percent int) *float64 {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	rank := 0
	for rank*100 < percent*len(times) {
		rank++
	}
	seconds := float64(times[rank-1]) / 1000
	return &seconds
}

// Funnel returns how far visitors came through a funnel.
func (s *Selection) Funnel(f analytics.Funnel) *report.Funnel {
	attempts := s.attempts(f)
	figures := funnelFigures(f, attempts)
	out := &report.Funnel{Entered: figures.Entered, Converted: figures.Converted, Open: figures.Open, Rate: figures.Rate}
	var whole []int64
	for i, of := range f.Steps {
		var took []int64
		row := report.FunnelStep{Name: of.Name, Next: []report.FunnelNext{}}
		nexts := map[report.FunnelNext]int64{}
		before := int64(0)
		for _, a := range attempts {
			if len(a.times) >= i {
				before++
			}
			if len(a.times) <= i {
				continue
			}
			row.Entered++
			if i > 0 {
				took = append(took, a.times[i]-a.times[i-1])
			}
			switch {
			case len(a.times) > i+1:
			case i+1 == len(f.Steps):
				whole = append(whole, a.times[i]-a.times[0])
			case a.open:
				row.Open++
			case a.next == nil:
				row.Dropped++
				row.NothingNext++
			default:
				row.Dropped++
				nexts[nextOf(a.next)]++
			}
		}
		row.FromFirst = divide(row.Entered, figures.Entered)
		if i > 0 {
			row.FromPrevious = divide(row.Entered, before)
		}
		row.MedianSeconds, row.P90Seconds = secondsAt(took, 50), secondsAt(took, 90)
		for hit, count := range nexts {
			hit.Count = count
			row.Next = append(row.Next, hit)
		}
		slices.SortFunc(row.Next, func(a, b report.FunnelNext) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
		row.Next = row.Next[:min(5, len(row.Next))]
		out.Steps = append(out.Steps, row)
	}
	out.MedianSeconds, out.P90Seconds = secondsAt(whole, 50), secondsAt(whole, 90)
	return out
}

func nextOf(h *Hit) report.FunnelNext {
	switch h.Name {
	case "page_view":
		return report.FunnelNext{Kind: report.FunnelNextPage, Name: h.Page}
	case "screen_view":
		return report.FunnelNext{Kind: report.FunnelNextScreen, Name: h.Page}
	}
	return report.FunnelNext{Kind: report.FunnelNextEvent, Name: h.Name}
}

func funnelFigures(f analytics.Funnel, attempts []attempt) report.FunnelFigures {
	figures := report.FunnelFigures{Entered: int64(len(attempts))}
	for _, a := range attempts {
		if len(a.times) == len(f.Steps) {
			figures.Converted++
		}
		if a.open {
			figures.Open++
		}
	}
	figures.Rate = divide(figures.Converted, figures.Entered)
	return figures
}

// FunnelSeries returns a funnel by when it began.
func (s *Selection) FunnelSeries(f analytics.Funnel, grain analytics.Grain) []report.FunnelPoint {
	out := []report.FunnelPoint{}
	attempts := s.attempts(f)
	for _, b := range s.buckets(grain) {
		in := slices.DeleteFunc(slices.Clone(attempts), func(a attempt) bool { return !b.in(a.times[0]) })
		out = append(out, report.FunnelPoint{Bucket: b.label, FunnelFigures: funnelFigures(f, in)})
	}
	return out
}

// FunnelBreakdown returns a funnel by a dimension of the sessions in which it began.
func (s *Selection) FunnelBreakdown(f analytics.Funnel, d analytics.Dimension) *report.FunnelBreakdown {
	parts := map[report.Row][]attempt{}
	for _, a := range s.attempts(f) {
		if a.session.channel == channel.LeftOut && (d == analytics.AcquisitionChannel || d == analytics.Referrer) {
			continue
		}
		row := report.Row{Value: value(a.session, d)}
		if d == analytics.Region || d == analytics.City {
			row.Country = a.session.place.Country
		}
		if d == analytics.City {
			row.Region = a.session.place.Region
		}
		parts[row] = append(parts[row], a)
	}
	row := func(of report.Row, attempts []attempt) report.FunnelRow {
		out := report.FunnelRow{
			Value: of.Value, Country: of.Country, Region: of.Region, FunnelFigures: funnelFigures(f, attempts),
		}
		for i := range f.Steps {
			n := int64(0)
			for _, a := range attempts {
				if len(a.times) > i {
					n++
				}
			}
			out.Steps = append(out.Steps, n)
		}
		return out
	}
	out := &report.FunnelBreakdown{Rows: []report.FunnelRow{}}
	for of, attempts := range parts {
		out.Rows = append(out.Rows, row(of, attempts))
	}
	slices.SortFunc(out.Rows, func(a, b report.FunnelRow) int {
		return cmp.Or(cmp.Compare(b.Entered, a.Entered), strings.Compare(a.Value, b.Value),
			strings.Compare(a.Country, b.Country), strings.Compare(a.Region, b.Region))
	})
	if len(out.Rows) > 20 {
		var rest []attempt
		for _, r := range out.Rows[20:] {
			rest = append(rest, parts[report.Row{Value: r.Value, Country: r.Country, Region: r.Region}]...)
		}
		other := row(report.Row{}, rest)
		out.Rows, out.Other = out.Rows[:20], &other
	}
	return out
}

// FunnelVisitors returns who dropped out at a step, counted from one; with open, who may yet go on.
func (s *Selection) FunnelVisitors(f analytics.Funnel, at int, open bool) []string {
	found := []string{}
	for _, a := range s.attempts(f) {
		if len(a.times) == at && a.open == open && at < len(f.Steps) && !slices.Contains(found, a.visitor) {
			found = append(found, a.visitor)
		}
	}
	slices.Sort(found)
	return found
}
