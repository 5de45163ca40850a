// Package render words a scheduled report: as an email of HTML with charts and a text, and as a message to Slack.
package render
