// Package delivery decides what a channel serves and keeps the answer ready in memory. Its core is
// pure: entity tags and the resolve document. Around it stands the Catalogue, which reads the control
// plane from PostgreSQL, follows its changes and holds the finished, compressed response bytes of every
// channel and arm.
//
// The package knows nothing about HTTP handlers, events or reports, and it
// never writes to the database.
package delivery
