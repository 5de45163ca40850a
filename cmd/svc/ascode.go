package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/cmd/svc/ascode"
)

// asCode is the server as the folder of configuration asks it.
type asCode struct{ api }

func (a asCode) Read(
	ctx context.Context, document string, variables map[string]any, into any, path ...string,
) error {
	return a.read(ctx, document, variables, into, path...)
}

// draftsPage is the page size of flows with their drafts, which are priced by their bytes.
const draftsPage = 15

func (a asCode) ReadAll(
	ctx context.Context, document string, variables map[string]any, into any, path ...string,
) error {
	page := studioPage
	if document == "flowFiles" {
		page = draftsPage
	}
	list := pagedList{operation: document, path: path, maxBytes: ascode.MaxFolder}
	data, err := list.readAll(ctx, a.api, variables, page, math.MaxInt)
	if err != nil {
		return err
	}
	if string(data) == "null" {
		return &failure{
			exit: exitAuth, code: "forbidden", message: "the app is not one of the key's, or the key has no right to read it",
		}
	}
	rows, err := descend(data, []string{"nodes"})
	if err != nil {
		return err
	}
	return json.Unmarshal(rows, into)
}

// refused tells a refusal with its exit code.
func refused(err error) error {
	var r *ascode.Refusal
	if !errors.As(err, &r) {
		var answered *failure
		if errors.As(err, &answered) { // the name of the file stands before what the server says
			told := *answered
			told.message = err.Error()
			return &told
		}
		return err
	}
	if !r.Conflict {
		return &failure{exit: exitUsage, code: "usage", message: r.Message, cause: err}
	}
	return &failure{exit: exitConflict, code: "conflict", message: r.Message, details: r.Files, cause: err}
}

// folderCommand makes a command about a folder and an app; the folder is the working directory unless given.
func folderCommand(
	t terminal, c clientCommand, o *ascode.Options,
	ask func(context.Context, asCode, *ascode.Folder, printer) error,
) *cobra.Command {
	c.outputs = []string{"text", "json"}
	directory := "."
	cmd := c.command(t, func(ctx context.Context, server api, _ []string, out printer) error {
		folder, err := ascode.OpenFolder(directory)
		if err != nil {
			return usageError("%s", err)
		}
		defer folder.Close()
		return refused(ask(ctx, asCode{server}, folder, out))
	})
	cmd.Use = c.use + " [directory]"
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError("%s takes one directory", cmd.CommandPath())
		}
		if len(args) == 1 {
			directory = args[0]
		}
		return nil
	}
	cmd.Flags().StringVar(&o.App, "app", "", "id of the app; that of svc.lock.json unless given")
	cmd.Flags().StringSliceVar(
		&o.Kinds, "kinds", nil, "kinds of files, all of an app unless given: "+strings.Join(ascode.Kinds(), ", "),
	)
	return cmd
}

func newPull(t terminal) *cobra.Command {
	var o ascode.Options
	var format string
	cmd := folderCommand(t, clientCommand{
		use: "pull", short: "Write the configuration of an app as files",
		long: "Writes a file for each flow, channel, experiment, automation, segment and goal, and for the branding, and\n" +
			"svc.lock.json with their ids. Files that were changed since the pull before are not overwritten: exit code 3.\n" +
			"The directory is made where there is none.",
	}, &o, func(ctx context.Context, server asCode, folder *ascode.Folder, out printer) error {
		if format != "json" && format != "yaml" {
			return usageError("--format must be json or yaml, not %q", format)
		}
		o.YAML = format == "yaml"
		pulled, err := ascode.Pull(ctx, server, folder, o)
		if err != nil {
			return err
		}
		return printFolder(t.out, out, pulled, pulledLines(pulled))
	})
	open := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usageError("%s", err)
			}
		}
		return open(cmd, args)
	}
	cmd.Flags().StringVar(&format, "format", "json", "form of new files: json or yaml")
	cmd.Flags().BoolVar(&o.Force, "force", false, "overwrite files that were changed since the pull before")
	return cmd
}

func pulledLines(p *ascode.Pulled) []string {
	var lines []string
	for _, name := range p.Written {
		lines = append(lines, "wrote "+name)
	}
	for _, name := range p.Removed {
		lines = append(lines, "removed "+name)
	}
	return append(lines, fmt.Sprintf("%d files written, %d removed, %d the same", len(p.Written), len(p.Removed), p.Same))
}

func newDiff(t terminal) *cobra.Command {
	o := ascode.Options{Serve: true, Prune: true}
	return folderCommand(t, clientCommand{
		use: "diff", short: "Say how files of configuration differ from the app",
		long: "Says what a push with --serve and --prune would do, and changes nothing. Exit code 1 means that files and\n" +
			"app differ, 3 that a push would be refused.",
	}, &o, func(ctx context.Context, server asCode, folder *ascode.Folder, out printer) error {
		plan, err := ascode.Diff(ctx, server, folder, o)
		if err != nil {
			return err
		}
		if err := printFolder(t.out, out, plan, planLines(plan)); err != nil {
			return err
		}
		switch {
		case len(plan.Conflicts) > 0:
			return &failure{
				exit: exitConflict, code: "conflict", details: plan.Conflicts,
				message: fmt.Sprintf("%d files can't be pushed before a pull", len(plan.Conflicts)),
			}
		case plan.Differs():
			return &failure{exit: exitError, code: "different", message: "files and app differ"}
		}
		return nil
	})
}

func newPush(t terminal) *cobra.Command {
	var o ascode.Options
	cmd := folderCommand(t, clientCommand{
		use: "push", short: "Make an app what files of configuration say",
		long: "Prints the plan, then does it in its order. Nothing is changed, with exit code 3, when something was\n" +
			"changed on the server since the pull. Drafts are saved; what users get is changed with --serve only, and only\n" +
			"where a file says so: what a channel serves, experiments that run, automations that are published or active.\n" +
			"Objects whose files were deleted are removed with --prune only. A second push does nothing.",
	}, &o, func(ctx context.Context, server asCode, folder *ascode.Folder, out printer) error {
		err := ascode.Push(ctx, server, folder, o, func(plan *ascode.Plan) error {
			return printFolder(t.out, out, plan, planLines(plan))
		})
		if err == nil {
			noteDryRun(t.err, o.DryRun)
		}
		return err
	})
	cmd.Flags().BoolVar(&o.Serve, "serve", false, "change what users get, where the files say so")
	cmd.Flags().BoolVar(&o.Prune, "prune", false, "remove what files were deleted of")
	dryRunFlag(cmd, &o.DryRun)
	return cmd
}

// planLines says a plan in lines.
func planLines(plan *ascode.Plan) []string {
	var lines []string
	for _, step := range plan.Steps {
		line := fmt.Sprintf("%-7s %s", step.Action, step.File)
		if step.Held != "" {
			line += " (left out without " + step.Held + ")"
		}
		lines = append(lines, line)
		for _, change := range step.Changes {
			lines = append(lines, "        "+change)
		}
	}
	for _, c := range plan.Conflicts {
		lines = append(lines, "refused "+c.File+": "+c.Reason)
	}
	for _, path := range plan.OnServer {
		lines = append(lines, "unknown "+path+": only on the server; svc pull writes its file")
	}
	if len(lines) == 0 {
		lines = append(lines, "files and app are the same")
	}
	return lines
}

func printFolder(w io.Writer, out printer, answer any, lines []string) error {
	if out.format == "text" {
		_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
		return err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return out.print(w, data)
}
