package receive

import (
	"sync"
	"time"
)

const (
	// freeBody is the length in bytes up to which a body is always read and hashed: providers write little more than
	// that, so that what they prove is taken however much is forged from the same address.
	freeBody = 32 << 10
	// unprovedPerSecond is how many bytes of an address are hashed in vain in a second before its longer bodies wait.
	unprovedPerSecond = 4 << 20
)

// unproved counts, by the key of an address, the bytes that were hashed in this second and had no valid signature.
// Connections are left open: a new one costs the server more than the next forged delivery of an old one. The zero
// value is ready; it is safe for concurrent use.
type unproved struct {
	mu     sync.Mutex
	second int64 // in Unix time
	bytes  map[string]int64
}

// admits tells whether a body, whose length is negative when it is not announced, may be read.
func (u *unproved) admits(address string, length int64, now time.Time) bool {
	if length >= 0 && length <= freeBody {
		return true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.second != now.Unix() || u.bytes[address] < unprovedPerSecond
}

// add counts a body that had no valid signature.
func (u *unproved) add(address string, length int, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if second := now.Unix(); second != u.second || u.bytes == nil {
		u.second, u.bytes = second, map[string]int64{}
	}
	u.bytes[address] += int64(length)
}
