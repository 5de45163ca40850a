//go:build !linux

package pgtest

// inMemory returns a directory in memory, which only Linux has everywhere.
func inMemory() string { return "" }
