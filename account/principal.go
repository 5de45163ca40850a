package account

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// Principal is who makes a request: a signed-in person, an API key acting for
// its maker in one workspace, or a reader of a shared link.
type Principal struct {
	UserID uuid.UUID
	Email  string
	Name   string
	// KeyID is set when the request carries a workspace API key.
	KeyID *uuid.UUID
	// SessionID is set when the request carries a dashboard session.
	SessionID uuid.UUID

	// method and signedInAt are the session's.
	method     Method
	signedInAt time.Time

	// operator is set for who runs the server: they manage plans and belong to no workspace.
	operator bool
	// app is set for a key that reaches one app alone.
	app *uuid.UUID
	// link is set for a reader of a shared link, who belongs to no workspace.
	link *Link

	roles map[uuid.UUID]Role
	// closed are the workspaces whose rule the session does not keep.
	closed map[uuid.UUID]SignInRule
	// scopes limit a key; nil for a person.
	scopes []Capability
}

// ID returns that of the API key or the shared link, else of the person who signed in.
func (p *Principal) ID() uuid.UUID {
	switch {
	case p.KeyID != nil:
		return *p.KeyID
	case p.link != nil:
		return p.link.ID
	}
	return p.UserID
}

// App returns the one app that a key reaches; nil for everybody who reaches all apps of their workspaces.
func (p *Principal) App() *uuid.UUID { return p.app }

// Role returns the principal's role in a workspace, as it was when the request
// began.
func (p *Principal) Role(workspace uuid.UUID) (Role, bool) {
	role, ok := p.roles[workspace]
	return role, ok
}

// Workspaces returns those that the principal may enter, in no particular order.
func (p *Principal) Workspaces() []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(p.roles))
	for id := range p.roles {
		ids = append(ids, id)
	}
	return ids
}

// memberOf returns the workspaces that the person belongs to, with those that are closed to the session.
func (p *Principal) memberOf() []uuid.UUID {
	return slices.AppendSeq(p.Workspaces(), maps.Keys(p.closed))
}

// Can reports whether the principal has the capability in the workspace: their
// role must allow it and, for a key, a scope must too.
func (p *Principal) Can(workspace uuid.UUID, capability Capability) bool {
	role, member := p.roles[workspace]
	return member && Allows(role, capability) && (p.KeyID == nil || slices.Contains(p.scopes, capability))
}

// Capabilities returns everything that the principal can do in the workspace.
func (p *Principal) Capabilities(workspace uuid.UUID) []Capability {
	return slices.DeleteFunc(Capabilities(p.roles[workspace]), func(c Capability) bool { return !p.Can(workspace, c) })
}

// Sharer names whose share a request takes of what all share: that of the person or API key, and that of the address of
// those who did not sign in.
func Sharer(ctx context.Context) string {
	p, err := From(ctx)
	if err != nil {
		return exchangeOf(ctx).client
	}
	return p.ID().String()
}

type contextKey struct{}

// identity is the outcome of authentication: a principal or the reason why there
// is none.
type identity struct {
	principal *Principal
	err       error
}

// With returns a context that carries the principal.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, identity{principal: p})
}

func withFailure(ctx context.Context, err error) context.Context {
	return context.WithValue(ctx, contextKey{}, identity{err: err})
}

// From returns who makes the request. It fails with code unauthenticated when
// nobody signed in, and with unavailable when that could not be found out.
func From(ctx context.Context) (*Principal, error) {
	who, _ := ctx.Value(contextKey{}).(identity)
	switch {
	case who.err != nil:
		return nil, who.err
	case who.principal == nil:
		return nil, fault.New(fault.Unauthenticated, "sign in, or send Authorization: Bearer with a workspace API key")
	}
	return who.principal, nil
}

// Authorize returns who makes the request when they have the capability in the
// workspace. A workspace that they do not belong to is reported as not found,
// so that ids give nothing away; a missing capability as forbidden.
func Authorize(ctx context.Context, workspace uuid.UUID, capability Capability) (*Principal, error) {
	p, err := Enter(ctx, workspace)
	if err != nil {
		return nil, err
	}
	if p.Can(workspace, capability) {
		return p, nil
	}
	role, _ := p.Role(workspace)
	if Allows(role, capability) {
		return nil, fault.New(fault.Forbidden, "this API key lacks the scope %s", capability)
	}
	return nil, missingCapability(role, capability)
}

// AuthorizeAlso authorizes, as Authorize does, for what a change needs besides its own capability because of what it
// reaches: why begins the message of a refusal.
func AuthorizeAlso(ctx context.Context, workspace uuid.UUID, capability Capability, why string) error {
	_, err := Authorize(ctx, workspace, capability)
	if refused := (*fault.Error)(nil); errors.As(err, &refused) && refused.Code == fault.Forbidden {
		return fault.New(fault.Forbidden, "%s: %s", why, refused.Message)
	}
	return err
}

func missingCapability(role Role, capability Capability) error {
	return fault.New(fault.Forbidden, "the role %s lacks the capability %s", role, capability)
}

// Enter returns who makes the request when they belong to the workspace.
func Enter(ctx context.Context, workspace uuid.UUID) (*Principal, error) {
	p, err := From(ctx)
	if err != nil {
		return nil, err
	}
	if rule, closed := p.closed[workspace]; closed {
		return nil, fault.New(fault.Forbidden, "the workspace asks for another sign-in: %s", rule)
	}
	if _, member := p.Role(workspace); !member {
		return nil, fault.Missing("workspace")
	}
	return p, nil
}

// AuthorizePerson authorizes as Authorize does for what only a signed-in person may do, never a
// key.
func AuthorizePerson(ctx context.Context, workspace uuid.UUID, capability Capability) (*Principal, error) {
	p, err := Authorize(ctx, workspace, capability)
	if err != nil {
		return nil, err
	}
	return p, p.refuseKey()
}

// RequirePerson refuses everybody but signed-in people: nobody, API keys, and the operator's key.
func RequirePerson(ctx context.Context) error {
	_, err := requirePerson(ctx)
	return err
}

// requirePerson returns who makes the request when that is a signed-in person, not a key.
func requirePerson(ctx context.Context) (*Principal, error) {
	p, err := From(ctx)
	if err != nil {
		return nil, err
	}
	return p, p.refuseKey()
}

// Operator returns who runs the server, as if they had sent the operator's key.
func Operator() *Principal { return &Principal{Name: "operator", operator: true} }

// IsOperator tells whether the principal runs the server.
func (p *Principal) IsOperator() bool { return p.operator }

// AuthorizeOperator returns nil when who makes the request has the capability plan:manage, which is an operator's
// alone.
func AuthorizeOperator(ctx context.Context) error {
	p, err := From(ctx)
	if err != nil {
		return err
	}
	if !p.operator {
		return fault.New(fault.Forbidden, "only the operator of the server has the capability %s", PlanManage)
	}
	return nil
}

func (p *Principal) refuseKey() error {
	if p.operator {
		return fault.New(fault.Forbidden, "the operator's key cannot do this; sign in")
	}
	if p.KeyID != nil {
		return fault.New(fault.Forbidden, "an API key cannot do this; sign in")
	}
	if p.link != nil {
		return fault.New(fault.Forbidden, "a shared link cannot do this; sign in")
	}
	return nil
}

// Anonymous reports whether a request carries nothing that says who makes it, as
// opposed to something that was refused.
func Anonymous(ctx context.Context) bool {
	who, _ := ctx.Value(contextKey{}).(identity)
	return who.err == nil && who.principal == nil
}

// lookupFailure returns the reason why it could not be found out who makes the request; nil when
// it was, or when what the request carries was refused. Whoever is about to ask
// the same database again answers with it at once.
func lookupFailure(ctx context.Context) error {
	who, _ := ctx.Value(contextKey{}).(identity)
	if refused := (*fault.Error)(nil); errors.As(who.err, &refused) {
		return nil
	}
	return who.err
}
