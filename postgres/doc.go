// Package postgres owns the connection pool, the migrations and the storage of the three event tables.
//
// It knows PostgreSQL and, where it is installed, TimescaleDB with its toolkit. It knows no domain rule: what the
// tables mean belongs to the packages that read and write them.
package postgres
