// Package archive takes product events out of an environment and into one, as
// lines of JSON: the wire form of analytics.md §1 with what the server added
// (receive time, place, organicUnknown). What Export writes, Import reads; a round
// trip gives the same sessions and the same reports.
package archive
