package account

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

func TestAuthorizeAppChange(t *testing.T) {
	home, archived := uuid.New(), time.Now()
	editor := With(context.Background(), &Principal{roles: map[uuid.UUID]Role{home: Editor}})
	for name, step := range map[string]struct {
		ctx        context.Context
		app        App
		capability Capability
		code       fault.Code
		message    string
	}{
		"nobody":            {context.Background(), App{Workspace: home}, FlowEdit, fault.Unauthenticated, ""},
		"another workspace": {editor, App{Workspace: uuid.New()}, FlowEdit, fault.NotFound, "flow"},
		"role lacks":        {editor, App{Workspace: home}, AppManage, fault.Forbidden, "app:manage"},
		"role allows":       {editor, App{Workspace: home}, FlowEdit, "", ""},
		"archived":          {editor, App{home, &archived}, FlowEdit, fault.Conflict, "archived"},
		// Who may not change the app does not learn that it is archived.
		"archived, of another workspace": {editor, App{uuid.New(), &archived}, FlowEdit, fault.NotFound, "flow"},
		"archived, role lacks":           {editor, App{home, &archived}, AppManage, fault.Forbidden, "app:manage"},
	} {
		t.Run(name, func(t *testing.T) {
			err := AuthorizeAppChange(step.ctx, step.app, "flow", step.capability)
			if step.code == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, fault.Is(err, step.code), "%v", err)
			require.ErrorContains(t, err, step.message)
		})
	}
}

// A right that a change needs besides its own says why in its refusal; other refusals stay as they are.
func TestAuthorizeAlsoSaysWhy(t *testing.T) {
	home := uuid.New()
	editor := With(context.Background(), &Principal{roles: map[uuid.UUID]Role{home: Editor}})
	require.NoError(t, AuthorizeAlso(editor, home, FlowEdit, "the automation is active"))
	err := AuthorizeAlso(editor, home, EngageSend, "the automation is active")
	require.True(t, fault.Is(err, fault.Forbidden))
	require.ErrorContains(t, err, "the automation is active: ")
	err = AuthorizeAlso(context.Background(), home, EngageSend, "the automation is active")
	require.True(t, fault.Is(err, fault.Unauthenticated))
	require.NotContains(t, err.Error(), "active")
}

func TestOperatorsAloneManagePlans(t *testing.T) {
	person := &Principal{UserID: uuid.New(), roles: map[uuid.UUID]Role{uuid.New(): Owner}}
	require.NoError(t, AuthorizeOperator(With(context.Background(), Operator())))
	require.True(t, fault.Is(AuthorizeOperator(With(context.Background(), person)), fault.Forbidden))
	require.True(t, fault.Is(AuthorizeOperator(context.Background()), fault.Unauthenticated))
	require.True(t, Operator().IsOperator())
	require.False(t, person.IsOperator())
}
