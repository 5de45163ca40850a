// Package ratelimit counts requests of keys in a sliding minute. The servers of one database may tell each other of
// keys that come near their limit, so that a limit is one for all of them (package peers does so).
package ratelimit

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
)

// Window is the time in which requests are counted.
const Window = time.Minute

const (
	// worthTelling is the part of a server's even share of the limit from which on others are told of a key: what they
	// don't hear of is at most a tenth of the limit, however many servers there are.
	worthTelling = 0.1
	// maxNear bounds the keys that come near the limit between two calls of Near. Further ones are not noticed then.
	maxNear = 1 << 14
	// maxKeys bounds the keys that are counted in a minute: with those of the minute before they take less than 40 MB.
	maxKeys = 1 << 19
	// evicted is among how many keys the one with fewest requests makes room for another. Who sends much stays.
	evicted = 4
)

// Limiter bounds the requests of each key in a sliding minute: those of the running minute, and of the one before in
// the part of it that the sliding minute still covers. Keys are known by a hash. Nil lets everything pass. It is safe
// for concurrent use.
type Limiter struct {
	limit int
	now   func() time.Time

	mu                sync.Mutex
	began             time.Time // of the running minute
	current, previous map[uint64]int
	others            map[uint64]int // requests in the sliding minute that other servers let pass
	near              map[uint64]struct{}
	// A key is near from so many requests in the sliding minute on: worth telling, and more when too many are.
	worth, tell float64
}

// Rate is how many requests of a key passed in the sliding minute.
type Rate struct {
	Key uint64 // hash of the key, the same on all servers
	N   int
}

// New returns a limiter that lets so many requests of each key pass a minute; nil when that is not above 0.
func New(perMinute int) *Limiter { return newAt(perMinute, time.Now) }

func newAt(perMinute int, now func() time.Time) *Limiter {
	if perMinute <= 0 {
		return nil
	}
	return &Limiter{
		limit: perMinute, now: now, began: now(), current: map[uint64]int{}, previous: map[uint64]int{},
		near: map[uint64]struct{}{}, worth: worthTelling * float64(perMinute), tell: worthTelling * float64(perMinute),
	}
}

// Allow tells whether one more request of the key may pass, and counts it if so.
func (l *Limiter) Allow(key string) bool {
	if l == nil {
		return true
	}
	hash := xxh3.HashString(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	rate := l.rate(hash, l.turn())
	if rate >= l.tell && len(l.near) < maxNear {
		l.near[hash] = struct{}{}
	}
	if int(math.Round(rate))+l.others[hash] >= l.limit {
		return false
	}
	if l.current[hash]++; len(l.current) > maxKeys {
		l.evict(hash)
	}
	return true
}

// evict forgets a key that has few requests, and is not the one that needs room.
func (l *Limiter) evict(kept uint64) {
	least, fewest, looked := kept, math.MaxInt, 0
	for hash, n := range l.current { // begins anywhere
		if hash != kept && n < fewest {
			least, fewest = hash, n
		}
		if looked++; looked > evicted {
			break
		}
	}
	delete(l.current, least)
}

// turn begins another minute when the running one is over, and returns which part of the one before still counts.
func (l *Limiter) turn() float64 {
	passed := l.now().Sub(l.began)
	if minutes := passed / Window; minutes > 0 {
		l.current, l.previous = l.previous, l.current
		clear(l.current) // keeps the memory for the next minute
		if minutes > 1 {
			clear(l.previous)
		}
		l.began = l.began.Add(minutes * Window)
		passed -= minutes * Window
	}
	return 1 - float64(passed)/float64(Window)
}

// rate returns what this server let pass in the sliding minute.
func (l *Limiter) rate(hash uint64, before float64) float64 {
	return float64(l.previous[hash])*before + float64(l.current[hash])
}

// Near returns at most so many keys that this server let come near the limit, those with most requests first. Keys with
// fewer are noticed no longer while there are so many, so that strangers with many addresses hide nobody.
func (l *Limiter) Near(most int) []Rate {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	before := l.turn()
	rates := make([]Rate, 0, len(l.near))
	for hash := range l.near {
		rate := l.rate(hash, before)
		if rate < l.worth {
			delete(l.near, hash)
			continue
		}
		rates = append(rates, Rate{hash, int(math.Round(rate))})
	}
	l.mu.Unlock()
	slices.SortFunc(rates, func(a, b Rate) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Key, b.Key))
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell = l.worth
	if len(rates) > most {
		l.tell = max(l.worth, float64(rates[most-1].N))
		for _, r := range rates[most:] {
			delete(l.near, r.Key)
		}
		rates = rates[:most]
	}
	return rates
}

// Heard replaces what other servers let pass, as they told of it. A key may be told of by several. The number of
// servers counts this one.
func (l *Limiter) Heard(rates []Rate, servers int) {
	if l == nil {
		return
	}
	others := make(map[uint64]int, len(rates))
	for _, r := range rates {
		others[r.Key] += min(r.N, l.limit) // they may have another limit
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.others, l.worth = others, worthTelling*float64(l.limit)/float64(max(servers, 1))
}
