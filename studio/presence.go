package studio

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
)

// presenceChannel is the notification channel (postgres/notify) on which people say where they are, as JSON of
// presence.
const presenceChannel = "svc_presence"

const (
	// maxPresenceBytes bounds the ids that somebody says: escaped as JSON they fit into a notification (8,000 bytes).
	maxPresenceBytes = 512
	// announcementsPerMinute of one person: 20 a second, twice what an editor says while its pointer moves.
	announcementsPerMinute = 20 * 60
	// tellEvery is how often the followers of a draft are told who is there at most: many pointers that move at once
	// cost a follower ten lists a second.
	tellEvery = 100 * time.Millisecond
	// presentFor is how long somebody is there after they said so.
	presentFor = 30 * time.Second
	// leftFor is how long it is known that somebody has left: an editor gives up what it says after so long.
	leftFor = 10 * time.Second
	// maxPresent bounds who is there in one draft: who comes later is not shown.
	maxPresent = 30
	// maxPlace bounds a pointer, in pixels.
	maxPlace = 100_000
	// maxPersonName is how many characters of a name are told.
	maxPersonName = 100
)

// DraftPerson is somebody who has a draft open.
type DraftPerson struct {
	ClientID uuid.UUID `json:"client"` // of the open editor: somebody with two is there twice
	Name     string    `json:"name"`
	// Screen and Layers are what they have selected, by ids; nil and empty for nothing.
	Screen *string  `json:"screen,omitempty"`
	Layers []string `json:"layers"`
	// Pointer is where their pointer is; nil when it rests or is on no screen.
	Pointer *DraftPointer `json:"pointer,omitempty"`
}

// DraftPointer is a place on a screen, in the screen's own pixels from its top left.
type DraftPointer struct {
	Screen string  `json:"screen"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// Announcement is where somebody is in a draft.
type Announcement struct {
	FlowID   uuid.UUID
	ClientID uuid.UUID
	Screen   *string
	Layers   []string
	Pointer  *DraftPointer
	Leaves   bool // they close the draft
	// Sequence rises with what an editor says: requests overtake each other, and what comes after a later one is left
	// out. 0: as it comes.
	Sequence int
}

// presence is what is notified of.
type presence struct {
	Flow     uuid.UUID `json:"flow"`
	By       uuid.UUID `json:"by"` // a person or an API key: nobody speaks for another
	Leaves   bool      `json:"leaves,omitempty"`
	Sequence int       `json:"sequence,omitempty"`
	DraftPerson
}

// present is somebody who is there, until they have not said so for presentFor, or who has left.
type present struct {
	presence
	at time.Time
}

// isOver reports whether nothing has to be known of somebody any more.
func (p present) isOver(now time.Time) bool {
	if p.Leaves {
		return now.Sub(p.at) > leftFor
	}
	return now.Sub(p.at) > presentFor
}

// presentKey names an open editor of somebody.
type presentKey struct{ by, client uuid.UUID }

// AnnounceInDraft tells those who follow a draft where the caller is in it, and returns what they are told. Nothing of
// it is kept. Its errors are faults.
func (s *Studio) AnnounceInDraft(ctx context.Context, a Announcement) (*DraftPerson, error) {
	flow, err := s.readFlow(ctx, a.FlowID)
	if err != nil {
		return nil, err
	}
	if err := account.AuthorizeApp(ctx, ownerOf(flow.Edges.App), "flow", account.StudioRead); err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if !s.announcements.Allow(p.ID().String()) {
		return nil, fault.Limited(time.Second, "more than %d announcements per second", announcementsPerMinute/60)
	}
	person := DraftPerson{ClientID: a.ClientID, Name: nameOf(p), Screen: a.Screen, Layers: a.Layers, Pointer: a.Pointer}
	if person.Layers == nil {
		person.Layers = []string{}
	}
	text, err := json.Marshal(presence{
		Flow: a.FlowID, By: p.ID(), Leaves: a.Leaves, Sequence: a.Sequence, DraftPerson: person,
	})
	if err != nil {
		return nil, fmt.Errorf("write the announcement: %w", err)
	}
	ignore := func(*sql.Rows) error { return nil }
	if err := eachRow(ctx, s.client, ignore, "select svc_notify($1, $2)", presenceChannel, string(text)); err != nil {
		return nil, fmt.Errorf("announce: %w", err)
	}
	return &person, nil
}

func (a Announcement) check() error {
	bytes := 0
	if a.Screen != nil {
		bytes = len(*a.Screen)
	}
	if a.Pointer != nil {
		bytes += len(a.Pointer.Screen)
		if !isPlace(a.Pointer.X) || !isPlace(a.Pointer.Y) {
			return fault.Invalid("pointer", "is more than %d pixels away from its screen", maxPlace)
		}
	}
	if a.Sequence < 0 {
		return fault.Invalid("sequence", "must be 0 or more")
	}
	for _, layer := range a.Layers {
		bytes += len(layer) + 3
	}
	if bytes > maxPresenceBytes {
		return fault.Invalid("layers", "has more than %d bytes with the screens", maxPresenceBytes)
	}
	return nil
}

func isPlace(pixels float64) bool { return math.Abs(pixels) <= maxPlace }

// nameOf returns what others call somebody: their name, else their address.
func nameOf(p *account.Principal) string {
	name := []rune(cmp.Or(p.Name, p.Email, "API key"))
	return string(name[:min(len(name), maxPersonName)])
}

// hearPresence takes in what somebody said of where they are. The feed is locked.
func (d *draftFeed) hearPresence(text string) {
	var said presence
	if json.Unmarshal([]byte(text), &said) != nil {
		return
	}
	draft := d.followed[said.Flow]
	if draft == nil {
		return
	}
	key := presentKey{said.By, said.ClientID}
	before, known := draft.people[key]
	switch {
	case known && said.Sequence != 0 && said.Sequence < before.Sequence:
		return
	case said.Leaves && said.Sequence == 0:
		delete(draft.people, key)
	case known || len(draft.people) < maxPresent:
		draft.people[key] = present{said, time.Now()}
	default:
		return
	}
	draft.peopleChanged(d)
}

// forget removes who has not said for long that they are there. The feed is locked.
func (d *followedDraft) forget(feed *draftFeed, now time.Time) {
	before := len(d.people)
	for key, person := range d.people {
		if person.isOver(now) {
			delete(d.people, key)
		}
	}
	if len(d.people) != before {
		d.peopleChanged(feed)
	}
}

// peopleChanged has the followers told who is there, tellEvery later when they were told just now. The feed is locked.
func (d *followedDraft) peopleChanged(feed *draftFeed) {
	if d.tells {
		return
	}
	d.tells = true
	time.AfterFunc(time.Until(d.told.Add(tellEvery)), func() {
		feed.mu.Lock()
		defer feed.mu.Unlock()
		d.tells, d.told = false, time.Now()
		for f := range d.followers {
			f.others = true
			f.wake()
		}
	})
}

// list returns who is there, by name.
func (d *followedDraft) list() []*DraftPerson {
	list := make([]*DraftPerson, 0, len(d.people))
	for _, person := range d.people {
		if !person.Leaves {
			list = append(list, &person.DraftPerson)
		}
	}
	slices.SortFunc(list, func(a, b *DraftPerson) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ClientID.String(), b.ClientID.String()))
	})
	return list
}
