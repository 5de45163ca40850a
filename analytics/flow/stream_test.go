package flow

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// counted is a source of one portion that counts its readings, and fails when it is told to.
type counted struct {
	data     *frame.Dataset
	err      error
	readings int
}

func (c *counted) View() *frame.View { return c.data.View(math.MinInt32, math.MaxInt32) }

func (c *counted) Each(_ context.Context, visit func(*frame.View) error) error {
	c.readings++
	if c.err != nil {
		return c.err
	}
	return visit(c.View())
}

func TestReportsOfARequestShareAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &counted{data: synthetic(300)}
		scope := Scope{Flow: benchFlow, Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd}
		s, err := NewEngine(DefaultTuning(), nil).Stream(source, scope, benchEnd)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				points, err := s.Timeseries(t.Context(), analytics.Day)
				require.NoError(t, err)
				require.Len(t, points, benchDays)
			})
			wg.Go(func() {
				f, err := s.Funnel(t.Context(), []Graph{benchGraph})
				require.NoError(t, err)
				require.Equal(t, int64(300), f.Runs)
			})
			wg.Go(func() {
				cohorts, err := s.Cohorts(t.Context(), analytics.Country, "", report.Page{})
				require.NoError(t, err)
				require.NotEmpty(t, cohorts.Rows)
			})
		}
		wg.Wait()
		require.Equal(t, 1, source.readings)
		_, err = s.Overview(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, source.readings, "the period before is read with the range")
	})
}

func TestReportsOfAStreamEndWithTheirErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &counted{data: frame.NewDataset(), err: errors.New("no database")}
		s, err := NewEngine(DefaultTuning(), nil).Stream(source, Scope{}, benchEnd)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				_, err := s.Funnel(t.Context(), nil)
				require.ErrorIs(t, err, source.err)
			})
		}
		wg.Wait()
		require.Equal(t, 1, source.readings)

		ended, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err = s.Funnel(ended, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
