package account

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/svc-dev/svc/internal/fault"
)

// SecretTable has the secrets of authenticator apps, encrypted for their ids.
const SecretTable = "totp"

// totpStep is how long a code is new; the one before it and the one after it are taken too, for clocks that are off.
const totpStep = 30

// TOTPEnrolment is what an authenticator app is given, once.
type TOTPEnrolment struct {
	// Secret is in base32, for who types it; URI is the whole of it.
	Secret, URI string
	// Image is the QR code of the URI: a PNG as a data URI.
	Image string
}

// SecondFactor is what a person has beside the password.
type SecondFactor struct {
	// TOTPSince is when the authenticator app was added; nil without one.
	TOTPSince *time.Time
	// RecoveryCodesLeft is how many recovery codes are not used.
	RecoveryCodesLeft int
	// Passkeys are 20 at most, the oldest first.
	Passkeys []*Passkey
}

// SecondFactor returns what the caller has beside the password.
func (a *Accounts) SecondFactor(ctx context.Context) (*SecondFactor, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var f SecondFactor
	if err := a.pool.QueryRow(ctx, `select
		(select confirmed_at from totp where user_id = $1), (select count(*) from recovery_code where user_id = $1)`,
		p.UserID).Scan(&f.TOTPSince, &f.RecoveryCodesLeft); err != nil {
		return nil, fmt.Errorf("read the second factor: %w", err)
	}
	rows, err := a.pool.Query(ctx, `
		select id, name, created_at, last_used_at, cloned from passkey where user_id = $1 order by created_at, id`, p.UserID)
	if err != nil {
		return nil, fmt.Errorf("read the passkeys: %w", err)
	}
	f.Passkeys, err = pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[Passkey])
	return &f, err
}

// BeginTOTP makes the secret of an authenticator app, which counts from ConfirmTOTP on. One that was begun before ends.
func (a *Accounts) BeginTOTP(ctx context.Context) (*TOTPEnrolment, error) {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return nil, err
	}
	if a.ring == nil {
		return nil, fault.New(fault.Unavailable, "this server keeps no secrets")
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Svc", AccountName: p.Email})
	if err != nil {
		return nil, fmt.Errorf("make a secret: %w", err)
	}
	picture, err := key.Image(240, 240)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	id := uuid.Must(uuid.NewV7())
	keyID, sealed, err := a.ring.Seal([]byte(key.Secret()), id.String())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	tag, err := a.pool.Exec(ctx, `
		insert into totp (id, user_id, key_id, sealed) values ($1, $2, $3, $4)
		on conflict (user_id) do update set id = excluded.id, key_id = excluded.key_id, sealed = excluded.sealed,
			used_step = 0, created_at = now() where totp.confirmed_at is null`, id, p.UserID, keyID, sealed)
	if err != nil {
		return nil, fmt.Errorf("store the secret: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil, fault.New(fault.Conflict, "there is an authenticator app; remove it first")
	}
	return &TOTPEnrolment{
		Secret: key.Secret(), URI: key.URL(),
		Image: "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes()),
	}, nil
}

// ConfirmTOTP asks for a code of the authenticator app that was begun. From then on the password alone signs nobody in.
// It returns recovery codes, once, and makes the session one of two factors.
func (a *Accounts) ConfirmTOTP(ctx context.Context, code string) (codes []string, err error) {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return nil, err
	}
	err = a.checkCode(ctx, p.UserID, func(ctx context.Context) (bool, error) {
		return a.useTOTP(ctx, p.UserID, code, false)
	})
	if fault.Is(err, fault.Unauthenticated) {
		return nil, fault.Invalid("code", "is wrong, or of an earlier minute")
	}
	if err != nil {
		return nil, err
	}
	err = a.changeFactor(ctx, "totp.add", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			update totp set confirmed_at = $2 where user_id = $1 and confirmed_at is null`, p.UserID, a.now())
		if err != nil {
			return fmt.Errorf("confirm the secret: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "there is no authenticator app to confirm")
		}
		codes, err = replaceRecoveryCodes(ctx, tx, p.UserID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return codes, a.raiseSession(ctx, p, ByCode)
}

// raiseSession makes the session one of two factors under another token, so that nobody goes on with the old one.
func (a *Accounts) raiseSession(ctx context.Context, p *Principal, method Method) error {
	person, err := a.userByEmail(ctx, p.Email)
	if err != nil {
		return err
	}
	if person == nil {
		return fault.Missing("user")
	}
	return a.openSession(ctx, person, method)
}

// RemoveTOTP ends the authenticator app of the caller, and the recovery codes with it.
func (a *Accounts) RemoveTOTP(ctx context.Context) error {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return err
	}
	return a.changeFactor(ctx, "totp.remove", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from totp where user_id = $1`, p.UserID)
		if err != nil {
			return fmt.Errorf("remove the secret: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.Missing("authenticator app")
		}
		_, err = tx.Exec(ctx, `delete from recovery_code where user_id = $1`, p.UserID)
		return err
	})
}

// changeFactor changes how the caller signs in, and tells the audit log of each workspace that they enter.
func (a *Accounts) changeFactor(
	ctx context.Context, action string, change func(ctx context.Context, tx pgx.Tx) error,
) error {
	p, err := requirePerson(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		for _, workspace := range p.memberOf() {
			if err := RecordIn(ctx, tx, workspace, action, p.UserID.String(), nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkSecondFactor returns how a person signs in who gave the right password.
func (a *Accounts) checkSecondFactor(ctx context.Context, person uuid.UUID, code string) (Method, error) {
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var has bool
	if err := a.pool.QueryRow(reading, `
		select exists (select from totp where user_id = $1 and confirmed_at is not null)`, person).Scan(&has); err != nil {
		return "", fmt.Errorf("look for a second factor: %w", err)
	}
	if !has {
		return ByPassword, nil
	}
	if code == "" {
		return "", fault.New(fault.SecondFactor, "give a code of your authenticator app, or a recovery code")
	}
	return ByCode, a.checkCode(ctx, person, func(ctx context.Context) (bool, error) {
		if recovery := normalRecoveryCode(code); len(recovery) == recoveryDigits {
			return a.useRecoveryCode(ctx, person, recovery)
		}
		return a.useTOTP(ctx, person, code, true)
	})
}

// checkCode counts a code before it is looked at, as passwords are.
func (a *Accounts) checkCode(
	ctx context.Context, person uuid.UUID, use func(ctx context.Context) (bool, error),
) error {
	if err := a.countAttempt(ctx, wrongCodes, person.String()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	right, err := use(ctx)
	if err != nil {
		a.uncountAttempt(ctx, wrongCodes, person.String())
		return err
	}
	if !right {
		return fault.New(fault.Unauthenticated, "wrong code")
	}
	a.resetAttempts(ctx, wrongCodes, person.String())
	return nil
}

// useTOTP tells whether a code is one of now, and uses it up with all before it: who saw it being typed can't use it
// again, at whatever server.
func (a *Accounts) useTOTP(ctx context.Context, person uuid.UUID, code string, confirmed bool) (bool, error) {
	var id uuid.UUID
	var keyID string
	var sealed []byte
	err := a.pool.QueryRow(ctx, `
		select id, key_id, sealed from totp where user_id = $1 and (confirmed_at is not null) = $2`, person, confirmed,
	).Scan(&id, &keyID, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the secret: %w", err)
	}
	if a.ring == nil {
		return false, fault.New(fault.Unavailable, "this server keeps no secrets")
	}
	secret, err := a.ring.Open(keyID, sealed, id.String())
	if err != nil {
		return false, fmt.Errorf("open the secret of an authenticator app: %w", err)
	}
	step, ok := stepOf(string(secret), normalCode(code), a.now())
	if !ok {
		return false, nil
	}
	tag, err := a.pool.Exec(ctx, `update totp set used_step = $2 where id = $1 and used_step < $2`, id, step)
	if err != nil {
		return false, fmt.Errorf("use the code: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// stepOf returns the time step that a code is of.
func stepOf(secret, code string, now time.Time) (found int64, ok bool) {
	for step := now.Unix()/totpStep - 1; step <= now.Unix()/totpStep+1; step++ {
		want, err := hotp.GenerateCode(secret, uint64(step)) //nolint:gosec // times after 1970
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			found, ok = step, true
		}
	}
	return found, ok
}
