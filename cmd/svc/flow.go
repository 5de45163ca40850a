package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/diff"
	"github.com/svc-dev/svc/manifest/problem"
)

// studioPage is the largest page of a list of the control plane.
const studioPage = 200

// newFlow makes the commands of authors who keep their flows in a repository.
func newFlow(t terminal) *cobra.Command {
	return newGroup(
		&cobra.Command{
			Use: "flow", Short: "Make flows, and keep them in a repository: pull, validate, compare, push, publish",
			Long: "Flows as files. pull writes the draft of a flow as a file, push makes a file the draft, publish makes a\n" +
				"version of the draft. The member version of a file is the draft's revision that the file was made from:\n" +
				"push refuses a file when the draft was saved since.",
		},
		newFlowList(t), newFlowTemplates(t), newFlowCreate(t), newFlowPull(t), newFlowValidate(t), newFlowDiff(t),
		newFlowPush(t), newFlowEdit(t), newFlowSimulate(t), newFlowPublish(t),
	)
}

func newFlowList(t terminal) *cobra.Command {
	var archived bool
	list := pagedList{operation: "flows", path: []string{"app", "flows"}}
	cmd := clientCommand{
		use: "list", short: "List the flows of an app with their newest versions", arguments: []string{"appId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.printAll(ctx, t.out, list, map[string]any{"app": args[0], "archived": archived}, out)
	})
	cmd.Flags().BoolVar(&archived, "archived", false, "list archived ones too")
	return cmd
}

// printAll prints all pages of a list.
func (a api) printAll(
	ctx context.Context, w io.Writer, list pagedList, variables map[string]any, out printer,
) error {
	data, err := list.readAll(ctx, a, variables, studioPage, math.MaxInt)
	if err != nil {
		return err
	}
	return out.print(w, data)
}

func newFlowPull(t terminal) *cobra.Command {
	var client clientFlags
	var version int
	var file string
	cmd := &cobra.Command{
		Use:   "pull <flowId>",
		Short: "Write the draft of a flow, or one of its versions, as a file to edit",
		Long: "Writes the manifest with sorted members, so that equal flows are equal files. Its member version is the\n" +
			"revision that the draft has now, also with --version: pushed, such a file brings the version back.",
		Args:              exactly("flowId"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := positiveVersion(cmd, version); err != nil {
				return err
			}
			connection, err := client.resolve(t)
			if err != nil {
				return err
			}
			server := newAPI(connection)
			flow, err := readFlow(cmd.Context(), server, args[0])
			if err != nil {
				return err
			}
			raw := flow.Draft
			if version > 0 {
				if _, raw, err = numberedVersion(cmd.Context(), server, args[0], version); err != nil {
					return err
				}
			}
			text, err := formatFlow(raw, flow.DraftRevision)
			if err != nil {
				return err
			}
			if file == "" {
				_, err = t.out.Write(text)
				return err
			}
			return replaceFile(file, text)
		},
	}
	client.bind(cmd)
	cmd.Flags().IntVar(&version, "version", 0, "number of a published version; the draft unless given")
	cmd.Flags().StringVar(&file, "out", "", "file to write; the output unless given")
	return cmd
}

// positiveVersion refuses a --version that is none.
func positiveVersion(cmd *cobra.Command, version int) error {
	if cmd.Flags().Changed("version") && version < 1 {
		return usageError("--version must be positive, not %d", version)
	}
	return nil
}

func newFlowValidate(t terminal) *cobra.Command {
	var out printer
	cmd := &cobra.Command{
		Use:   "validate <file>...",
		Short: "Say what is wrong with flow files; needs no server",
		Long: "Checks structure, rules and the gates of publishing, as far as they don't depend on an app: integrations\n" +
			"and canvas controls count as on. Says problems by the names of screens and layers, as the editor does, with\n" +
			"code and JSON pointer for programs. Exit code 1 means that a file has errors; warnings don't count. - is the\n" +
			"input.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("usage: %s <file>...", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(rowOutputs, out.format) {
				return usageError("--output must be %s, not %q", strings.Join(rowOutputs, ", "), out.format)
			}
			return validateFiles(t, args, out)
		},
	}
	bindOutput(cmd, &out, rowOutputs)
	return cmd
}

// fileProblem is a finding about one file.
type fileProblem struct {
	File string `json:"file"`
	problem.Problem
}

// validateFiles prints the problems of files, and fails when one of them has errors.
func validateFiles(t terminal, files []string, out printer) error {
	found := []fileProblem{}
	var wrong []string
	for _, name := range files {
		raw, err := readFlowFile(t, name)
		if err != nil {
			return err
		}
		problems := checkFlow(raw)
		if manifest.Blocking(problems) {
			wrong = append(wrong, name)
		}
		for _, p := range problem.InWords(raw, problems) {
			found = append(found, fileProblem{name, p})
		}
	}
	data, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if err := out.print(t.out, data); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return &failure{exit: exitError, code: "invalid_manifest", message: "errors in " + strings.Join(wrong, ", ")}
	}
	return nil
}

// checkFlow runs every check that needs no app.
func checkFlow(raw []byte) []manifest.Problem {
	parsed, problems := manifest.Parse(raw)
	if parsed == nil {
		return problems
	}
	return append(problems, manifest.CheckPublish(parsed, manifest.PublishOptions{
		Integrations: map[manifest.Provider]bool{
			manifest.RevenueCat: true, manifest.Superwall: true, manifest.Stripe: true,
		},
	})...)
}

func newFlowDiff(t terminal) *cobra.Command {
	var version int
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "diff", short: "Say what a file changes of a flow's draft, or of one of its versions",
		long: "Compares the draft, or with --version a published version, with a file, and says what the file adds (+),\n" +
			"removes (-), moves (>) and changes (~). Exit code 1 means that they differ. - is the input.",
		arguments: []string{"flowId", "file"}, outputs: []string{"json", "text"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if err := positiveVersion(cmd, version); err != nil {
			return err
		}
		file, err := readFlowFile(t, args[1])
		if err != nil {
			return err
		}
		var raw json.RawMessage
		from := fmt.Sprintf("version %d", version)
		if version > 0 {
			_, raw, err = numberedVersion(ctx, server, args[0], version)
		} else {
			var flow *flowFile
			if flow, err = readFlow(ctx, server, args[0]); err == nil {
				raw, from = flow.Draft, fmt.Sprintf("draft, revision %d", flow.DraftRevision)
			}
		}
		if err != nil {
			return err
		}
		changes, err := diff.Compare(raw, file)
		if err != nil {
			return err
		}
		return printDiff(t.out, out, from, args[1], changes)
	})
	cmd.Flags().IntVar(&version, "version", 0, "number of a published version; the draft unless given")
	return cmd
}

// printDiff writes the changes, and fails when there are some.
func printDiff(w io.Writer, out printer, from, to string, changes []diff.Change) error {
	if out.format == "text" {
		for _, change := range changes {
			if _, err := fmt.Fprintln(w, change); err != nil {
				return err
			}
		}
	} else {
		data, err := json.Marshal(struct {
			From    string        `json:"from"`
			To      string        `json:"to"`
			Changes []diff.Change `json:"changes"`
		}{from, to, append([]diff.Change{}, changes...)})
		if err != nil {
			return err
		}
		if err := out.print(w, data); err != nil {
			return err
		}
	}
	if len(changes) > 0 {
		return &failure{
			exit: exitError, code: "different", message: fmt.Sprintf("%s has %d changes of the %s", to, len(changes), from),
		}
	}
	return nil
}

func newFlowPublish(t terminal) *cobra.Command {
	var label string
	var dryRun bool
	cmd := clientCommand{
		use: "publish", short: "Make the next version of a flow from its draft",
		long: "Makes the next version. Nothing changes for users until a channel is pinned. A draft that does not pass\n" +
			"the gates is the error publish_blocked, whose details have the problems.",
		arguments: []string{"flowId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		return server.change(ctx, t, "publishFlow", map[string]any{"id": args[0], "label": label, "dryRun": dryRun}, out)
	})
	cmd.Flags().StringVar(&label, "label", "", "a name for the version, at most 120 characters")
	dryRunFlag(cmd, &dryRun)
	return cmd
}

// change runs a mutation, whose document has its name, and prints what it answers.
func (a api) change(ctx context.Context, t terminal, mutation string, input map[string]any, out printer) error {
	data, err := a.query(ctx, mutation, map[string]any{"input": input}, mutation)
	if err != nil {
		return err
	}
	noteDryRun(t.err, input["dryRun"] == true)
	return out.print(t.out, data)
}

// noteDryRun says that what was printed did not happen.
func noteDryRun(w io.Writer, dryRun bool) {
	if dryRun {
		fmt.Fprintln(w, `{"note":"a dry run: nothing was changed"}`)
	}
}

// newPreview makes the command that signs preview links.
func newPreview(t terminal) *cobra.Command {
	var version, hours int
	var page string
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "preview", short: "Make a link that shows a flow's draft in the app",
		long: "Signs a token that shows the draft, as it is when the link is opened, or one version, in an app with a\n" +
			"test key. On the web it is the parameter svc.preview of a page's address, which --page completes.",
		arguments: []string{"flowId"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if err := positiveVersion(cmd, version); err != nil {
			return err
		}
		input := map[string]any{"flowId": args[0], "hours": hours}
		if version > 0 {
			_, found, err := findVersion(ctx, server, args[0], version)
			if err != nil {
				return err
			}
			input["versionId"] = found.ID
		}
		var link struct {
			Token     string `json:"token"`
			ExpiresAt string `json:"expiresAt"`
			URL       string `json:"url,omitempty"`
		}
		err := server.read(ctx, "createPreviewLink", map[string]any{"input": input}, &link, "createPreviewLink")
		if err != nil {
			return err
		}
		if page != "" {
			if link.URL, err = withParameter(page, "svc.preview", link.Token); err != nil {
				return err
			}
		}
		data, err := json.Marshal(link)
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().IntVar(&version, "version", 0, "number of a published version; the draft unless given")
	cmd.Flags().IntVar(&hours, "hours", 24, "how long the link works, 1 to 24")
	cmd.Flags().StringVar(&page, "page", "", "address of a page of the app, to print the whole link")
	return cmd
}
