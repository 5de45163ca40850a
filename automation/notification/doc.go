// Package notification keeps what a workspace's members should know without
// looking for it: an experiment ended, a limit is near, an endpoint is switched
// off. Whoever finds that out posts it; members read it and mark it as read, each
// for themselves.
//
// It knows neither who posts nor how pages show it: a notification is plain text
// with the ids of what it is about.
package notification
