// Package flow computes what happened in the flows of an environment: overview, funnel, drop-off, times, cohorts,
// purchases and retention of runs, from a view of the environment in memory (flow-analytics.md).
//
// Select evaluates a scope once; the reports are functions of the selection, so that a page pays for its filters
// once. Every figure says what it counts: people are distinct app user ids, runs are single passes through a flow. The
// package is pure: the time is an argument and the data is a frame.View.
package flow
