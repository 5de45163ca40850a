// Package archive takes events out of an environment and into one, as lines of
// JSON: the wire form of their path (analytics.md §1, wire.md §5.1 and §7.1) with
// what the server added (receive time, place, organicUnknown, a flow event's
// channel) and, on flow and track events, their kind. What Export writes, Import
// reads; a round trip gives the same sessions and the same reports.
package archive
