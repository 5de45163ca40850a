package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newFlowTemplates(t terminal) *cobra.Command {
	return clientCommand{
		use: "templates", short: "List the flows to begin with, and what they sell",
	}.command(t, func(ctx context.Context, server api, _ []string, out printer) error {
		data, err := server.query(ctx, "flowTemplates", nil, "flowTemplates")
		if err != nil {
			return err
		}
		return out.print(t.out, data)
	})
}

// productProviders are where a template's product may be bought, by their names in --product.
var productProviders = []string{"revenuecat", "superwall", "stripe", "app"}

func newFlowCreate(t terminal) *cobra.Command {
	var template, appName string
	var products []string
	cmd := clientCommand{
		use: "create", short: "Make a flow, blank or of a template", arguments: []string{"appId", "name"},
		long: "Makes a flow with a blank draft, or of one of the templates that svc flow templates lists: in the colors\n" +
			"and the font of the app's branding, with the app's name in the texts. --product says where one of its\n" +
			"products is bought, as in --product yearly=revenuecat:main; the app itself sells those that are left out.",
	}.command(t, func(ctx context.Context, server api, args []string, out printer) error {
		input := map[string]any{"appId": args[0], "name": args[1]}
		if template == "" && (appName != "" || len(products) > 0) {
			return usageError("--app-name and --product belong to a --template")
		}
		if template != "" {
			sold, err := readProducts(products)
			if err != nil {
				return err
			}
			chosen := map[string]any{"id": template, "products": sold}
			if appName != "" {
				chosen["appName"] = appName
			}
			input["template"] = chosen
		}
		return server.change(ctx, t, "createFlow", input, out)
	})
	cmd.Flags().StringVar(&template, "template", "", "id of a template; a blank draft unless given")
	cmd.Flags().StringVar(&appName, "app-name", "", "the app's name in the texts; that of the app unless given")
	cmd.Flags().StringArrayVar(&products, "product", nil, "where a product is bought: key=provider:reference")
	return cmd
}

// readProducts reads key=provider:reference.
func readProducts(lines []string) ([]map[string]any, error) {
	products := []map[string]any{}
	for _, line := range lines {
		key, where, found := strings.Cut(line, "=")
		provider, reference, _ := strings.Cut(where, ":")
		if !found || key == "" || !slices.Contains(productProviders, provider) {
			return nil, usageError(
				"--product must be key=provider:reference with a provider of %s, not %q",
				strings.Join(productProviders, ", "), line,
			)
		}
		products = append(products, map[string]any{
			"key": key, "provider": strings.ToUpper(provider), "reference": reference,
		})
	}
	return products, nil
}
