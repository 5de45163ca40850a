// Package mcpserver answers the Model Context Protocol: tools that read reports and write drafts. Each tool asks the
// server's own GraphQL with the caller's key, so that rights, prices, limits and figures are those of GraphQL. No tool
// publishes a flow or changes what a channel serves.
package mcpserver
