// Package studio holds the authoring use cases: apps and their keys, flows and
// versions, channels and what they serve, experiments, branding, integrations,
// media, audiences.
//
// Each use case checks the caller's capability, works in one transaction with
// its audit entry, and tells delivery what changed inside that transaction. It
// knows nothing about GraphQL or HTTP.
package studio
