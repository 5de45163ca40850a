// Package account owns people and what they may do: users, workspaces, roles and
// their capabilities, dashboard sessions, workspace API keys, members, and the
// audit trail.
//
// It knows nothing about flows, channels or reports. Other packages ask it who
// the caller is ([From]) and whether they may ([Authorize]).
package account
