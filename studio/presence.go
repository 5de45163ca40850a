package studio

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
)

// presenceChannel is the PostgreSQL notification channel on which people say where they are, as JSON of presence.
const presenceChannel = "svc_presence"

const (
	// MaxPresenceBytes bounds what somebody says of where they are.
	MaxPresenceBytes = 1 << 10
	// announcementsPerMinute of one person: 5 a second.
	announcementsPerMinute = 5 * 60
	// presentFor is how long somebody is there after they said so.
	presentFor = 30 * time.Second
	// maxPresent bounds who is there in one draft: who comes later is not shown.
	maxPresent = 50
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
}

// Announcement is where somebody is in a draft.
type Announcement struct {
	FlowID   uuid.UUID
	ClientID uuid.UUID
	Screen   *string
	Layers   []string
	Leaves   bool // they close the draft
}

// presence is what is notified of.
type presence struct {
	Flow   uuid.UUID `json:"flow"`
	By     uuid.UUID `json:"by"` // a person or an API key: nobody speaks for another
	Leaves bool      `json:"leaves,omitempty"`
	DraftPerson
}

// present is somebody who is there, until they have not said so for presentFor.
type present struct {
	DraftPerson
	at time.Time
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
	person := DraftPerson{ClientID: a.ClientID, Name: nameOf(p), Screen: a.Screen, Layers: a.Layers}
	if person.Layers == nil {
		person.Layers = []string{}
	}
	text, err := json.Marshal(presence{Flow: a.FlowID, By: p.ID(), Leaves: a.Leaves, DraftPerson: person})
	if err != nil {
		return nil, fmt.Errorf("write the announcement: %w", err)
	}
	ignore := func(*sql.Rows) error { return nil }
	if err := eachRow(ctx, s.client, ignore, "select pg_notify($1, $2)", presenceChannel, string(text)); err != nil {
		return nil, fmt.Errorf("announce: %w", err)
	}
	return &person, nil
}

func (a Announcement) check() error {
	bytes := 0
	if a.Screen != nil {
		bytes = len(*a.Screen)
	}
	for i, layer := range a.Layers {
		if !utf8.ValidString(layer) {
			return fault.Invalid(fmt.Sprintf("layers.%d", i), "is not text")
		}
		bytes += len(layer) + 3
	}
	if bytes > MaxPresenceBytes {
		return fault.Invalid("layers", "has more than %d bytes with the screen", MaxPresenceBytes)
	}
	return nil
}

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
	_, known := draft.people[key]
	switch {
	case said.Leaves:
		delete(draft.people, key)
	case known || len(draft.people) < maxPresent:
		draft.people[key] = present{said.DraftPerson, time.Now()}
	default:
		return
	}
	draft.peopleChanged()
}

// forget removes who has not said for long that they are there. The feed is locked.
func (d *followedDraft) forget(now time.Time) {
	before := len(d.people)
	for key, person := range d.people {
		if now.Sub(person.at) > presentFor {
			delete(d.people, key)
		}
	}
	if len(d.people) != before {
		d.peopleChanged()
	}
}

func (d *followedDraft) peopleChanged() {
	for f := range d.followers {
		f.others = true
		f.wake()
	}
}

// list returns who is there, by name.
func (d *followedDraft) list() []*DraftPerson {
	list := make([]*DraftPerson, 0, len(d.people))
	for _, person := range d.people {
		list = append(list, &person.DraftPerson)
	}
	slices.SortFunc(list, func(a, b *DraftPerson) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ClientID.String(), b.ClientID.String()))
	})
	return list
}
