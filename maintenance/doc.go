// Package maintenance does what a database needs from time to time: it makes the
// partitions of the months to come, removes what has expired, and ends
// experiments whose end has come.
//
// Of all servers of a database one is the leader and does the work, see
// [Worker]. Everything is a [task] that works in batches; the table of them is
// in tasks.go. What is kept and for how long is decided here and nowhere else,
// except for raw events on TimescaleDB, whose policies drop chunks.
package maintenance
