// Package graph is the generated GraphQL executor with its models.
package graph

//go:generate go run ../scripts/schemaindex ..
//go:generate go tool gqlgen generate
//go:generate go run order.go
