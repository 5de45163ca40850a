package main

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/postgres"
)

// newPasswordReset makes the command that helps a member in again where the server sends no email.
func newPasswordReset(t terminal) *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use: "password-reset <email>", Short: "Print a link that sets a new password of an account",
		Long: "Makes a link for the account of an email, which works once, for an hour, and ends an earlier one. Hand it\n" +
			"to whom the account belongs to: it signs the account out everywhere. Needs the database of the server, as\n" +
			"--database-url or SVC_DATABASE_URL. Where an SMTP server is set, members ask for the link themselves.",
		Args: exactly("email"),
	}
	sqlCommand(t, cmd, func(ctx context.Context, db *postgres.DB, args []string) (any, error) {
		made, err := account.IssuePasswordReset(ctx, db.Pool, args[0])
		if err != nil {
			return nil, err
		}
		if made == nil {
			return nil, &failure{exit: exitUsage, code: "not_found", message: "nobody has an account with this email"}
		}
		address := base
		if address == "" {
			address = firstOf(t.env("SVC_BASE_URL"), "http://"+config.Defaults().Addr)
		}
		return struct {
			Email     string    `json:"email"`
			Link      string    `json:"link"`
			ExpiresAt time.Time `json:"expiresAt"`
		}{
			made.Email, strings.TrimSuffix(address, "/") + "/reset-password?token=" + url.QueryEscape(made.Token),
			made.ExpiresAt.UTC().Truncate(time.Second),
		}, nil
	})
	cmd.Flags().StringVar(&base, "link-base", "", "public address of the server in the link; SVC_BASE_URL unless given")
	return cmd
}
