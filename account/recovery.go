package account

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

const (
	recoveryCodes  = 10
	recoveryDigits = 16 // 80 random bits in base32
)

// ReplaceRecoveryCodes makes new recovery codes of the caller, which are shown this once. The old ones end.
func (a *Accounts) ReplaceRecoveryCodes(ctx context.Context) (codes []string, err error) {
	p, err := a.requireFresh(ctx)
	if err != nil {
		return nil, err
	}
	err = a.changeFactor(ctx, "recovery_codes.replace", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			select from totp where user_id = $1 and confirmed_at is not null for update`, p.UserID)
		if err != nil {
			return fmt.Errorf("look for the authenticator app: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fault.Missing("authenticator app")
		}
		codes, err = replaceRecoveryCodes(ctx, tx, p.UserID)
		return err
	})
	return codes, err
}

func replaceRecoveryCodes(ctx context.Context, tx pgx.Tx, person uuid.UUID) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		digits := newRecoveryCode()
		hashes[i] = hashSecret(digits)
		codes[i] = strings.Join([]string{digits[:4], digits[4:8], digits[8:12], digits[12:]}, "-")
	}
	if _, err := tx.Exec(ctx, `delete from recovery_code where user_id = $1`, person); err != nil {
		return nil, fmt.Errorf("end the recovery codes: %w", err)
	}
	_, err := tx.Exec(ctx, `insert into recovery_code (user_id, hash) select $1, unnest($2::bytea[])`, person, hashes)
	if err != nil {
		return nil, fmt.Errorf("store the recovery codes: %w", err)
	}
	return codes, nil
}

func newRecoveryCode() string {
	random := make([]byte, recoveryDigits*5/8)
	rand.Read(random) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(random))
}

// useRecoveryCode takes a code away: of several callers at once one gets it.
func (a *Accounts) useRecoveryCode(ctx context.Context, person uuid.UUID, code string) (bool, error) {
	tag, err := a.pool.Exec(ctx, `
		delete from recovery_code where user_id = $1 and hash = $2`, person, hashSecret(code))
	if err != nil {
		return false, fmt.Errorf("use the recovery code: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// normalCode returns a code as people type it without what separates its digits.
func normalCode(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(code[:min(len(code), 64)])
}

func normalRecoveryCode(code string) string { return strings.ToLower(normalCode(code)) }
