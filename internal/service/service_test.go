package service_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/svc-dev/svc/internal/service"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type part struct {
	name    string
	log     *[]string
	refuses error
}

func (p part) Start(context.Context) error {
	if p.refuses == nil {
		*p.log = append(*p.log, "start "+p.name)
	}
	return p.refuses
}

func (p part) Stop(context.Context) error {
	*p.log = append(*p.log, "stop "+p.name)
	return errors.New("late")
}

func TestGroupStopsInReverseOrder(t *testing.T) {
	t.Parallel()
	var log []string
	var group service.Group
	require.NoError(t, group.Start(t.Context(), "one", part{name: "one", log: &log}))
	require.NoError(t, group.Start(t.Context(), "two", part{name: "two", log: &log}))
	require.EqualError(t, group.Start(t.Context(), "three", part{log: &log, refuses: errors.New("no")}), "start three: no")
	require.NoError(t, group.Start(t.Context(), "four", service.StopFunc(part{name: "four", log: &log}.Stop)))
	err := group.Stop(t.Context())
	require.ErrorContains(t, err, "stop four: late")
	require.ErrorContains(t, err, "stop two: late")
	require.ErrorContains(t, err, "stop one: late")
	require.Equal(t, []string{"start one", "start two", "stop four", "stop two", "stop one"}, log)
	require.NoError(t, group.Stop(t.Context()), "a second time")
}

func TestLoopsEndWithStop(t *testing.T) {
	t.Parallel()
	var loops service.Loops
	var rounds atomic.Int64
	loops.Every(time.Millisecond, func(context.Context) { rounds.Add(1) })
	require.True(t, loops.Go(func(ctx context.Context) { <-ctx.Done() }))
	require.Eventually(t, func() bool { return rounds.Load() > 3 }, 5*time.Second, time.Millisecond)
	require.NoError(t, loops.Stop(t.Context()))
	after := rounds.Load()
	require.False(t, loops.Go(func(context.Context) { rounds.Add(1000) }))
	require.NoError(t, loops.Stop(t.Context()), "a second time")
	require.Equal(t, after, rounds.Load())
}

func TestStopSaysWhatGoesOn(t *testing.T) {
	t.Parallel()
	var loops service.Loops
	release := make(chan struct{})
	loops.Go(func(context.Context) { <-release })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, loops.Stop(ctx), "background work goes on")
	close(release)
	require.NoError(t, loops.Stop(t.Context()))
}
