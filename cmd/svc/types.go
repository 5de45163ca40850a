package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/typescript"
)

// newTypes makes the command that writes a flow's TypeScript types.
func newTypes(t terminal) *cobra.Command {
	var client clientFlags
	var version int
	var draft bool
	var out string
	cmd := &cobra.Command{
		Use:   "types <flowId>",
		Short: "Write the TypeScript types of a flow: its answers, options, steps and events",
		Long: "Writes a TypeScript module with what a flow asks: " +
			"a type for the answers of onFlowCompleted, and unions of its\n" +
			"steps, events and attributes. It describes the newest published version unless flags say otherwise, and is the\n" +
			"same byte for byte while the flow is. Needs a key with studio:read.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("%s takes one flow id", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if draft && cmd.Flags().Changed("version") {
				return usageError("--draft and --version exclude each other")
			}
			if version < 0 {
				return usageError("--version must be positive, not %d", version)
			}
			connection, err := client.resolve(t)
			if err != nil {
				return err
			}
			text, err := flowTypes(cmd.Context(), newAPI(connection), args[0], version, draft)
			if err != nil {
				return err
			}
			if out == "" {
				_, err = t.out.Write(text)
				return err
			}
			return replaceFile(out, text)
		},
	}
	client.bind(cmd)
	cmd.Flags().IntVar(&version, "version", 0, "number of a published version; the newest unless given")
	cmd.Flags().BoolVar(&draft, "draft", false, "describe what is being edited")
	cmd.Flags().StringVar(&out, "out", "", "file to write; the output unless given")
	return cmd
}

// flowTypes asks for a flow's manifest and describes it; version 0 is the newest.
func flowTypes(ctx context.Context, server api, flow string, version int, draft bool) ([]byte, error) {
	name, from, raw, err := flowManifest(ctx, server, flow, version, draft)
	if err != nil {
		return nil, err
	}
	m, problems := manifest.Parse(raw)
	if m == nil {
		message := "the manifest could not be read"
		if len(problems) > 0 {
			message = problems[0].Pointer + ": " + problems[0].Message
		}
		return nil, &failure{exit: exitError, code: "invalid_manifest", message: message}
	}
	return typescript.Write(m, typescript.Source{Flow: name, From: from}), nil
}

// flowManifest returns a flow's name, a manifest of it, and which that is.
func flowManifest(
	ctx context.Context, server api, flow string, version int, draft bool,
) (name, from string, raw json.RawMessage, err error) {
	if version > 0 {
		name, raw, err = numberedVersion(ctx, server, flow, version)
		return name, fmt.Sprintf("version %d", version), raw, err
	}
	type node struct {
		Number   int             `json:"number"`
		Manifest json.RawMessage `json:"manifest"`
	}
	var found *struct {
		Name     string                 `json:"name"`
		Draft    json.RawMessage        `json:"draft"`
		Versions struct{ Nodes []node } `json:"versions"`
	}
	if err := server.read(ctx, "flowDraft", map[string]any{"flow": flow}, &found, "flow"); err != nil {
		return "", "", nil, err
	}
	switch {
	case found == nil:
		return "", "", nil, missing("flow", flow)
	case draft:
		return found.Name, "the draft", found.Draft, nil
	case len(found.Versions.Nodes) == 0:
		return "", "", nil, notPublished("give --draft")
	}
	newest := found.Versions.Nodes[0]
	return found.Name, fmt.Sprintf("version %d", newest.Number), newest.Manifest, nil
}

// flowVersion is a published version without its manifest.
type flowVersion struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
}

// numberedVersion finds a version by its number and reads its manifest.
func numberedVersion(
	ctx context.Context, server api, flow string, number int,
) (name string, raw json.RawMessage, err error) {
	name, found, err := findVersion(ctx, server, flow, number)
	if err != nil {
		return "", nil, err
	}
	var version struct{ Manifest json.RawMessage }
	err = server.read(ctx, "flowVersion", map[string]any{"version": found.ID}, &version, "flowVersion")
	return name, version.Manifest, err
}

// findVersion finds a version of a flow by its number, 0 for the newest, and returns the flow's name with it.
func findVersion(
	ctx context.Context, server api, flow string, number int,
) (name string, version flowVersion, err error) {
	for after := any(nil); ; {
		var found *struct {
			Name     string `json:"name"`
			Versions struct {
				Nodes    []flowVersion `json:"nodes"`
				PageInfo struct {
					HasNextPage bool   `json:"hasNextPage"`
					EndCursor   string `json:"endCursor"`
				} `json:"pageInfo"`
			} `json:"versions"`
		}
		if err := server.read(ctx, "flowVersions", map[string]any{"flow": flow, "after": after}, &found, "flow"); err != nil {
			return "", version, err
		}
		if found == nil {
			return "", version, missing("flow", flow)
		}
		for _, v := range found.Versions.Nodes {
			if v.Number == number || number == 0 {
				return found.Name, v, nil
			}
		}
		switch {
		case number == 0:
			return "", version, notPublished("publish it first")
		case !found.Versions.PageInfo.HasNextPage:
			return "", version, missing("version", fmt.Sprint(number))
		}
		after = found.Versions.PageInfo.EndCursor
	}
}

// notPublished says that a flow has no version, and what to do.
func notPublished(advice string) *failure {
	return &failure{exit: exitError, code: "not_published", message: "the flow has no published version: " + advice}
}

// read runs a named document and decodes the field at path.
func (a api) read(ctx context.Context, name string, variables map[string]any, into any, path ...string) error {
	data, err := a.query(ctx, name, variables, path...)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func missing(what, id string) *failure {
	return &failure{exit: exitError, code: "not_found", message: what + " " + id + " not found"}
}

// replaceFile writes a file whole or not at all, and leaves one alone that has these bytes already: whoever watches
// files need not build again. It makes the folders that the path names.
func replaceFile(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeWhole(path, content, 0o666)
}

// createNew creates a file whose name begins with a text and is no other's. Its mode is within the umask, so that who
// lets nobody read their files has none that others read.
func createNew(prefix string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(prefix+rand.Text(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// writeWhole replaces a file at once.
func writeWhole(path string, content []byte, mode fs.FileMode) error {
	file, err := createNew(filepath.Join(filepath.Dir(path), ".svc-"), mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(file.Name()) // gone already when all went well
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
