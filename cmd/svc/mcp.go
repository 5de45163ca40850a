package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

func newMCP(t terminal) *cobra.Command {
	var client clientFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer a server's MCP tools on standard input and output",
		Long: "mcp speaks the Model Context Protocol on standard input and output and passes each call of a tool to the\n" +
			"/mcp of a server, with your API key. It ends with its input.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := client.resolve(t)
			if err != nil {
				return err
			}
			if c.key == "" {
				return noKey()
			}
			return relayTools(cmd.Context(), c, t.in, t.out)
		},
	}
	client.bind(cmd)
	return cmd
}

// relayTools offers the tools of a server's /mcp on a stream of JSON lines.
func relayTools(ctx context.Context, c connection, in io.Reader, out io.Writer) error {
	about := &mcp.Implementation{Name: "svc", Title: "Svc", Version: buildVersion()}
	remote, err := mcp.NewClient(about, nil).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             c.url + "/mcp",
		HTTPClient:           &http.Client{Transport: withKey{c.key}},
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return &failure{
			exit: exitRetryable, code: "unreachable", message: fmt.Sprintf("%s/mcp can't be used: %s", c.url, err), cause: err,
		}
	}
	defer func() { _ = remote.Close() }() // there is nothing on the server to close
	local := mcp.NewServer(about, &mcp.ServerOptions{
		Instructions: remote.InitializeResult().Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for tool, err := range remote.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list the tools of %s/mcp: %w", c.url, err)
		}
		local.AddTool(tool, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return remote.CallTool(ctx, &mcp.CallToolParams{
				Name: request.Params.Name, Arguments: request.Params.Arguments,
			})
		})
	}
	return local.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
}

// withKey sends requests with an API key.
type withKey struct{ key string }

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// unclosed keeps standard output open for what is written last.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
