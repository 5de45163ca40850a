package account

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Failed sign-ins of one e-mail before it has to wait, and for how long they
// count.
const (
	maxFailures   = 10
	failureWindow = 15 * time.Minute
)

// attempts counts failed sign-ins by e-mail, in this process. The bound keeps an
// attacker who invents e-mails from growing it.
type attempts struct {
	mu     sync.Mutex
	failed *lru.Cache[string, failures]
	now    func() time.Time
}

type failures struct {
	count int
	since time.Time
}

func newAttempts(now func() time.Time) *attempts {
	cache, err := lru.New[string, failures](10_000)
	if err != nil {
		panic(err) // only a size below one
	}
	return &attempts{failed: cache, now: now}
}

// wait is how long the e-mail has to wait before the next attempt; zero means
// go ahead.
func (a *attempts) wait(email string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, _ := a.failed.Get(email)
	if f.count < maxFailures {
		return 0
	}
	return max(0, failureWindow-a.now().Sub(f.since))
}

func (a *attempts) fail(email string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, _ := a.failed.Get(email)
	if now := a.now(); f.count == 0 || now.Sub(f.since) >= failureWindow {
		f = failures{since: now}
	}
	f.count++
	a.failed.Add(email, f)
}

func (a *attempts) succeed(email string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed.Remove(email)
}
