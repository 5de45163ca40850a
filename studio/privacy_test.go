package studio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/auditentry"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/studio"
)

func TestErasePerson(t *testing.T) {
	w := newWorld(t)
	dev := privacy.Request{AppUserID: "dev-1"}
	erased := made(w.ErasePerson(w.owner, w.app.ID, studio.Live, dev))(t)
	require.NotNil(t, erased.FinishedAt)
	require.Equal(t, 1, erased.Devices)
	again := made(w.Erasure(w.owner, w.app.ID, studio.Live, erased.ID))(t)
	require.Equal(t, erased.FinishedAt.UTC(), again.FinishedAt.UTC())
	require.Zero(t, again.Devices, "it names nobody")
	entry := w.db.Ent().AuditEntry.Query().AllX(w.owner)
	last := entry[len(entry)-1]
	require.Equal(t, "person.erase", last.Action)
	require.Equal(t, erased.ID.String(), last.Subject)

	_, err := w.Erasure(w.owner, w.app.ID, studio.Test, erased.ID)
	refused(t, err, fault.NotFound, "")
	viewer := w.viewer()
	_, err = w.ErasePerson(viewer, w.app.ID, studio.Live, dev)
	refused(t, err, fault.Forbidden, "")
	_, err = w.Erasure(viewer, w.app.ID, studio.Live, erased.ID)
	refused(t, err, fault.Forbidden, "")
	_, err = w.ErasePerson(w.owner, w.app.ID, studio.Live, privacy.Request{})
	refused(t, err, fault.InvalidInput, "appUserId")

	none := studio.New(w.db.Ent(), studio.Options{})
	_, err = none.ErasePerson(w.owner, w.app.ID, studio.Live, dev)
	refused(t, err, fault.Unavailable, "")
	_, err = none.ExportPerson(w.owner, w.app.ID, studio.Live, dev, "")
	refused(t, err, fault.Unavailable, "")
	_, err = none.Erasure(w.owner, w.app.ID, studio.Live, uuid.New())
	refused(t, err, fault.Unavailable, "")
}

// interrupted begins erasures, and fails when they are carried out.
type interrupted struct {
	studio.Privacy
	err error
}

func (i interrupted) Carry(context.Context, int64, uuid.UUID) (privacy.Erasure, error) {
	return privacy.Erasure{}, i.err
}

// What keeps an erasure from its end and passes is no error: the answer is what was begun, and maintenance goes on
// with it.
func TestAnErasureThatIsInterruptedHasBegun(t *testing.T) {
	w := newWorld(t)
	dev := privacy.Request{AppUserID: "dev-1"}
	carriedBy := privacy.New(w.db)
	var log bytes.Buffer
	failing := func(err error) *studio.Studio {
		return studio.New(w.db.Ent(), studio.Options{
			Privacy: interrupted{carriedBy, err}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
	}
	passing := fmt.Errorf("wait for the events: %w", &pgconn.PgError{Code: "55P03", Message: "canceling statement due to lock timeout"})
	begun := made(failing(passing).ErasePerson(w.owner, w.app.ID, studio.Live, dev))(t)
	require.Nil(t, begun.FinishedAt)
	require.Contains(t, log.String(), begun.ID.String())
	require.Equal(t, begun.ID, made(w.Erasure(w.owner, w.app.ID, studio.Live, begun.ID))(t).ID)

	_, err := failing(errors.New("a table is missing")).ErasePerson(w.owner, w.app.ID, studio.Live, dev)
	require.EqualError(t, err, "a table is missing")

	done := made(w.ErasePerson(w.owner, w.app.ID, studio.Live, dev))(t)
	require.NotNil(t, done.FinishedAt)
	actions := w.db.Ent().AuditEntry.Query().Where(auditentry.Action("person.erase")).AllX(w.owner)
	require.Equal(t, begun.ID.String(), actions[0].Subject)
}

// Nobody is erased without an entry in the audit log.
func TestAnErasureThatIsNotRecordedHasNotBegun(t *testing.T) {
	w := newWorld(t)
	for _, sql := range []string{
		`create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`,
		`create trigger refuse before insert on audit_entries for each row execute function refuse()`,
	} {
		_, err := w.db.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	_, err := w.ErasePerson(w.owner, w.app.ID, studio.Live, privacy.Request{AppUserID: "dev-1"})
	require.ErrorContains(t, err, "refused")
	var begun int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `
		select (select count(*) from person_erasure) + (select count(*) from erased_person)`).Scan(&begun))
	require.Zero(t, begun)
}

func TestExportPerson(t *testing.T) {
	w := newWorld(t)
	dev := privacy.Request{AppUserID: "dev-1"}
	before := w.db.Ent().AuditEntry.Query().CountX(w.owner)
	page := made(w.ExportPerson(w.owner, w.app.ID, studio.Live, dev, ""))(t)
	require.Equal(t, 1, page.Devices)
	require.Empty(t, page.Records)
	require.Empty(t, page.After)
	entries := w.db.Ent().AuditEntry.Query().AllX(w.owner)
	require.Len(t, entries, before+1)
	require.Equal(t, "person.export", entries[before].Action)
	require.NotContains(t, entries[before].Detail, "dev-1")

	_, err := w.ExportPerson(w.viewer(), w.app.ID, studio.Live, dev, "")
	refused(t, err, fault.Forbidden, "")
	_, err = w.ExportPerson(w.owner, w.app.ID, studio.Live, dev, "nowhere")
	refused(t, err, fault.InvalidInput, "after")
}

func TestSetRetention(t *testing.T) {
	w := newWorld(t)
	days, none := 30, 0
	made(w.SetRetention(w.owner, w.app.ID, "flow", &days))(t)
	require.Equal(t, []privacy.Retention{{Kind: "flow", Days: 30}}, made(w.Retention(w.owner, w.app.ID))(t))
	_, err := w.SetRetention(w.owner, w.app.ID, "flow", &none)
	refused(t, err, fault.InvalidInput, "days")
	_, err = w.SetRetention(w.owner, w.app.ID, "mail", &days)
	refused(t, err, fault.InvalidInput, "kind")
	made(w.SetRetention(w.owner, w.app.ID, "flow", nil))(t)
	require.Empty(t, made(w.Retention(w.owner, w.app.ID))(t))
	viewer := w.viewer()
	_, err = w.SetRetention(viewer, w.app.ID, "flow", &days)
	refused(t, err, fault.Forbidden, "")
	_, err = w.Retention(w.stranger(), w.app.ID)
	refused(t, err, fault.NotFound, "")
	_, err = studio.New(w.db.Ent(), studio.Options{}).Retention(w.owner, w.app.ID)
	refused(t, err, fault.Unavailable, "")
}
