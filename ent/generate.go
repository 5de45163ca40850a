// Package ent holds the control plane's entities and the readable form of the
// event tables. The hand-written part is ent/schema; everything else is
// generated from it.
package ent

//go:generate go run entc.go prune.go
