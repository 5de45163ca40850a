package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/account/sqlrole"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/postgres"
)

func newSQL(t terminal) *cobra.Command {
	return newGroup(&cobra.Command{
		Use: "sql", Short: "Login roles of the database that read the views of an app or a workspace",
		Long: "Makes login roles of the PostgreSQL of SVC_DATABASE_URL that read the schema svc_read: what one\n" +
			"environment of an app has stored, or all apps of a workspace. The server's own role needs CREATEROLE; what\n" +
			"else is missing is said.",
	}, newCreateRole(t), newListRoles(t), newRotateRole(t), newDropRole(t))
}

// sqlCommand runs work on the database and prints what it answers.
func sqlCommand(
	t terminal, cmd *cobra.Command, work func(ctx context.Context, db *postgres.DB, args []string) (any, error),
) *cobra.Command {
	var server serverFlags
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		settings, err := server.settings(t, config.Defaults())
		if err != nil {
			return err
		}
		db, err := openDatabase(cmd.Context(), settings, newLogger(settings, os.Stderr), commandPatience)
		if err != nil {
			return err
		}
		defer db.Close()
		answer, err := work(cmd.Context(), db, args)
		if err != nil {
			return err
		}
		encoder := json.NewEncoder(t.out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(answer)
	}
	server.bind(cmd, config.Defaults())
	return cmd
}

func newCreateRole(t terminal) *cobra.Command {
	var appID, env, workspace, host string
	cmd := &cobra.Command{
		Use: "create-role", Short: "Make a login role and print its password, this once",
		Long: "Makes a role that reads one environment of an app, or with --workspace all of a workspace, apps of later\n" +
			"included. The password is printed this once.",
		Args: noArguments,
	}
	sqlCommand(t, cmd, func(ctx context.Context, db *postgres.DB, _ []string) (any, error) {
		if (appID == "") == (workspace == "") {
			return nil, usageError("either --app or --workspace must be given")
		}
		if workspace != "" {
			id, err := uuid.Parse(workspace)
			if err != nil {
				return nil, usageError("--workspace must be the id of a workspace, not %q", workspace)
			}
			return sqlrole.Create(ctx, db, host, id, nil)
		}
		id, err := uuid.Parse(appID)
		if err != nil {
			return nil, usageError("--app must be the id of an app, not %q", appID)
		}
		kind := environment.Kind(env)
		if environment.KindValidator(kind) != nil {
			return nil, usageError("--env must be live or test, not %q", env)
		}
		found, err := db.Ent().Environment.Query().Where(environment.HasAppWith(app.ID(id)), environment.KindEQ(kind)).
			WithApp().Only(ctx)
		if ent.IsNotFound(err) {
			return nil, &failure{
				exit: exitUsage, code: "not_found", message: fmt.Sprintf("--app: no app %s in this database", id),
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read the app's environment: %w", err)
		}
		return sqlrole.Create(ctx, db, host, found.Edges.App.WorkspaceID, &found.ID)
	})
	cmd.Flags().StringVar(&appID, "app", "", "id of the app")
	cmd.Flags().StringVar(&env, "env", string(environment.KindLive), "environment, live or test")
	cmd.Flags().StringVar(&workspace, "workspace", "", "id of a workspace, instead of --app")
	bindHost(cmd, &host)
	return cmd
}

func bindHost(cmd *cobra.Command, host *string) {
	cmd.Flags().StringVar(
		host, "host", "", "host and port of the printed address, such as a replica's (default the database's)",
	)
}

func newListRoles(t terminal) *cobra.Command {
	return sqlCommand(t, &cobra.Command{
		Use: "roles <workspaceId>", Short: "List the roles of a workspace", Args: exactly("workspaceId"),
	}, func(ctx context.Context, db *postgres.DB, args []string) (any, error) {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return nil, usageError("workspaceId must be the id of a workspace, not %q", args[0])
		}
		return sqlrole.List(ctx, db.Pool, id)
	})
}

func newRotateRole(t terminal) *cobra.Command {
	var host string
	cmd := &cobra.Command{
		Use: "rotate-role <roleId>", Short: "Give a role another password and end its sessions", Args: exactly("roleId"),
	}
	bindHost(cmd, &host)
	return sqlCommand(t, cmd, func(ctx context.Context, db *postgres.DB, args []string) (any, error) {
		id, err := roleID(args)
		if err != nil {
			return nil, err
		}
		return sqlrole.Rotate(ctx, db, host, id)
	})
}

func newDropRole(t terminal) *cobra.Command {
	return sqlCommand(t, &cobra.Command{
		Use: "drop-role <roleId>", Short: "Drop a role and end its sessions", Args: exactly("roleId"),
	}, func(ctx context.Context, db *postgres.DB, args []string) (any, error) {
		id, err := roleID(args)
		if err != nil {
			return nil, err
		}
		return sqlrole.Drop(ctx, db, id)
	})
}

func roleID(args []string) (uuid.UUID, error) {
	id, err := uuid.Parse(args[0])
	if err != nil {
		return id, usageError("roleId must be the id of a role, not %q", args[0])
	}
	return id, nil
}
