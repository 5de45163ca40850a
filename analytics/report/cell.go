package report

import "unsafe"

// cell counts the sessions of one group in one bucket.
type cell struct {
	visitors    uint32
	sessions    uint32
	bounces     uint32
	newVisitors uint32
	views       int64
	events      int64
	millis      int64
}

// cellBytes is the memory of a cell.
const cellBytes = int(unsafe.Sizeof(cell{}))

// sessionCell is a cell while it is counted, with two counters to a word, so that a session costs four
// additions without a branch. A shard has fewer than 2³² views, and events, of one group.
type sessionCell struct {
	last     uint64 // ordinal + 1 of the latest visitor counted
	distinct uint64 // visitors << 32 | new visitors
	sessions uint64 // sessions << 32 | bounces
	hits     uint64 // views << 32 | events
	millis   int64
}

// join adds the cells of all shards up. A visitor belongs to one shard, so distinct counts add up.
func join(shards [][]sessionCell) []cell {
	total := make([]cell, len(shards[0]))
	for _, cells := range shards {
		for i := range cells {
			a, b := &total[i], &cells[i]
			a.visitors += uint32(b.distinct >> 32)
			a.newVisitors += uint32(b.distinct)
			a.sessions += uint32(b.sessions >> 32)
			a.bounces += uint32(b.sessions)
			a.views += int64(b.hits >> 32)
			a.events += int64(uint32(b.hits))
			a.millis += b.millis
		}
	}
	return total
}

// addCells adds cells of other visitors up.
func addCells(total, more []cell) {
	for i := range more {
		a, b := &total[i], &more[i]
		a.visitors += b.visitors
		a.sessions += b.sessions
		a.bounces += b.bounces
		a.newVisitors += b.newVisitors
		a.views += b.views
		a.events += b.events
		a.millis += b.millis
	}
}
