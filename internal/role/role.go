// Package role names the kinds of work that the servers of one database share out among themselves.
package role

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a kind of work. What belongs to each is in docs/scaling.md.
type Role string

// The roles.
const (
	// Ingest takes events, people and deliveries of billing providers, and does what automations do about them.
	Ingest Role = "ingest"
	// Resolve serves channels and media.
	Resolve Role = "resolve"
	// Reports serves GraphQL and the dashboard, and keeps the database in order.
	Reports Role = "reports"
)

// Set is some of the roles, in the order of All, each once.
type Set []Role

// All returns every role.
func All() Set { return Set{Ingest, Resolve, Reports} }

// Parse reads the names of at least one role, in any order.
func Parse(names []string) (Set, error) {
	for _, name := range names {
		if !All().Has(Role(strings.TrimSpace(name))) {
			return nil, fmt.Errorf("%q is no role: name one or more of %s", name, All())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("must name one or more of %s", All())
	}
	return slices.DeleteFunc(All(), func(r Role) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == string(r) })
	}), nil
}

// Has tells whether the role is one of the set.
func (s Set) Has(r Role) bool { return slices.Contains(s, r) }

// Lacks returns the roles that are not in the set.
func (s Set) Lacks() Set { return slices.DeleteFunc(All(), s.Has) }

// Names returns the names of the roles.
func (s Set) Names() []string {
	names := make([]string, len(s))
	for i, r := range s {
		names[i] = string(r)
	}
	return names
}

// String returns the names, separated by commas.
func (s Set) String() string { return strings.Join(s.Names(), ", ") }

// Misdirected is the code of the answer, with status 421, of a server that lacks the role of a path.
const Misdirected = "misdirected_request"

// Refusal tells who sent a request to a server without the role what to do.
func (r Role) Refusal() string {
	return fmt.Sprintf(
		"this server does not have the role %s, which serves this path: send the request to a server that has", r,
	)
}
