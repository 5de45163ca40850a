package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/manifest/diff"
)

// pushOptions are the flags of a push.
type pushOptions struct {
	revision int    // 0: the file's version
	base     string // file that the draft must say the same as
	dryRun   bool
}

// pushed is what a push prints.
type pushed struct {
	Flow     json.RawMessage `json:"flow"`
	Changed  bool            `json:"changed"`
	DryRun   bool            `json:"dryRun"`
	Changes  []string        `json:"changes"`
	Problems json.RawMessage `json:"problems"`
}

func newFlowPush(t terminal) *cobra.Command {
	var options pushOptions
	var cmd *cobra.Command
	cmd = clientCommand{
		use: "push", short: "Make a file the draft of a flow",
		long: "Replaces the draft by a file, and writes the new revision into the file's member version. It never\n" +
			"overwrites what it does not know of: when the draft was saved since the revision that the file was made\n" +
			"from, it changes nothing and ends with exit code 3. The file's member version is that revision unless\n" +
			"--revision says it; with --base the draft must still say what that file does. A draft may be wrong: problems\n" +
			"are printed, and block publishing only. - is the input.",
		arguments: []string{"flowId", "file"},
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if options.base != "" && cmd.Flags().Changed("revision") {
			return usageError("--base and --revision exclude each other")
		}
		if cmd.Flags().Changed("revision") && options.revision < 1 {
			return usageError("--revision must be positive, not %d", options.revision)
		}
		result, err := pushFlow(ctx, t, server, args[0], args[1], options)
		if err != nil {
			return err
		}
		data, err := json.Marshal(result)
		if err != nil {
			return err
		}
		noteDryRun(t.err, options.dryRun)
		return out.print(t.out, data)
	})
	cmd.Flags().IntVar(&options.revision, "revision", 0, "revision to replace; the file's version unless given")
	cmd.Flags().StringVar(&options.base, "base", "", "replace the draft only if it says what this file does")
	dryRunFlag(cmd, &options.dryRun)
	return cmd
}

// pushFlow saves a file as the draft of a flow.
func pushFlow(
	ctx context.Context, t terminal, server api, id, name string, options pushOptions,
) (*pushed, error) {
	text, err := readFlowFile(t, name)
	if err != nil {
		return nil, err
	}
	flow, err := readFlow(ctx, server, id)
	if err != nil {
		return nil, err
	}
	changes, err := diff.Compare(flow.Draft, text)
	if err != nil {
		return nil, usageError("%s: %s", name, err)
	}
	result := &pushed{DryRun: options.dryRun, Changes: []string{}, Problems: json.RawMessage("[]")}
	for _, change := range changes {
		result.Changes = append(result.Changes, change.String())
	}
	if sameFlow(flow.Draft, text) {
		result.Flow, err = json.Marshal(map[string]any{
			"id": flow.ID, "name": flow.Name, "draftRevision": flow.DraftRevision,
		})
		if err != nil {
			return nil, err
		}
		return result, storeRevision(name, text, flow.DraftRevision, options.dryRun)
	}
	revision, err := baseRevision(t, flow, name, text, options)
	if err != nil {
		return nil, err
	}
	input := map[string]any{
		"flowId": id, "revision": revision, "draft": json.RawMessage(text), "dryRun": options.dryRun,
	}
	var saved struct {
		Flow     json.RawMessage `json:"flow"`
		Problems json.RawMessage `json:"problems"`
	}
	err = server.read(ctx, "saveDraft", map[string]any{"input": input}, &saved, "saveDraft")
	if err != nil {
		return nil, explainConflict(err, id, name)
	}
	result.Flow, result.Problems, result.Changed = saved.Flow, saved.Problems, true
	var now struct{ DraftRevision int }
	if err := json.Unmarshal(saved.Flow, &now); err != nil {
		return nil, err
	}
	return result, storeRevision(name, text, now.DraftRevision, options.dryRun)
}

// baseRevision returns the revision of the draft that the file was made from.
func baseRevision(t terminal, flow *flowFile, name string, text []byte, options pushOptions) (int, error) {
	switch {
	case options.revision > 0:
		return options.revision, nil
	case options.base != "":
		base, err := readFlowFile(t, options.base)
		if err != nil {
			return 0, err
		}
		if !sameFlow(flow.Draft, base) {
			return 0, conflict(
				flow.ID, name, fmt.Sprintf("the draft, at revision %d, is not what %s says", flow.DraftRevision, options.base),
			)
		}
		return flow.DraftRevision, nil
	}
	var made struct {
		FlowID  string `json:"flowId"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(text, &made); err != nil || made.Version < 1 || made.FlowID != flow.ID {
		return 0, usageError(
			"%s does not say which revision of this flow's draft it was made from: write it with svc flow pull %s, or give "+
				"--revision (the draft is at %d) or --base", name, flow.ID, flow.DraftRevision,
		)
	}
	return made.Version, nil
}

// explainConflict says what to do about a draft that somebody else saved.
func explainConflict(err error, flow, file string) error {
	var refused *failure
	if !errors.As(err, &refused) || refused.code != "conflict" {
		return err
	}
	errs, _ := refused.details.([]graphQLError)
	if len(errs) == 0 || errs[0].Extensions["currentRevision"] == nil {
		return err
	}
	told := conflict(flow, file, refused.message)
	told.details = refused.details
	return told
}

func conflict(flow, file, why string) *failure {
	return &failure{exit: exitConflict, code: "conflict", message: fmt.Sprintf(
		"%s. Nothing was changed. See the difference with svc flow diff %s %s; then pull the draft and make your changes "+
			"again, or replace it with --revision", why, flow, file,
	)}
}

// storeRevision writes the draft's new revision into the file, so that it can be pushed again.
func storeRevision(name string, text []byte, revision int, dryRun bool) error {
	if name == "-" || dryRun {
		return nil
	}
	info, err := os.Stat(name)
	if err == nil {
		err = replaceFile(name, withRevision(text, revision))
	}
	if err == nil {
		err = os.Chmod(name, info.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("the draft is saved as revision %d, but the file does not say so: %w", revision, err)
	}
	return nil
}
