package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// SignInRule is what a workspace asks of the sessions of its members. API keys are not asked.
type SignInRule string

// The rules.
const (
	AnySignIn         SignInRule = "any"
	NeedsSecondFactor SignInRule = "second_factor" // a passkey, a code after the password, or the OpenID provider
	ProviderOnly      SignInRule = "provider"      // the OpenID provider; the owner may do without, for when it is broken
)

// admits tells whether a session lets somebody of the role into a workspace with the rule.
func (r SignInRule) admits(method Method, role Role) bool {
	switch r {
	case NeedsSecondFactor:
		return method != ByPassword
	case ProviderOnly:
		return method == ByProvider || role == Owner
	}
	return true
}

// ClosedWorkspace is one that a person is a member of and whose rule their session does not keep.
type ClosedWorkspace struct {
	ID   uuid.UUID
	Name string
	Rule SignInRule
}

// ClosedWorkspaces returns those that the caller would enter in a session that keeps their rules, by name.
func (a *Accounts) ClosedWorkspaces(ctx context.Context) ([]*ClosedWorkspace, error) {
	p, err := From(ctx)
	if err != nil || len(p.closed) == 0 {
		return []*ClosedWorkspace{}, err
	}
	ids := make([]uuid.UUID, 0, len(p.closed))
	for id := range p.closed {
		ids = append(ids, id)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	rows, err := a.pool.Query(ctx, `
		select w.id, w.name, r.rule from workspaces w join sign_in_rule r on r.workspace_id = w.id
		where w.id = any($1) order by w.name, w.id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read the workspaces: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[ClosedWorkspace])
}

// SignInRuleOf returns the rule of a workspace that the caller has entered.
func (a *Accounts) SignInRuleOf(ctx context.Context, workspace uuid.UUID) (rule SignInRule, err error) {
	if _, err := Enter(ctx, workspace); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	err = a.pool.QueryRow(ctx, `
		select coalesce((select rule from sign_in_rule where workspace_id = $1), $2)`, workspace, AnySignIn).Scan(&rule)
	if err != nil {
		return "", fmt.Errorf("read the rule: %w", err)
	}
	return rule, nil
}

// SetSignInRule changes what a workspace asks of sessions, from the next request of each on. The caller's own session
// must keep the rule: nobody locks themselves out.
func (a *Accounts) SetSignInRule(ctx context.Context, workspace uuid.UUID, rule SignInRule) error {
	p, err := AuthorizePerson(ctx, workspace, WorkspaceManage)
	if err != nil {
		return err
	}
	if rule == ProviderOnly && !a.HasProvider() {
		return fault.Invalid("rule", "this server has no OpenID provider")
	}
	if role, _ := p.Role(workspace); !rule.admits(p.method, role) {
		return fault.New(fault.Conflict, "sign in as the rule asks for first, or it would lock you out")
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into sign_in_rule (workspace_id, rule) values ($1, $2)
			on conflict (workspace_id) do update set rule = excluded.rule`, workspace, rule)
		if err != nil {
			return fmt.Errorf("store the rule: %w", err)
		}
		return RecordIn(ctx, tx, workspace, "workspace.sign_in_rule", workspace.String(), map[string]any{"rule": rule})
	})
}
