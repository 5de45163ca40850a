package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/studio/bundle"
)

func newFlowCopy(t terminal) *cobra.Command {
	var name string
	cmd := clientCommand{
		use: "copy", short: "Copy a flow to another app of its workspace", arguments: []string{"flowId", "appId"},
		long: "Makes a flow of the app from the flow's draft. Fonts that the branding of the app lacks are added to it,\n" +
			"and gradients of the branding become those of the same name; missing says what the app does not have.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"flowId": args[0], "appId": args[1]}
		if name != "" {
			input["name"] = name
		}
		return server.change(ctx, t, "copyFlow", input, out)
	})
	cmd.Flags().StringVar(&name, "name", "", "name of the new flow; that of the flow unless given")
	return cmd
}

func newFlowExport(t terminal) *cobra.Command {
	var client clientFlags
	var path string
	cmd := &cobra.Command{
		Use:   "export <flowId>",
		Short: "Write a flow as one file, with its media and fonts",
		Long: "Writes a ZIP with the draft, the files of the media library that it shows, and the fonts of the branding\n" +
			"that it is written in: what svc flow import takes, in any workspace and on any server.",
		Args:              exactly("flowId"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "" {
				return usageError("--out says which file to write")
			}
			connection, err := client.resolve(t)
			if err != nil {
				return err
			}
			content, err := newAPI(connection).download(cmd.Context(), "/v1/flows/"+url.PathEscape(args[0])+"/export")
			if err != nil {
				return err
			}
			return replaceFile(path, content)
		},
	}
	client.bind(cmd)
	cmd.Flags().StringVar(&path, "out", "", "file to write")
	return cmd
}

func newFlowImport(t terminal) *cobra.Command {
	var app, name string
	cmd := clientCommand{
		use: "import", short: "Make a flow of an exported one", arguments: []string{"file"},
		long: "Makes a flow of a file that svc flow export wrote, or of a manifest (.json). Media that the library has\n" +
			"are used as they are; fonts that the branding lacks are added to it when the key may change it (app:settings).",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		if app == "" {
			return usageError("--app says whose flow it becomes")
		}
		if strings.EqualFold(filepath.Ext(args[0]), ".json") {
			raw, err := readFlowFile(t, args[0])
			if err != nil {
				return err
			}
			called := firstOf(name, strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])))
			return server.change(ctx, t, "createFlow", map[string]any{
				"appId": app, "name": called, "manifest": json.RawMessage(raw),
			}, out)
		}
		content, err := readBundle(args[0])
		if err != nil {
			return err
		}
		input := map[string]any{"appId": app, "file": nil}
		if name != "" {
			input["name"] = name
		}
		data, err := server.upload(ctx, "importFlow", input, filepath.Base(args[0]), content)
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
	cmd.Flags().StringVar(&app, "app", "", "id of the app")
	cmd.Flags().StringVar(&name, "name", "", "name of the new flow; the one in the file unless given")
	return cmd
}

// readBundle reads an exported flow, within its bound.
func readBundle(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usageError("%s", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, bundle.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(content) > bundle.MaxBytes {
		return nil, usageError("%s has more than %d bytes", path, bundle.MaxBytes)
	}
	return content, nil
}

// download reads what a path answers.
func (a api) download(ctx context.Context, path string) ([]byte, error) {
	if a.key == "" {
		return nil, noKey()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+path, nil)
	if err != nil {
		return nil, err
	}
	status, content, err := a.send(request)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		var refused struct{ Code, Message string }
		_ = json.Unmarshal(content, &refused) // what is no JSON has neither
		return nil, statusFailure(status, firstOf(refused.Code, "error"), firstOf(refused.Message, http.StatusText(status)))
	}
	return content, nil
}

// upload runs a mutation whose input has a file, and returns the data of the mutation.
func (a api) upload(
	ctx context.Context, mutation string, input map[string]any, filename string, content []byte,
) (json.RawMessage, error) {
	text, err := document(mutation)
	if err != nil {
		return nil, err
	}
	operations, err := json.Marshal(map[string]any{
		"query": text, "operationName": mutation, "variables": map[string]any{"input": input},
	})
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	err = errors.Join(
		form.WriteField("operations", string(operations)), form.WriteField("map", `{"0": ["variables.input.file"]}`),
	)
	part, partErr := form.CreateFormFile("0", filename)
	if err = errors.Join(err, partErr); err != nil {
		return nil, err
	}
	if _, err := part.Write(content); err != nil {
		return nil, err
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	return a.ask(ctx, &body, form.FormDataContentType(), mutation)
}
