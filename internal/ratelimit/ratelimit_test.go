package ratelimit

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

// allowed asks so many times and returns how often the answer was yes.
func allowed(l *Limiter, key string, times int) (n int) {
	for range times {
		if l.Allow(key) {
			n++
		}
	}
	return n
}

func TestAMinuteSlides(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1_700_000_000, 0)}
	l := newAt(100, c.now)
	require.Equal(t, 100, allowed(l, "a", 150))
	require.Equal(t, 100, allowed(l, "b", 150), "keys have limits of their own")
	c.advance(59 * time.Second)
	require.Zero(t, allowed(l, "a", 10))
	c.advance(time.Second + 15*time.Second)
	require.Equal(t, 25, allowed(l, "a", 150), "a quarter of the minute before has passed")
	c.advance(45 * time.Second)
	require.Equal(t, 75, allowed(l, "a", 150), "25 were in the minute before")
	c.advance(2 * time.Minute)
	require.Equal(t, 100, allowed(l, "a", 150))
	c.advance(time.Hour)
	require.Equal(t, 100, allowed(l, "a", 150))

	require.Nil(t, New(0))
	require.True(t, New(-1).Allow("a"))
	require.Empty(t, New(0).Near(10))
	New(0).Heard([]Rate{{1, 1}}, 2)
}

func TestServersShareALimit(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1_700_000_000, 0)}
	one, other := newAt(100, c.now), newAt(100, c.now)
	exchange := func() {
		toOne, toOther := other.Near(10), one.Near(10)
		one.Heard(toOne, 2)
		other.Heard(toOther, 2)
	}
	exchange()
	require.Equal(t, 60, allowed(one, "a", 60))
	exchange()
	require.Equal(t, 40, allowed(other, "a", 100))
	exchange()
	require.Zero(t, allowed(one, "a", 100))
	require.Equal(t, 100, allowed(one, "b", 150))
	c.advance(90 * time.Second)
	exchange()
	require.Equal(t, 50, allowed(one, "a", 100), "30 of the one and 20 of the other are still in the minute")
	one.Heard(nil, 1)
	require.Equal(t, 20, allowed(one, "a", 100), "the other is gone and its share is free")
	one.Heard([]Rate{{other.Near(1)[0].Key, 1 << 40}, {other.Near(1)[0].Key, 1 << 40}}, 2)
	require.Zero(t, allowed(one, "a", 100))
}

func TestOthersAreToldOfKeysNearTheLimitOnly(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1_700_000_000, 0)}
	l := newAt(1000, c.now)
	for i := range 20_000 {
		allowed(l, fmt.Sprint("few ", i), 3)
	}
	for i := range 9 {
		allowed(l, fmt.Sprint("many ", i), 100*i+150)
	}
	require.Len(t, l.Near(100), 9)
	rates := l.Near(4)
	require.Len(t, rates, 4)
	require.Equal(t, []int{950, 850, 750, 650}, []int{rates[0].N, rates[1].N, rates[2].N, rates[3].N})
	c.advance(90 * time.Second)
	require.Len(t, l.Near(100), 4, "who was left out and sends no more stays so")
	for i := range 9 {
		l.Allow(fmt.Sprint("many ", i))
	}
	require.Len(t, l.Near(100), 9-1, "76 are no tenth of the limit")
	c.advance(time.Hour)
	require.Empty(t, l.Near(100))
	require.Empty(t, l.near)

	l.Heard(nil, 10)
	l.Near(1)
	allowed(l, "tenth", 11)
	require.Len(t, l.Near(100), 1, "ten servers tell of a hundredth")

	l.Heard(nil, 1000)
	l.Near(1)
	for i := range 2 * maxNear {
		allowed(l, fmt.Sprint("stranger ", i), 2)
	}
	require.Len(t, l.near, maxNear)
	require.Len(t, l.Near(100), 100)
	require.Len(t, l.near, 100)
	allowed(l, "most", 5)
	rates = l.Near(100)
	require.Equal(t, 11, rates[0].N)
	require.Equal(t, 5, rates[1].N, "strangers with few requests hide nobody")
}

func TestStrangersWithManyAddressesTakeLittleMemory(t *testing.T) {
	t.Parallel()
	c := &clock{time.Unix(1_700_000_000, 0)}
	l := newAt(100, c.now)
	passed := 0
	for i := range 3 * maxKeys {
		require.True(t, l.Allow(strconv.Itoa(i)))
		if i%1000 == 0 {
			passed += allowed(l, "busy", 1)
		}
	}
	require.Len(t, l.current, maxKeys)
	require.Equal(t, 100, passed, "who sends much is not forgotten for those who send little")
	c.advance(Window)
	l.Allow("another")
	require.Len(t, l.previous, maxKeys)
	require.Len(t, l.current, 1)
}

func BenchmarkAllow(b *testing.B) {
	l := New(1 << 40)
	l.Heard([]Rate{{1, 5}, {2, 7}}, 2)
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("192.0.2.", i)
	}
	for i := 0; b.Loop(); i++ {
		l.Allow(keys[i%len(keys)])
	}
}
