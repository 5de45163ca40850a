// Package scheduledreport keeps who gets a report of an app every week or month, by email or in Slack, and sends it:
// once, in the time zone of the reader, and as what the reader may see at that time.
//
// Letters of the outbox (package mail) are what is sent once: of each report one for each period, whichever server puts
// it there, and however often a server is killed.
package scheduledreport
