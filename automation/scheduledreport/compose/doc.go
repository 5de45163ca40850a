// Package compose makes the content of a scheduled report. It asks the GraphQL API as the member who gets the report,
// so that every number is the one that the dashboard shows, and nobody is sent what they may not see. It words nothing.
package compose
