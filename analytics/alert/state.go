package alert

import (
	"time"
)

// State is where an alert stands. The zero value is that of a new one.
type State struct {
	// Judged is the end of the last hour or day that was judged.
	Judged time.Time `json:"judged,omitzero"`
	// Recent says which of the last Of values that could be judged were out of bounds, newest last.
	Recent []bool `json:"recent,omitempty"`
	// Clear is how many in a row were within bounds since, at most as many as it takes to resolve.
	Clear  int        `json:"clear,omitempty"`
	Firing bool       `json:"firing,omitempty"`
	Since  *time.Time `json:"since,omitempty"` // when it last fired or resolved; nil when it never did
	// Told is whether members were last told that it fires, and Tellings how often it was.
	Told     bool `json:"told,omitempty"`
	Tellings int  `json:"tellings,omitempty"`
	// Value, Low and High are those of the last judgement.
	Value *float64 `json:"value,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

// Step takes the judgement of the next hour or day, which ended at end. An alert fires when enough of the last values
// are out of bounds. It resolves after three times as many in a row within bounds as it looks at, so that a value that
// goes to and fro does not make it flap.
func (s State) Step(r *Rule, j Judgement, end time.Time) State {
	s.Judged, s.Value, s.Low, s.High = end, j.Value, j.Low, j.High
	if !j.Judged {
		return s
	}
	recent := append(append([]bool{}, s.Recent...), j.Breach)
	s.Recent = recent[max(0, len(recent)-r.Of):]
	s.Clear = min(s.Clear+1, r.calm())
	if j.Breach {
		s.Clear = 0
	}
	breaches := 0
	for _, breach := range s.Recent {
		if breach {
			breaches++
		}
	}
	switch {
	case !s.Firing && breaches >= r.Breaches:
		s.Firing, s.Since = true, &end
	case s.Firing && s.Clear >= r.calm():
		s.Firing, s.Since = false, &end
	}
	return s
}

// calm is how many values in a row within bounds make the alert resolve.
func (r *Rule) calm() int { return 3 * r.Of }

// StepSilence takes when the last event came that is known at now. It came in the minute that starts at last; zero is
// none within the time that the rule looks at, which changes nothing: nothing arrived before either. The alert resolves
// with the next event.
func (s State) StepSilence(r *Rule, last, now time.Time) State {
	s.Judged = now
	if last.IsZero() {
		return s
	}
	silent := now.Sub(last.Add(time.Minute)) >= time.Duration(r.Condition.Silent.Minutes)*time.Minute
	if silent != s.Firing {
		s.Firing, s.Since = silent, &now
	}
	return s
}

// Tell returns what members are to be told at now: that the alert fires, or that it resolved. In quiet hours they are
// told nothing; what was over until their end they are never told.
func (s State) Tell(r *Rule, now time.Time) (State, bool) {
	if s.Told == s.Firing || r.IsQuiet(now) {
		return s, false
	}
	s.Told = s.Firing
	s.Tellings++
	return s, true
}

// Firing is a time in which an alert fired; End is nil while it does.
type Firing struct {
	Start time.Time
	End   *time.Time
}

// Replay returns when an alert would have fired over hours or days that follow each other.
func (r *Rule) Replay(judgements []Judgement, end func(start time.Time) time.Time) (firings []Firing) {
	var s State
	for _, j := range judgements {
		was := s.Firing
		s = s.Step(r, j, end(j.Start))
		firings = note(firings, was, s)
	}
	return firings
}

// ReplaySilence returns when an alert of silence would have fired over minutes that follow each other from start on, of
// which active tells in which an event came. Silence counts from the first event on.
func (r *Rule) ReplaySilence(start time.Time, active []bool) (firings []Firing) {
	var s State
	var last time.Time
	for i, came := range active {
		at := start.Add(time.Duration(i) * time.Minute)
		if came {
			last = at
		}
		if last.IsZero() {
			continue
		}
		was := s.Firing
		s = s.StepSilence(r, last, at.Add(time.Minute))
		firings = note(firings, was, s)
	}
	return firings
}

func note(firings []Firing, was bool, s State) []Firing {
	switch {
	case s.Firing && !was:
		return append(firings, Firing{Start: *s.Since})
	case was && !s.Firing:
		firings[len(firings)-1].End = s.Since
	}
	return firings
}
