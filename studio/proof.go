package studio

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/postgres/transaction"
)

// ReadIdentityProof reads how an environment has custom user ids proved. The caller has checked who asks.
func (s *Studio) ReadIdentityProof(ctx context.Context, environmentID int64) (*proof.Settings, error) {
	return readProof(ctx, s.client, environmentID, s.now())
}

// querier is a client or its transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func readProof(ctx context.Context, db querier, environmentID int64, now time.Time) (*proof.Settings, error) {
	settings := &proof.Settings{Mode: proof.Off, Secrets: []proof.KeptSecret{}, Days: []proof.Day{}}
	each := func(query string, scan func(rows *sql.Rows) error, args ...any) error {
		rows, err := db.QueryContext(ctx, query, append([]any{environmentID}, args...)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
	err := errors.Join(
		each(`select mode from identity_proof where environment_id = $1`, func(rows *sql.Rows) error {
			return rows.Scan(&settings.Mode)
		}),
		each(`select created_at from identity_secret where environment_id = $1 order by id desc`,
			func(rows *sql.Rows) error {
				var kept proof.KeptSecret
				err := rows.Scan(&kept.CreatedAt)
				settings.Secrets = append(settings.Secrets, kept)
				return err
			}),
		each(`select day::text, proved, missing, wrong from identity_proof_count
			where environment_id = $1 and day > $2::date order by day`, func(rows *sql.Rows) error {
			var d proof.Day
			err := rows.Scan(&d.Day, &d.Proved, &d.Missing, &d.Wrong)
			settings.Days = append(settings.Days, d)
			return err
		}, now.UTC().AddDate(0, 0, -proof.DaysShown).Format(time.DateOnly)),
	)
	if err != nil {
		return nil, fmt.Errorf("read how custom user ids are proved: %w", err)
	}
	return settings, nil
}

// changeProof makes a change of how an environment has custom user ids proved, which servers follow at once.
func (s *Studio) changeProof(
	ctx context.Context, app uuid.UUID, kind Kind, action string, detail map[string]any,
	work func(tx *ent.Tx, env int64, before *proof.Settings) error,
) (after *proof.Settings, err error) {
	a, env, err := s.findEnvironment(ctx, app, kind, account.AppSettings)
	if err != nil {
		return nil, err
	}
	if detail == nil {
		detail = map[string]any{}
	}
	detail["environment"] = kind
	err = s.transactAndDeliver(ctx, app, record{a.WorkspaceID, action, app.String(), detail}, func(tx *ent.Tx) error {
		// The row is what two changes at once wait for each other with.
		if _, err := tx.ExecContext(ctx, `
			insert into identity_proof (environment_id, mode) values ($1, 'off')
			on conflict (environment_id) do update set mode = identity_proof.mode`, env.ID); err != nil {
			return fmt.Errorf("lock how custom user ids are proved: %w", err)
		}
		before, err := readProof(ctx, tx, env.ID, s.now())
		if err != nil {
			return err
		}
		if err := work(tx, env.ID, before); err != nil {
			return err
		}
		after, err = readProof(ctx, tx, env.ID, s.now())
		return err
	})
	return after, err
}

// SetIdentityProof sets what becomes of custom user ids without proof. Without a secret nothing could be proved, so
// that the only mode is Off then: the error is a [fault.Conflict].
func (s *Studio) SetIdentityProof(
	ctx context.Context, app uuid.UUID, kind Kind, mode proof.Mode,
) (*proof.Settings, error) {
	return s.changeProof(ctx, app, kind, "identity_proof.update", map[string]any{"mode": mode},
		func(tx *ent.Tx, env int64, before *proof.Settings) error {
			if mode != proof.Off && len(before.Secrets) == 0 {
				return fault.New(fault.Conflict, "make an identity secret first: nothing could be proved without one")
			}
			_, err := tx.ExecContext(ctx, `update identity_proof set mode = $2 where environment_id = $1`, env, mode)
			return err
		})
}

// RotateIdentitySecret gives an environment a new secret, which is returned and never shown again; it is empty in a dry
// run. What the one before signed proves too, until RetireIdentitySecret or the next rotation.
func (s *Studio) RotateIdentitySecret(
	ctx context.Context, app uuid.UUID, kind Kind,
) (settings *proof.Settings, shown string, err error) {
	if s.ring == nil {
		return nil, "", fault.New(fault.Unavailable, "this server keeps no secrets")
	}
	secret := proof.NewSecret()
	settings, err = s.changeProof(ctx, app, kind, "identity_proof.rotate_secret", nil,
		func(tx *ent.Tx, env int64, _ *proof.Settings) error {
			if err := keepNewestIdentitySecrets(ctx, tx, env, proof.MaxSecrets-1); err != nil {
				return err
			}
			id := uuid.Must(uuid.NewV7())
			keyID, sealed, err := secret.Seal(s.ring, id)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `
				insert into identity_secret (id, environment_id, key_id, sealed, created_at) values ($1, $2, $3, $4, $5)`,
				id, env, keyID, sealed, s.now())
			return err
		})
	if err != nil || transaction.IsDryRun(ctx) {
		return settings, "", err
	}
	return settings, secret.String(), nil
}

// RetireIdentitySecret ends a rotation: only what the newest secret signed proves from now on.
func (s *Studio) RetireIdentitySecret(ctx context.Context, app uuid.UUID, kind Kind) (*proof.Settings, error) {
	return s.changeProof(ctx, app, kind, "identity_proof.retire_secret", nil,
		func(tx *ent.Tx, env int64, _ *proof.Settings) error {
			return keepNewestIdentitySecrets(ctx, tx, env, 1)
		})
}

func keepNewestIdentitySecrets(ctx context.Context, tx *ent.Tx, environmentID int64, n int) error {
	_, err := tx.ExecContext(ctx, `
		delete from identity_secret where environment_id = $1 and id not in (
			select id from identity_secret where environment_id = $1 order by id desc limit $2)`, environmentID, n)
	return err
}
