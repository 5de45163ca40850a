package mail

import (
	"context"
	netmail "net/mail"
	"slices"
	"sync"
	"time"
)

// Box keeps the latest messages in memory in place of sending them: for developing without an SMTP server.
type Box struct {
	mu   sync.Mutex
	kept []Boxed // newest first
	size int     // bytes of kept
	last int
}

// Boxed is a message in a box.
type Boxed struct {
	// Number is 1 for the first message, one more for each further one.
	Number int
	At     time.Time
	Message
}

const (
	// boxMessages and boxBytes bound what a box keeps: older messages make room.
	boxMessages = 50
	boxBytes    = 8 << 20
)

func (m *Message) size() int {
	size := len(m.FromName) + len(m.To) + len(m.Subject) + len(m.Text) + len(m.HTML) + len(m.Unsubscribe)
	for _, image := range m.Images {
		size += len(image.PNG)
	}
	return size
}

// Send keeps a message. It refuses what a [Sender] would refuse before it dials.
func (b *Box) Send(_ context.Context, m Message) error {
	from := &netmail.Address{Name: "Svc", Address: "svc@localhost"}
	if _, err := build(from, m, time.Now()); err != nil {
		return &Failure{Reason: "the message can't be written", Final: true, cause: err}
	}
	m.FromName, m.Subject = line(m.FromName), line(m.Subject)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	b.kept = slices.Insert(b.kept, 0, Boxed{b.last, time.Now(), m})
	b.size += m.size()
	for len(b.kept) > boxMessages || b.size > boxBytes {
		oldest := &b.kept[len(b.kept)-1]
		b.size -= oldest.size()
		*oldest = Boxed{} // lets go of its bytes
		b.kept = b.kept[:len(b.kept)-1]
	}
	return nil
}

// Messages returns those that are kept, newest first.
func (b *Box) Messages() []Boxed {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.kept)
}
