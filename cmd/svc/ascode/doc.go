// Package ascode keeps the configuration of an app as files: it reads an app into a folder, says what differs, and
// makes the app what the folder says. Files name each other by their paths; the ids of a server stand in a lock file,
// with what the server had when it was read, so that a change that nobody pulled is never overwritten.
//
// The package asks a server by the GraphQL documents of the command line client. It prints nothing.
package ascode

import "context"

// Server answers the documents of the command line client.
type Server interface {
	// Read runs a document and decodes what the path of the answer leads to.
	Read(ctx context.Context, document string, variables map[string]any, into any, path ...string) error
	// ReadAll reads every page of the list that the path leads to and decodes its rows.
	ReadAll(ctx context.Context, document string, variables map[string]any, into any, path ...string) error
}

// Refusal is a state of a folder or of a server in which nothing is changed.
type Refusal struct {
	// Conflict tells that the server or the folder has what the other does not know of; otherwise a file is wrong.
	Conflict bool
	Message  string
	Files    []Conflict
}

func (r *Refusal) Error() string { return r.Message }
