package studio

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/people/privacy"
)

// Privacy carries out what people may ask about their data.
type Privacy interface {
	BeginRecorded(
		ctx context.Context, request privacy.Request,
		record func(ctx context.Context, tx pgx.Tx, begun privacy.Erasure) error,
	) (privacy.Erasure, error)
	Carry(ctx context.Context, environmentID int64, id uuid.UUID) (privacy.Erasure, error)
	Get(ctx context.Context, environmentID int64, id uuid.UUID) (privacy.Erasure, error)
	Archive(ctx context.Context, caller uuid.UUID, request privacy.Request, after string) (privacy.Archive, error)
	Retention(ctx context.Context, app uuid.UUID) ([]privacy.Retention, error)
}

var errNoPrivacy = fault.New(fault.Unavailable, "this server keeps no people")

const (
	// erasePatience is how long ErasePerson waits for the end.
	erasePatience = 20 * time.Second
	// eraseLimit is how long an erasure goes on before maintenance begins it again.
	eraseLimit = 15 * time.Minute
)

// ErasePerson erases a person of an environment of an app, also of an archived one, since people may ask for it. What
// takes longer than a while goes on after the answer. The audit entry names the request, not the person.
func (s *Studio) ErasePerson(
	ctx context.Context, app uuid.UUID, kind Kind, request privacy.Request,
) (privacy.Erasure, error) {
	a, env, err := s.readEnvironment(ctx, app, kind, account.PeopleManage)
	if err != nil {
		return privacy.Erasure{}, err
	}
	if s.privacy == nil {
		return privacy.Erasure{}, errNoPrivacy
	}
	request.EnvironmentID = env.ID
	audit := func(ctx context.Context, tx pgx.Tx, begun privacy.Erasure) error {
		return account.RecordIn(ctx, tx, a.WorkspaceID, "person.erase", begun.ID.String(), map[string]any{
			"environment": kind, "devices": begun.Devices,
		})
	}
	begun, err := s.privacy.BeginRecorded(ctx, request, audit)
	if err != nil {
		return begun, err
	}
	type outcome struct {
		erasure privacy.Erasure
		err     error
	}
	ended := make(chan outcome, 1)
	go func() {
		// Whoever asked may go; what a server that stops leaves undone, maintenance goes on with.
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), eraseLimit)
		defer cancel()
		done, err := s.privacy.Carry(limited, env.ID, begun.ID)
		ended <- outcome{done, err}
	}()
	patience := time.NewTimer(erasePatience)
	defer patience.Stop()
	select {
	case <-patience.C:
		return s.privacy.Get(ctx, env.ID, begun.ID)
	case <-ctx.Done():
		return begun, ctx.Err()
	case done := <-ended:
		if pgerr.IsTransient(done.err) { // maintenance goes on with what was begun
			s.logger.WarnContext(ctx, "an erasure is not finished yet", "erasure", begun.ID, "error", done.err)
			return s.privacy.Get(ctx, env.ID, begun.ID)
		}
		return done.erasure, done.err
	}
}

// Erasure returns what became of a request to erase a person.
func (s *Studio) Erasure(ctx context.Context, app uuid.UUID, kind Kind, id uuid.UUID) (privacy.Erasure, error) {
	_, env, err := s.readEnvironment(ctx, app, kind, account.PeopleManage)
	if err != nil {
		return privacy.Erasure{}, err
	}
	if s.privacy == nil {
		return privacy.Erasure{}, errNoPrivacy
	}
	return s.privacy.Get(ctx, env.ID, id)
}

// ExportPerson returns a page of everything that is stored of a person of an environment of an app. The audit log has
// an entry for the first page; it does not name the person. Pages go on for who began them: the member, or the API key.
func (s *Studio) ExportPerson(
	ctx context.Context, app uuid.UUID, kind Kind, request privacy.Request, after string,
) (privacy.Archive, error) {
	a, env, err := s.readEnvironment(ctx, app, kind, account.PeopleManage)
	if err != nil {
		return privacy.Archive{}, err
	}
	if s.privacy == nil {
		return privacy.Archive{}, errNoPrivacy
	}
	request.EnvironmentID = env.ID
	caller, err := account.From(ctx)
	if err != nil {
		return privacy.Archive{}, err
	}
	page, err := s.privacy.Archive(ctx, caller.ID(), request, after)
	if err != nil || after != "" {
		return page, err
	}
	entry := record{a.WorkspaceID, "person.export", a.ID.String(), map[string]any{
		"environment": kind, "devices": page.Devices,
	}}
	return page, s.transact(ctx, entry, func(*ent.Tx) error { return nil })
}

// SetRetention sets for how many days an app keeps a kind of events and what they add up to; nil is as long as the
// server.
func (s *Studio) SetRetention(ctx context.Context, app uuid.UUID, kind string, days *int) (*ent.App, error) {
	a, err := s.findApp(ctx, app, account.AppSettings)
	if err != nil {
		return nil, err
	}
	entry := record{a.WorkspaceID, "app.retention", app.String(), map[string]any{"kind": kind, "days": days}}
	return a, s.transact(ctx, entry, func(tx *ent.Tx) error { return privacy.SetRetention(ctx, tx, app, kind, days) })
}

// Retention returns what an app keeps for a shorter time than the server does, by kind.
func (s *Studio) Retention(ctx context.Context, app uuid.UUID) ([]privacy.Retention, error) {
	if _, err := s.readApp(ctx, app, account.StudioRead); err != nil {
		return nil, err
	}
	if s.privacy == nil {
		return nil, errNoPrivacy
	}
	return s.privacy.Retention(ctx, app)
}
