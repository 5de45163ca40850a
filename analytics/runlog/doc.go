// Package runlog reads single runs of flows from the database: the newest ones, one with everything it recorded, and
// what people answered (flow-analytics.md §3: recent, run, responses). Figures that count runs are in package flow,
// which reads memory; here are the reports that need a stored row. Every read is bounded in rows and bytes, and by its
// context in time.
package runlog
