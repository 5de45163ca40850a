package report

import "github.com/svc-dev/svc/analytics/frame"

// seenTimes tells when visitors were seen first, who are asked for in their order.
type seenTimes struct {
	view   *frame.View
	latest uint32
}

func (s *Selection) seenTimes() seenTimes { return seenTimes{s.view, skip} }

func (t *seenTimes) of(visitor uint32) int64 {
	t.bring(visitor)
	return t.view.FirstSeen(visitor)
}

// from returns the times of a visitor and of some who follow.
func (t *seenTimes) from(visitor uint32) []int64 {
	t.bring(visitor)
	return t.view.FirstSeenFrom(visitor)
}

func (t *seenTimes) bring(visitor uint32) {
	if t.latest>>frame.SeenShift != visitor>>frame.SeenShift {
		t.view.SeenAhead(visitor)
	}
	t.latest = visitor
}

// firstTouches tells what else is known of how they came. Few reports ask for it.
type firstTouches struct {
	view   *frame.View
	latest uint32
}

func (s *Selection) firstTouches() firstTouches { return firstTouches{s.view, skip} }

func (t *firstTouches) of(visitor uint32) *frame.CodedTouch {
	if t.latest>>frame.SeenShift != visitor>>frame.SeenShift {
		if t.latest != skip {
			t.view.TouchesBehind(t.latest)
		}
		t.view.TouchesAhead(visitor)
	}
	t.latest = visitor
	return t.view.Touch(visitor)
}
