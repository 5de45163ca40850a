package flow

import (
	"context"
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// stream reads the portions of a source for all selections of a request.
type stream struct {
	source   report.Source
	shareFor time.Duration

	turn chan struct{} // of one place, taken while reading

	mu      sync.Mutex
	waiting []*passenger
}

// passenger is a tally that waits for portions. Who has the turn may write to it.
type passenger struct {
	visit func(view *frame.View) error
	done  bool
	err   error
}

func newStream(source report.Source, shareFor time.Duration) *stream {
	return &stream{source: source, shareFor: shareFor, turn: make(chan struct{}, 1)}
}

// read calls visit with every portion. Reports that ask at about the same time share a reading, which the context of
// the first of them ends: they belong to one request.
func (st *stream) read(ctx context.Context, visit func(view *frame.View) error) error {
	mine := &passenger{visit: visit}
	st.mu.Lock()
	st.waiting = append(st.waiting, mine)
	st.mu.Unlock()
	select {
	case st.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-st.turn }()
	if mine.done {
		return mine.err
	}
	share := time.NewTimer(st.shareFor)
	defer share.Stop()
	select {
	case <-share.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	st.mu.Lock()
	passengers := st.waiting
	st.waiting = nil
	st.mu.Unlock()
	err := st.source.Each(ctx, func(view *frame.View) error {
		for _, p := range passengers {
			if err := p.visit(view); err != nil {
				return err
			}
		}
		return nil
	})
	for _, p := range passengers {
		p.done, p.err = true, err
	}
	return err
}
