package delivery

import (
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/people/proof"
)

// Tenant is the test or the live half of an app, as far as requests of
// client SDKs are concerned. It is immutable.
type Tenant struct {
	// ID is the tenant key of everything that is stored for the environment.
	ID int64
	// Kind is test or live.
	Kind        string
	AppID       uuid.UUID
	WorkspaceID uuid.UUID
	// Origins are the browser origins that may call; empty means any
	// (wire.md §11).
	Origins []string
	// IgnoreBots asks for known crawlers to be acknowledged but not stored
	// (analytics.md §1).
	IgnoreBots bool
	// Proof decides which custom user ids devices may name.
	Proof proof.Rule
	Plan  plan.Plan
	// Channels are all channels of the environment, oldest first.
	Channels []*Channel
}

// AllowsOrigin tells whether a browser page of that origin may call. Origins
// are compared exactly (wire.md §1).
func (e *Tenant) AllowsOrigin(origin string) bool {
	return len(e.Origins) == 0 || slices.Contains(e.Origins, origin)
}

// Snapshot is everything that resolve needs, at one moment. It is immutable:
// a request reads one snapshot from its first check to its last byte.
type Snapshot struct {
	apps     map[uuid.UUID]*appEntry
	keys     map[string]*Tenant
	channels map[string]*Channel
	byID     map[int64]*Channel
}

// appEntry is the unit in which a snapshot is replaced.
type appEntry struct {
	keys    map[string]*Tenant
	tenants []*Tenant
	// versions are the contents the app's channels use.
	versions map[contentKey]bool
}

// Tenant returns what a publishable key opens, or nil when the key is
// unknown or revoked.
func (s *Snapshot) Tenant(publishableKey string) *Tenant {
	return s.keys[publishableKey]
}

// Channel finds a channel by its public id. A channel of another environment or
// app is not found (wire.md §1).
func (s *Snapshot) Channel(tenant *Tenant, publicID string) (*Channel, Condition) {
	channel := s.channels[publicID]
	if channel == nil || channel.EnvironmentID != tenant.ID {
		return nil, ChannelNotFound
	}
	return channel, ""
}

// with returns a snapshot in which the given apps are replaced. A nil entry
// removes its app.
func (s *Snapshot) with(changed map[uuid.UUID]*appEntry) *Snapshot {
	next := &Snapshot{
		apps: maps.Clone(s.apps), keys: maps.Clone(s.keys), channels: maps.Clone(s.channels), byID: maps.Clone(s.byID),
	}
	for id := range changed {
		next.remove(id)
	}
	for id, entry := range changed {
		if entry != nil {
			next.add(id, entry)
		}
	}
	return next
}

// newSnapshot builds a snapshot from all apps at once.
func newSnapshot(apps map[uuid.UUID]*appEntry) *Snapshot {
	s := &Snapshot{
		apps: map[uuid.UUID]*appEntry{}, keys: map[string]*Tenant{}, channels: map[string]*Channel{},
		byID: map[int64]*Channel{},
	}
	for id, entry := range apps {
		s.add(id, entry)
	}
	return s
}

func (s *Snapshot) add(id uuid.UUID, entry *appEntry) {
	s.apps[id] = entry
	maps.Copy(s.keys, entry.keys)
	for _, tenant := range entry.tenants {
		for _, channel := range tenant.Channels {
			s.channels[channel.PublicID] = channel
			s.byID[channel.ID] = channel
		}
	}
}

func (s *Snapshot) remove(id uuid.UUID) {
	entry := s.apps[id]
	if entry == nil {
		return
	}
	delete(s.apps, id)
	for key := range entry.keys {
		delete(s.keys, key)
	}
	for _, tenant := range entry.tenants {
		for _, channel := range tenant.Channels {
			delete(s.channels, channel.PublicID)
			delete(s.byID, channel.ID)
		}
	}
}
