package studio

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/note"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// Bounds on the notes of one environment.
const (
	maxNotes    = 1_000
	maxNoteText = 280 // characters, of at most four bytes each
)

// earliestNote is before anything that a server has figures of.
var earliestNote = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// NoteChange names what to change of a note; nil leaves a part as it is.
type NoteChange struct {
	At   *time.Time
	Text *string
}

func (c NoteChange) validate(now time.Time) error {
	if c.At != nil && (c.At.Before(earliestNote) || c.At.After(now.AddDate(1, 0, 0))) {
		return fault.Invalid("at", "must be from the year 2000 to a year from now")
	}
	if c.Text == nil {
		return nil
	}
	if strings.ContainsRune(*c.Text, 0) {
		return fault.Invalid("text", "must not hold a NUL character")
	}
	return validate.Characters("text", strings.TrimSpace(*c.Text), 1, maxNoteText)
}

// CreateNote writes on the charts of an environment. Both parts of the change are set.
func (s *Studio) CreateNote(
	ctx context.Context, app uuid.UUID, kind environment.Kind, at time.Time, text string,
) (*ent.Note, error) {
	a, err := s.findApp(ctx, app, account.ViewManage)
	if err != nil {
		return nil, err
	}
	if err := (NoteChange{At: &at, Text: &text}).validate(s.now()); err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	detail := map[string]any{"app": app, "environment": kind, "text": strings.TrimSpace(text)}
	var made *ent.Note
	err = s.transact(ctx, record{a.WorkspaceID, "note.create", id.String(), detail}, func(tx *ent.Tx) error {
		env, err := tx.Environment.Query().Where(environment.AppID(app), environment.KindEQ(kind)).ForUpdate().Only(ctx)
		if err != nil {
			return readError(err, "environment")
		}
		count, err := tx.Note.Query().Where(note.EnvironmentID(env.ID)).Count(ctx)
		if err != nil {
			return fmt.Errorf("count the notes: %w", err)
		}
		if count >= maxNotes {
			return fault.Invalid("environment", "has %d notes already: delete some first", maxNotes)
		}
		made, err = tx.Note.Create().SetID(id).SetEnvironmentID(env.ID).SetUserID(p.UserID).SetAt(at).
			SetText(strings.TrimSpace(text)).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the note: %w", err)
		}
		return nil
	})
	return made, err
}

// EditsNote tells whether somebody may change a note of a workspace: their own, or with app:settings that of others.
func EditsNote(p *account.Principal, workspace uuid.UUID, n *ent.Note) bool {
	return n.UserID == p.UserID && p.Can(workspace, account.ViewManage) || p.Can(workspace, account.AppSettings)
}

// note finds a note for those who may change it.
func (s *Studio) note(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Note, error) {
	p, err := account.From(ctx)
	if err != nil {
		return nil, nil, err
	}
	app, err := s.client.App.Query().
		Where(entapp.HasEnvironmentsWith(environment.HasNotesWith(note.ID(id)))).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "note")
	}
	if _, member := p.Role(app.WorkspaceID); !member {
		return nil, nil, fault.Missing("note")
	}
	found, err := s.client.Note.Get(ctx, id)
	if err != nil {
		return nil, nil, readError(err, "note")
	}
	if !EditsNote(p, app.WorkspaceID, found) {
		if _, err := account.Authorize(ctx, app.WorkspaceID, account.ViewManage); err != nil {
			return nil, nil, err
		}
		return nil, nil, fault.New(fault.Forbidden, "a note is changed by who wrote it, and by who has app:settings")
	}
	return app, found, account.RefuseArchived(ownerOf(app))
}

// UpdateNote changes what a note says, or where it stands.
func (s *Studio) UpdateNote(ctx context.Context, id uuid.UUID, change NoteChange) (*ent.Note, error) {
	app, changed, err := s.note(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := change.validate(s.now()); err != nil {
		return nil, err
	}
	detail := map[string]any{}
	err = s.transact(ctx, record{app.WorkspaceID, "note.update", id.String(), detail}, func(tx *ent.Tx) error {
		update := tx.Note.UpdateOneID(id).SetNillableAt(change.At)
		if change.Text != nil {
			update.SetText(strings.TrimSpace(*change.Text))
			detail["text"] = strings.TrimSpace(*change.Text)
		}
		if changed, err = update.Save(ctx); err != nil {
			return fmt.Errorf("store the note: %w", err)
		}
		return nil
	})
	return changed, err
}

// DeleteNote removes a note.
func (s *Studio) DeleteNote(ctx context.Context, id uuid.UUID) error {
	app, found, err := s.note(ctx, id)
	if err != nil {
		return err
	}
	entry := record{app.WorkspaceID, "note.delete", id.String(), map[string]any{"text": found.Text}}
	return s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := tx.Note.DeleteOneID(id).Exec(ctx); err != nil {
			return fmt.Errorf("delete the note: %w", err)
		}
		return nil
	})
}
